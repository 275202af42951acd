"""Vectors of more numbers than a row holds well: they take the room of their numbers, and stay whole."""

import random
from pathlib import Path

import pytest
from building import NOW, a_memory, a_project, a_vector, keep

from hindbrain.adapters.dictionary import DictStore
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.adapters.sqlite.shelves import PART
from hindbrain.core.model import Memory, Reach, Space
from hindbrain.core.value import replace
from hindbrain.ports import Changes, Store, Where

HERE = Where(project="prj-one")
DIMENSIONS = [PART - 1, PART, PART + 1, 1024, 2 * PART, 3072]


def space_of(dimension: int) -> Space:
    return Space(provider="mistral", model="m", version="1", dimension=dimension)


def a_point(seed: int, dimension: int) -> list[float]:
    source = random.Random(seed)
    return [source.gauss(0, 1) / dimension**0.5 for _ in range(dimension)]


def put(store: Store, memory: Memory, *, dimension: int, pieces: int = 1) -> None:
    seed = int(memory.id[-3:])
    points = [a_point(seed * 10 + n, dimension) for n in range(pieces)]
    made = tuple(a_vector(memory, point, space=space_of(dimension), piece=n) for n, point in enumerate(points))
    store.write(lambda tx: tx.apply(Changes(memories=(memory,), vectors=made)))


@pytest.fixture
def store(sqlite_store: SqliteStore) -> SqliteStore:
    a_project(sqlite_store, "one")
    a_project(sqlite_store, "two")
    return sqlite_store


def parts(store: SqliteStore) -> int:
    ((count,),) = store._connection().execute("SELECT count(*) FROM vector_rest").fetchall()
    return int(count)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_every_dimension_is_found_as_a_dictionary_finds_it(store: SqliteStore, dimension: int) -> None:
    # HB-027
    plain = DictStore()
    a_project(plain, "one")
    memories = [a_memory(f"lesson {n}", id=f"mem-{n:03d}") for n in range(12)]
    for one in (store, plain):
        for number, memory in enumerate(memories):
            put(one, memory, dimension=dimension, pieces=1 + number % 3)
    point = a_point(77, dimension)
    found, wanted = (one.nearest(point, space_of(dimension), where=HERE, limit=5) for one in (store, plain))
    assert [near.memory_id for near in found] == [near.memory_id for near in wanted]
    assert [near.similarity for near in found] == pytest.approx([near.similarity for near in wanted])
    assert not store.damage()


def test_a_vector_of_1024_numbers_takes_little_more_room_than_its_numbers(store: SqliteStore) -> None:
    # HB-027
    memories = [a_memory(f"lesson {n}", id=f"mem-{n:03d}") for n in range(400)]
    keep(store, *memories)
    db = store._connection()

    def pages() -> int:
        return int(db.pragma("page_count")) - int(db.pragma("freelist_count"))

    before = pages()
    for start in range(0, 400, 50):
        made = tuple(a_vector(one, a_point(start, 1024), space=space_of(1024)) for one in memories[start : start + 50])
        store.write(lambda tx, made=made: tx.apply(Changes(vectors=made)))  # type: ignore[misc]
    assert (pages() - before) * int(db.pragma("page_size")) / 400 < 1400  # 4,700 in one row


def test_no_part_outlives_its_vector(store: SqliteStore) -> None:
    first, second, third = (a_memory(f"lesson {n}", id=f"mem-00{n}") for n in range(3))
    for memory in (first, second, third):
        put(store, memory, dimension=2000, pieces=2)
    assert parts(store) == 12
    edited = replace(first, content="other words", title="other words", version=2)
    store.write(lambda tx: tx.apply(Changes(memories=(edited,))))
    assert parts(store) == 8
    store.erase(second.id, at=NOW)
    assert parts(store) == 4
    store.drop_spaces(but=space_of(2))
    assert parts(store) == 0 and not store.damage()


def test_parts_move_with_their_memory(store: SqliteStore) -> None:
    memory = a_memory("lesson", id="mem-001")
    put(store, memory, dimension=1024)
    store.write(lambda tx: tx.apply(Changes(memories=(replace(memory, reach=Reach.EVERYWHERE, version=2),))))
    found = store.nearest(a_point(10, 1024), space_of(1024), where=Where(project="prj-two"), limit=1)
    assert [near.similarity for near in found] == pytest.approx([1.0], abs=0.1) and not store.damage()


# A part that is gone, too short, of another vector, or of none.
@pytest.mark.parametrize(
    "harm",
    [
        "DELETE FROM vector_rest WHERE memory = 1",
        "UPDATE vector_rest SET code = x'01' WHERE memory = 1",
        "UPDATE vector_rest SET piece = 9 WHERE memory = 1",
        "UPDATE vector_rest SET code = zeroblob(length(code)) WHERE memory = 1",  # R8
        "INSERT INTO vector_rest VALUES (1, 1, 1, 0, 7, x'00', 0)",
        "INSERT INTO vector_rest VALUES (1, 1, 999, 0, 1, x'00', 0)",
    ],
)
def test_parts_that_do_not_fit_are_found_and_mended(store: SqliteStore, harm: str) -> None:
    store.expect(space_of(1024))
    for number in range(2):
        put(store, a_memory(f"lesson {number}", id=f"mem-00{number}"), dimension=1024)
    store._connection().execute(harm)
    assert store.damage()
    store.nearest(a_point(1, 1024), space_of(1024), where=HERE, limit=5)  # is no error
    store.repair()
    assert not store.damage()


def test_numbers_in_parts_are_gone_from_the_file_when_they_are_forgotten(store: SqliteStore, db_path: Path) -> None:
    memory = a_memory("the launch code is seven", id="mem-001")
    put(store, memory, dimension=2000)
    code = a_vector(memory, a_point(10, 2000), space=space_of(2000)).code[-200:]
    store._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    assert _holds(store, code)
    store.erase(memory.id, at=NOW)
    assert not _holds(store, code)


def _holds(store: SqliteStore, code: bytes) -> bool:
    """Asked of the engine: opening the file here would drop its locks."""
    return code in store._connection().serialize("main")
