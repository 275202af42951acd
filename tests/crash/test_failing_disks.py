"""Killed, or refused by the disk, at any one thing that is done to a file: what was promised is there and whole."""

import json
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest
from building import a_memory, a_project, keep
from faulty import BROKEN, FULL, KILL, TEAR
from tier import IS_FULL, a_seed, figure, reached

from hindbrain.adapters.sqlite import SqliteStore, schema
from hindbrain.ports import Where

BREAKER = Path(__file__).with_name("breaker.py")
HERE = Where(project="prj-one")
READY_S = 2.0


@pytest.fixture
def disk() -> Iterator[Path]:
    """In memory where there is such a disk: what is killed or refused does not depend on how long a sync takes."""
    in_memory = Path("/dev/shm")
    with TemporaryDirectory(prefix="hb-", dir=in_memory if in_memory.is_dir() else None) as folder:
        yield Path(folder)


def broken_at(
    folder: Path, points: Sequence[int], *, how: str, is_lasting: bool = False, work: str = "capture"
) -> Iterator[dict[str, list[str]]]:
    words = [str(folder), work, how, "lasting" if is_lasting else "once", *map(str, points)]
    ended = subprocess.run([sys.executable, str(BREAKER), *words], capture_output=True, text=True, check=False)
    assert ended.returncode == 0 and not ended.stderr, ended.stderr[-3_000:]
    yield from map(json.loads, ended.stdout.splitlines())


def spread(folder: Path, count: int, *, chance: random.Random, work: str = "capture") -> list[int]:
    """`count` of all the things that are done to files when nothing fails; all of them where there are fewer."""
    (whole,) = broken_at(folder, [0], how=KILL, work=work)
    every = range(1, int(whole["count"][-1]) * 9 // 10)  # ids are drawn: no two runs do quite the same
    return sorted(chance.sample(every, min(count, len(every))))


def kept(path: Path) -> set[str]:
    """The memories in the file, by the engine alone; none where it was killed before there was a table."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    try:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'memory'").fetchall():
            return set()
        return {str(id_) for (id_,) in db.execute("SELECT id FROM memory")}
    finally:
        db.close()


def whole_after(path: Path) -> float:
    """Nothing is half there, and it can be written at once; how long that took."""
    since = time.monotonic()
    with closing(SqliteStore(path)) as store:
        a_project(store)
        keep(store, a_memory("after all", id="mem-after"))
        took_s = time.monotonic() - since
        assert not store.damage()
    return took_s


@pytest.mark.parametrize("how", [KILL, TEAR])
def test_killed_at_any_write_or_sync_nothing_promised_is_lost(disk: Path, how: str) -> None:  # R4
    seed = a_seed()
    points = spread(disk, figure(30, 500), chance=random.Random(seed))
    slowest_s = 0.0
    for told in broken_at(disk, points, how=how):
        path = disk / f"{told['point']}.db"
        found = kept(path)
        assert told["ended"] == -signal.SIGKILL
        assert set(told["kept"]) <= found and len(found) - len(told["kept"]) <= 1, told
        slowest_s = max(slowest_s, whole_after(path))
    assert not IS_FULL or slowest_s <= READY_S
    reached("R4", f"{len(points)} points ({how}), 0 lost, ready again within {slowest_s:.2f} s", seed=seed)


def test_killed_on_a_slow_disk_nothing_promised_is_lost(disk: Path) -> None:  # R22
    seed = a_seed()
    points = spread(disk, figure(3, 40), chance=random.Random(seed))
    for told in broken_at(disk, points, how="slow"):
        found = kept(disk / f"{told['point']}.db")
        assert told["ended"] == -signal.SIGKILL
        assert set(told["kept"]) <= found and len(found) - len(told["kept"]) <= 1, told
    reached("R22", f"{len(points)} kills on a disk with 20 syncs a second: 0 lost", seed=seed)


@pytest.mark.parametrize("is_lasting", [False, True], ids=["once", "lasting"])
@pytest.mark.parametrize("how", [FULL, BROKEN])
def test_refused_by_the_disk_at_any_point_nothing_promised_is_lost_and_it_goes_on(
    disk: Path, how: str, is_lasting: bool
) -> None:  # R6
    seed = a_seed()
    points = spread(disk, figure(12, 50), chance=random.Random(seed))
    classes = {"DiskFull", "DiskFailed"}
    for told in broken_at(disk, points, how=how, is_lasting=is_lasting):
        found = kept(disk / f"{told['point']}.db")
        assert told["ended"] == 0 and set(told["failed"]) <= classes, told
        assert {*told["kept"], *told["resumed"]} <= found and told["resumed"], told
        assert len(found) <= 11, "what was refused may be there, and is there once"
        whole_after(disk / f"{told['point']}.db")
    reached("R6", f"{len(points)} points ({how}, {'lasting' if is_lasting else 'once'}), 0 lost, resumed", seed=seed)


@pytest.mark.parametrize("how", [FULL, BROKEN])
def test_a_disk_that_fails_while_something_is_forgotten_is_told_and_it_can_be_forgotten_again(
    disk: Path, how: str
) -> None:  # R6
    seed = a_seed()
    points = spread(disk, figure(8, 50), chance=random.Random(seed), work="forget")
    for told in broken_at(disk, points, how=how, work="forget"):
        assert told["ended"] == 0 and len(told["kept"]) == 2, told
        assert set(told["failed"]) <= {"DiskFull", "DiskFailed"}
    reached("R6", f"{len(points)} points of forgetting ({how}): forgotten in the end", seed=seed)


LIMITED = """
import resource, signal, sys
import hindbrain
from hindbrain.errors import DiskFailed, DiskFull
store, limit = sys.argv[1], int(sys.argv[2])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
memory = hindbrain.open(store, project="load")
most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most))
for number in range(20):
    try:
        text = f"MEMORY:pattern:Lesson{number} of the limit " + f"about module{number} " * 60
        print("kept", memory.capture(text, session="s1").receipts[0].memory_id, flush=True)
    except (DiskFull, DiskFailed) as error:
        print("failed", type(error).__name__, flush=True)
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
print("kept", memory.capture("MEMORY:pattern:There is room again", session="s2").receipts[0].memory_id)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="needs a limit on the size of files")
def test_files_that_may_not_grow_lose_nothing_promised(disk: Path) -> None:  # R6
    seed = a_seed()
    chance = random.Random(seed)
    refusals = 0
    rounds = figure(4, 50)
    for number in range(rounds):
        path = disk / f"{number}.db"
        SqliteStore(path).close()
        limit = chance.randrange(40_000, 1_000_000) // 512 * 512  # the log begins at nothing and grows
        ended = subprocess.run(
            [sys.executable, "-c", LIMITED, str(path), str(limit)], capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stderr[-2_000:]
        lines = [line.split() for line in ended.stdout.splitlines()]
        assert {id_ for word, id_ in lines if word == "kept"} <= kept(path)
        assert lines[-1][0] == "kept"
        refusals += sum(word == "failed" for word, _ in lines)
    assert refusals
    reached("R6", f"{rounds} sizes that no file may exceed (EFBIG), {refusals} refusals, 0 lost", seed=seed)


RELEASED = [migration.number for migration in schema.shipped()][:-1]


@pytest.mark.parametrize("released", RELEASED)
def test_killed_anywhere_in_a_migration_the_schema_is_an_old_or_the_new_one(disk: Path, released: int) -> None:
    # R19
    seed = a_seed()
    chance = random.Random(seed)
    prints = {number: _made(disk / f"fresh{number}.db", number) for number in range(released, RELEASED[-1] + 2)}
    count = figure(5, 50)
    _made(disk / "0.db", released)
    (whole,) = broken_at(disk, [0], how=KILL, work="migrate")
    points = sorted(chance.sample(range(1, int(whole["count"][-1]) * 9 // 10), count))
    for point in points:
        _made(disk / f"{point}.db", released)
    for told in broken_at(disk, points, how=KILL, work="migrate"):
        path = disk / f"{told['point']}.db"
        assert told["ended"] == -signal.SIGKILL and not told["kept"]
        number, print_ = _version(path)
        assert prints[number] == print_, "tables and number go together"
        if number > released:
            backup = disk / f"{path.name}.backups" / f"before-{number:04d}.db"
            assert _version(backup)[0] == number - 1 and "mem-old" in kept(backup)
        with closing(SqliteStore(path)) as store:
            assert schema.version(store._connection()) == RELEASED[-1] + 1
            assert [memory.id for memory in store.select(HERE)] == ["mem-old"] and not store.damage()
    reached("R19", f"from schema {released}, killed at {count} points: an old or the new one, 0 lost", seed=seed)


def _made(path: Path, number: int) -> str:
    """A store with that schema and one memory; the print of its tables."""
    migrations = tuple(one for one in schema.shipped() if one.number <= number)
    with closing(SqliteStore(path, migrations=migrations)) as store:
        a_project(store)
        keep(store, a_memory("said long ago", id="mem-old"))
        return schema.fingerprint(store._connection())


def _version(path: Path) -> tuple[int, str]:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return schema.version(db), schema.fingerprint(db)
    finally:
        db.close()
