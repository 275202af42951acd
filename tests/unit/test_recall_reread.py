"""What is asked beside the words that most memories hold."""

import pytest

from hindbrain.core.recall.bm25 import is_common
from hindbrain.core.recall.reread import halfway, without
from hindbrain.core.words import asked_terms


@pytest.mark.parametrize(
    ("text", "rest", "left_out"),
    [
        ("When did Caroline paint?", "When did paint?", ("Caroline",)),
        ("Did Caroline's dog bite Caroline?", "Did dog bite", ("Caroline's", "Caroline?")),
        ("  caroline  paints ", "paints", ("caroline",)),
        ("Where is caroline.py imported?", "", ()),  # a name of its own
        ("Where is caroline.py - imported?", "", ()),  # and a sign is no word
        ("Where is Caroline?", "", ()),
        ("Does she paint?", "", ()),
        ("", "", ()),
    ],
)
def test_what_is_left_without_a_name_that_every_memory_holds(text: str, rest: str, left_out: tuple[str, ...]) -> None:
    assert without(text, frozenset({"carolin"}), asked=asked_terms(text)) == (rest, left_out)


def test_a_denial_is_never_left_out() -> None:
    """Every second memory says *not*, and a question without it would ask for the opposite."""
    text = "Why does Caroline not paint?"

    assert without(text, frozenset({"not"}), asked=asked_terms(text)) == ("", ())
    assert without(text, frozenset({"not", "carolin"}), asked=asked_terms(text))[0] == "Why does not paint?"


@pytest.mark.parametrize(
    ("holders", "documents", "is_so"),
    [(100, 100, True), (81, 100, True), (80, 100, False), (60, 60, False), (500, 1000, True), (400, 1000, False)],
)
def test_a_word_is_common_that_most_of_many_hold(holders: int, documents: int, is_so: bool) -> None:
    assert is_common(holders, documents) is is_so


def test_halfway_is_of_length_one_and_as_near_to_both() -> None:
    assert halfway((1.0, 0.0), (0.0, 1.0)) == pytest.approx((0.5**0.5, 0.5**0.5))


@pytest.mark.parametrize("other", [(0.0, 0.0), (-1.0, 0.0)])
def test_what_has_no_direction_moves_nothing(other: tuple[float, float]) -> None:
    assert halfway((1.0, 0.0), other) == (1.0, 0.0)
