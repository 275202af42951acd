"""A copy of the store is whole or not there, and what it holds can be had back."""

import stat
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest
from building import NOW, FakeClock, a_memory, a_project, keep
from calling import Cli
from filling import filled
from hooking import ran

from hindbrain.adapters.clock import SystemChance
from hindbrain.adapters.files import LocalFiles
from hindbrain.adapters.spool import FileSpool
from hindbrain.adapters.sqlite import SqliteStore, schema
from hindbrain.adapters.sqlite.backups import SqliteBackups
from hindbrain.app.backup import backup, drill, last, restore
from hindbrain.app.doctor import age
from hindbrain.app.drain import drain
from hindbrain.app.edit import edit
from hindbrain.app.fsck import fsck
from hindbrain.app.migrate import migrate
from hindbrain.app.tools import Tools
from hindbrain.core.model.activity import Deed
from hindbrain.core.words import query_terms
from hindbrain.errors import BadValue, StoreDamaged, Unreadable
from hindbrain.ports import Changes, Where
from hindbrain.settings import Settings

HERE = Where(project="prj-one")


def quiet(*_: int) -> None:
    """Nobody watches."""


def as_a_disk_does(path: Path, sql: str) -> None:
    """Change rows without anybody's knowledge."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    db.execute(sql).fetchall()
    db.close()


@pytest.fixture
def backups(sqlite_store: SqliteStore, db_path: Path) -> SqliteBackups:
    return SqliteBackups(str(db_path))


@pytest.fixture
def spool(tmp_path: Path) -> FileSpool:
    return FileSpool(tmp_path / "spool")


@pytest.fixture
def tools(
    sqlite_store: SqliteStore, backups: SqliteBackups, spool: FileSpool, clock: FakeClock, tmp_path: Path
) -> Tools:
    return Tools(
        store=sqlite_store,
        clock=clock,
        chance=SystemChance(),
        files=LocalFiles(),
        settings=Settings(home=str(tmp_path), store=sqlite_store.path.as_posix(), backups_daily=2, backups_weekly=2),
        spool=lambda: spool,
        backups=lambda: backups,
    )


def attempt(work: object) -> str:
    assert callable(work)
    work()
    return ""


def deeds(store: SqliteStore) -> list[str]:
    found = (one for project in store.projects() for one in store.activities(project.id))
    return [one.subject for one in found if one.deed is Deed.COMMAND]


# R10 S15
def test_a_backup_holds_what_the_store_held_and_only_its_owner_reads_it(
    sqlite_store: SqliteStore, backups: SqliteBackups, tmp_path: Path
) -> None:
    filled(sqlite_store)
    made = backups.make(NOW, tell=quiet)
    assert stat.S_IMODE(Path(made.path).stat().st_mode) == 0o600
    assert stat.S_IMODE(Path(backups.folder).stat().st_mode) == 0o700
    assert [made] == list(backups.all()) and backups.check(made.path) == (2, ())
    with_it = SqliteStore(tmp_path / "other.db")
    migrate(sqlite_store, with_it)  # what is compared with everything that the store holds
    there = SqliteBackups(str(tmp_path / "third.db"))
    there.restore(made.path, at=NOW)
    third = SqliteStore(tmp_path / "third.db")
    for name in ("ids", "events", "audits", "jobs", "tokens"):
        read = getattr(third, name), getattr(sqlite_store, name)
        assert read[0]("", limit=99) == read[1]("", limit=99) if name == "ids" else read[0]() == read[1]()
    assert not third.damage()
    third.close()
    with_it.close()


# R10
def test_a_copy_in_a_place_of_ones_own_is_never_written_over(
    sqlite_store: SqliteStore, backups: SqliteBackups, tmp_path: Path
) -> None:
    a_project(sqlite_store)
    keep(sqlite_store, a_memory())
    place = tmp_path / "mine" / "copy.db"
    place.parent.mkdir()
    made = backups.make(NOW, to=str(place), tell=quiet)
    assert made.path == str(place) and not backups.all() and list(place.parent.iterdir()) == [place]
    with pytest.raises(BadValue, match="there already"):
        backups.make(NOW, to=str(place), tell=quiet)


# R8 R10
def test_a_damaged_store_makes_no_backup_and_costs_no_older_one(
    sqlite_store: SqliteStore, backups: SqliteBackups, tools: Tools, clock: FakeClock, db_path: Path
) -> None:
    a_project(sqlite_store)
    keep(sqlite_store, a_memory("the limit is 100 requests"))
    first = backup(tools).backup
    as_a_disk_does(db_path, "UPDATE memory_version SET data = replace(data, '100', '900')")
    clock.forward(days=1)
    with pytest.raises(StoreDamaged, match="no backup was made"):
        backup(tools)
    assert list(backups.all()) == [first] and sorted(p.name for p in Path(backups.folder).iterdir()) == [
        first.name,
        "backup.lock",
    ]


def test_old_backups_go_and_those_of_days_and_weeks_stay(
    tools: Tools, clock: FakeClock, backups: SqliteBackups
) -> None:
    a_project(tools.store)
    names = []
    for _ in range(16):
        names.append(backup(tools).backup.name)
        clock.forward(days=1)
    kept = [one.name for one in backups.all()]
    # The last two days, and the last two weeks' latest: the week before ended on a sunday.
    assert kept == ["20260118T093000000Z.db", *names[-2:]]


# R10
def test_the_store_becomes_what_it_was_under_those_who_have_it_open(
    sqlite_store: SqliteStore, backups: SqliteBackups, db_path: Path
) -> None:
    a_project(sqlite_store)
    keep(sqlite_store, a_memory("known before", id="mem-a"))
    made = backups.make(NOW, tell=quiet)
    keep(sqlite_store, a_memory("known after", id="mem-b"))
    other = SqliteStore(db_path)
    assert other.memory("mem-b")
    aside = backups.restore(made.path, at=NOW + timedelta(hours=1))
    for store in (sqlite_store, other):
        assert store.memory("mem-a") and store.memory("mem-b") is None and not store.damage()
    keep(other, a_memory("written behind it", id="mem-c"))
    assert sqlite_store.memory("mem-c") and sqlite_store.search(query_terms("written behind"), HERE, limit=1)
    other.close()
    with_all = SqliteBackups(str(db_path.with_name("aside.db")))
    with_all.restore(aside, at=NOW)
    kept = SqliteStore(db_path.with_name("aside.db"))
    assert kept.memory("mem-b")
    kept.close()


def test_numbers_that_followers_hold_are_not_given_twice(sqlite_store: SqliteStore, backups: SqliteBackups) -> None:
    filled(sqlite_store)
    made = backups.make(NOW, tell=quiet)
    event = replace(sqlite_store.events()[0], seq=0)
    sqlite_store.write(lambda tx: tx.apply(Changes(events=(event, event))))
    seen = sqlite_store.events()[-1].seq
    backups.restore(made.path, at=NOW + timedelta(hours=1))
    sqlite_store.write(lambda tx: tx.apply(Changes(events=(event,))))
    assert sqlite_store.events(after=seen)


# R10
def test_a_log_that_belongs_to_no_file_is_not_read_into_the_restored_one(
    sqlite_store: SqliteStore, backups: SqliteBackups, db_path: Path
) -> None:
    a_project(sqlite_store)
    keep(sqlite_store, a_memory("in the backup", id="mem-a"))
    made = backups.make(NOW, tell=quiet)
    keep(sqlite_store, a_memory("in the log", id="mem-b"))
    sqlite_store.close()
    db_path.unlink()
    assert db_path.with_name("hindbrain.db-wal").exists()
    backups.restore(made.path, at=NOW + timedelta(hours=1))
    again = SqliteStore(db_path)
    assert again.memory("mem-a") and again.memory("mem-b") is None and not again.damage()
    again.close()


def test_a_backup_of_an_older_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    old = SqliteStore(tmp_path / "old.db", migrations=schema.shipped()[:7])
    a_project(old)
    keep(old, a_memory("kept before there were seals"))
    old.close()
    backups = SqliteBackups(str(tmp_path / "new.db"))
    assert backups.check(str(tmp_path / "old.db")) == (1, ())
    backups.restore(str(tmp_path / "old.db"), at=NOW)
    new = SqliteStore(tmp_path / "new.db")
    assert new.search(query_terms("seals"), HERE, limit=1) and not new.damage()
    new.close()


# R10
def test_a_drill_says_whether_it_could_be_restored_and_leaves_nothing(
    sqlite_store: SqliteStore, backups: SqliteBackups
) -> None:
    a_project(sqlite_store)
    keep(sqlite_store, a_memory("the limit is 100 requests"))
    made = backups.make(NOW, tell=quiet)
    before = sorted(path.name for path in Path(backups.folder).iterdir())
    assert (drill("newest", backups=backups).memories, drill(made.name, backups=backups).damage) == (1, ())
    as_a_disk_does(Path(made.path), "UPDATE memory SET content = 'the limit is 900 requests'")
    assert drill("newest", backups=backups).damage
    with pytest.raises(StoreDamaged, match="not restored"):
        backups.restore(made.path, at=NOW)
    Path(made.path).write_bytes(b"no database" * 1000)
    with pytest.raises(Unreadable):
        drill("newest", backups=backups)
    assert sorted(path.name for path in Path(backups.folder).iterdir()) == before


# R8 R10 X-15
def test_what_hooks_told_since_the_backup_is_there_after_a_restore_once(
    tools: Tools, spool: FileSpool, sqlite_store: SqliteStore, backups: SqliteBackups, clock: FakeClock
) -> None:
    clock.at = datetime.now(UTC)  # files are dated by the machine's clock
    spool.append("claude", ran("make before"), at=NOW)
    drain(spool, tools=tools, attempt=attempt)
    made = backup(tools).backup
    spool.append("claude", ran("make drained"), at=NOW)
    drain(spool, tools=tools, attempt=attempt)
    spool.append("claude", ran("make waiting"), at=NOW)
    restored = restore(made.name, backups=backups, spool=spool, at=clock.forward(hours=1))
    assert deeds(sqlite_store) == ["make before"] and restored.replayed == 2
    drain(spool, tools=tools, attempt=attempt)
    drain(spool, tools=tools, attempt=attempt)
    assert deeds(sqlite_store) == ["make before", "make drained", "make waiting"]


def test_what_two_backups_hold_is_let_go(tools: Tools, spool: FileSpool, clock: FakeClock) -> None:
    spool.append("claude", ran("make"), at=NOW)
    drain(spool, tools=tools, attempt=attempt)
    clock.at = datetime.now(UTC) + timedelta(hours=1)
    backup(tools)
    assert spool.kept()
    clock.forward(days=1)
    backup(tools)
    assert not spool.kept()


# S4
def test_what_is_put_by_holds_no_secret_and_can_be_forgotten(tools: Tools, spool: FileSpool, tmp_path: Path) -> None:
    secret, lesson = "ghp_" + "a1B2" * 9, "the staging host listens on port 9443"
    spool.append("claude", ran(f"curl -H 'Authorization: token {secret}'", out=lesson), at=NOW)
    spool.append("claude", ran("make other"), at=NOW)
    (name,) = spool.claim()
    size = (tmp_path / "spool" / name).stat().st_size
    drain(spool, tools=tools, attempt=attempt)
    kept = tmp_path / "spool" / "kept" / name
    assert kept.stat().st_size == size and stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert secret.encode() not in kept.read_bytes() and lesson.encode() in kept.read_bytes()
    assert not spool.spoiled()
    assert not spool.forget([lesson]) and lesson.encode() not in kept.read_bytes()
    assert kept.stat().st_size == size and not spool.spoiled() and b"make other" in kept.read_bytes()


def test_a_forgotten_memory_is_gone_from_backups_and_from_what_was_set_aside(
    sqlite_store: SqliteStore, backups: SqliteBackups
) -> None:
    a_project(sqlite_store)
    keep(sqlite_store, a_memory("the launch code is cranberry-seven", id="mem-a"))
    made = backups.make(NOW, tell=quiet)
    aside = backups.restore(made.path, at=NOW + timedelta(hours=1))
    erased = sqlite_store.erase("mem-a", at=NOW)
    assert set(erased.backups) == {made.path, aside} and not erased.found_in
    assert backups.check(made.path) == (0, ()) and backups.check(aside) == (0, ())


SEALED = (
    *("activity", "anchor", "audit", "event", "injection", "injection_item", "job", "link", "memory_version"),
    *("outcome", "project_identity", "receipt", "review", "saying", "suggestion", "suggestion_edit", "space"),
)


# R8
@pytest.mark.parametrize("table", SEALED)
def test_a_changed_row_of_any_table_is_found_and_taken_from_the_backup(
    tools: Tools, sqlite_store: SqliteStore, db_path: Path, table: str
) -> None:
    filled(sqlite_store)
    backup(tools)
    keep(sqlite_store, a_memory("learned since the backup", id="mem-since"))
    rows = f"SELECT * FROM {table}"
    before = sqlite_store._connection().execute(rows).fetchall()
    last_text = "SELECT name FROM pragma_table_info(?) WHERE type = 'TEXT' AND pk = 0 ORDER BY cid DESC LIMIT 1"
    ((column,),) = sqlite_store._connection().execute(last_text, (table,)).fetchall()
    as_a_disk_does(db_path, f"PRAGMA ignore_check_constraints = 1; UPDATE {table} SET {column} = 'bent'")
    assert before and not fsck(tools).is_sound
    checkup = fsck(tools, is_repairing=True)
    assert checkup.is_sound and checkup.mended and checkup.mended.restored and not checkup.mended.lost
    assert sqlite_store.memory("mem-since") and not checkup.mended.unsure
    if table != "memory_version":
        assert sqlite_store._connection().execute(rows).fetchall() == before


# R8
def test_a_row_that_vanished_comes_back_and_one_that_was_deleted_does_not(
    tools: Tools, sqlite_store: SqliteStore, db_path: Path
) -> None:
    filled(sqlite_store)
    sqlite_store.write(lambda tx: tx.apply(Changes(cursors={"going": "1", "staying": "2"})))
    backup(tools)
    sqlite_store.write(lambda tx: tx.apply(Changes(cursors={"going": "", "coming": "3"})))
    as_a_disk_does(db_path, "DELETE FROM cursor WHERE name = 'staying'; DELETE FROM link")
    assert not fsck(tools).is_sound
    mended = fsck(tools, is_repairing=True).mended
    assert mended and {"cursor staying", "link mem-a mem-b related_to"} <= set(mended.restored)
    assert sqlite_store.cursors("") == {"judged/x": "7", "coming": "3", "staying": "2"} and sqlite_store.links("mem-a")


# R8
def test_a_memory_without_a_backup_comes_back_from_its_own_history(
    tools: Tools, sqlite_store: SqliteStore, backups: SqliteBackups, db_path: Path
) -> None:
    a_project(sqlite_store)
    keep(sqlite_store, a_memory("the limit is 100 requests", id="mem-a"), a_memory("another", id="mem-b"))
    as_a_disk_does(db_path, "UPDATE memory SET content = CAST(x'ff41' AS TEXT) WHERE id = 'mem-a'")
    assert not fsck(tools).is_sound
    checkup = fsck(tools, is_repairing=True)
    assert checkup.is_sound and checkup.mended and checkup.mended.restored == ("memory mem-a",)
    known = sqlite_store.memory("mem-a")
    assert known and known.content == "the limit is 100 requests" and checkup.mended.base == ""
    assert [one.sort for one in backups.all()] == ["aside"]


# R8
def test_a_version_that_was_changed_is_found_after_the_memory_got_the_next_one(
    tools: Tools, sqlite_store: SqliteStore, db_path: Path
) -> None:
    a_project(sqlite_store)
    keep(sqlite_store, a_memory("the limit is 100 requests", id="mem-a"))
    as_a_disk_does(db_path, "UPDATE memory_version SET change = 'forged'")
    assert not fsck(tools).is_sound
    edit("mem-a", {"importance": 9}, store=sqlite_store, clock=tools.clock)
    assert [one.where for one in sqlite_store.damage()] == ["memory_version mem-a 1"]


# R8
@pytest.mark.parametrize("until", ["'2031-01-01T00:00:00.000Z'", "NULL"])
def test_the_end_of_a_version_is_known_from_the_beginning_of_the_next(
    tools: Tools, sqlite_store: SqliteStore, db_path: Path, clock: FakeClock, until: str
) -> None:
    a_project(sqlite_store)
    keep(sqlite_store, a_memory("the limit is 100 requests", id="mem-a"), a_memory("another", id="mem-b"))
    for importance in (7, 8, 9):
        clock.forward(hours=1)
        edit("mem-a", {"importance": importance}, store=sqlite_store, clock=clock)
    before = sqlite_store.history("mem-a")
    assert fsck(tools).is_sound
    as_a_disk_does(db_path, f"UPDATE memory_version SET until = {until} WHERE memory = 'mem-a' AND version = 2")
    assert [one.where for one in sqlite_store.damage()] == ["history"]
    sqlite_store.repair()
    assert sqlite_store.history("mem-a") == before and fsck(tools).is_sound


# R8
def test_a_newer_schema_does_not_hide_that_a_version_was_changed(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    old = SqliteStore(path, migrations=[one for one in schema.shipped() if one.number < 11])
    a_project(old)
    keep(old, a_memory("kept", id="mem-a"), a_memory("forged since", id="mem-b"))
    old.close()
    as_a_disk_does(path, "UPDATE memory_version SET change = 'forged' WHERE memory = 'mem-b'")
    new = SqliteStore(path)
    assert [one.where for one in new.damage()] == ["memory_version mem-b 1"]
    new.close()


# R8
def test_what_could_not_be_changed_because_it_was_damaged_is_repaired_and_can_be_changed_then(
    tools: Tools, sqlite_store: SqliteStore, db_path: Path
) -> None:
    a_project(sqlite_store)
    keep(sqlite_store, a_memory("the limit is 100 requests", id="mem-a"))
    as_a_disk_does(db_path, "UPDATE memory SET content = replace(content, '100', '900')")
    with pytest.raises(StoreDamaged, match="mem-a"):
        edit("mem-a", {"importance": 9}, store=sqlite_store, clock=tools.clock)
    checkup = fsck(tools, is_repairing=True)
    assert checkup.is_sound and checkup.mended and checkup.mended.restored == ("memory mem-a",)
    edit("mem-a", {"importance": 9}, store=sqlite_store, clock=tools.clock)
    known = sqlite_store.memory("mem-a")
    assert known and (known.content, known.importance) == ("the limit is 100 requests", 9) and fsck(tools).is_sound


# R8
def test_what_nothing_can_replace_is_kept_as_it_reads_and_named(
    tools: Tools, sqlite_store: SqliteStore, db_path: Path
) -> None:
    a_project(sqlite_store)
    sqlite_store.write(lambda tx: tx.apply(Changes(cursors={"a": "right"})))
    as_a_disk_does(db_path, "UPDATE cursor SET value = 'wrong'")
    mended = fsck(tools, is_repairing=True).mended
    assert mended and mended.unsure == ("cursor a",) and sqlite_store.cursor("a") == "wrong"


def test_an_index_is_made_anew_without_a_backup_and_nothing_is_set_aside(
    tools: Tools, sqlite_store: SqliteStore, backups: SqliteBackups, db_path: Path
) -> None:
    a_project(sqlite_store)
    keep(sqlite_store, a_memory("the limit is 100 requests"))
    as_a_disk_does(db_path, "INSERT INTO memory_words (memory_words) VALUES ('delete-all')")
    assert [one.name for one in fsck(tools).findings if not one.is_ok] == ["words"]
    assert fsck(tools, is_repairing=True).is_sound and not backups.all()


# R8
def test_spoiled_records_of_the_spool_are_told(tools: Tools, spool: FileSpool, tmp_path: Path) -> None:
    spool.append("claude", ran("make"), at=NOW)
    current = tmp_path / "spool" / "current"
    current.write_bytes(current.read_bytes().replace(b"make", b"fake"))
    (bad,) = [one for one in fsck(tools).findings if not one.is_ok]
    assert bad.name == "spool" and "worker --once" in bad.fix


@pytest.mark.parametrize(("days", "is_ok"), [(0, True), (2, True), (4, False)])
def test_an_old_backup_is_an_illness(tools: Tools, backups: SqliteBackups, days: int, is_ok: bool) -> None:
    assert age(None, now=NOW).is_ok and age(None, now=NOW).fix == "hindbrain backup"
    a_project(tools.store)
    backup(tools)
    assert age(last(backups), now=NOW + timedelta(days=days)).is_ok is is_ok


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setenv("HINDBRAIN_EMBEDDER", "off")
    return Cli(tmp_path / "shell", monkeypatch)


# R10
def test_a_person_makes_lists_tries_and_restores_a_backup(cli: Cli) -> None:
    cli("add", "known before")
    made = cli.json("backup")["backup"]
    assert [one["name"] for one in cli.json("backup", "--list")["backups"]] == [made["name"]]
    cli("add", "known after")
    assert cli.json("restore", "--drill")["memories"] == 1
    refused = cli("restore", "newest", "--json", code=87)
    assert "--yes" in refused.error["fix"] and len(cli.json("list")["memories"]) == 2
    restored = cli.json("restore", made["name"], "--yes")
    assert Path(restored["aside"]).exists() and (restored["records"], restored["decisions_lost"]) == (0, 0)
    assert [one["content"] for one in cli.json("list")["memories"]] == ["known before"]
    cli("restore", code=2)
    cli("restore", "nowhere.db", "--drill", code=66)


# R8
def test_a_file_that_is_no_database_any_more_is_rebuilt_and_kept(cli: Cli) -> None:
    cli("add", "known before")
    cli("backup")
    store = cli.home / "hindbrain.db"
    store.write_bytes(b"zeros and ones " * 4000)
    told = cli.json("fsck", code=1)
    assert not told["is_ok"] and told["findings"][0]["fix"] == "hindbrain fsck --repair"
    mended = cli.json("fsck", "--repair")
    assert mended["is_ok"] and Path(mended["mended"]["aside"]).read_bytes().startswith(b"zeros and ones")
    assert [one["content"] for one in cli.json("list")["memories"]] == ["known before"]
    assert "backup" in cli("fsck").out or cli("fsck").out.strip().endswith("Everything is healthy.")


def test_the_night_makes_a_backup_and_the_week_tries_one(cli: Cli) -> None:
    assert cli.json("jobs", "run", "drill")["result"] == "no backup yet"
    cli("add", "known before")
    assert cli.json("jobs", "run", "backup")["result"].endswith("0 old ones removed")
    assert cli.json("jobs", "run", "drill")["result"].startswith("1 memories restored")
    assert any(one["name"] == "backup" and one["is_ok"] for one in cli.json("doctor", code=0)["findings"])
