"""What once went wrong, or could have, in the embedded store: each with the test that shows it."""

import os
import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import apsw
import pytest
from building import NOW, a_memory, a_project, keep

from hindbrain.adapters.sqlite import SqliteStore, schema
from hindbrain.adapters.sqlite.gate import Gate
from hindbrain.core.model import Event, Reach
from hindbrain.errors import StoreDamaged
from hindbrain.ports import Changes, Where

HERE = Where(project="prj-one")


def raw(path: Path) -> apsw.Connection:
    return apsw.Connection(str(path))


def test_forgetting_leaves_other_people_s_databases_alone(db_path: Path) -> None:
    store = SqliteStore(db_path)
    a_project(store)
    keep(store, a_memory("the launch code is seven"))
    strangers = [db_path.parent / "backups" / "customers.db", store.backups / "customers.db"]
    for path in strangers:
        path.parent.mkdir(exist_ok=True)
        other = raw(path)
        other.execute(
            "CREATE TABLE customer (name); INSERT INTO customer VALUES ('launch code is seven, Ltd')"
        ).fetchall()
        other.close()
    store.erase(store.select(HERE)[0].id, at=NOW)
    store.close()
    for path in strangers:
        other = raw(path)
        assert other.execute("SELECT count(*) FROM customer").fetchall() == [(1,)]
        other.close()


def test_a_database_of_another_program_is_refused_and_untouched(db_path: Path) -> None:
    db_path.parent.mkdir()
    for version in (0, 1):
        db_path.unlink(missing_ok=True)
        other = raw(db_path)
        other.execute("CREATE TABLE customer (name)").fetchall()
        other.pragma("user_version", version)
        other.close()
        with pytest.raises(StoreDamaged, match="another program"):
            SqliteStore(db_path)
        other = raw(db_path)
        assert other.execute("SELECT name FROM sqlite_schema").fetchall() == [("customer",)]
        assert other.pragma("journal_mode") == "delete"
        other.close()


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_does_not_use_its_parent_s_connection(db_path: Path) -> None:
    store = SqliteStore(db_path)
    a_project(store)
    inherited = store._connection()
    child = os.fork()
    if child == 0:
        keep(store, a_memory("from the child", id="mem-child"))
        os._exit(0 if store._connection() is not inherited else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    keep(store, a_memory("from the parent", id="mem-parent"))
    assert {m.id for m in store.select(HERE)} == {"mem-child", "mem-parent"} and not store.damage()
    store.close()


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_during_a_write_does_not_take_the_gate_along(db_path: Path) -> None:
    db_path.parent.mkdir()
    gate = Gate(db_path)
    read, write = os.pipe()
    with gate.hold(1):
        child = os.fork()
        if child == 0:
            os.read(read, 1)
            os._exit(0)
    with gate.hold(1):
        pass
    os.write(write, b"x")
    os.waitpid(child, 0)
    os.close(read)
    os.close(write)


def test_a_restored_backup_is_written_as_any_other(db_path: Path, tmp_path: Path) -> None:
    store = SqliteStore(db_path)
    a_project(store)
    backup = schema.back_up(store._connection(), store.backups, before=9)
    store.close()
    restored = tmp_path / "restored.db"
    backup.rename(restored)
    again = SqliteStore(restored)
    keep(again, a_memory())
    assert again.count(HERE) == 1 and again._connection().pragma("journal_mode") == "wal"
    again.close()


# R6
def test_a_checkpoint_that_fails_does_not_fail_the_write(db_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hindbrain.adapters.sqlite.store.CHECKPOINT_BYTES", 0)
    store = SqliteStore(db_path)
    a_project(store)
    monkeypatch.setattr("hindbrain.adapters.sqlite.store._FOLD", "SELECT RAISE(FAIL, 'disk')")
    keep(store, a_memory())
    assert store.count(HERE) == 1
    store.close()


def test_a_short_text_is_taken_out_of_events_too(db_path: Path) -> None:
    store = SqliteStore(db_path)
    a_project(store)
    keep(store, a_memory("pin is 4321", id="mem-a"))
    said = Event(name="learning_signal_detected", at=NOW, project="prj-one", data={"content": "pin is 4321"})
    store.write(lambda tx: tx.apply(Changes(events=(said,))))
    store.erase("mem-a", at=NOW)
    assert not [event for event in store.events() if "4321" in str(event.data)]
    store.close()


def test_a_long_text_that_survives_is_found_by_its_pieces(db_path: Path) -> None:
    store = SqliteStore(db_path)
    a_project(store)
    text = " ".join(f"piece{n} of a very long text" for n in range(500))
    keep(store, a_memory(text[:12_000], id="mem-a"), a_memory("quoting: " + text[2_000:9_000], id="mem-b"))
    assert store.erase("mem-a", at=NOW).found_in
    store.close()


def test_a_broken_backup_is_named_and_the_memory_is_erased_all_the_same(db_path: Path) -> None:
    store = SqliteStore(db_path)
    a_project(store)
    keep(store, a_memory("the launch code is seven", id="mem-a"))
    schema.back_up(store._connection(), store.backups, before=2).write_bytes(b"junk" * 5000)
    erased = store.erase("mem-a", at=NOW)
    assert any("before-0002" in name for name in erased.found_in) and store.memory("mem-a") is None
    store.close()


# R8
def test_a_row_that_cannot_be_read_is_damage_not_a_traceback(db_path: Path) -> None:
    store = SqliteStore(db_path)
    a_project(store)
    keep(store, a_memory("the launch code is seven"))
    for column, value in (("tags", "[broken"), ("kind", "lessom")):
        store._connection().execute(f"UPDATE memory SET {column} = ?", (value,))
        for question in (lambda: store.select(HERE), lambda: store.search(["launch"], HERE, limit=3)):
            with pytest.raises(StoreDamaged, match="memory"):
                question()
    assert store.damage()
    store.close()


def test_a_lost_scope_is_found_and_repaired(db_path: Path) -> None:
    store = SqliteStore(db_path)
    a_project(store)
    keep(store, a_memory("the launch code is seven"))
    store._connection().execute("UPDATE memory SET scope = 'p99live', content_words = 'wrong'")
    assert store.damage() and not store.search(["launch"], HERE, limit=3)
    store.repair()
    assert not store.damage() and store.search(["launch"], HERE, limit=3)
    store.close()


def test_threads_that_ended_leave_no_connection(db_path: Path) -> None:
    store = SqliteStore(db_path)
    a_project(store)
    for _ in range(20):
        thread = threading.Thread(target=lambda: store.count(HERE))
        thread.start()
        thread.join()
    assert len(store._opened) <= 2
    store.close()


def test_the_past_keeps_the_reach_that_it_had(db_path: Path) -> None:
    store = SqliteStore(db_path)
    a_project(store, "one")
    a_project(store, "two")
    wide = a_memory("for all", id="mem-a", project="prj-two", reach=Reach.EVERYWHERE)
    keep(store, wide)
    later = NOW + timedelta(days=1)
    keep(store, replace(wide, reach=Reach.PROJECT, version=2, updated_at=later))
    assert [m.id for m in store.as_of(HERE, NOW)] == ["mem-a"] and not store.as_of(HERE, later)
    store.close()


def test_a_search_text_may_be_long(db_path: Path) -> None:
    store = SqliteStore(db_path)
    a_project(store)
    keep(store, a_memory("needle"))
    assert not store.select(Where(project="prj-one", containing="x" * 100_000))
    assert store.select(Where(project="prj-one", containing="NEEDLE"))
    store.close()
