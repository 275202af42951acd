"""A sweep takes no text for a memory's own that is not what the memory was written as."""

from contextlib import closing

import pytest
from building import NOW, a_memory, a_project, keep
from database import give_back, take_url

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.core.model.filing import Filing
from hindbrain.errors import StoreDamaged
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


# S12, R8
def test_on_a_server_a_damaged_memory_is_not_given_a_hash_that_fits() -> None:
    url = take_url()
    from hindbrain.adapters.postgres import PostgresStore  # its driver is an extra

    with closing(PostgresStore(url)) as store:
        a_project(store)
        keep(store, *(a_memory(f"close harbour {n}", id=f"mem-{n}") for n in range(3)))
        store._using(lambda db: db.execute(b"UPDATE memory SET data = replace(data, 'harbour 1', 'airport 1')"))
        sweep = Filing(versions={f"mem-{n}": 1 for n in range(3)}, at=NOW, reason="purged")

        with pytest.raises(StoreDamaged, match="mem-1") as told:
            store.write(lambda tx: tx.apply(Changes(filings=(sweep,))))

        assert "fsck --repair" in told.value.fix and store.damage()
        assert all(memory.archived_at is None for memory in store.memories([f"mem-{n}" for n in range(3)]).values())
    give_back(url)
