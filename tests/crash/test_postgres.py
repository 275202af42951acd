"""A server that dies, a line that breaks: nothing that was acknowledged is lost, nothing is written twice."""

import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from building import NOW, a_memory, a_project, keep
from calling import Cli
from database import Server, give_back, own_server, schema_url, take_url
from hooking import called, ran
from proxy import Proxy
from tier import a_seed, figure, reached

import hindbrain
from hindbrain.app.answer import answer
from hindbrain.app.tools import Tools
from hindbrain.core.model import Event, Receipt, Verdict
from hindbrain.errors import HindbrainError, StoreUnreachable
from hindbrain.ports import Changes, Store, Transaction, Where
from hindbrain.settings import Settings
from hindbrain.wiring import open_tools

HERE = Where(project="prj-one")


def a_store(url: str, *, timeout_s: float = 20.0) -> Store:
    from hindbrain.adapters.postgres import PostgresStore

    return PostgresStore(url, timeout_s=timeout_s)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Flushes what it acknowledges, as a server for real does."""
    made = own_server(is_durable=True)
    made.start()
    yield made
    made.remove()


@pytest.fixture
def url() -> Iterator[str]:
    taken = take_url()
    yield taken
    give_back(taken)


def a_receipt(key: str) -> Receipt:
    return Receipt(id=f"rcp-{key}", key=key, at=NOW, project="prj-one", verdict=Verdict.STORED, text=key, reason="")


def taught(key: str) -> Changes:
    """What one line of a transcript brings about."""
    event = Event(name="learning_stored", at=NOW, project="prj-one", data={"key": key})
    return Changes(memories=(a_memory(f"lesson {key}", id=f"mem-{key}"),), receipts=(a_receipt(key),), events=(event,))


def test_commits_whose_answer_was_lost_leave_no_duplicate(url: str) -> None:  # R15
    cuts = figure(20, 100)
    proxy = Proxy(urlsplit(url).port or 0)
    broken = url.replace(f":{urlsplit(url).port}/", f":{proxy.port}/")
    store = a_store(broken)
    a_project(store)
    runs: list[str] = []
    for n in range(cuts):
        proxy.cut = "after" if n % 2 else "before"

        def work(tx: Transaction, key: str = f"k{n:02}") -> str:
            runs.append(key)
            tx.apply(taught(key))
            return key

        assert store.write(work) == f"k{n:02}"
    assert proxy.cuts == cuts
    assert len(runs) == cuts + cuts // 2  # those that did not arrive were done once more
    assert [event.data["key"] for event in store.events()] == [f"k{n:02}" for n in range(cuts)]
    assert len(store.receipts("prj-one")) == store.count(HERE) == cuts
    reached("R15", f"{cuts} commits whose answer was lost, half of which had arrived: 0 doubled, 0 lost")
    assert not store.damage()
    store.close()
    proxy.close()


def test_what_was_acknowledged_survives_servers_and_sessions_that_die(server: Server) -> None:  # R15
    seed = a_seed()
    chance = random.Random(seed)
    store = a_store(schema_url(server.url, f"crash{random.randrange(2**32)}"), timeout_s=60.0)
    a_project(store)
    acknowledged: list[str] = []
    is_over = threading.Event()

    def teach(writer: int) -> None:
        for n in range(10_000):
            if is_over.is_set():
                return
            key = f"w{writer}-{n}"
            store.write(lambda tx, key=key: tx.apply(taught(key)))
            acknowledged.append(key)

    writers = [threading.Thread(target=teach, args=(n,)) for n in range(3)]
    for writer in writers:
        writer.start()
    deaths = ("immediate", "sessions") * figure(2, 20)
    for how in deaths:
        time.sleep(0.3 + chance.random() / 2)
        if how == "immediate":
            server.stop("immediate")
            server.start()
        else:
            _kill_sessions(server.url)
    time.sleep(0.5)
    is_over.set()
    for writer in writers:
        writer.join(90)
    kept = [receipt.key for receipt in store.receipts("prj-one")]
    assert acknowledged and set(acknowledged) <= set(kept) and len(kept) == len(set(kept))
    assert not store.damage()
    store.close()
    reached("R15", f"{len(deaths)} deaths of the server or its sessions: 0 of {len(acknowledged):,} lost", seed=seed)


def _kill_sessions(url: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as db:
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hindbrain'")


def test_a_server_that_is_away_is_said_to_be_and_found_again(server: Server) -> None:  # R15
    url = schema_url(server.url, f"away{random.randrange(2**32)}")
    store = a_store(url, timeout_s=0.2)
    a_project(store)
    keep(store, a_memory("kept before", id="mem-a"))
    server.stop()
    try:
        with pytest.raises(StoreUnreachable) as trouble:
            store.count(HERE)
        with pytest.raises(StoreUnreachable):
            keep(store, a_memory("not kept", id="mem-b"))
        with pytest.raises(StoreUnreachable):
            a_store(url, timeout_s=0.1)
        assert isinstance(trouble.value, HindbrainError) and "spool" in trouble.value.fix
    finally:
        server.start()
    assert store.count(HERE) == 1
    keep(store, replace(a_memory("kept after", id="mem-b")))
    assert store.count(HERE) == 2
    store.close()


# R15
def test_a_follower_misses_nothing_over_a_dropped_connection(url: str) -> None:
    from hindbrain.adapters.postgres import PostgresStore

    store = PostgresStore(url)
    a_project(store)
    seen: list[str] = []
    rung = threading.Event()

    def follow() -> None:
        """Never looks but when it was told to."""
        at = 0
        while len(seen) < 30 and rung.wait(60):
            rung.clear()
            for event in store.events(after=at):
                seen.append(str(event.data["key"]))
                at = event.seq

    ear = store.listen(rung.set)
    follower = threading.Thread(target=follow)
    follower.start()
    for n in range(30):
        store.write(lambda tx, n=n: tx.apply(taught(f"k{n:02}")))
        if n % 10 == 5:
            _kill_followers(url)
    follower.join(60)
    assert seen == [f"k{n:02}" for n in range(30)]
    ear.close()
    store.close()


def _kill_followers(url: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as db:
        db.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hindbrain follower'"
        )


def machine_of(home: Path, url: str) -> Tools:
    home.mkdir()
    return open_tools(Settings(home=str(home), store=url, embedder="off"))


def test_what_one_machine_learns_is_offered_on_another_at_its_next_turn(
    url: str, tmp_path: Path
) -> None:  # F-10 X-16 RELIABILITY R15
    here, there = machine_of(tmp_path / "a", url), machine_of(tmp_path / "b", url)
    folder = tmp_path / "app"
    folder.mkdir()

    def turn(event: str, **given: object) -> str:
        """Of the session on the second machine."""
        payload = called(event, session="s-there", cwd=str(folder), **given)
        return answer("claude", payload, at=datetime.now(UTC), tools=there).decode()

    def learn(text: str) -> None:
        settings = here.settings
        with hindbrain.open(url, folder, settings=settings) as memory:
            memory.capture(f"MEMORY:pitfall:{text}", session="s-here")

    learn("The first lesson makes the project known")
    turn("SessionStart", source="startup")
    turn("UserPromptSubmit", prompt="paint the fence")
    for n, text in enumerate(("Locks expire after a minute", "Ports are above 9000", "Orders are never deleted")):
        learn(text)
        _kill_sessions(url)  # whatever the second machine had open is gone
        told = turn("UserPromptSubmit", prompt=f"paint the fence {n}")
        assert text in told, told
        assert text not in turn("UserPromptSubmit", prompt=f"paint the wall {n}")  # once
    for tools in (here, there):
        tools.store.close()


HOOK = Path(__file__).resolve().parents[2] / "src" / "hindbrain" / "hook.py"


def test_hooks_keep_what_they_hear_while_the_server_is_away_and_it_arrives_once(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # R15
    cli = Cli(tmp_path, monkeypatch)
    monkeypatch.setenv("HINDBRAIN_STORE", schema_url(server.url, f"spool{random.randrange(2**32)}"))
    cli("add", "Run make test before you push")
    (cli.home / "config.toml").write_text('embedder = "off"\nlock_timeout_s = 0.2\n')
    (cli.home / "worker-start").write_bytes(b"." * 20)  # tried in vain just now: the hooks start none
    server.stop()
    try:
        for n in range(5):
            heard = ran(f"echo {n}", session=f"s{n}", cwd=str(cli.folder))
            told = subprocess.run(
                [sys.executable, "-I", "-S", str(HOOK), "claude"], input=heard, capture_output=True, check=True
            )
            assert not told.stdout
        away = cli("recall", "pushing", "--json", code=StoreUnreachable.exit_code)
        assert away.error["code"] == "store_unreachable"
        cli.child("worker", "--once")  # it cannot, and loses nothing
    finally:
        server.start()
    for _ in range(2):
        assert cli.child("worker", "--once").code == 0
    found = cli.json("activity")["activities"]
    assert sorted(one["subject"] for one in found) == [f"echo {n}" for n in range(5)]


def test_a_number_that_the_server_has_not_given_out_was_not_committed(url: str) -> None:  # R15
    """After a crash it may not know a number that it had given: nothing under it had reached the disk."""
    from hindbrain.adapters.postgres import PostgresStore

    store = PostgresStore(url)
    assert not store._is_committed(str(2**40 + 12345), turn="")
    store.close()


def test_a_number_that_a_crashed_server_gave_to_another_is_not_taken_for_ours(url: str) -> None:  # R15
    """What had not reached its disk when it died is forgotten, the number of the transaction as well."""
    import psycopg

    from hindbrain.adapters.postgres import PostgresStore

    store = PostgresStore(url)
    store.write(lambda tx: tx.apply(Changes(cursors={"mine": "1"})))
    with psycopg.connect(url, autocommit=True) as db:
        ((number, turn),) = db.execute("SELECT xmin::text, token FROM turn").fetchall()
    assert store._is_committed(number, turn=turn)
    assert not store._is_committed(number, turn="of one that came to nothing")
    store.close()
