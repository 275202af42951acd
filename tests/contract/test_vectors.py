"""What every store promises about meaning: nothing stale, nothing mixed, nothing lost on the way to a vector."""

import hashlib
import math
from dataclasses import replace
from datetime import timedelta
from typing import cast

import pytest
from building import NOW, a_memory, a_project, a_vector, keep
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindbrain.adapters.dictionary import DictStore
from hindbrain.core.model import Kind, Memory, Reach, Space, State, Vector
from hindbrain.core.model.actor import Provenance
from hindbrain.core.model.vector import quantised, restored
from hindbrain.core.recall.meaningful import digest, meaningful
from hindbrain.errors import BadValue
from hindbrain.ports import Changes, Movable, Near, Store, Where

HERE = Where(project="prj-one", with_everywhere=False)
LATER = NOW + timedelta(hours=1)
FLAT = Space(provider="local", model="flat", version="1", dimension=2)
EAST, NORTH, WEST = (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)


def between(degrees: float) -> tuple[float, float]:
    return math.cos(math.radians(degrees)), math.sin(math.radians(degrees))


def embed(store: Store, memory: Memory, *points: tuple[float, ...], space: Space = FLAT) -> None:
    vectors = tuple(a_vector(memory, point, space=space, piece=n) for n, point in enumerate(points))
    store.write(lambda tx: tx.apply(Changes(vectors=vectors)))


def keep_with(store: Store, memory: Memory, *points: tuple[float, ...], space: Space = FLAT) -> None:
    vectors = tuple(a_vector(memory, point, space=space, piece=n) for n, point in enumerate(points))
    store.write(lambda tx: tx.apply(Changes(memories=(memory,), vectors=vectors)))


def ids(found: "list[Near] | tuple[Near, ...]") -> list[str]:
    return [near.memory_id for near in found]


def due(store: Store, space: Space = FLAT) -> list[str]:
    return [memory.id for memory in store.unembedded(space, limit=99)]


def test_of_what_lies_near_it_is_told_which_words_it_holds(store: Store) -> None:
    lacking = Near(memory_id="mem-gone", similarity=0.5, start=0, end=0)
    keep_with(store, a_memory("cache the pool", id="mem-a", tags=()), EAST)
    keep_with(store, a_memory("retry the cache", id="mem-b", tags=("pool",)), between(40))
    keep_with(store, a_memory("gardens need water", id="mem-c"), NORTH)
    near = [*store.nearest(EAST, FLAT, where=HERE, limit=5), lacking]
    words = ["cach", "pool", "nowhere"]
    for _ in range(4):  # a process that is asked again may answer from what it has kept
        store.holders(words)
        assert {match.memory_id for match in store.matches(words, HERE, limit=5)} == {"mem-a", "mem-b"}
        held = {key: set(found) for key, found in store.held(words, near).items() if found}
        assert held == {"mem-a": {"cach", "pool"}, "mem-b": {"cach", "pool"}}
    assert not any(store.held([], near).values()) and not store.held(words, [])


def test_the_nearest_come_first_with_their_similarity(store: Store) -> None:  # HB-026
    for name, degrees in (("far", 90), ("near", 10), ("nearest", 1), ("against", 180)):
        keep_with(store, a_memory(name, id=f"mem-{name}"), between(degrees))
    found = store.nearest(EAST, FLAT, where=HERE, limit=3)
    assert ids(found) == ["mem-nearest", "mem-near", "mem-far"]
    assert [near.similarity for near in found] == pytest.approx([1, math.cos(math.radians(10)), 0], abs=0.01)
    assert found[0].memory_id == "mem-nearest"


def test_a_text_that_the_model_cannot_read_is_near_to_nobody(store: Store) -> None:
    """It has a vector of length 0: where similarity is divided by length, that would be no number."""
    keep_with(store, a_memory("unread", id="mem-unread"), (0.0, 0.0))
    keep_with(store, a_memory("near", id="mem-near"), between(10))
    found = store.nearest(EAST, FLAT, where=HERE, limit=3)
    assert [(near.memory_id, round(near.similarity, 2)) for near in found] == [("mem-near", 0.98), ("mem-unread", 0.0)]
    assert [near.similarity for near in store.nearest((0.0, 0.0), FLAT, where=HERE, limit=3)] == [0.0, 0.0]
    assert due(store) == [] and not store.damage()


def test_the_best_piece_speaks_for_the_memory_once(store: Store) -> None:
    keep_with(store, a_memory("many things", id="mem-many"), NORTH, between(5), WEST, between(50))
    keep_with(store, a_memory("one thing", id="mem-one"), between(20))
    first, second = store.nearest(EAST, FLAT, where=HERE, limit=5)
    assert (first.memory_id, first.start, first.end) == ("mem-many", 10, 15)  # a_vector cuts pieces of ten
    assert second.memory_id == "mem-one"


def test_equally_near_memories_come_by_id_wherever_the_limit_cuts(store: Store) -> None:
    names = [f"mem-{n:02}" for n in range(20)]
    for name in reversed(names):
        keep_with(store, a_memory("same", id=name), between(33.3))
    for limit in (1, 3, 20):
        assert ids(store.nearest(EAST, FLAT, where=HERE, limit=limit)) == names[:limit]


def test_what_was_asked_for_by_name_comes_behind_the_best(store: Store) -> None:
    for n in range(6):
        keep_with(store, a_memory(f"lesson {n}", id=f"mem-{n}"), between(10 * n))
    keep(store, a_memory("without a vector", id="mem-bare"))
    keep_with(store, a_memory("elsewhere", id="mem-else", project="prj-two"), EAST)
    asked = [match for word in ("0", "3", "5", "vector") for match in store.matches([word], HERE, limit=5)]
    assert ids(asked) == ["mem-0", "mem-3", "mem-5", "mem-bare"]
    assert ids(store.nearest(EAST, FLAT, where=HERE, limit=2, also=asked)) == ["mem-0", "mem-1", "mem-3", "mem-5"]
    assert ids(store.nearest(EAST, FLAT, where=HERE, limit=0, also=asked[1:])) == ["mem-3", "mem-5"]
    assert ids(store.nearest(EAST, FLAT, where=HERE, limit=0)) == []


def test_spaces_never_mix(store: Store) -> None:  # HB-025 HB-027
    other = {
        "provider": replace(FLAT, provider="remote"),
        "model": replace(FLAT, model="round"),
        "version": replace(FLAT, version="2"),
        "dimension": replace(FLAT, dimension=3),
    }
    keep_with(store, a_memory("flat", id="mem-flat"), EAST)
    for name, space in other.items():
        keep_with(store, a_memory(name, id=f"mem-{name}"), (1.0, *[0.0] * (space.dimension - 1)), space=space)
    assert ids(store.nearest(EAST, FLAT, where=HERE, limit=9)) == ["mem-flat"]
    for name, space in other.items():
        point = (1.0, *[0.0] * (space.dimension - 1))
        assert ids(store.nearest(point, space, where=HERE, limit=9)) == [f"mem-{name}"]


def test_a_memory_may_have_vectors_in_several_spaces(store: Store) -> None:
    other, memory = replace(FLAT, model="round"), a_memory()
    keep_with(store, memory, EAST)
    embed(store, memory, WEST, space=other)
    assert store.nearest(EAST, FLAT, where=HERE, limit=1)[0].similarity > 0.9
    assert store.nearest(EAST, other, where=HERE, limit=1)[0].similarity < -0.9


def test_the_vector_of_a_memory_is_told_where_it_has_one_alone(store: Store) -> None:  # LK-125
    keep_with(store, a_memory("One", id="mem-1"), EAST)
    keep_with(store, a_memory("Two", id="mem-2"), EAST, NORTH)
    keep(store, a_memory("None", id="mem-3"))

    found = store.points(("mem-1", "mem-2", "mem-3", "mem-4"), FLAT)

    assert list(found) == ["mem-1"] and list(found["mem-1"]) == pytest.approx(EAST, abs=0.01)
    assert store.points(("mem-1",), replace(FLAT, model="other")) == {}


# HB-029 HB-030 HB-031 HB-032 HB-033 HB-034
def test_a_vector_comes_back_with_its_source_its_text_its_space_and_its_hash(store: Store) -> None:
    memory = a_memory("One lesson about locks", id="mem-1", kind=Kind.SCAR)
    text = meaningful(memory)
    code, scale = quantised(between(30))
    kept = Vector(
        memory_id=memory.id,
        space=FLAT,
        piece=0,
        start=0,
        end=len(text),
        digest=digest(text),
        code=code,
        scale=scale,
    )
    store.write(lambda tx: tx.apply(Changes(memories=(memory,), vectors=(kept,))))

    if isinstance(store, DictStore):
        assert store.has_vectors(FLAT, HERE)
        return  # nobody carries a dictionary elsewhere
    (found,) = cast(Movable, store).vectors([memory.id])

    assert found == kept and found.digest == hashlib.sha256(text.encode()).hexdigest()
    source = store.memory(found.memory_id)
    assert source and source.kind is Kind.SCAR and meaningful(source)[found.start : found.end] == text
    assert list(restored(found.code, found.scale)) == pytest.approx(between(30), abs=0.01)
    assert (found.space.provider, found.space.model, found.space.dimension) == ("local", "flat", 2)


@pytest.mark.parametrize("dimension", [1024, 1536])  # of mistral-embed, and of a common model of another vendor
def test_a_wide_vector_is_found_and_told_with_all_its_numbers(store: Store, dimension: int) -> None:
    # HB-027 HB-033 LK-125
    wide = replace(FLAT, model="wide", dimension=dimension)
    front, back = ((1.0, *[0.0] * (dimension - 1)), (*[0.0] * (dimension - 1), 1.0))
    even = tuple([dimension**-0.5] * dimension)
    for name, point in (("front", front), ("back", back), ("even", even)):
        keep_with(store, a_memory(name, id=f"mem-{name}"), point, space=wide)
    keep_with(store, a_memory("many", id="mem-many"), front, back, space=wide)

    assert ids(store.nearest(back, wide, where=HERE, limit=2)) == ["mem-back", "mem-many"]
    found = store.points(("mem-front", "mem-back", "mem-even", "mem-many"), wide)

    assert {key: len(point) for key, point in found.items()} == dict.fromkeys(
        ("mem-front", "mem-back", "mem-even"), dimension
    )
    assert list(found["mem-back"]) == pytest.approx(back, abs=0.01)
    assert sum(x * x for x in found["mem-even"]) == pytest.approx(1, abs=0.01), "two of the same must read as the same"
    store.erase("mem-back", at=LATER)
    assert "mem-back" not in store.points(("mem-back",), wide)


def test_an_unknown_space_holds_nothing(store: Store) -> None:
    keep_with(store, a_memory(), EAST)
    assert not store.nearest(EAST, replace(FLAT, version="9"), where=HERE, limit=5)
    assert not store.unembedded(replace(FLAT, version="9"), limit=5)
    assert not store.nearest(EAST, FLAT, where=Where(project="prj-unheard"), limit=5)


@pytest.mark.parametrize("size", [0, 1, 3, 768])
def test_a_vector_that_does_not_fit_its_space_is_refused_and_nothing_is_written(
    store: Store, size: int
) -> None:  # HB-027
    memory = a_memory()
    good, bad = a_vector(memory, EAST, space=FLAT), a_vector(memory, [0.5] * size, space=FLAT, piece=1)

    def work(tx: object) -> None:
        with pytest.raises(BadValue, match="numbers"):
            tx.apply(Changes(memories=(memory,), vectors=(good, bad)))  # type: ignore[attr-defined]

    store.write(work)
    assert store.memory(memory.id) is None and not store.nearest(EAST, FLAT, where=HERE, limit=5)
    with pytest.raises(BadValue, match="numbers"):
        store.nearest([0.5] * size, FLAT, where=HERE, limit=5)


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_numbers_that_are_none_are_refused(store: Store, wrong: float) -> None:
    memory = a_memory()
    keep(store, memory)
    with pytest.raises(BadValue):
        store.write(lambda tx: tx.apply(Changes(vectors=(replace(a_vector(memory, EAST, space=FLAT), scale=wrong),))))
    with pytest.raises(BadValue):
        store.nearest((wrong, 0.0), FLAT, where=HERE, limit=5)


def test_a_piece_that_comes_twice_is_refused(store: Store) -> None:
    memory = a_memory()
    with pytest.raises(BadValue, match="twice"):
        keep_with_pieces(store, memory, [0, 0])
    assert store.memory(memory.id) is None


def keep_with_pieces(store: Store, memory: Memory, pieces: list[int]) -> None:
    vectors = tuple(a_vector(memory, EAST, space=FLAT, piece=piece) for piece in pieces)
    store.write(lambda tx: tx.apply(Changes(memories=(memory,), vectors=vectors)))


def test_new_vectors_take_the_place_of_the_old(store: Store) -> None:  # HB-028
    memory = a_memory()
    keep_with(store, memory, EAST, NORTH, WEST)
    embed(store, memory, between(60))
    (near,) = store.nearest(EAST, FLAT, where=HERE, limit=5)
    assert near.similarity == pytest.approx(0.5, abs=0.01)
    assert "1 vectors" in store.vitals()["spaces"] and not store.damage()


def test_what_a_transaction_embedded_it_can_find_and_an_undone_one_leaves_nothing(store: Store) -> None:
    memory = a_memory()

    def work(tx: object) -> None:
        tx.apply(Changes(memories=(memory,), vectors=(a_vector(memory, EAST, space=FLAT),)))  # type: ignore[attr-defined]
        assert ids(tx.nearest(EAST, FLAT, where=HERE, limit=1)) == [memory.id]  # type: ignore[attr-defined]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.write(work)
    assert not store.nearest(EAST, FLAT, where=HERE, limit=1)
    other = replace(memory, id="mem-other")
    keep_with(store, other, WEST)
    assert store.nearest(EAST, FLAT, where=HERE, limit=1)[0].similarity < -0.9


def test_a_memory_for_everywhere_is_near_from_every_project(store: Store) -> None:
    keep_with(store, a_memory("mine", id="mem-mine"), NORTH)
    keep_with(store, a_memory("wide", id="mem-wide", project="prj-two", reach=Reach.EVERYWHERE), EAST)
    keep_with(store, a_memory("own", id="mem-own", reach=Reach.EVERYWHERE), between(45))
    wide = replace(HERE, with_everywhere=True)
    assert ids(store.nearest(EAST, FLAT, where=wide, limit=5)) == ["mem-wide", "mem-own", "mem-mine"]
    assert ids(store.nearest(EAST, FLAT, where=HERE, limit=5)) == ["mem-own", "mem-mine"]
    unheard = Where(project="prj-unheard")
    assert ids(store.nearest(EAST, FLAT, where=unheard, limit=5)) == ["mem-wide", "mem-own"]


def test_vectors_go_along_when_a_memory_is_sent_everywhere_and_back(store: Store) -> None:
    store.expect(FLAT)
    memory = a_memory(project="prj-two")
    keep_with(store, memory, EAST)
    wide = replace(HERE, with_everywhere=True)
    assert not store.nearest(EAST, FLAT, where=wide, limit=5)
    keep(store, replace(memory, reach=Reach.EVERYWHERE, version=2))
    assert ids(store.nearest(EAST, FLAT, where=wide, limit=5)) == [memory.id]
    keep(store, replace(memory, reach=Reach.PROJECT, version=3))
    assert not store.nearest(EAST, FLAT, where=wide, limit=5)
    keep(store, replace(memory, project="prj-one", version=4))
    assert ids(store.nearest(EAST, FLAT, where=HERE, limit=5)) == [memory.id]
    assert not due(store) and not store.damage()


def test_sent_everywhere_with_other_words_keeps_no_old_vector(store: Store) -> None:
    store.expect(FLAT)
    memory = a_memory("before")
    keep_with(store, memory, EAST)
    keep(store, replace(memory, content="after", title="after", reach=Reach.EVERYWHERE, version=2))
    assert not store.nearest(EAST, FLAT, where=replace(HERE, with_everywhere=True), limit=5)
    assert due(store) == [memory.id] and not store.damage()


FILTERS = {
    "types": replace(HERE, types=("pitfall",)),
    "kinds": replace(HERE, kinds=(Kind.SCAR,)),
    "min_confidence": replace(HERE, min_confidence=0.7),
    "min_trust": replace(HERE, min_trust=3),
    "after": replace(HERE, after=LATER),
    "not_session": replace(HERE, not_session="s1"),
    "containing": replace(HERE, containing="WANTED"),
    "voices": replace(HERE, voices=("ace",)),
    "states": replace(HERE, states=frozenset({State.SUPERSEDED})),
}


@pytest.mark.parametrize("name", FILTERS)
def test_each_filter_narrows_and_none_starves(store: Store, name: str) -> None:
    """Sixty nearer ones that the filter takes out do not hide the one that is meant."""
    said = Provenance(session="s1")
    for n in range(60):
        plain = a_memory("plain", id=f"mem-{n:02}", provenance=said, persona="ed", confidence=0.2)
        keep_with(store, plain, EAST)
    wanted = a_memory(
        *("wanted",),
        id="mem-wanted",
        type="pitfall",
        kind=Kind.SCAR,
        confidence=0.7,
        trust=3,
        created_at=LATER,
        superseded_by="mem-00" if name == "states" else None,
    )
    keep_with(store, wanted, NORTH)
    assert ids(store.nearest(EAST, FLAT, where=FILTERS[name], limit=3)) == ["mem-wanted"]
    also = store.matches(["plain", "want"], FILTERS[name], limit=99)
    assert ids(store.nearest(EAST, FLAT, where=FILTERS[name], limit=0, also=also)) == ["mem-wanted"]


def test_what_is_kept_without_a_vector_is_due_in_every_expected_space(store: Store) -> None:
    other = replace(FLAT, model="round")
    keep(store, a_memory("before", id="mem-z"))
    assert not due(store)  # nobody expects any
    for space in (FLAT, FLAT, other):
        store.expect(space)
    keep(store, a_memory("after", id="mem-a", project="prj-two"))
    assert due(store) == due(store, other) == ["mem-z", "mem-a"]  # the oldest first
    assert [memory.id for memory in store.unembedded(FLAT, limit=1)] == ["mem-z"]
    assert store.count_unembedded(FLAT) == len(due(store)) > 1
    assert store.count_unembedded(replace(FLAT, version="9")) == 0
    embed(store, a_memory("before", id="mem-z"), EAST)
    assert due(store) == ["mem-a"] and due(store, other) == ["mem-z", "mem-a"]
    assert "1 vectors, 1 due" in store.vitals()["spaces"] and not store.damage()


def test_what_has_a_vector_already_is_not_due_when_its_space_becomes_expected(store: Store) -> None:
    keep_with(store, a_memory("has one", id="mem-a"), EAST)
    keep_with(store, a_memory("has one too", id="mem-b", reach=Reach.EVERYWHERE), EAST)
    keep(store, a_memory("has none", id="mem-c"), a_memory("archived", id="mem-d", archived_at=NOW))
    store.expect(FLAT)
    assert due(store) == ["mem-c"]


def test_a_vector_in_the_same_change_is_never_due(store: Store) -> None:
    store.expect(FLAT)
    memory = a_memory()
    keep_with(store, memory, EAST)
    assert not due(store)
    edited = replace(memory, content="other words", title="other", version=2)
    keep_with(store, edited, NORTH)
    assert not due(store) and store.nearest(EAST, FLAT, where=HERE, limit=1)[0].similarity == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("field", ["title", "content"])
def test_an_edited_memory_keeps_no_stale_vector(store: Store, field: str) -> None:
    store.expect(FLAT)
    memory = a_memory()
    keep_with(store, memory, EAST, NORTH)
    keep(store, replace(memory, **{field: "something else altogether"}, version=2))
    assert not store.nearest(EAST, FLAT, where=HERE, limit=5) and due(store) == [memory.id]
    embed(store, store.memory(memory.id) or memory, WEST)
    assert store.nearest(WEST, FLAT, where=HERE, limit=5) and not due(store) and not store.damage()


def test_other_edits_keep_the_vector(store: Store) -> None:
    store.expect(FLAT)
    memory = a_memory()
    keep_with(store, memory, EAST)
    keep(store, replace(memory, tags=("new",), trust=4, superseded_by="mem-x", version=2))
    assert not due(store)
    assert ids(store.nearest(EAST, FLAT, where=replace(HERE, states=frozenset(State)), limit=5)) == [memory.id]


def test_a_vector_of_words_that_were_edited_meanwhile_is_not_kept(store: Store) -> None:
    store.expect(FLAT)
    memory = a_memory("first words")
    keep(store, memory)
    keep(store, replace(memory, content="second words", title="second", version=2))
    embed(store, memory, EAST)  # of the first words
    assert not store.nearest(EAST, FLAT, where=HERE, limit=5) and due(store) == [memory.id]


def test_vectors_of_a_memory_that_is_gone_are_not_an_error(store: Store) -> None:
    embed(store, a_memory(), EAST)
    assert not store.nearest(EAST, FLAT, where=HERE, limit=5)


def test_an_archived_memory_is_not_due_and_comes_back_with_its_vector(store: Store) -> None:
    store.expect(FLAT)
    bare, whole = a_memory("bare", id="mem-bare"), a_memory("whole", id="mem-whole")
    keep(store, bare)
    keep_with(store, whole, EAST)
    keep(store, *(replace(m, archived_at=LATER, version=2) for m in (bare, whole)))
    assert not due(store) and not store.nearest(EAST, FLAT, where=HERE, limit=5)
    keep(store, *(replace(m, version=3) for m in (bare, whole)))
    assert due(store) == ["mem-bare"] and ids(store.nearest(EAST, FLAT, where=HERE, limit=5)) == ["mem-whole"]
    assert not store.damage()


def test_restored_with_other_words_it_is_due(store: Store) -> None:
    store.expect(FLAT)
    memory = a_memory("old words", archived_at=NOW)
    keep_with(store, memory, EAST)
    keep(store, replace(memory, content="new", title="new", archived_at=None, version=2))
    assert due(store) == [memory.id] and not store.nearest(EAST, FLAT, where=HERE, limit=5)


def test_edited_while_archived_it_is_due_when_it_comes_back(store: Store) -> None:
    store.expect(FLAT)
    memory = a_memory("old words", archived_at=NOW)
    keep_with(store, memory, EAST)
    edited = replace(memory, content="new", title="new", version=2)
    keep(store, edited)
    assert not due(store)
    keep(store, replace(edited, archived_at=None, version=3))
    assert due(store) == [memory.id]


def test_erasing_takes_vectors_and_the_place_on_the_list_along(store: Store) -> None:
    store.expect(FLAT)
    bare, whole = a_memory("bare", id="mem-bare"), a_memory("whole", id="mem-whole")
    keep(store, bare)
    keep_with(store, whole, EAST, NORTH)
    for memory in (bare, whole):
        assert not store.erase(memory.id, at=LATER).found_in
    assert not due(store) and not store.nearest(EAST, FLAT, where=replace(HERE, states=frozenset(State)), limit=5)
    assert "0 vectors, 0 due" in store.vitals()["spaces"] and not store.damage()


def test_dropped_spaces_are_gone_and_the_one_that_stays_is_whole(store: Store) -> None:
    other, third = replace(FLAT, model="round"), replace(FLAT, model="third")
    memory = a_memory()
    for space in (FLAT, other):
        store.expect(space)
    keep_with(store, memory, EAST)
    keep_with(store, a_memory("wide", reach=Reach.EVERYWHERE), EAST, NORTH, space=other)
    embed(store, memory, EAST, space=other)
    embed(store, memory, EAST, space=third)
    assert store.drop_spaces(but=FLAT) == 4
    assert store.nearest(EAST, FLAT, where=HERE, limit=5) and len(due(store)) == 1
    for space in (other, third):
        assert not store.nearest(EAST, space, where=replace(HERE, with_everywhere=True), limit=5) and not due(
            store, space
        )
    keep(store, a_memory("later", id="mem-later"))
    assert not due(store, other) and len(due(store)) == 2  # nobody expects the dropped one any more
    assert store.drop_spaces(but=FLAT) == 0 and not store.damage()
    store.expect(other)
    assert len(due(store, other)) == 3


def test_a_store_without_spaces_has_nothing_to_drop(store: Store) -> None:
    assert store.drop_spaces(but=FLAT) == 0 and store.vitals()["spaces"] == ""


ROUND = Space(provider="local", model="round", version="1", dimension=8)
NUMBERS = st.floats(-1, 1, allow_nan=False, width=32)
POINTS = st.lists(NUMBERS, min_size=8, max_size=8).filter(lambda values: math.hypot(*values) > 0.01)


def unit(values: list[float]) -> list[float]:
    return [value / math.hypot(*values) for value in values]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(st.lists(POINTS, min_size=1, max_size=3), min_size=1, max_size=25),
    asked=POINTS,
    limit=st.integers(1, 12),
    wide=st.booleans(),
)
def test_every_store_finds_what_comparing_all_would_find(
    store: Store, texts: list[list[list[float]]], asked: list[float], limit: int, wide: bool
) -> None:
    a_project(store, "fresh")
    where = Where(project="prj-fresh", with_everywhere=wide)
    for old in store.select(replace(where, with_everywhere=True)):
        store.erase(old.id, at=NOW)
    vectors: dict[str, list[Vector]] = {}
    for n, points in enumerate(texts):
        reach = Reach.EVERYWHERE if n % 5 == 3 else Reach.PROJECT
        project = "prj-two" if n % 10 == 3 else "prj-fresh"
        memory = a_memory(f"lesson {n}", id=f"mem-{97 * n % 101}", project=project, reach=reach)
        made = tuple(a_vector(memory, unit(point), space=ROUND, piece=p) for p, point in enumerate(points))
        store.write(lambda tx, m=memory, made=made: tx.apply(Changes(memories=(m,), vectors=made)))
        if wide or project == "prj-fresh":
            vectors[memory.id] = list(made)
    point = unit(asked)
    found = store.nearest(point, ROUND, where=where, limit=limit)

    def similarity(vector: Vector) -> float:
        return math.fsum(a * b for a, b in zip(restored(vector.code, vector.scale), point, strict=True))

    expected = {key: max(map(similarity, pieces)) for key, pieces in vectors.items()}
    best = sorted(expected.values(), reverse=True)[:limit]
    assert [near.similarity for near in found] == pytest.approx(best, abs=1e-12)
    assert all(near.similarity == pytest.approx(expected[near.memory_id], abs=1e-12) for near in found)
    assert len(set(ids(found))) == len(found)
    for near in found:
        starts = {v.start for v in vectors[near.memory_id] if similarity(v) >= expected[near.memory_id] - 1e-12}
        assert near.start in starts
