"""What one process writes to a server reaches the followers of another by a word, not by looking often."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from building import NOW, a_memory, a_project, keep
from database import give_back, take_url

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.model import Event
from hindbrain.entry.http.desk import Desk
from hindbrain.entry.http.events import _Feed
from hindbrain.entry.pause import Pause
from hindbrain.ports import Changes
from hindbrain.settings import Settings

if TYPE_CHECKING:
    from hindbrain.adapters.postgres import PostgresStore

ROOT = Path(__file__).resolve().parents[2]
NEVER_S = 36_000.0  # nobody looks by himself within a test
PATIENCE_S = 60.0
WRITER = """
import sys
sys.path[:0] = sys.argv[2:]
from building import NOW
from hindbrain.adapters.postgres import PostgresStore
from hindbrain.core.model import Event
from hindbrain.ports import Changes
store = PostgresStore(sys.argv[1])
event = Event(name="learning_stored", at=NOW, project="prj-one", data={"from": "elsewhere"})
store.write(lambda tx: tx.apply(Changes(events=(event,))))
store.close()
"""


@pytest.fixture
def url() -> Iterator[str]:
    taken = take_url()
    yield taken
    give_back(taken)


@pytest.fixture
def store(url: str) -> "Iterator[PostgresStore]":
    from hindbrain.adapters.postgres import PostgresStore

    made = PostgresStore(url)
    a_project(made)
    yield made
    made.close()


def written_elsewhere(url: str) -> None:
    """By another process."""
    places = [str(ROOT / "src"), str(ROOT / "tests")]
    subprocess.run([sys.executable, "-c", WRITER, url, *places], check=True, timeout=PATIENCE_S)


def dropped(url: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as db:
        db.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hindbrain follower'"
        )


def told(store: "PostgresStore", word: str) -> None:
    event = Event(name="learning_stored", at=NOW, project="prj-one", data={"from": word})
    store.write(lambda tx: tx.apply(Changes(events=(event,))))


async def until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        await asyncio.sleep(0.01)


async def next_event(lines: AsyncIterator[str]) -> str:
    while True:
        line = await anext(lines)
        if "event:" in line:
            return line


def in_time(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, PATIENCE_S))


class _Sure:
    """A feed whose own looks are out of the question once its ear is sure."""

    def __init__(self, url: str, home: Path, store: "PostgresStore") -> None:
        settings = Settings(home=str(home), store=url)
        self.desk = Desk(settings)
        self.ears = self.desk.tools().store
        feed = _Feed(desk=self.desk, project="", is_over=lambda: False, net_s=NEVER_S)
        self.lines = feed.lines(0, follow=True)
        self._store = store

    async def begun(self) -> None:
        """It has said something, and is listening."""
        told(self._store, "first")
        assert "first" in await next_event(self.lines)
        await self.settled()

    async def settled(self) -> None:
        waiting = asyncio.ensure_future(next_event(self.lines))
        bell = self.ears._bell  # type: ignore[attr-defined]
        await until(lambda: bell.is_sure)
        self.waiting = waiting


# R15
def test_what_another_process_writes_reaches_the_feed_without_a_look(
    url: str, store: "PostgresStore", tmp_path: Path
) -> None:
    async def work() -> None:
        feed = _Sure(url, tmp_path, store)
        await feed.begun()
        await asyncio.to_thread(written_elsewhere, url)
        assert "elsewhere" in await feed.waiting
        await feed.lines.aclose()  # type: ignore[attr-defined]
        feed.desk.close()

    in_time(work())


# R15
def test_a_feed_loses_nothing_over_a_dropped_connection(url: str, store: "PostgresStore", tmp_path: Path) -> None:
    async def work() -> None:
        feed = _Sure(url, tmp_path, store)
        await feed.begun()
        for number in range(6):
            if number % 2:
                await asyncio.to_thread(dropped, url)
            await asyncio.to_thread(told, store, f"word {number}")
            assert f"word {number}" in await feed.waiting, "in order, and none twice"
            feed.waiting = asyncio.ensure_future(next_event(feed.lines))
        feed.waiting.cancel()
        feed.desk.close()

    in_time(work())


# R15
def test_who_is_sure_to_hear_does_not_look_until_he_does(url: str, store: "PostgresStore") -> None:
    async def work() -> None:
        pause = Pause(SimpleNamespace(store=store), net_s=NEVER_S)  # type: ignore[arg-type]
        assert await pause.over(0.0), "who cannot be sure yet looks as often as ever"
        await until(lambda: pause.is_sure)
        while await pause.over(0.2):
            pass  # the words by which it became sure
        assert not await pause.over(0.05)
        keep(store, a_memory("kept without an event", id="mem-a"))
        told(store, "something")
        assert await pause.over(PATIENCE_S)
        pause.close()

    in_time(work())


def test_where_nobody_tells_a_follower_looks_every_time(tmp_path: Path) -> None:
    async def work() -> None:
        store = SqliteStore(tmp_path / "hindbrain.db")
        pause = Pause(SimpleNamespace(store=store))  # type: ignore[arg-type]
        assert [await pause.over(0.0) for _ in range(3)] == [True, True, True] and not pause.is_sure
        pause.close()
        store.close()

    in_time(work())
