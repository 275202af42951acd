"""What an unknown word is taken for, and what it never is."""

import pytest

from hindbrain.core.recall.spelling import SHORTEST, meant


@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("postgrs", "postgres"),
        ("postgress", "postgres"),
        ("postgras", "postgres"),
        ("postgers", "postgres"),
        ("opstgres", "postgres"),
        ("postgreq", "postgres"),
        ("conect", "connect"),
        ("cachs", "cach"),
        ("python31", "pythn31"),
    ],
)
def test_one_slip_is_forgiven(word: str, known: str) -> None:
    assert meant(word, ["zebra", known, "apple"]) == known


@pytest.mark.parametrize(
    ("word", "known"),
    [("kube", "kubernet"), ("conf", "config"), ("async", "asyncio"), ("http2c", "http2cli")],
)
def test_a_word_not_typed_to_its_end_is_finished(word: str, known: str) -> None:
    assert meant(word, ["zebra", known, "apple"]) == known


@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("http2", "http3"),
        ("http2", "http"),
        ("http2", "http22"),
        ("http", "http2"),
        ("python311", "python312"),
        ("python311", "python31"),
        ("v1beta12", "v1beta21"),
        ("error12", "error1x2"),
        ("12345", "12346"),
        ("1234", "1234ab"),
    ],
)
def test_numbers_are_never_guessed(word: str, known: str) -> None:
    assert meant(word, [known]) is None


@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("cart", "card"),  # too short to tell a slip from a word
        ("con", "conf"),  # too short to begin only this
        ("kube", "kubernete"),  # five letters to finish
        ("postgers", "postrges"),  # two slips
        ("postgsre", "postgres"),  # moved further than to a neighbour
        ("", "a"),
    ],
)
def test_what_resembles_too_little_means_nothing(word: str, known: str) -> None:
    assert meant(word, [known]) is None


@pytest.mark.parametrize(
    ("word", "known", "expected"),
    [
        ("datab", ["data", "databas"], "databas"),  # to finish is likelier than to mend
        ("confi", ["confide", "config", "confid"], "confid"),
        ("conf", ["confab", "config"], "confab"),
        ("tokem", ["tokens", "token", "totem"], "token"),
        ("cache", ["caches", "cache"], "cache"),
        ("cache", [], None),
    ],
)
def test_of_several_the_likeliest_the_shortest_the_first(word: str, known: list[str], expected: str | None) -> None:
    assert meant(word, known) == expected
    assert meant(word, known[::-1]) == expected


def test_the_shortest_word_that_may_be_finished_has_four_letters() -> None:
    assert SHORTEST == 4
    assert meant("conf", ["config"]) == "config"


def test_a_word_longer_than_any_term_is_not_compared() -> None:
    assert meant("x" * 10_000_000, ["x" * 9_999_999]) is None
