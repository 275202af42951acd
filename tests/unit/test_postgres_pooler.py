"""Behind a pooler in transaction mode, no session is one's own: the store relies on none."""

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from building import NOW, a_memory, a_project, a_vector, keep
from database import give_back, take_url
from pooler import Pooler

from hindbrain.core.model import Space
from hindbrain.entry.pause import Pause
from hindbrain.ports import Changes, Where

FLAT = Space(provider="local", model="flat", version="1", dimension=2)
HERE = Where(project="prj-one")


@pytest.fixture
def url() -> Iterator[str]:
    taken = take_url()
    yield taken
    give_back(taken)


@pytest.fixture
def pooler(url: str) -> Iterator[Pooler]:
    made = Pooler(urlsplit(url).port or 0)
    yield made
    made.close()


def through(pooler: Pooler, url: str) -> str:
    return url.replace(f":{urlsplit(url).port}/", f":{pooler.port}/")


def test_sessions_change_from_one_statement_to_the_next(pooler: Pooler, url: str) -> None:
    """Or the tests below would prove nothing."""
    import psycopg

    with psycopg.connect(through(pooler, url), autocommit=True) as db:
        found = [db.execute("SELECT pg_backend_pid()").fetchall() for _ in range(4)]
        assert found[0] != found[1] and found[:2] == found[2:]
        db.execute("SET lock_timeout = '7s'")
        assert db.execute("SHOW lock_timeout").fetchall() == [("0",)]  # said to another


def test_the_store_works_behind_a_pooler(
    pooler: Pooler, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # issue 8: poolers
    from hindbrain.adapters.postgres import PostgresStore, vectors

    PostgresStore(url).close()  # migrations need a session, and have one
    store = PostgresStore(through(pooler, url), timeout_s=20)
    a_project(store)
    store.expect(FLAT)

    def teach(writer: int) -> None:
        for n in range(10):
            memory = a_memory(f"lock {writer} {n}", id=f"mem-{writer}-{n}")
            changes = Changes(memories=(memory,), vectors=(a_vector(memory, (1.0, n / 10), space=FLAT),))
            store.write(lambda tx, changes=changes: tx.apply(changes), is_durable=bool(n % 2))
            assert store.search(["lock"], HERE, limit=3)

    writers = [threading.Thread(target=teach, args=(n,)) for n in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert store.count(HERE) == 40 and not store.damage()
    exact = store.nearest((1.0, 0.0), FLAT, where=HERE, limit=4)
    monkeypatch.setattr(vectors, "FEW", 5)
    assert store.nearest((1.0, 0.0), FLAT, where=HERE, limit=4) == exact  # by the graph, whose settings are local
    keep(store, replace(a_memory("lock 0 0", id="mem-0-0"), version=2, content="other", updated_at=NOW))
    assert store.erase("mem-0-1", at=NOW).rows and store.count(HERE) == 39
    assert pooler.lent > 100
    store.close()


# R15: a pooler takes LISTEN and never passes a word on
def test_a_follower_behind_a_pooler_goes_on_looking(pooler: Pooler, url: str) -> None:
    from hindbrain.adapters.postgres import PostgresStore

    PostgresStore(url).close()  # migrations need a session, and have one
    store = PostgresStore(through(pooler, url), timeout_s=20)
    a_project(store)
    begun = threading.Event()
    ear = store.listen(begun.set)

    async def look() -> list[bool]:
        pause = Pause(SimpleNamespace(store=store))  # type: ignore[arg-type]
        looks = [await pause.over(0.01) for _ in range(20)]
        pause.close()
        return looks

    assert begun.wait(30)
    assert all(asyncio.run(look())) and not ear.is_sure
    keep(store, a_memory("kept meanwhile", id="mem-a"))
    assert not ear.is_sure
    ear.close()
    store.close()
