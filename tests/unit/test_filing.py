"""A sweep takes no text for a memory's own that is not what the memory was written as."""

from building import NOW, a_memory, a_project, keep

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.core.model.filing import Filing
from hindbrain.ports import Changes


# S12, R8
def test_a_damaged_history_is_not_written_on_as_if_it_were_whole(sqlite_store: SqliteStore) -> None:
    a_project(sqlite_store)
    keep(sqlite_store, *(a_memory(f"close harbour {n}", id=f"mem-{n}") for n in range(3)))
    spoil = "UPDATE memory_version SET data = replace(data, 'harbour', 'airport') WHERE memory = 'mem-1'"
    sqlite_store._connection().execute(spoil)

    sweep = Filing(versions={f"mem-{n}": 1 for n in range(3)}, at=NOW, reason="purged")
    sqlite_store.write(lambda tx: tx.apply(Changes(filings=(sweep,))))

    for number in range(3):
        memory = sqlite_store.memory(f"mem-{number}")
        assert memory is not None and memory.archived_at == NOW and memory.content == f"close harbour {number}"
        assert sqlite_store.history(f"mem-{number}")[-1].memory == memory
    assert not [found for found in sqlite_store.damage() if found.where == "memory"]
