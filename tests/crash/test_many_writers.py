"""What sixteen processes writing at once may rely on: nothing lost, nobody starved, no lock error surfaced."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest

IS_FULL = os.environ.get("HINDBRAIN_TIER") == "full"
WRITER = Path(__file__).with_name("writer.py")
WRITERS = 16


def start(store: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(WRITER), str(store), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


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


def test_sixteen_processes_lose_nothing_and_starve_nobody(tmp_path: Path) -> None:  # CH-004 CH-085
    """RELIABILITY R2."""
    store, each = tmp_path / "hindbrain.db", 10_000 if IS_FULL else 500
    writers = [start(store, str(number), each) for number in range(WRITERS)]
    promised: set[str] = set()
    seconds = []
    for writer in writers:
        out, err = writer.communicate()
        assert writer.returncode == 0 and not err
        *ids, last = out.split("\n", 1)[1].splitlines()
        promised |= set(ids)
        seconds.append(float(last.split()[1]))
    found = kept(store)
    assert len(promised) == WRITERS * each
    assert promised == set(found) and set(found.values()) == {1}
    assert min(seconds) / max(seconds) >= 0.5


@pytest.mark.parametrize("round_", range(60 if IS_FULL else 10))
def test_sixteen_processes_may_open_a_new_store_at_once(tmp_path: Path, round_: int) -> None:
    """RELIABILITY R3. They start together because they wait on the same pipe."""
    store = tmp_path / "hindbrain.db"
    code = (
        "import sys, hindbrain; sys.stdin.read(); hindbrain.open(sys.argv[1], project='p').add('lesson ' + sys.argv[2])"
    )
    gate_read, gate_write = os.pipe()
    openers = [
        subprocess.Popen([sys.executable, "-c", code, str(store), str(n)], stdin=gate_read, stderr=subprocess.PIPE)
        for n in range(WRITERS)
    ]
    os.close(gate_read)
    os.close(gate_write)
    for opener in openers:
        _, err = opener.communicate()
        assert opener.returncode == 0, err.decode()
    assert len(kept(store)) == WRITERS


@pytest.mark.parametrize("seed", range(1000 if IS_FULL else 100))
def test_every_promised_memory_survives_a_kill(tmp_path: Path, seed: int) -> None:
    """RELIABILITY R4. At most the one capture in flight is there without a promise."""
    store = tmp_path / "hindbrain.db"
    writer = start(store, "k", 100_000)
    assert writer.stdout and writer.stdout.readline() == "ready\n"
    chance = random.Random(seed)
    promised = {writer.stdout.readline().strip() for _ in range(chance.randrange(0, 30))}
    time.sleep(chance.uniform(0, 0.02))  # anywhere in a capture or two: a line comes always at the same point of one
    writer.kill()
    rest, _ = writer.communicate()
    promised |= {line for line in rest.split("\n")[:-1] if line}
    found = set(kept(store))
    assert promised <= found and len(found - promised) <= 1
