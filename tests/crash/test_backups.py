"""Backups under load, under kills and on a full disk; and a store whose bytes were changed at random."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from building import NOW, a_memory, a_project, keep
from database import own_server, schema_url
from filling import filled
from tier import IS_FULL, figure, reached

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.adapters.sqlite.backups import SqliteBackups
from hindbrain.adapters.sqlite.twin import checked
from hindbrain.core.model.activity import Activity, Deed
from hindbrain.errors import DiskFull, HindbrainError, StoreDamaged
from hindbrain.ports import Changes, Where

WRITER, KEEPER = (Path(__file__).with_name(name) for name in ("writer.py", "keeper.py"))
WRITERS = 8


def quiet(*_: int) -> None:
    """Nobody watches."""


def started(program: Path, *words: object) -> "subprocess.Popen[str]":
    environment = os.environ | {"HINDBRAIN_EMBEDDER": "off"}
    command = [sys.executable, str(program), *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def numbers(store: SqliteStore) -> dict[str, list[int]]:
    """By writer, which of its lessons are there, in order."""
    found: dict[str, list[int]] = {}
    for memory in store.memories(store.ids("", limit=-1)).values():
        name, _, number = memory.content.split("lesson")[1].split()[0].partition("x")
        found.setdefault(name, []).append(int(number))
    return {name: sorted(those) for name, those in found.items()}


# R10
def test_a_backup_under_eight_writers_holds_all_that_was_promised_before_and_no_gap(tmp_path: Path) -> None:
    """What a writer did in order is there up to some moment, the same for all: none of it is missing in between."""
    path, count = tmp_path / "hindbrain.db", figure(5, 100)
    backups = SqliteBackups(str(path))
    writers = [started(WRITER, path, number, 100_000) for number in range(WRITERS)]
    try:
        for writer in writers:
            assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
            assert writer.stdout.readline().startswith("mem-")
        last_seen: dict[str, int] = {}
        for _ in range(count):
            with closing(SqliteStore(path)) as store:
                promised = {name: those[-1] for name, those in numbers(store).items()}
            made = backups.make(NOW + timedelta(days=len(last_seen) + count), to=str(tmp_path / "copy.db"), tell=quiet)
            assert not checked(made.path)[1]
            with closing(SqliteStore(made.path)) as copy:
                held = numbers(copy)
            for name, those in held.items():
                assert those == list(range(len(those))) and those[-1] >= promised.get(name, -1)
            last_seen = {name: those[-1] for name, those in held.items()}
            for left in tmp_path.glob("copy.db*"):
                left.unlink()
        assert len(last_seen) == WRITERS
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()
    with closing(SqliteStore(path)) as store:
        assert not store.damage()
    reached("R10", f"{count} backups under {WRITERS} writers: each checked, all promised before it there, no gap")


def killed(program: "subprocess.Popen[str]", chance: random.Random, *, within_s: float) -> list[str]:
    """Kill it at some moment after it is ready; what it had said by then."""
    assert program.stdout is not None and program.stdout.readline() == "ready\n"
    time.sleep(chance.uniform(0, within_s))
    program.kill()
    out = program.stdout.read()  # not by communicate, which leaves out lines that were read ahead
    program.communicate()
    return out.splitlines()


# R4 R10
@pytest.mark.parametrize("seed", range(figure(12, 100)))
def test_a_backup_that_is_killed_leaves_whole_ones_only(tmp_path: Path, seed: int) -> None:
    print("seed", seed)
    path = tmp_path / "hindbrain.db"
    backups = SqliteBackups(str(path))
    with closing(SqliteStore(path)) as store:
        filled(store)
    first = backups.make(NOW, tell=quiet)
    said = killed(started(KEEPER, path, "make", 1000), random.Random(seed), within_s=0.6)
    names = {one.name for one in backups.all()}
    assert {first.name, *said} <= names and len(names) <= len(
        said
    ) + 2  # at most one had its name, and said nothing yet
    for one in backups.all():
        assert backups.check(one.path) == (2, ())
    backups.make(NOW + timedelta(days=1), tell=quiet)  # what the killed one left is in nobody's way
    assert not list(Path(backups.folder).glob(".work*"))


# R4 R10
@pytest.mark.parametrize("deed", ["restore", "mend"])
@pytest.mark.parametrize("seed", range(figure(8, 100)))
def test_a_restore_that_is_killed_leaves_the_old_store_or_the_new_one(tmp_path: Path, seed: int, deed: str) -> None:
    print("seed", seed)
    path = tmp_path / "hindbrain.db"
    backups = SqliteBackups(str(path))
    with closing(SqliteStore(path)) as store:
        filled(store)
        backups.make(NOW, tell=quiet)
        keep(store, a_memory("learned since", id="mem-since"))
        said = killed(started(KEEPER, path, deed, 1), random.Random(seed), within_s=0.6)
        has_new = store.memory("mem-since") is None  # as one who had it open all the time sees it
        assert store.memory("mem-a") and not store.damage()
        assert deed == "mend" or has_new or not said
        assert deed == "restore" or not has_new
    asides = [one for one in backups.all() if one.sort == "aside"]
    assert len(asides) == 1 or not (said or (has_new and deed == "restore"))
    for one in asides:
        assert backups.check(one.path) == (3, ())


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk needs root and a kernel that allows it")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


# R6 R10
def test_a_full_disk_makes_no_backup_and_costs_no_older_one(small_disk: Path) -> None:
    path = small_disk / "hindbrain.db"
    backups = SqliteBackups(str(path))
    with closing(SqliteStore(path)) as store:
        filled(store)
        first = backups.make(NOW, tell=quiet)
        ballast = small_disk / "ballast"
        with ballast.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
            while file.write(b"x" * 4096):
                pass
        for at in (NOW + timedelta(days=1), NOW + timedelta(days=2)):
            with pytest.raises(DiskFull):
                backups.make(at, tell=quiet)
            with pytest.raises(DiskFull):
                backups.restore(first.path, at=at)
        assert list(backups.all()) == [first] and not store.damage()
        ballast.unlink()
        assert backups.check(first.path) == (2, ()) and len(backups.all()) == 1
        backups.make(NOW + timedelta(days=3), tell=quiet)


def bent(raw: bytearray, chance: random.Random) -> str:
    """A bit, a block of 512 bytes, or the end of it: what disks do."""
    at = chance.randrange(len(raw))
    match chance.randrange(3):
        case 0:
            raw[at] ^= 1 << chance.randrange(8)
            return f"bit at {at}"
        case 1:
            at -= at % 512
            raw[at : at + 512] = chance.randbytes(len(raw[at : at + 512]))
            return f"block at {at}"
        case _:
            del raw[at:]
            return f"cut at {at}"


def content(store: SqliteStore) -> list[object]:
    """All that a person could miss."""
    memories = store.memories(store.ids("", limit=-1))
    return [
        sorted(memories.items()),
        [store.history(key) for key in sorted(memories)],
        store.receipts("prj-one"),
        store.events(),
        store.activities("prj-one"),
        store.audits(),
        store.jobs(),
        store.cursors(""),
    ]


# R8
@pytest.mark.parametrize("seed", range(figure(40, 1_000)))
def test_changed_bytes_are_found_or_harmless_and_mended_from_the_backup(tmp_path: Path, seed: int) -> None:
    print("seed", seed)
    path, chance = tmp_path / "hindbrain.db", random.Random(seed)
    backups = SqliteBackups(str(path))
    with closing(SqliteStore(path)) as store:
        filled(store)
        whole = content(store)
        backups.make(NOW, tell=quiet)
        store._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    raw = bytearray(path.read_bytes())
    what = bent(raw, chance)
    path.write_bytes(raw)
    for side in ("-wal", "-shm"):
        path.with_name(path.name + side).unlink(missing_ok=True)
    try:
        with closing(SqliteStore(path)) as store:
            is_found = bool(store.damage())
            assert is_found or content(store) == whole, what
    except HindbrainError as error:
        assert isinstance(error, StoreDamaged), (what, error)
        is_found = True
    mended = backups.mend(NOW + timedelta(hours=1))
    with closing(SqliteStore(path)) as store:
        assert not store.damage() and content(store) == whole, (what, mended)
    assert not [one for one in mended.lost if "could not be read" not in one] and not mended.unsure
    assert Path(mended.aside).exists() and mended.base
    if seed + 1 == figure(40, 1_000):
        reached("R8", f"{seed + 1:,} damages of the database, by seed: found or harmless, and mended from the backup")


# R8
@pytest.mark.parametrize("is_in_backup", [True, False])
def test_a_seal_whose_key_is_damaged_costs_no_row(tmp_path: Path, is_in_backup: bool) -> None:
    path = tmp_path / "hindbrain.db"
    backups = SqliteBackups(str(path))
    with closing(SqliteStore(path)) as store:
        filled(store)
        backups.make(NOW, tell=quiet)
        if not is_in_backup:
            deed = Activity(id="act-new", at=NOW, project="prj-one", session="s", deed=Deed.COMMAND, subject="ls")
            store.write(lambda tx: tx.apply(Changes(activities=(deed,))))
        whole = content(store)
        last = "SELECT 'activity', max(CAST(key AS INTEGER)) FROM seal WHERE sort = 'activity'"
        store._connection().execute(f"UPDATE seal SET key = key || ';' WHERE (sort, CAST(key AS INTEGER)) = ({last})")
    mended = backups.mend(NOW + timedelta(hours=1))
    with closing(SqliteStore(path)) as store:
        assert not store.damage() and content(store) == whole, mended
    assert not mended.lost and not mended.unsure


# R8
@pytest.mark.parametrize("seed", range(figure(15, 300)))
def test_what_was_learned_since_the_backup_survives_the_damage_of_other_rows(tmp_path: Path, seed: int) -> None:
    """Bits only: of a row that one of them hits and that no backup has, it is told."""
    print("seed", seed)
    path, chance = tmp_path / "hindbrain.db", random.Random(seed)
    backups = SqliteBackups(str(path))
    with closing(SqliteStore(path)) as store:
        filled(store)
        backups.make(NOW, tell=quiet)
        for number in range(20):
            keep(store, a_memory(f"since the backup number {number}", id=f"mem-s{number:02}"))
        known = dict(store.memories(store.ids("", limit=-1)))
        store._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    raw = bytearray(path.read_bytes())
    for _ in range(3):
        raw[chance.randrange(100, len(raw))] ^= 1 << chance.randrange(8)
    path.write_bytes(raw)
    for side in ("-wal", "-shm"):
        path.with_name(path.name + side).unlink(missing_ok=True)
    mended = backups.mend(NOW + timedelta(hours=1))
    told = {name.split()[1] for name in (*mended.older, *mended.unsure, *mended.lost) if name.startswith("memory")}
    is_unread = any("could not be read" in name for name in mended.lost)
    with closing(SqliteStore(path)) as store:
        assert not store.damage()
        found = store.memories(store.ids("", limit=-1))
    missing = {key for key, memory in known.items() if found.get(key) != memory}
    assert missing <= told or is_unread, mended
    assert not is_unread or known.keys() >= found.keys() >= {"mem-a", "mem-b"}


# R8 R10
def test_a_large_store_is_mended_and_restored_within_a_minute(tmp_path: Path) -> None:
    count, path = figure(300, 100_000), tmp_path / "hindbrain.db"
    backups = SqliteBackups(str(path))
    with closing(SqliteStore(path)) as store:
        a_project(store)
        for at in range(0, count, 1_000):
            numbered = range(at, min(at + 1_000, count))
            keep(
                store, *(a_memory(f"lesson {n} of module{n % 997}: renew the lock", id=f"mem-{n:06}") for n in numbered)
            )
        began = time.monotonic()
        made = backups.make(NOW, tell=quiet)
        taken_s = time.monotonic() - began
        store._connection().execute("UPDATE memory SET content = 'spoiled' WHERE seq % 50 = 7")
    began = time.monotonic()
    mended = backups.mend(NOW + timedelta(hours=1))
    mended_s = time.monotonic() - began
    began = time.monotonic()
    backups.restore(made.path, at=NOW + timedelta(hours=2))
    restored_s = time.monotonic() - began
    with closing(SqliteStore(path)) as store:
        assert store.count(Where(project="prj-one")) == count and not store.damage()
    assert not mended.lost and not mended.unsure and Path(mended.aside).exists()
    assert not IS_FULL or max(mended_s, restored_s) <= 60
    reached("R8", f"{count:,} memories, one in fifty spoiled: mended from the backup in {mended_s:.0f} s, none lost")
    reached("R10", f"{count:,} memories: backed up in {taken_s:.0f} s, restored in {restored_s:.0f} s")


# R10 R15
def test_a_backup_of_a_server_under_writers_is_one_state_of_it() -> None:
    from hindbrain.adapters.postgres import PostgresStore
    from hindbrain.adapters.postgres.backups import PostgresBackups
    from hindbrain.app.migrate import migrate

    server = own_server()
    server.start()
    try:
        url = schema_url(server.url, "kept")
        with closing(PostgresStore(url, home="here")) as store:
            a_project(store)
            store.adopt(["name:load"], name="load", project_id="prj-load", at=NOW)
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            backups = PostgresBackups(
                f"{folder}/backups",
                store=lambda: PostgresStore(url, home="here"),
                carry=lambda source, target, tell: migrate(source, target, tell=tell),
            )
            writers = [started(WRITER, url, number, 100_000) for number in range(3)]
            try:
                for writer in writers:
                    assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
                    assert writer.stdout.readline().startswith("mem-")
                made = [backups.make(NOW + timedelta(days=day), tell=quiet) for day in range(figure(1, 3))]
            finally:
                for writer in writers:
                    writer.kill()
                    writer.communicate()
            for one in made:
                assert backups.check(one.path)[1] == ()
                with closing(SqliteStore(one.path)) as copy:
                    assert all(those == list(range(len(those))) for those in numbers(copy).values())
    finally:
        server.remove()
