"""What sixteen processes writing at once may rely on: nothing lost, nobody starved, no lock error surfaced."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import apsw
import pytest
from database import give_back, schema_url, shared_url, take_url
from tier import a_seed, figure, reached

from hindbrain.ports import Where

WRITER = Path(__file__).with_name("writer.py")
WRITERS = 16
MOST_EACH = int(os.environ.get("HINDBRAIN_EACH", "10000"))  # a machine that others use may take fewer


def start(store: str, name: str, count: int, *, out: IO[str] | int = subprocess.PIPE) -> subprocess.Popen[str]:
    command = [sys.executable, str(WRITER), store, name, str(count)]
    return subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, text=True)


def kept(store: Path) -> dict[str, int]:
    """Memories in the file, with how many rows each has. Opened by the engine only, as everything does."""
    db = apsw.Connection(str(store), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        # FTS5 compares index and rows only when rank is 1; without it, a lost index passes.
        db.execute("INSERT INTO memory_words (memory_words, rank) VALUES ('integrity-check', 1)")
        halves = db.execute(
            "SELECT count(*) FROM memory m WHERE NOT EXISTS (SELECT 1 FROM memory_version v WHERE v.memory = m.id)"
            " OR NOT EXISTS (SELECT 1 FROM receipt r WHERE r.memory = m.id)"
        ).fetchall()
        assert halves == [(0,)]
        return dict(db.execute("SELECT id, count(*) FROM memory GROUP BY id").fetchall())
    finally:
        db.close()


def written(store: str, each: int) -> tuple[set[str], list[float], list[float]]:
    """What sixteen writers at once were promised, how long each of them took, and each of their captures, sorted."""
    promised: set[str] = set()
    seconds, waits = [], []
    with ExitStack() as stack:
        outs = [stack.enter_context(TemporaryFile("w+")) for _ in range(WRITERS)]  # a pipe would fill, and hold them up
        writers = [start(store, str(number), each, out=out) for number, out in enumerate(outs)]
        for writer, out in zip(writers, outs, strict=True):
            _, err = writer.communicate()
            assert writer.returncode == 0 and not err, err
            out.seek(0)
            _, *ids, last = out.read().splitlines()
            promised |= set(ids)
            _, took, *each_took = last.split()
            seconds.append(float(took))
            waits += map(float, each_took)
    assert len(promised) == len(waits) == WRITERS * each
    return promised, seconds, sorted(waits)


def test_sixteen_processes_lose_nothing_and_starve_nobody(tmp_path: Path) -> None:  # CH-004 CH-085, R2
    store, each = tmp_path / "hindbrain.db", figure(500, MOST_EACH)
    promised, seconds, waits = written(str(store), each)
    found = kept(store)
    assert promised == set(found) and set(found.values()) == {1}
    assert min(seconds) / max(seconds) >= 0.5
    p99, most = waits[len(waits) * 99 // 100], waits[-1]
    reached(
        "R2",
        f"SQLite, {WRITERS} processes x {each:,}: 0 lost, 0 half, 0 refused, p99 {1000 * p99:.0f} ms,"
        f" longest {1000 * most:.0f} ms, slowest/fastest {min(seconds) / max(seconds):.2f}",
    )


def test_sixteen_processes_lose_nothing_on_a_server(url: str) -> None:  # R2
    from hindbrain.adapters.postgres import PostgresStore

    each = figure(15, 500)
    promised, seconds, waits = written(url, each)
    with closing(PostgresStore(url)) as store:
        (project,) = store.projects()
        found = [memory.id for memory in store.select(Where(project=project.id))]
        assert promised == set(found) and len(found) == len(set(found)) and not store.damage()
        assert len(store.receipts(project.id)) == len(found)
    reached(
        "R2",
        f"PostgreSQL, {WRITERS} processes x {each:,}: 0 lost, 0 half, 0 refused,"
        f" p99 {1000 * waits[len(waits) * 99 // 100]:.0f} ms, slowest/fastest {min(seconds) / max(seconds):.2f}",
    )


def test_what_many_say_at_once_is_kept_once_with_all_of_them_as_witnesses(tmp_path: Path) -> None:  # R2, X-05
    """They say the same lessons in the same order, long enough to look before they take the gate."""
    code = (
        "import sys, hindbrain\n"
        "with hindbrain.open(sys.argv[1], project='p') as memory:\n"
        "    for n in range(int(sys.argv[3])):\n"
        "        text = f'MEMORY:pattern:Part{n} of the parser needs the grammar of chapter{n} first'\n"
        "        memory.capture(text, session=sys.argv[2], persona='w' + sys.argv[2])\n"
    )
    store, each, many = tmp_path / "hindbrain.db", figure(90, 400), 4
    names = [str(number) for number in range(many)]
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(store), name, str(each)], stderr=subprocess.PIPE)
        for name in names
    ]
    for writer in writers:
        _, err = writer.communicate()
        assert writer.returncode == 0, err.decode()
    assert len(kept(store)) == each
    db = apsw.Connection(str(store), flags=apsw.SQLITE_OPEN_READWRITE)
    with closing(db):
        assert db.execute("SELECT DISTINCT evidence FROM memory").fetchall() == [(many,)]
        witnesses = db.execute("SELECT DISTINCT count(DISTINCT session) FROM saying GROUP BY memory").fetchall()
    assert witnesses == [(many,)]


@pytest.fixture
def url() -> Iterator[str]:
    taken = take_url()
    yield taken
    give_back(taken)


@pytest.mark.parametrize("round_", range(figure(10, 60)))
def test_sixteen_processes_may_open_a_new_store_at_once(tmp_path: Path, round_: int) -> None:  # R3
    store = tmp_path / "hindbrain.db"
    opened_at_once(str(store))
    assert len(kept(store)) == WRITERS
    if round_ + 1 == figure(10, 60):
        reached("R3", f"SQLite, {round_ + 1} rounds x {WRITERS}: 0 errors, one schema")


@pytest.mark.parametrize("round_", range(figure(1, 10)))
def test_sixteen_processes_may_make_the_tables_of_a_server_at_once(round_: int) -> None:  # R3
    from hindbrain.adapters.postgres import PostgresStore

    store = schema_url(shared_url(), f"race{random.randrange(2**48):x}")  # one without tables yet
    opened_at_once(store)
    with closing(PostgresStore(store)) as made:
        (project,) = made.projects()
        assert made.count(Where(project=project.id)) == WRITERS and not made.damage()
    if round_ + 1 == figure(1, 10):
        reached("R3", f"PostgreSQL, {round_ + 1} rounds x {WRITERS}: 0 errors, one schema")


def opened_at_once(store: str) -> None:
    """They start together because they wait on the same pipe."""
    code = (
        "import sys, hindbrain; sys.stdin.read(); hindbrain.open(sys.argv[1], project='p').add('lesson ' + sys.argv[2])"
    )
    gate_read, gate_write = os.pipe()
    openers = [
        subprocess.Popen([sys.executable, "-c", code, store, str(n)], stdin=gate_read, stderr=subprocess.PIPE)
        for n in range(WRITERS)
    ]
    os.close(gate_read)
    os.close(gate_write)
    for opener in openers:
        _, err = opener.communicate()
        assert opener.returncode == 0, err.decode()


@pytest.mark.parametrize("number", range(figure(100, 1000)))
def test_every_promised_memory_survives_a_kill(tmp_path: Path, number: int) -> None:  # R4
    """At most the one capture in flight is there without a promise."""
    seed = a_seed()
    store = tmp_path / "hindbrain.db"
    writer = start(str(store), "k", 100_000)
    assert writer.stdout and writer.stdout.readline() == "ready\n"
    chance = random.Random(seed)
    promised = {writer.stdout.readline().strip() for _ in range(chance.randrange(0, 30))}
    time.sleep(chance.uniform(0, 0.02))  # anywhere in a capture or two: a line comes always at the same point of one
    writer.kill()
    rest = writer.stdout.read()  # not by communicate, which leaves out lines that were read ahead
    writer.communicate()
    promised |= {line for line in rest.split("\n")[:-1] if line}
    found = set(kept(store))
    assert promised <= found and len(found - promised) <= 1
    if number + 1 == figure(100, 1000):
        reached("R4", f"{number + 1:,} random kills: 0 lost, 0 half")
