"""Laws of value classes: whatever is put in, they answer as the standard library's dataclasses would."""

import dataclasses
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core import value as ours

NAMES = ("alpha", "beta", "gamma", "delta")

values = st.one_of(st.integers(), st.text(max_size=5), st.tuples(st.integers()), st.none())
calls = st.tuples(
    st.lists(values, max_size=5),
    st.dictionaries(st.sampled_from((*NAMES, "omega", "__init__")), values, max_size=5),
)


@st.composite
def classes(draw: st.DrawFn) -> tuple[Any, Any]:
    """The same class made twice: by the standard library, and here."""
    names = NAMES[: draw(st.integers(0, len(NAMES)))]
    plain = draw(st.integers(0, len(names)))
    options = {"frozen": draw(st.booleans()), "kw_only": draw(st.booleans()), "slots": True}
    defaults = {name: draw(values) for name in names[plain:]}
    fresh = draw(st.sets(st.sampled_from(names[plain:]))) if names[plain:] else set()

    def made(library: Any) -> Any:
        given = {name: library.field(default_factory=list) if name in fresh else defaults[name] for name in defaults}
        body = {"__annotations__": dict.fromkeys(names, object), "__qualname__": "Thing", **given}
        return library.dataclass(**options)(type("Thing", (), body))

    return made(dataclasses), made(ours)


def outcome(make: Any, call: tuple[list[Any], dict[str, Any]]) -> Any:
    try:
        return make(*call[0], **call[1])
    except TypeError:
        return TypeError


@given(classes(), calls, calls)
def test_values_answer_as_dataclasses_do(made: tuple[Any, Any], first: Any, second: Any) -> None:
    theirs, mine = ([outcome(kind, call) for call in (first, second)] for kind in made)
    for their, my in zip(theirs, mine, strict=True):
        assert (their is TypeError) == (my is TypeError)
        if my is not TypeError:
            assert repr(my) == repr(their)
            assert outcome(hash, ([my], {})) == outcome(hash, ([their], {}))
            assert ours.replace(my) == my
            assert dataclasses.asdict(my) == dataclasses.asdict(their)
    if TypeError not in mine:
        assert (mine[0] == mine[1]) == (theirs[0] == theirs[1])


@given(classes(), calls, st.dictionaries(st.sampled_from((*NAMES, "omega")), values, max_size=3))
def test_replacing_answers_as_dataclasses_do(made: tuple[Any, Any], call: Any, changes: dict[str, Any]) -> None:
    theirs, mine = (outcome(kind, call) for kind in made)
    if mine is not TypeError:
        mine = outcome(ours.replace, ([mine], changes))
        theirs = outcome(dataclasses.replace, ([theirs], changes))
        assert repr(mine) == repr(theirs)
