"""A closed set of words behaves as the standard library's, as far as it goes."""

import copy
import enum
import pickle

import pytest

from hindbrain.core.closed import StrEnum


class Colour(StrEnum):
    """Of a lamp."""

    RED = "red"
    GREEN = "green"

    @property
    def is_go(self) -> bool:
        return self is Colour.GREEN


class Theirs(enum.StrEnum):
    RED = "red"
    GREEN = "green"


def test_a_member_is_its_word() -> None:
    assert Colour.RED == "red" and f"{Colour.RED}" == str(Colour.RED) == "red"
    assert type(str(Colour.RED)) is str and isinstance(Colour.RED, Colour)
    assert {Colour.RED: 1}["red"] == 1
    assert (Colour.RED.name, Colour.RED.value) == ("RED", "red")
    assert Colour.GREEN.is_go and not Colour.RED.is_go
    assert Colour.__doc__ == "Of a lamp."


def test_a_set_has_its_members_in_order_and_no_others() -> None:
    assert [*Colour] == [*Theirs] == ["red", "green"] and len(Colour) == len(Theirs) == 2
    assert ", ".join(Colour) == "red, green"
    assert Colour.RED in Colour and Theirs.RED in Theirs


def test_a_word_finds_its_member_and_another_none() -> None:
    assert Colour("red") is Colour.RED and Colour(Colour.RED) is Colour.RED
    for word in ("blue", "RED", None, 5, ["red"]):
        with pytest.raises(ValueError, match="is not a valid Theirs"):
            Theirs(word)
        with pytest.raises(ValueError, match="is not a valid Colour"):
            Colour(word)  # type: ignore[arg-type]


def test_copies_are_the_same_member() -> None:
    assert copy.copy(Colour.RED) is copy.deepcopy(Colour.RED) is pickle.loads(pickle.dumps(Colour.RED)) is Colour.RED
    assert repr(Colour.RED) == repr(Theirs.RED).replace("Theirs", "Colour")


def test_members_are_matched_by_patterns() -> None:
    match Colour("green"):
        case Colour.RED:
            found = "red"
        case Colour.GREEN:
            found = "green"
    assert found == "green"
