"""When the newer goes before the better, and what counts as said already."""

from datetime import timedelta

import pytest
from building import NOW

from hindbrain.core.recall.diverse import Item, Order, newest_first, repeats
from hindbrain.core.words import query_terms


def valued(name: str, score: float, *, days: float, asked: str = "port staging") -> Item:
    return Item(id=name, score=score, learned_at=NOW - timedelta(days=days), asked=frozenset(asked.split()))


def said(name: str, text: str) -> Item:
    return Item(id=name, score=0.5, learned_at=NOW, terms=frozenset(query_terms(text)), text=text)


def ids(order: Order) -> str:
    return " ".join(item.id for item in order.items)


def test_the_newest_value_of_a_topic_comes_first_and_says_whom_it_overtook() -> None:
    order = newest_first([valued("old", 1.0, days=90), valued("new", 0.85, days=1)])

    assert ids(order) == "new old"
    assert order.because == (("new", "old"),)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (valued("old", 1.0, days=9), valued("new", 0.59, days=1)),  # too much worse
        (valued("old", 1.0, days=1), valued("new", 0.95, days=9)),  # not newer
        (valued("old", 1.0, days=1), valued("new", 0.95, days=1 - 9 / 1440)),  # newer by nine minutes
        (valued("old", 1.0, days=9), valued("new", 0.95, days=1, asked="port database user")),
        (valued("old", 1.0, days=9), valued("new", 0.95, days=1, asked="")),
        (valued("old", 1.0, days=9, asked=""), valued("new", 0.95, days=1, asked="")),
    ],
)
def test_what_is_worse_older_or_about_something_else_stays_behind(older: Item, newer: Item) -> None:
    order = newest_first([older, newer])

    assert ids(order) == "old new"
    assert order.because == ()


@pytest.mark.parametrize(
    ("older", "newer", "order"),
    [
        ("port host user name page", "port host user", "new old"),
        ("port database", "port", "old new"),
    ],
)
def test_three_fifths_of_the_words_in_common_are_the_same_topic_and_half_of_them_is_not(
    older: str, newer: str, order: str
) -> None:
    items = [valued("old", 1.0, days=9, asked=older), valued("new", 0.95, days=1, asked=newer)]

    assert ids(newest_first(items)) == order


@pytest.mark.parametrize("gap", [0.4, 1.0 - 0.6, 0.1 + 0.3])
def test_a_gap_of_exactly_four_tenths_is_close(gap: float) -> None:
    assert ids(newest_first([valued("old", 1.0, days=2), valued("new", 1.0 - gap, days=1)])) == "new old"


def test_ten_minutes_are_enough_to_be_newer() -> None:
    assert ids(newest_first([valued("old", 1.0, days=10 / 1440), valued("new", 1.0, days=0)])) == "new old"


def test_the_newest_of_three_passes_both_and_names_the_better() -> None:
    order = newest_first([valued("a", 1.0, days=30), valued("b", 0.95, days=20), valued("c", 0.9, days=10)])

    assert ids(order) == "c b a"
    assert dict(order.because)["c"] == "b"


def test_one_about_something_else_is_not_passed_by() -> None:
    between = valued("other", 0.95, days=60, asked="database")

    assert ids(newest_first([valued("old", 1.0, days=9), between, valued("new", 0.9, days=1)])) == "old other new"


LONG = "Restart the worker after every deploy because the queue keeps the old connection open for ever"


def test_what_was_said_before_goes_to_the_end_and_names_the_first() -> None:
    again = LONG.replace("keeps", "holds")
    order = repeats([said("a", LONG), said("b", again), said("c", "Use uv for installs"), said("d", LONG)])

    assert ids(order) == "a c b d"
    assert order.because == (("b", "a"), ("d", "a"))


@pytest.mark.parametrize(("first", "second"), [("short", "long"), ("long", "short")])
def test_a_fifth_of_words_that_no_other_holds_is_still_the_same_whichever_comes_first(first: str, second: str) -> None:
    texts = {"short": "alpha bravo charlie delta", "long": "alpha bravo charlie delta echo"}

    order = repeats([said(first, texts[first]), said(second, texts[second])])

    assert order.because == ((second, first),)


@pytest.mark.parametrize(
    "other",
    [
        LONG.replace("Restart", "Never restart"),
        LONG.replace("after", "before"),
        LONG + " 5",
        LONG + " twice",
        LONG.replace("worker", "worker2"),
        LONG.replace("worker after every deploy", "machine at night"),
    ],
)
def test_another_number_or_a_not_is_no_repeat(other: str) -> None:
    assert repeats([said("a", LONG), said("b", other)]).because == ()


def test_names_that_differ_in_a_digit_are_no_repeat() -> None:
    one, two = (f"{LONG} with {name} and {name} alone" for name in ("http2", "http3"))

    assert repeats([said("a", one), said("b", two)]).because == ()
    assert repeats([said("a", one), said("b", one)]).because == (("b", "a"),)


def test_what_repeats_only_a_repeat_is_kept() -> None:
    words = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliet"]
    a, b, c = words, [*words[1:], "kilo"], [*words[2:], "kilo", "lima"]

    order = repeats([said(name, " ".join(text)) for name, text in zip("abc", (a, b, c), strict=True)])

    assert ids(order) == "a c b"
    assert order.because == (("b", "a"),)


def test_without_words_nothing_repeats() -> None:
    assert repeats([said("a", ""), said("b", "")]).because == ()


def test_documents_are_not_compared() -> None:
    document = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}" for n in range(2001))
    terms = frozenset(document.split())
    items = [Item(id=name, score=1.0, learned_at=NOW, terms=terms, text=document) for name in "ab"]

    assert repeats(items).because == ()
