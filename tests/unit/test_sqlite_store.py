"""What only the embedded store promises: about its file, its schema, its lock and its damage."""

import multiprocessing
import multiprocessing.synchronize
import os
import stat
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import apsw
import pytest
from building import NOW, a_memory, a_project, keep

from hindbrain.adapters.sqlite import SqliteStore, schema
from hindbrain.adapters.sqlite.engine import engine_version, is_safe
from hindbrain.adapters.sqlite.gate import Gate
from hindbrain.core.words import query_terms
from hindbrain.errors import BadSettings, EngineUnsafe, SchemaNewer, StoreDamaged, StoreLocked
from hindbrain.ports import Where

HERE = Where(project="prj-one")


def raw(path: Path) -> apsw.Connection:
    return apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ((3, 7, 0), False),
        ((3, 40, 1), False),
        ((3, 44, 5), False),
        ((3, 44, 6), True),
        ((3, 50, 4), False),
        ((3, 50, 7), True),
        ((3, 51, 2), False),
        ((3, 51, 3), True),
        ((3, 54, 1), True),
        ((4, 0, 0), True),
    ],
)
def test_engines_that_can_corrupt_are_refused(
    db_path: Path, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int], expected: bool
) -> None:  # R1
    assert is_safe(version) is expected
    SqliteStore(db_path).close()
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: ".".join(map(str, version)))
    if expected:
        SqliteStore(db_path).close()
    else:
        with pytest.raises(EngineUnsafe, match="can corrupt") as caught:
            SqliteStore(db_path)
        assert "apsw" in caught.value.fix


def test_the_engine_in_use_is_safe() -> None:  # R1
    assert is_safe(engine_version())


# S15
def test_only_the_owner_can_read_the_files(sqlite_store: SqliteStore, db_path: Path) -> None:
    """RELIABILITY S15, sidecars included."""
    a_project(sqlite_store)
    keep(sqlite_store, a_memory())
    files = list(db_path.parent.iterdir())
    assert len(files) >= 3
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE(db_path.parent.stat().st_mode) == 0o700


def test_a_commit_is_on_the_disk_before_it_returns(sqlite_store: SqliteStore) -> None:
    db = sqlite_store._connection()
    assert (db.pragma("journal_mode"), db.pragma("synchronous"), db.pragma("foreign_keys")) == ("wal", 2, 1)
    assert db.pragma("wal_autocheckpoint") == 0 and db.pragma("secure_delete") == 1
    a_project(sqlite_store)
    sqlite_store.write(lambda tx: None, is_durable=False)
    assert db.pragma("synchronous") == 2


def test_the_table_is_there_as_dex_documents_it(sqlite_store: SqliteStore, db_path: Path) -> None:  # DX-017..DX-033
    db = raw(db_path)
    columns = {row[1] for row in db.execute("PRAGMA table_info(memories)")}
    assert columns == {
        *("id", "project_id", "type", "title", "content", "confidence", "tags", "file_refs"),
        *("created_by_hat", "created_by_task_id", "created_by_session_id", "source"),
        *("created_at", "last_used_at", "use_count", "verified_at"),
    }
    a_project(sqlite_store)
    keep(sqlite_store, a_memory("Tests use testify", type="pattern"))
    found = db.execute("SELECT type, use_count FROM memories WHERE confidence >= 0.5 AND created_at < '2027'")
    assert found.fetchall() == [("pattern", 0)]  # DX-015
    db.close()


def test_the_indexes_of_dex_exist_and_are_used(
    sqlite_store: SqliteStore, db_path: Path
) -> None:  # DX-012 DX-036..DX-039
    db = raw(db_path)
    names = {row[1] for row in db.execute("PRAGMA index_list(memory)")}
    assert names >= {
        "idx_memories_project",
        "idx_memories_project_type",
        "idx_memories_project_confidence",
        "idx_memories_last_used",
    }
    plan = db.execute("EXPLAIN QUERY PLAN SELECT * FROM memory WHERE project = 'p' AND type = 'pattern'").fetchall()
    assert "idx_memories_project_type" in plan[0][3]
    db.close()


def test_a_search_reads_the_rows_it_found_and_not_the_project(sqlite_store: SqliteStore, db_path: Path) -> None:
    a_project(sqlite_store)
    keep(sqlite_store, a_memory("the lock expires", id="mem-1"))
    asked: list[str] = []
    sqlite_store._connection().exec_trace = lambda _, sql, __: asked.append(sql) or True  # type: ignore[func-returns-value]
    assert sqlite_store.search(query_terms("lock"), Where(project="prj-one"), limit=5)

    admitting, reading = [sql for sql in asked if "bm25" in sql or "json_each" in sql]
    db = raw(db_path)
    by_number, by_id = (
        [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?"))]
        for sql in (admitting, reading)
    )
    assert any("m USING INTEGER PRIMARY KEY (rowid=?)" in step for step in by_number)
    assert "SEARCH m USING INDEX sqlite_autoindex_memory_1 (id=?)" in by_id
    assert not any("INDEX idx" in step for step in (*by_number, *by_id))
    db.close()


def test_every_table_is_strict(sqlite_store: SqliteStore, db_path: Path) -> None:
    db = raw(db_path)
    loose = [row[1] for row in db.execute("PRAGMA table_list") if row[2] == "table" and not row[5]]
    assert [name for name in loose if not name.startswith(("sqlite_", "memory_words"))] == []
    db.close()


NOW_AT = schema.last(schema.shipped())
A_COLUMN = schema.Migration(NOW_AT + 1, "later", "ALTER TABLE project ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey'")


# R19
def test_an_old_database_upgrades_after_a_verified_backup(db_path: Path) -> None:
    old = SqliteStore(db_path)
    a_project(old)
    keep(old, a_memory("kept over the migration"))
    old.close()
    new = SqliteStore(db_path, migrations=(*schema.shipped(), A_COLUMN))
    assert new.search(query_terms("migration"), HERE, limit=1) and not new.damage()
    new.close()
    backup = raw(db_path.with_name("hindbrain.db.backups") / f"before-{NOW_AT + 1:04d}.db")
    assert backup.execute("SELECT content FROM memory").fetchall() == [("kept over the migration",)]
    assert schema.version(backup) == NOW_AT
    backup.close()


# R19
def test_a_schema_made_at_once_equals_one_made_in_steps(tmp_path: Path) -> None:
    migrations = (*schema.shipped(), A_COLUMN)
    SqliteStore(tmp_path / "steps.db").close()
    prints = []
    for name in ("steps.db", "once.db"):
        store = SqliteStore(tmp_path / name, migrations=migrations)
        prints.append(schema.fingerprint(store._connection()))
        store.close()
    assert prints[0] == prints[1]


# R19
def test_a_migration_that_fails_leaves_the_old_schema(db_path: Path) -> None:
    SqliteStore(db_path).close()
    broken = schema.Migration(NOW_AT + 1, "broken", "CREATE TABLE half (x) STRICT; CREATE TABLE nonsense")
    with pytest.raises(apsw.SQLError):
        SqliteStore(db_path, migrations=(*schema.shipped(), broken))
    store = SqliteStore(db_path)
    assert schema.version(store._connection()) == NOW_AT
    assert not store._connection().execute("SELECT 1 FROM sqlite_schema WHERE name = 'half'").fetchall()
    store.close()


# R19
def test_a_newer_schema_is_refused_and_nothing_is_written(db_path: Path) -> None:
    SqliteStore(db_path, migrations=(*schema.shipped(), A_COLUMN)).close()
    before = {file.name: file.stat().st_mtime_ns for file in db_path.parent.iterdir() if file.suffix == ".db"}
    with pytest.raises(SchemaNewer, match=f"schema {NOW_AT + 1}, this program knows {NOW_AT}"):
        SqliteStore(db_path)
    after = {file.name: file.stat().st_mtime_ns for file in db_path.parent.iterdir() if file.suffix == ".db"}
    assert before == after


def _hold(path: Path, held: "multiprocessing.synchronize.Event", release: "multiprocessing.synchronize.Event") -> None:
    with Gate(path).hold(5):
        held.set()
        release.wait(30)


def test_a_held_gate_is_an_error_with_a_fix(sqlite_store: SqliteStore, db_path: Path) -> None:
    a_project(sqlite_store)
    context = multiprocessing.get_context("spawn")
    held, release = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(db_path, held, release))
    other.start()
    try:
        assert held.wait(30)
        waiting = SqliteStore(db_path, timeout_s=0.2)
        with pytest.raises(StoreLocked, match="stayed locked"):
            keep(waiting, a_memory())
        assert waiting.count(HERE) == 0  # readers never wait
        waiting.close()
    finally:
        release.set()
        other.join()
    keep(sqlite_store, a_memory())


def test_a_waiter_that_gave_up_does_not_keep_the_gate(db_path: Path) -> None:
    db_path.parent.mkdir()
    gate = Gate(db_path)
    with gate.hold(1), pytest.raises(StoreLocked), gate.hold(0.05):
        raise AssertionError("the gate was open")
    with gate.hold(5):
        pass


def test_the_gate_lets_one_thread_through_at_a_time(db_path: Path) -> None:
    db_path.parent.mkdir()
    gate, inside, most = Gate(db_path), [], []

    def work() -> None:
        for _ in range(20):
            with gate.hold(30):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1 and len(most) == 80


# R8
def test_a_flipped_bit_is_found_by_the_row_hash(sqlite_store: SqliteStore, db_path: Path) -> None:
    """RELIABILITY finding 7: integrity_check says ok to this."""
    a_project(sqlite_store)
    memory = a_memory("the limit is 100 requests")
    keep(sqlite_store, memory)
    db = raw(db_path)
    db.execute("UPDATE memory SET content = 'the limit is 900 requests'")
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    db.close()
    assert any(f"memory {memory.id}" in damage.where for damage in sqlite_store.damage())


# R8
def test_a_changed_version_is_found(sqlite_store: SqliteStore, db_path: Path) -> None:
    a_project(sqlite_store)
    keep(sqlite_store, a_memory("the limit is 100 requests"))
    db = raw(db_path)
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)  # a disk that changes a bit knows of no trigger
    db.execute("UPDATE memory_version SET data = replace(data, '100', '900')")
    db.close()
    found = [damage.what for damage in sqlite_store.damage()]
    assert found == ["differs from its hash", "differs from the hash it was written with"]


# R8
def test_a_lost_word_index_is_found_and_repaired(sqlite_store: SqliteStore, db_path: Path) -> None:
    a_project(sqlite_store)
    keep(sqlite_store, a_memory("the limit is 100 requests"))
    db = raw(db_path)
    db.execute("INSERT INTO memory_words (memory_words) VALUES ('delete-all')")
    db.close()
    assert any(damage.where == "word index" for damage in sqlite_store.damage())
    sqlite_store.repair()
    assert not sqlite_store.damage() and sqlite_store.search(["limit"], HERE, limit=1)


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="is a folder"):
        SqliteStore(tmp_path)


# R8
def test_a_file_that_is_no_database_is_named_and_kept(db_path: Path) -> None:
    db_path.parent.mkdir()
    db_path.write_bytes(b"not a database at all, but long enough to have a header" * 100)
    with pytest.raises(StoreDamaged) as caught:
        SqliteStore(db_path)
    assert "backup" in caught.value.fix and db_path.read_bytes().startswith(b"not a database")


# R11
def test_the_log_is_folded_in_when_it_grows(
    sqlite_store: SqliteStore, db_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hindbrain.adapters.sqlite.store.CHECKPOINT_BYTES", 50_000)
    a_project(sqlite_store)
    log = db_path.with_name("hindbrain.db-wal")
    sizes = []
    for number in range(30):
        keep(sqlite_store, a_memory(f"lesson {number} " + "long text " * 200, id=f"mem-{number}"))
        sizes.append(log.stat().st_size)
    assert max(sizes) < 400_000 and 0 in sizes
    assert sqlite_store.count(HERE) == 30


# R11
def test_a_reader_in_the_way_does_not_stop_a_writer(
    sqlite_store: SqliteStore, db_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hindbrain.adapters.sqlite.store.CHECKPOINT_BYTES", 1)
    a_project(sqlite_store)
    keep(sqlite_store, a_memory("one", id="mem-1"))
    reader = raw(db_path)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM memory").fetchall()
    keep(sqlite_store, a_memory("two", id="mem-2"))
    assert reader.execute("SELECT count(*) FROM memory").fetchall() == [(1,)]
    reader.close()
    assert sqlite_store.count(HERE) == 2


def test_closing_leaves_the_log_for_the_next_opener(db_path: Path) -> None:
    store = SqliteStore(db_path)
    a_project(store)
    keep(store, a_memory())
    store.close()
    assert db_path.with_name("hindbrain.db-wal").stat().st_size > 0
    again = SqliteStore(db_path)
    assert again.count(HERE) == 1
    again.close()


# R6
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a Linux kernel")
def test_a_file_that_may_not_grow_is_a_full_disk_and_nothing_changes(tmp_path: Path) -> None:
    """RELIABILITY R6, by RLIMIT_FSIZE in a child: the engine says 'disk I/O error' or 'full', we say which."""
    script = (
        "import resource, signal, sys; sys.path.insert(0, sys.argv[2]);"
        "from pathlib import Path; from building import *; from hindbrain.adapters.sqlite import SqliteStore;"
        "from hindbrain.errors import DiskFull, DiskFailed;"
        "s = SqliteStore(Path(sys.argv[1])); a_project(s); keep(s, a_memory('kept', id='mem-1'));"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "size = Path(sys.argv[1] + '-wal').stat().st_size;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (size + 4096, resource.RLIM_INFINITY));\n"
        "try: keep(s, a_memory('lost ' * 3000, id='mem-2'))\n"
        "except (DiskFull, DiskFailed) as error: print(type(error).__name__, bool(error.fix))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))\n"
        "keep(s, a_memory('resumed', id='mem-3')); print([m.id for m in s.select(Where(project='prj-one'))])"
    ).replace("from hindbrain.errors", "from hindbrain.ports import Where; from hindbrain.errors")
    command = [sys.executable, "-c", script, str(tmp_path / "h.db"), str(Path(__file__).parents[1])]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == ["DiskFailed True", "['mem-3', 'mem-1']"]


# S4
def test_forgetting_reaches_backups_and_the_log(db_path: Path) -> None:
    store = SqliteStore(db_path)
    a_project(store)
    memory = a_memory("the launch code is seven eight nine")
    keep(store, memory)
    keep(store, replace(memory, content="the launch code is nine eight seven", version=2, updated_at=NOW))
    backup = schema.back_up(store._connection(), store.backups, before=2)
    erased = store.erase(memory.id, at=NOW)
    assert erased.backups == (str(backup),) and erased.found_in == ()
    store.close()
    for file in [*db_path.parent.iterdir(), backup]:
        if file.is_file():
            assert b"launch code" not in file.read_bytes(), file


def test_the_words_of_a_forgotten_memory_are_in_no_part_of_the_index(sqlite_store: SqliteStore, db_path: Path) -> None:
    db = raw(db_path)

    def parts_with(word: bytes) -> int:
        return sum(word in bytes(block) for (block,) in db.execute("SELECT block FROM memory_words_data"))

    a_project(sqlite_store)
    told = a_memory("the quagmire answers on port 70", id="mem-a")
    keep(sqlite_store, told, *(a_memory(f"lesson number {n}") for n in range(50)))
    keep(sqlite_store, replace(told, archived_at=NOW, version=2))  # its words come out of the index and in again
    keep(sqlite_store, replace(told, content="the marsh answers on port 70", version=3))
    assert parts_with(b"quagmir")
    sqlite_store.erase("mem-a", at=NOW)
    assert not parts_with(b"quagmir") and not parts_with(b"marsh") and not sqlite_store.damage()
    db.close()


def test_putting_away_does_not_rewrite_the_lists_of_all_words(sqlite_store: SqliteStore, db_path: Path) -> None:
    """Each list that is rewritten grows with the store: what `prune` does to all must not."""
    a_project(sqlite_store)
    memories = [a_memory(f"lesson {n} on the same old words", id=f"mem-{n:03}") for n in range(300)]
    keep(sqlite_store, *memories)
    db, looked = sqlite_store._connection(), [0]

    def count(event: dict[str, str]) -> None:
        looked[0] += "memory_words_idx" in event["sql"]

    db.trace_v2(apsw.SQLITE_TRACE_STMT, count)
    keep(sqlite_store, *(replace(one, archived_at=NOW, version=2) for one in memories[:100]))
    db.trace_v2(0, None)
    assert looked[0] < 1_000  # 8,355 when each list was rewritten


def test_what_still_stands_elsewhere_is_reported(db_path: Path) -> None:
    store = SqliteStore(db_path)
    a_project(store)
    keep(store, a_memory("the launch code is seven", id="mem-1"))
    keep(store, a_memory("remember: the launch code is seven, always", id="mem-2"))
    assert store.erase("mem-1", at=NOW).found_in == (str(db_path),)
    store.close()


# R9
def test_no_descriptor_on_the_database_is_opened_beside_the_engine(db_path: Path) -> None:
    """RELIABILITY finding 2: closing one drops this process's locks, and acknowledged rows are lost."""
    store = SqliteStore(db_path)
    a_project(store)
    opened: list[str] = []

    def watch(event: str, args: tuple[object, ...]) -> None:
        if watching and event == "open" and isinstance(args[0], str | os.PathLike):
            opened.append(os.fspath(args[0]))

    watching = True
    sys.addaudithook(watch)
    keep(store, a_memory("the launch code is seven"))
    store.search(["launch"], HERE, limit=1)
    store.damage()
    store.erase(store.select(HERE)[0].id, at=NOW)
    store.close()
    watching = False
    touched = {Path(name).name for name in opened if Path(name).parent == db_path.parent}
    assert touched == {"hindbrain.db.next", "hindbrain.db.turn"}


def test_a_word_of_a_large_store_is_counted_again_when_the_store_has_grown(
    sqlite_store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_project(sqlite_store)
    keep(sqlite_store, *(a_memory(f"the lock expires {number}", id=f"mem-{number:03}") for number in range(100)))
    monkeypatch.setattr("hindbrain.adapters.sqlite.words._LARGE", 50)
    assert sqlite_store.holders(["lock"]) == (100, {"lock": 100})

    keep(sqlite_store, a_memory("one lock more", id="mem-one"))
    assert sqlite_store.holders(["lock"]) == (101, {"lock": 100})  # near enough, and free
    keep(sqlite_store, a_memory("and another lock", id="mem-two"))
    assert sqlite_store.holders(["lock"]) == (102, {"lock": 102})


# R19: with two of one number, a store that has one of them would never get the other
@pytest.mark.parametrize("adapter", ["sqlite", "postgres"])
def test_every_migration_has_a_number_of_its_own_and_none_is_left_out(adapter: str) -> None:
    folder = Path(schema.__file__).parents[1] / adapter / "migrations"
    numbers = [int(path.name[:4]) for path in sorted(folder.glob("*.sql"))]
    assert numbers == list(range(1, len(numbers) + 1))
