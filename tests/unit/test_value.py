"""Values are made as `dataclasses` makes them, and work with its functions."""

import copy
import dataclasses
import pickle
from collections.abc import Mapping
from typing import Any

import pytest

from hindbrain.core.model import Actor, Counters, Reason, Score
from hindbrain.core.value import dataclass, field, names_of, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Somewhere."""

    x: int
    y: int = 0
    marks: Mapping[str, int] = field(default_factory=dict)

    @property
    def sum(self) -> int:
        return self.x + self.y


@dataclass(slots=True)
class Pen:
    colour: str
    strokes: list[str] = field(default_factory=list)
    width: int = 1


def test_a_value_has_its_fields_its_defaults_and_its_own_methods() -> None:
    point = Point(x=2)
    assert (point.x, point.y, point.marks, point.sum) == (2, 0, {}, 2)
    assert Point.__doc__ == "Somewhere." and Point.__qualname__ == "Point"
    assert not hasattr(point, "__dict__")


def test_a_class_that_says_itself_how_it_is_made_is_made_so() -> None:
    reason = Reason("words", 0.5, 2.0)
    assert reason == Reason(name="words", value=0.5, weight=2.0, note="") and reason.part == 1.0
    assert replace(reason, note="pool").note == "pool" and pickle.loads(pickle.dumps(reason)) == reason
    with pytest.raises(TypeError, match="weight"):
        Reason("words", 0.5)  # type: ignore[call-arg]
    with pytest.raises(AttributeError, match="frozen"):
        reason.value = 1.0  # type: ignore[misc]


def test_a_default_that_can_change_is_made_anew_for_each_value() -> None:
    first, second = Pen("red"), Pen("red")
    first.strokes.append("down")
    assert second.strokes == [] and first != second


def test_a_frozen_value_cannot_change() -> None:
    point: Any = Point(x=2)
    with pytest.raises(AttributeError, match="x cannot change: Point is frozen"):
        point.x = 3
    with pytest.raises(AttributeError):
        del point.x
    assert point == Point(x=2)


def test_a_value_that_is_not_frozen_can_change_and_has_no_hash() -> None:
    pen = Pen("red")
    pen.colour = "blue"
    assert pen == Pen("blue")
    with pytest.raises(TypeError):
        hash(pen)


def test_equal_values_have_one_hash_and_other_types_are_never_equal() -> None:
    assert hash(Actor(persona="ed")) == hash(Actor(persona="ed"))
    assert Actor(persona="ed") != Actor(persona="ace")
    assert Reason("words", 1.0, 1.0) != ("words", 1.0, 1.0, "")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "Point lacks x"),
        ({"x": 1, "z": 2}, "Point has no z"),
        ({"x": 1, "sum": 2}, "Point has no sum"),
        ({"z": 2}, "Point lacks x and has no z"),
    ],
)
def test_what_is_missing_or_unknown_is_named(given: dict[str, int], told: str) -> None:
    made: Any = Point
    with pytest.raises(TypeError, match=told):
        made(**given)


def test_a_value_given_by_name_only_takes_no_place() -> None:
    made: Any = Point
    with pytest.raises(TypeError):
        made(1)


def test_places_and_names_may_be_mixed_but_each_field_is_given_once() -> None:
    reason: Any = Reason
    assert Reason("words", value=1.0, weight=0.5) == Reason("words", 1.0, 0.5, "")
    for given, named in ((("a", 1.0, 1.0, "", 5), {}), (("a", 1.0, 1.0), {"name": "b"}), (("a", 1.0), {})):
        with pytest.raises(TypeError):
            reason(*given, **named)


def test_a_class_that_cannot_be_made_as_asked_is_refused() -> None:
    class Shared:
        marks: list[str] = []  # noqa: RUF012

    class Late:
        first: int = 1
        second: int

    class Child(Point):
        z: int = 0

    make: Any = dataclass
    for frozen in (True, False):
        with pytest.raises(ValueError, match="marks"):
            make(frozen=frozen, slots=True)(Shared)
    with pytest.raises(TypeError):
        make(slots=True)(Late)
    with pytest.raises(TypeError):
        make(slots=True)(Child)
    with pytest.raises(TypeError):
        make(slots=False)(Late)


def test_replacing_makes_another_value_and_refuses_unknown_fields() -> None:
    changed: Any = replace
    point = Point(x=2, y=5)
    assert replace(point, y=6) == Point(x=2, y=6) and point.y == 5
    with pytest.raises(TypeError):
        changed(point, z=1)


def test_values_can_be_copied_and_pickled() -> None:
    score = Score((Reason("words", 1.0, 1.0), Reason("path", 0.5, 0.1, "a.py")))
    assert copy.copy(score) == copy.deepcopy(score) == pickle.loads(pickle.dumps(score)) == score
    pen = Pen("red", ["down"])
    copied = copy.deepcopy(pen)
    copied.strokes.append("up")
    assert pen.strokes == ["down"]


def test_the_functions_of_the_standard_library_work_on_values() -> None:
    assert dataclasses.is_dataclass(Point) and not dataclasses.is_dataclass(int)
    assert [(f.name, f.kw_only) for f in dataclasses.fields(Point)] == [("x", True), ("y", True), ("marks", True)]
    assert dataclasses.fields(Point)[1].default == 0 and dataclasses.fields(Point)[2].default_factory is dict
    assert dataclasses.asdict(Counters(evidence=3))["evidence"] == 3
    assert dataclasses.replace(Point(x=1), y=2) == Point(x=1, y=2)


def test_names_are_those_of_the_fields_and_of_nothing_else() -> None:
    assert names_of(Point(x=1)) == ("x", "y", "marks")
    assert names_of(("x", "y")) == names_of(None) == names_of("text") == ()
