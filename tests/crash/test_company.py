"""Others who have the store open: commands that come and go, readers that stand still. Neither costs a memory."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from building import NOW, a_memory, a_project, keep
from calling import Cli
from tier import IS_FULL, figure, reached

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.ports import Where

WRITER = Path(__file__).with_name("writer.py")
COMMANDS = (
    ("recall", "lesson"),
    ("list",),
    ("add", "a remark by hand"),
    ("doctor",),
    ("stats",),
    ("export",),
    ("search", "module1"),
    ("history",),
)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(tmp_path, monkeypatch)


def test_commands_that_come_and_go_leave_the_log_of_a_running_writer_alone(cli: Cli) -> None:  # R9
    store = cli.home / "hindbrain.db"
    cli.home.mkdir(mode=0o700)
    (cli.home / "config.toml").write_text('embedder = "off"\n')
    command = [sys.executable, str(WRITER), str(store), "w", "1000000"]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert writer.stdout and writer.stdout.readline() == "ready\n"
    promised = {writer.stdout.readline().strip()}
    log = store.with_name("hindbrain.db-wal").stat().st_ino
    rounds = figure(1, 40)
    for _ in range(rounds):
        for words in COMMANDS:
            assert cli.child(*words).code in (0, 1, 2), words  # the doctor may find fault with the machine
            assert store.with_name("hindbrain.db-wal").stat().st_ino == log, words
    writer.kill()
    rest = writer.stdout.read()  # not by communicate, which leaves out lines that were read ahead
    writer.communicate()
    promised |= {line for line in rest.split("\n")[:-1] if line}
    with closing(SqliteStore(store)) as reopened:
        project = next(one for one in reopened.projects() if one.name == "load")
        kept = {memory.id for memory in reopened.select(Where(project=project.id))}
        assert promised <= kept and len(promised) > 3 and not reopened.damage()
    reached("R9", f"{rounds * len(COMMANDS)} commands beside a writer: its log stayed, 0 of {len(promised):,} lost")


def test_no_command_opens_the_database_beside_the_engine(cli: Cli) -> None:  # R9
    opened: list[str] = []
    is_watching = True

    def watch(event: str, args: tuple[object, ...]) -> None:
        if is_watching and event == "open" and isinstance(args[0], str | bytes | os.PathLike):
            opened.append(os.fsdecode(args[0]))

    cli.add("the launch code is seven")
    sys.addaudithook(watch)  # it cannot be taken away again: the flag silences it
    forgotten = cli.add("and nine")
    for words in (*COMMANDS[:-1], ("show", forgotten), ("forget", forgotten, "--yes"), ("stats", "--json")):
        cli.through(_run, *words)
    is_watching = False
    own = {Path(name).name for name in opened if Path(name).parent == cli.home}
    assert own and not own & {"hindbrain.db", "hindbrain.db-wal", "hindbrain.db-shm"}


def _run(words: object) -> int:
    from hindbrain.entry.cli.quick import run

    return run(words)  # type: ignore[arg-type]


READER = """
import sys, time
import apsw
db = apsw.Connection(sys.argv[1], flags=apsw.SQLITE_OPEN_READWRITE)
db.execute("BEGIN").fetchall()
print(db.execute("SELECT count(*) FROM memory").fetchall()[0][0], flush=True)
time.sleep(600)
"""


def test_a_reader_that_stands_still_holds_nobody_up_and_the_log_shrinks_once_it_is_gone(tmp_path: Path) -> None:  # R11
    path = tmp_path / "hindbrain.db"
    log = path.with_name("hindbrain.db-wal")
    wanted = figure(12, 256) << 20  # bytes of log that pile up behind the reader
    with closing(SqliteStore(path)) as store:
        a_project(store)
        keep(store, a_memory("before", id="mem-before"))
        reader = subprocess.Popen([sys.executable, "-c", READER, str(path)], stdout=subprocess.PIPE, text=True)
        try:
            assert reader.stdout and reader.stdout.readline() == "1\n"
            reader.send_signal(signal.SIGSTOP)
            count, slowest_s = 0, 0.0
            while log.stat().st_size < wanted:
                text = f"lesson {count} " + f"word{count} " * 900
                since = time.monotonic()
                keep(store, *(a_memory(text, id=f"mem-{count}-{n}", title=f"lesson {count} {n}") for n in range(5)))
                slowest_s = max(slowest_s, time.monotonic() - since)
                count += 1
            assert store.count(Where(project="prj-one")) == 5 * count + 1
        finally:
            reader.kill()
            reader.communicate()
        piled = log.stat().st_size
        keep(store, a_memory("after", id="mem-after", at=NOW))
        assert log.stat().st_size < 64 << 20 and log.stat().st_size < piled
        assert not IS_FULL or slowest_s <= 1.0
        assert not store.damage()
    reached("R11", f"{piled >> 20} MB of log behind a stopped reader, longest write {slowest_s:.2f} s, then emptied")


def test_readers_of_ours_end_their_transactions(tmp_path: Path) -> None:  # R11
    """A store that was asked stands in nobody's way: a checkpoint gets through at once."""
    path = tmp_path / "hindbrain.db"
    with closing(SqliteStore(path)) as store:
        a_project(store)
        keep(store, a_memory("the lock expires", id="mem-a"))
        store.search(["lock"], Where(project="prj-one"), limit=3)
        store.select(Where(project="prj-one"))
        store.damage()
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        assert db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall() == [(0, 0, 0)]
        db.close()
