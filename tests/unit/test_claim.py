"""How a statement is read, by example."""

import pytest

from hindbrain.core.claim import Kind, read


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("Retry 3 times or thirty seconds, 50MB, v5, 1.21+", Kind.NUMBER, ("3", "30", "50mb", "v5", "1_21")),
        ("Look in tests/unit and src/a.py, not in requests/minute", Kind.PATH, ("tests_unit", "src_a_py")),
        (
            "We use Redis, pytest, MAX_CONN, getUser and `plain`",
            Kind.NAME,
            ("redi", "pytest", "max_conn", "getus", "plain"),
        ),
        ("Do not, never and don't", Kind.NOT, ("not", "never", "don_t")),
    ],
)
def test_tokens_are_known_for_what_they_are(text: str, kind: Kind, words: tuple[str, ...]) -> None:
    assert read(text).of_kind(kind) == words


def test_words_without_meaning_are_left_out_of_the_content() -> None:
    assert read("Please always use the cache").content == read("use cache").content


def test_short_forms_and_plurals_read_like_the_long_word() -> None:
    assert read("the repos configs").content == read("a repository configuration").content


def test_an_answer_is_not_a_negation() -> None:
    assert read("No, it works").negations == 0
    assert read("No cache works").negations == 1


def test_an_assignment_is_a_name_and_its_value() -> None:
    tokens = read("Set DEBUG=true").tokens
    assert [(t.raw, t.after) for t in tokens] == [("Set", ""), ("DEBUG", "="), ("true", "")]


def test_a_capital_at_the_start_of_a_sentence_is_no_name() -> None:
    assert read("Cache it. Store it").of_kind(Kind.NAME) == ()
    assert read("in Cache").of_kind(Kind.NAME) == ("cach",)
