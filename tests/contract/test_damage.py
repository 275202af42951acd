"""What every store promises about rows that were changed by another hand: nothing is written over them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from building import NOW, a_memory, keep

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.core.model import Memory, Pulse, Review, ReviewKind
from hindbrain.core.model.filing import Filing
from hindbrain.core.model.suggestion import Destination, Status, Suggestion
from hindbrain.core.model.workstream import CLOSED, Workstream
from hindbrain.core.value import replace
from hindbrain.errors import StoreDamaged
from hindbrain.ports import Changes, Store

Change = Callable[[Memory], Changes]

# Of a dictionary nothing is written anywhere.
pytestmark = pytest.mark.parametrize("store", ["sqlite", "postgres"], indirect=True)


def edited(memory: Memory) -> Changes:
    return Changes(memories=(replace(memory, title="another", version=memory.version + 1),), change="edited")


def put_away(memory: Memory) -> Changes:
    return Changes(filings=(Filing(versions={memory.id: memory.version}, at=NOW, reason="purged"),))


def counted(memory: Memory) -> Changes:
    return Changes(pulses=(Pulse(memory_id=memory.id, recalled=1),))


@pytest.fixture
def whole(store: Store) -> Store:
    """With three memories, of which the second is to be damaged."""
    keep(store, *(a_memory(f"close harbour {n}", id=f"mem-{n}") for n in range(3)))
    assert not store.damage()
    return store


def bend(store: Store) -> None:
    """As a disk does, or a hand that knows no hashes."""
    if isinstance(store, SqliteStore):
        store._connection().execute("UPDATE memory SET content = 'close airport 1' WHERE id = 'mem-1'")
    else:
        sql = b"UPDATE memory SET data = replace(data, 'close harbour 1', 'close airport 1') WHERE id = 'mem-1'"
        store._using(lambda db: db.execute(sql))  # type: ignore[attr-defined]


def told(store: Store) -> list[str]:
    return [one.what for one in store.damage() if one.where == "memory mem-1"]


# R8
def test_a_new_version_is_not_made_of_a_damaged_memory(whole: Store) -> None:
    bend(whole)
    damaged = whole.memory("mem-1")
    assert damaged is not None and (before := told(whole))

    with pytest.raises(StoreDamaged, match="mem-1") as error:
        whole.write(lambda tx: tx.apply(edited(damaged)))

    assert "fsck --repair" in error.value.fix
    assert whole.memory("mem-1") == damaged and told(whole) == before
    assert [version.memory.version for version in whole.history("mem-1")] == [1]


# R8
def test_a_sweep_leaves_the_damage_of_a_memory_to_be_found(whole: Store) -> None:
    """It may refuse it, or write the next version from what the history has of it."""
    bend(whole)
    memory = whole.memory("mem-1")
    assert memory is not None and (before := told(whole))

    try:
        whole.write(lambda tx: tx.apply(put_away(memory)))
    except StoreDamaged as error:
        assert "mem-1" in error.what and "fsck --repair" in error.fix

    assert told(whole) == before
    assert all("airport" not in version.memory.content for version in whole.history("mem-1"))


# R8
def test_a_use_of_a_damaged_memory_is_not_counted_and_that_of_others_is(whole: Store) -> None:
    bend(whole)
    damaged = whole.memory("mem-1")
    assert damaged is not None and (before := told(whole))

    pulses = tuple(Pulse(memory_id=f"mem-{n}", recalled=1) for n in range(3))
    whole.write(lambda tx: tx.apply(Changes(pulses=pulses)))

    known = whole.memories(["mem-0", "mem-1", "mem-2"])
    assert [memory.counters.recalled for memory in known.values()] == [1, 0, 1]
    assert known["mem-1"] == damaged and told(whole) == before


# R8
@pytest.mark.parametrize("change", [edited, put_away, counted])
def test_one_damaged_memory_does_not_keep_others_from_being_changed(whole: Store, change: Change) -> None:
    bend(whole)
    for key in ("mem-0", "mem-2"):
        memory = whole.memory(key)
        assert memory is not None
        whole.write(lambda tx, memory=memory: tx.apply(change(memory)))  # type: ignore[misc]
        assert whole.memory(key) != memory
    assert {one.where for one in whole.damage()} == {"memory mem-1"} or len(told(whole)) == 1


# R8
def test_what_is_not_as_it_was_written_can_be_left_out_of_what_is_read(whole: Store) -> None:
    bend(whole)
    keys = ["mem-0", "mem-1", "mem-2"]
    with whole.leaving_out() as unread:
        assert list(whole.memories(keys)) == keys and not unread
    with whole.leaving_out(is_proven=True) as unread:
        assert list(whole.memories(keys)) == ["mem-0", "mem-2"] and whole.memory("mem-1") is None
        assert set(unread) == {"mem-1"}
        assert whole.write(lambda tx: list(tx.memories(keys))) == ["mem-0", "mem-2"]
    assert list(whole.memories(keys)) == keys


REVIEW = Review(
    id="rev-1", project="prj-one", kind=ReviewKind.QUARANTINE, memory_id="mem-0", reason="asked", opened_at=NOW
)
RULE = Suggestion(
    id="sug-1",
    project="prj-one",
    destination=Destination.CLAUDE_MD,
    title="Broken images",
    text="Map what the code reads",
    key="text:1",
    created_at=NOW,
    scar_id="mem-0",
)
WORK = Workstream(id="wrk-1", project="prj-one", title="A task", state="open", data={"a": 1}, opened_at=NOW)
STATES = {
    "review": (Changes(reviews=(REVIEW,)), Changes(reviews=(replace(REVIEW, closed_at=NOW),))),
    "suggestion": (Changes(suggestions=(RULE,)), Changes(suggestions=(replace(RULE, status=Status.REFUSED),))),
    "workstream": (Changes(workstreams=(WORK,)), Changes(workstreams=(replace(WORK, state=CLOSED, closed_at=NOW),))),
}


# R8
@pytest.mark.parametrize("table", STATES)
def test_a_damaged_row_of_another_table_does_not_get_its_next_state(whole: Store, table: str) -> None:
    first, second = STATES[table]
    whole.write(lambda tx: tx.apply(first))
    with bent(whole, table):
        before = [one for one in whole.damage() if one.where.startswith(table)]
        assert before

        with pytest.raises(StoreDamaged, match=table) as error:
            whole.write(lambda tx: tx.apply(second))

        assert "fsck --repair" in error.value.fix
        assert [one for one in whole.damage() if one.where.startswith(table)] == before


# R8
@pytest.mark.parametrize("table", STATES)
def test_a_whole_row_of_another_table_gets_its_next_state(whole: Store, table: str) -> None:
    for state in STATES[table]:
        whole.write(lambda tx, state=state: tx.apply(state))  # type: ignore[misc]
    assert not whole.damage()


@contextmanager
def bent(store: Store, table: str) -> Iterator[None]:
    """The row differs from its seal."""
    if isinstance(store, SqliteStore):
        store._connection().execute("UPDATE seal SET hash = hash + 1 WHERE sort = ?", (table,))
        yield
        return

    def run(sql: str) -> None:
        store._using(lambda db: db.execute(f"ALTER TABLE {table} {sql}".encode()))  # type: ignore[attr-defined]

    run("ALTER COLUMN seal DROP EXPRESSION")
    store._using(lambda db: db.execute(f"UPDATE {table} SET seal = seal + 1".encode()))  # type: ignore[attr-defined]
    try:
        yield
    finally:
        run("DROP COLUMN seal")
        run("ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED")
