"""Lists of words that a process keeps answer as the engine does, whatever has been written since."""

import random
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from threading import Thread

import pytest
from building import NOW, a_memory, a_project, keep
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindbrain.adapters.sqlite import SqliteStore, corners, postings
from hindbrain.adapters.sqlite import words as words_
from hindbrain.adapters.sqlite.backups import SqliteBackups
from hindbrain.adapters.sqlite.lists import Lists
from hindbrain.core.model import Reach, State
from hindbrain.core.value import replace
from hindbrain.core.words import query_terms
from hindbrain.ports import Changes, Match, Near, Reader, Transaction, Where

HERE = Where(project="prj-one")
WORDS = "cache pool retry index queue worker 42 parseConfig http2 ünïcode 索引"
texts = st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=9)


@pytest.fixture
def store(db_path: Path) -> Iterator[SqliteStore]:
    pytest.importorskip("numpy")
    with closing(SqliteStore(db_path)) as opened:
        a_project(opened)
        yield opened


def by_engine(store: SqliteStore, words: list[str], where: Where, limit: int) -> list[Match]:
    """What a process answers that has just begun."""
    with closing(SqliteStore(store.path)) as new:
        return list(new.matches(words, where, limit=limit))


def by_lists(store: SqliteStore, words: list[str], where: Where, limit: int) -> list[Match]:
    """What one answers that was asked before."""
    for _ in range(3):
        store.holders(words)
        found = store.matches(words, where, limit=limit)
    assert store._index._lists is not None and (
        store._index._lists.known(store._index.record()[0]) is not None or not all(map(str.isascii, words))
    )
    return list(found)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(texts, texts, st.booleans()), min_size=1, max_size=12), texts, st.integers(1, 6))
def test_kept_lists_give_the_numbers_of_the_engine(
    store: SqliteStore, lessons: list[tuple[list[str], list[str], bool]], asked: list[str], limit: int
) -> None:
    for number, (title, content, is_other) in enumerate(lessons):
        if is_other:
            a_project(store, "two")
        project, reach = ("prj-two", Reach.EVERYWHERE) if is_other and number % 2 else ("prj-one", Reach.PROJECT)
        memory = a_memory(" ".join(content), id=f"mem-{number:03}", title=" ".join(title), project=project, reach=reach)
        if store.memory(memory.id) is None:
            keep(store, memory)
    words = query_terms(" ".join(asked))
    for where in (HERE, replace(HERE, with_everywhere=False), replace(HERE, states=frozenset({State.ARCHIVED}))):
        assert by_lists(store, words, where, limit) == by_engine(store, words, where, limit)
    with closing(SqliteStore(store.path)) as new:
        assert store.holders(words) == new.holders(words)


places = st.lists(st.integers(-5, 40) | st.integers(-(2**70), 2**70), max_size=30)  # of a damaged index any


@settings(deadline=None)
@given(places, st.booleans())
def test_long_lists_of_places_are_read_as_short_ones(told: list[int], is_in_order: bool) -> None:
    pytest.importorskip("numpy")
    text = ",".join(map(str, sorted(told) if is_in_order else told))

    one_by_one, at_once = postings._few(text), postings._many(text)

    assert [side.tolist() for side in one_by_one] == [side.tolist() for side in at_once]


def change(tx: Transaction, content: str) -> None:
    memory = tx.memory("mem-a")
    assert memory is not None
    after = replace(memory, content=content, title=content, version=memory.version + 1)
    tx.apply(Changes(memories=(after,)))


def changed(store: SqliteStore, content: str) -> None:
    store.write(lambda tx: change(tx, content))


@pytest.mark.parametrize("is_elsewhere", [True, False])
@pytest.mark.parametrize("is_rebuilt", [True, False])
def test_a_write_is_seen_at_once_by_whoever_keeps_lists(
    store: SqliteStore, is_elsewhere: bool, is_rebuilt: bool
) -> None:
    """Also where the words are as many as before, and the index was built anew before and after."""
    keep(store, a_memory("cache the pool", id="mem-a"), a_memory("gardens need water", id="mem-b"))
    store.repair()
    assert [match.memory_id for match in by_lists(store, ["pool"], HERE, 5)] == ["mem-a"]

    with closing(SqliteStore(store.path)) as other:
        writer = other if is_elsewhere else store
        changed(writer, "cache the tree")
        if is_rebuilt:
            writer.repair()

    assert not store.matches(["pool"], HERE, limit=5)
    assert [match.memory_id for match in store.matches(["tree"], HERE, limit=5)] == ["mem-a"]
    assert store.holders(["pool", "tree"]) == (2, {"pool": 0, "tree": 1})


def test_a_transaction_sees_its_own_words_and_an_undone_one_leaves_none(store: SqliteStore) -> None:
    keep(store, a_memory("cache the pool", id="mem-a"))
    by_lists(store, ["pool"], HERE, 5)

    def work(tx: Transaction) -> None:
        tx.apply(Changes(memories=(a_memory("a pool of trees", id="mem-b"),)))
        assert len(tx.matches(["pool"], HERE, limit=5)) == 2
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.write(work)
    assert len(store.matches(["pool"], HERE, limit=5)) == 1


def test_which_words_are_held_is_told_as_the_asker_sees_it(store: SqliteStore) -> None:
    keep(store, a_memory("cache the pool", id="mem-a"))
    (match,) = by_lists(store, ["pool"], HERE, 5)
    near = [Near(memory_id="mem-a", similarity=0.5, start=0, end=0, number=match.number)]

    def held(reader: Reader) -> set[str]:
        return set(reader.held(["pool", "tree"], near).get("mem-a", ()))

    def work(tx: Transaction) -> None:
        change(tx, "cache the tree")
        assert held(tx) == held(store) == {"tree"}  # the connection is the same
        raise KeyboardInterrupt

    assert held(store) == {"pool"}
    with pytest.raises(KeyboardInterrupt):
        store.write(work)
    assert held(store) == {"pool"}
    with closing(SqliteStore(store.path)) as other:
        changed(other, "cache the tree")
    assert held(store) == {"tree"}


def test_an_id_that_is_no_text_costs_no_other_memory(store: SqliteStore) -> None:
    keep(store, a_memory("cache the pool", id="mem-a"), a_memory("gardens need water", id="mem-b"))
    db = store._connection()
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("UPDATE memory SET id = CAST(x'ff6d' AS TEXT) WHERE id = 'mem-b'")
    assert [match.memory_id for match in by_lists(store, ["pool"], HERE, 5)] == ["mem-a"]


def test_threads_share_what_one_has_read(store: SqliteStore) -> None:
    keep(store, a_memory("cache the pool", id="mem-a"), a_memory("gardens need water", id="mem-b"))
    by_lists(store, ["pool"], HERE, 5)
    found: list[Match] = []
    thread = Thread(target=lambda: found.extend(store.matches(["garden", "pool"], HERE, limit=5)))
    thread.start()
    thread.join()
    assert sorted(match.memory_id for match in found) == ["mem-a", "mem-b"]


def test_who_has_no_numpy_keeps_nothing(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "numpy")
    keep(store, a_memory("cache the pool", id="mem-a", learned_at=NOW))
    for _ in range(3):
        assert len(store.matches(["pool"], HERE, limit=5)) == 1
    assert store._index._lists is None


def test_what_was_kept_before_a_backup_came_back_is_not_taken_for_what_came_after(store: SqliteStore) -> None:
    """Also where as much is written after it as was before: the index would count to the same number."""
    backups = SqliteBackups(str(store.path))
    keep(store, a_memory("cache the pool", id="mem-a"))
    made = backups.make(at=NOW, tell=lambda *_: None)
    keep(store, a_memory("water the trees", id="mem-b"))
    assert by_lists(store, ["tree"], HERE, 5)

    backups.restore(made.path, at=NOW + timedelta(hours=1))
    keep(store, a_memory("water the roses", id="mem-c"))

    assert not store.matches(["tree"], HERE, limit=5)
    assert [match.memory_id for match in store.matches(["rose"], HERE, limit=5)] == ["mem-c"]


def test_the_larger_a_store_is_the_longer_it_must_stand_still() -> None:
    lists = Lists()

    def all_(sql: str, *_: object) -> list[tuple[object, ...]]:
        if "max" in sql:
            return [(3,)]
        return [("1,2,3", bytes(12).hex())] if "group_concat" in sql else []

    def asked(record: bytes, count: int) -> bool:
        return lists.at(record, count=count, total=9, all_=all_) is not None

    assert [asked(b"one", 3) for _ in range(3)] == [False, True, True]
    assert [asked(b"two", 48_000) for _ in range(5)] == [False, False, False, True, True]
    assert not asked(b"three", 48_000)
    assert not any(asked(b"four", 300_000) for _ in range(100))


@pytest.fixture
def crowded(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> SqliteStore:
    """So many are of another project that counting is cheaper in this one."""
    monkeypatch.setattr(words_, "_SMALL", 10)
    a_project(store, "two")
    words = WORDS.split()
    others = [a_memory(f"{words[n % 7]} {words[n % 5]} {n}", id=f"mem-x{n:04}", project="prj-two") for n in range(300)]
    keep(store, *others)
    return store


def in_corner(store: SqliteStore, words: list[str], where: Where, limit: int) -> list[Match]:
    for _ in range(3):
        found = store.matches(words, where, limit=limit)
    assert store._index._lists is None  # nothing of the others was read
    assert (store._index._corners is not None) or not all(map(str.isascii, words)) or not words
    return list(found)


def test_the_words_of_a_small_project_give_the_numbers_of_counting(crowded: SqliteStore) -> None:
    chance = random.Random(7)

    def some(most: int) -> str:
        return " ".join(chance.choices(WORDS.split(), k=chance.randint(1, most)))

    for number in range(20):
        project, reach = ("prj-two", Reach.EVERYWHERE) if number % 5 == 4 else ("prj-one", Reach.PROJECT)
        keep(crowded, a_memory(some(6), id=f"mem-{number:03}", title=some(3), project=project, reach=reach))
        asked = query_terms(some(6))
        for where in (
            HERE,
            replace(HERE, with_everywhere=False),
            replace(HERE, states=frozenset({State.ARCHIVED})),
            replace(HERE, not_session="ses-1", min_confidence=0.1),
        ):
            for limit in (1, 3, 50):
                assert in_corner(crowded, asked, where, limit) == by_engine(crowded, asked, where, limit)


@pytest.mark.parametrize("is_elsewhere", [True, False])
def test_a_write_is_seen_at_once_in_a_small_project(crowded: SqliteStore, is_elsewhere: bool) -> None:
    keep(crowded, a_memory("cache the pool", id="mem-a"), a_memory("gardens need water", id="mem-b"))
    assert [match.memory_id for match in in_corner(crowded, ["pool"], HERE, 5)] == ["mem-a"]
    with closing(SqliteStore(crowded.path)) as other:
        changed(other if is_elsewhere else crowded, "cache the tree")
    assert not crowded.matches(["pool"], HERE, limit=5)
    assert [match.memory_id for match in in_corner(crowded, ["tree"], HERE, 5)] == ["mem-a"]


def test_no_more_words_are_kept_than_there_is_room_for(crowded: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corners, "_ROOM", 4)
    keep(crowded, a_memory("cache the pool of gardens with water", id="mem-a"))
    assert [match.memory_id for match in in_corner(crowded, ["pool"], HERE, 5)] == ["mem-a"]
    assert crowded._index._corners is not None and not crowded._index._corners._kept
