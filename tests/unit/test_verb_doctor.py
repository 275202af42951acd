import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import apsw
import pytest
from building import NOW, a_memory, a_project, keep
from embedding import WordEmbedder
from reading import everything

from hindbrain.adapters import locks
from hindbrain.adapters.dictionary import DictStore
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.adapters.sqlite.gate import Gate
from hindbrain.app.doctor import Finding, doctor
from hindbrain.app.embed import embed_all
from hindbrain.app.tools import Tools
from hindbrain.core.model import Review, ReviewKind
from hindbrain.errors import StoreDamaged
from hindbrain.ports import Changes, Damage, Store
from hindbrain.settings import Settings

SETTINGS = Settings(home="home", store="home/hindbrain.db", lock_timeout_s=12.0)


def look(store: Store, *, is_repairing: bool = False, **more: object) -> dict[str, Finding]:
    found = doctor(is_repairing=is_repairing, project="prj-one", store=store, settings=SETTINGS, **more)  # type: ignore[arg-type]
    return {finding.name: finding for finding in found}


def test_a_fresh_store_is_healthy_and_looking_changes_nothing(store: Store, tools: Tools) -> None:
    keep(store, a_memory())
    before = everything(store)

    found = look(store)

    assert {finding.name for finding in found.values() if not finding.is_ok} == set()
    assert {"engine", "writing", "rows", "size", "lock", "backups", "reviews"} <= set(found)
    assert everything(store) == before


def test_both_stores_tell_the_same_vitals(sqlite_store: SqliteStore) -> None:
    told, plain = sqlite_store.vitals(), DictStore().vitals()

    assert set(told) == set(plain)
    assert (told["mode_file"], told["mode_folder"], told["is_read_only"]) == ("0600", "0700", "no")
    assert told["engine"] == f"SQLite {apsw.sqlite_lib_version()}"
    assert int(told["size_bytes"]) + int(told["wal_bytes"]) > 0


def test_a_file_that_others_can_read_comes_with_the_command_that_closes_it(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "my home" / "hindbrain.db")
    store.path.chmod(0o644)
    store.path.parent.chmod(0o755)

    found = look(store)

    assert (found["file"].is_ok, found["file"].fix) == (False, f"chmod 600 '{store.path}'")
    assert (found["folder"].is_ok, found["folder"].fix) == (False, f"chmod 700 '{store.path.parent}'")
    store.close()


def test_every_damage_is_told_with_its_fix_and_a_lost_index_is_mended(sqlite_store: SqliteStore) -> None:
    a_project(sqlite_store, "one")
    keep(sqlite_store, a_memory())
    db = apsw.Connection(str(sqlite_store.path))
    db.execute("INSERT INTO memory_words (memory_words) VALUES ('delete-all')")
    db.close()

    found = look(sqlite_store)["rows"]
    assert (found.is_ok, found.fix) == (False, "hindbrain doctor --repair")

    assert look(sqlite_store, is_repairing=True)["rows"].is_ok


def test_a_changed_row_is_damage(sqlite_store: SqliteStore) -> None:
    a_project(sqlite_store, "one")
    keep(sqlite_store, a_memory(id="mem-aaaabbbb"))
    db = apsw.Connection(str(sqlite_store.path))
    db.execute("UPDATE memory SET importance = 9")
    db.close()

    found = look(sqlite_store)["rows"]
    assert not found.is_ok
    assert "mem-aaaabbbb" in found.what and found.fix


class Sick(DictStore):
    """A store with every ailment that it would be hard to catch on purpose."""

    def vitals(self) -> Mapping[str, str]:
        told = {"is_engine_safe": "no", "is_read_only": "yes", "wal_bytes": str(65 * 1024 * 1024)}
        return {**super().vitals(), **told, "path": "home/hindbrain.db", "lock_holder": "process 7 (writer)"}

    def damage(self) -> Sequence[Damage]:
        raise StoreDamaged("the file is no database", fix="restore a backup")


def test_every_ailment_has_a_fix() -> None:
    found = look(Sick())

    ill = {name: finding.fix for name, finding in found.items() if not finding.is_ok}
    assert set(ill) == {"engine", "writing", "rows", "size"}
    assert all(ill.values())
    assert ill["rows"] == "restore a backup"
    assert found["lock"].what == "written by process 7 (writer); others wait up to 12s"


def test_the_process_that_writes_is_named(sqlite_store: SqliteStore) -> None:
    if not locks.TABLE.exists():
        pytest.skip("this system has no table of locks")
    turn = sqlite_store.path.with_name(sqlite_store.path.name + ".turn")
    with Gate(sqlite_store.path).hold(1.0):
        if not _is_listed(turn):
            pytest.skip("the kernel does not list locks here")
        assert sqlite_store.vitals()["lock_holder"].startswith(f"process {os.getpid()} (")
    assert sqlite_store.vitals()["lock_holder"] == ""


def _is_listed(path: Path) -> bool:
    return f":{path.stat().st_ino} " in locks.TABLE.read_text("utf-8")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1: FLOCK  ADVISORY  WRITE 999999999 fe:00:{} 0 EOF", "process 999999999"),
        ("1: FLOCK  ADVISORY  WRITE 0 fe:00:{} 0 EOF", "a process of another container"),
        ("1: -> FLOCK  ADVISORY  WRITE 999999999 fe:00:{} 0 EOF", ""),
        ("1: POSIX  ADVISORY  WRITE 999999999 fe:00:{} 0 EOF", ""),
        ("1: FLOCK  ADVISORY  WRITE 999999999 fe:00:9{} 0 EOF", ""),
        ("nonsense", ""),
        ("", ""),
    ],
)
def test_a_line_of_the_table_of_locks_is_read(tmp_path: Path, line: str, expected: str) -> None:
    locked = tmp_path / "turn"
    locked.write_text("")
    table = tmp_path / "locks"
    table.write_text(line.format(locked.stat().st_ino) + "\n")

    assert locks.holder(locked, table=table) == expected
    assert locks.holder(tmp_path / "missing", table=table) == ""


def test_open_reviews_are_told_but_are_no_illness(store: Store) -> None:
    keep(store, a_memory(id="mem-a", trust=0))
    review = Review(
        id="rev-1", project="prj-one", kind=ReviewKind.QUARANTINE, memory_id="mem-a", reason="?", opened_at=NOW
    )
    store.write(lambda tx: tx.apply(Changes(reviews=(review,))))

    found = look(store)["reviews"]
    assert (found.is_ok, found.what, found.fix) == (True, "1 wait for a person", "run `hindbrain review`")


class FakeWorker:
    """Answers what it was given; None stands for no worker. The first `late` times it does not come to it."""

    def __init__(self, told: Mapping[str, object] | None, *, late: int = 0) -> None:
        self._told = told
        self._late = late
        self.is_late = False

    def ask(self, message: Mapping[str, object]) -> Mapping[str, object] | None:
        self.is_late = self._late > 0
        self._late -= 1
        return self._told if message == {"do": "ping"} and not self.is_late else None

    def poke(self) -> None: ...


def test_meaning_that_is_switched_off_is_no_illness(store: Store) -> None:
    found = look(store)

    assert (found["model"].is_ok, found["model"].what) == (True, "switched off: recall goes by words")
    assert "vectors" not in found and "worker" not in found


def test_a_model_that_cannot_run_is_an_illness_with_a_fix(store: Store) -> None:
    found = look(store, embedder=WordEmbedder(fails_on="anything"))["model"]

    assert (found.is_ok, found.fix) == (False, "put it back")
    assert found.what == "the model was taken away: recall goes by words"


def test_memories_without_a_vector_are_counted_with_the_command_that_embeds_them(store: Store) -> None:
    embedder = WordEmbedder()
    store.expect(embedder.space)
    keep(store, a_memory(), a_memory("Cache the routes"))

    due = look(store, embedder=embedder)["vectors"]
    assert (due.is_ok, due.what) == (True, "0 in the store; 2 memories wait for theirs")
    assert due.fix.startswith("hindbrain worker --once")

    embed_all(store=store, embedder=embedder)
    done = look(store, embedder=embedder)["vectors"]
    assert (done.what, done.fix) == ("2 in the store; no memory waits for its own", "")


def test_vectors_of_another_model_are_told(store: Store) -> None:
    old, new = WordEmbedder("old"), WordEmbedder("new")
    keep(store, a_memory())
    embed_all(store=store, embedder=old)

    told = [f.what for f in doctor(project="prj-one", store=store, settings=SETTINGS, embedder=new)]
    off = [f.what for f in doctor(project="prj-one", store=store, settings=SETTINGS)]

    assert f"1 of {old.space.name}, kept until all are made anew" in told
    assert f"1 of {old.space.name}, kept for when it is switched on again" in off


@pytest.mark.parametrize(
    ("told", "is_ok", "said"),
    [
        (None, True, "none runs"),
        ({"pid": 7, "trouble": ""}, True, "process 7 keeps the model warm"),
        ({"pid": 7, "trouble": "DiskFull: no room"}, False, "process 7 is in trouble: DiskFull: no room"),
    ],
)
def test_whether_a_worker_runs_is_told(store: Store, told: Mapping[str, object] | None, is_ok: bool, said: str) -> None:
    found = look(store, embedder=WordEmbedder(), worker=FakeWorker(told))["worker"]

    assert found.is_ok is is_ok and found.what.startswith(said)
    assert bool(found.fix) is (told is None or not is_ok)


@pytest.mark.parametrize(("late", "is_ok"), [(2, True), (3, False)])
def test_a_worker_counts_as_stuck_after_three_deadlines(store: Store, late: int, is_ok: bool) -> None:
    worker = FakeWorker({"pid": 7, "trouble": ""}, late=late)
    found = look(store, embedder=WordEmbedder(), worker=worker)["worker"]
    assert found.is_ok is is_ok
    assert is_ok or (found.what, found.fix) == (
        "it did not answer 3 times within 0.3s: recall goes by words",
        "hindbrain worker --stop; then --detach",
    )
