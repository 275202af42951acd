"""A copy of a server's store is a file like any other backup, and goes back into a server or into a file."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from building import NOW, FakeClock, a_memory, keep
from calling import Cli
from database import give_back, take_url
from filling import WIDE, filled

from hindbrain.adapters.clock import SystemChance
from hindbrain.adapters.files import LocalFiles
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.backup import backup, drill, restore
from hindbrain.app.fsck import fsck
from hindbrain.app.migrate import migrate
from hindbrain.app.revise import revised
from hindbrain.app.tools import Tools
from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.errors import BadValue, StoreDamaged
from hindbrain.ports import Changes
from hindbrain.settings import Settings

if TYPE_CHECKING:
    from hindbrain.adapters.postgres import PostgresStore
    from hindbrain.adapters.postgres.backups import PostgresBackups


@pytest.fixture
def url() -> Iterator[str]:
    taken = take_url()
    yield taken
    give_back(taken)


@pytest.fixture
def other_url() -> Iterator[str]:
    taken = take_url()
    yield taken
    give_back(taken)


def opened(url: str, folder: Path) -> "PostgresStore":
    from hindbrain.adapters.postgres import PostgresStore

    return PostgresStore(url, home="here", backups=str(folder))


def kept_in(folder: Path, url: str) -> "PostgresBackups":
    from hindbrain.adapters.postgres.backups import PostgresBackups

    return PostgresBackups(
        str(folder),
        store=lambda: opened(url, folder),
        carry=lambda source, target, tell: migrate(source, target, tell=tell),
    )


@pytest.fixture
def tools(url: str, tmp_path: Path, clock: FakeClock) -> Iterator[Tools]:
    folder = tmp_path / "backups"
    with closing(opened(url, folder)) as store:
        filled(store)
        yield Tools(
            store=store,
            clock=clock,
            chance=SystemChance(),
            files=LocalFiles(),
            settings=Settings(home=str(tmp_path), store=url),
            backups=lambda: kept_in(folder, url),
        )


def bend(url: str, sql: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as db:
        db.execute(sql.encode())


# R10
def test_a_backup_of_a_server_goes_into_another_server_and_into_a_file(
    tools: Tools, other_url: str, tmp_path: Path
) -> None:
    made = backup(tools).backup
    backups = kept_in(tmp_path / "backups", other_url)
    assert drill("newest", backups=backups).memories == 2
    restore(made.name, backups=backups, spool=None, at=NOW)
    with closing(opened(other_url, tmp_path / "none")) as there, closing(SqliteStore(made.path)) as copy:
        for store in (there, copy):
            assert store.events() == tools.store.events() and store.audits() == tools.store.audits()
            assert store.history("mem-a") == tools.store.history("mem-a") and not store.damage()


# R10
def test_what_a_server_holds_is_not_written_over(tools: Tools, url: str, tmp_path: Path) -> None:
    made = backup(tools).backup
    with pytest.raises(BadValue, match="holds memories already"):
        restore(made.name, backups=kept_in(tmp_path / "backups", url), spool=None, at=NOW)
    assert tools.store.memory("mem-a")


def test_who_is_asked_whether_to_restore_reads_no_password(
    tools: Tools, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = backup(tools).backup
    cli = Cli(tmp_path, monkeypatch)
    monkeypatch.setenv("HINDBRAIN_STORE", url.replace("hindbrain@", "hindbrain:hush@"))
    said = cli("restore", made.path, "--json", code=87).error
    assert "hush" not in said["what"] and "never written over" in said["fix"]


# R8 R10
@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE memory SET data = replace(data, 'second', 'bended')",
        "UPDATE memory_version SET data = replace(data, 'first', 'bents')",
    ],
)
def test_changed_memories_of_a_server_are_found_and_taken_from_a_backup(tools: Tools, url: str, sql: str) -> None:
    backup(tools)
    keep(tools.store, a_memory("learned since the backup", id="mem-since"))
    before = tools.store.history("mem-a"), tools.store.memory("mem-a")
    bend(url, sql)
    assert not fsck(tools).is_sound
    with pytest.raises(StoreDamaged, match="no backup was made"):
        backup(tools)
    checkup = fsck(tools, is_repairing=True)
    assert checkup.is_sound and checkup.mended and checkup.mended.restored and not checkup.mended.lost
    assert (tools.store.history("mem-a"), tools.store.memory("mem-a")) == before and tools.store.memory("mem-since")


DISPLACED = {
    "anchor": "path = 'b.py'",
    "audit": "project = 'prj-two'",
    "event": "project = 'prj-two'",
    "injection": "session = 'other'",
    "job": "state = 'done'",
    "link": "relation = 'contradicts'",
    "memory_version": "project = 'prj-two'",
    "outcome": "project = 'prj-two'",
    "receipt": "project = 'prj-two'",
    "review": "closed_at = '2026-01-01T00:00:00.000Z'",
    "saying": "receipt = 'rcp-9'",
    "suggestion": "status = 'applied'",
}


# R8, S11: the policies go by columns, and so does whoever asks
@pytest.mark.parametrize("table", DISPLACED)
def test_a_row_that_stands_where_its_value_does_not_belong_is_found_and_put_back(
    tools: Tools, url: str, table: str
) -> None:
    before = rows(url, table)
    bend(url, f"UPDATE {table} SET {DISPLACED[table]}")
    bad = [one for one in fsck(tools).findings if not one.is_ok]
    assert any(f"{table} columns" in one.what for one in bad)
    assert {one.name for one in bad} == {"links" if table == "link" else "rows"}
    assert fsck(tools, is_repairing=True).is_sound and rows(url, table) == before


# R8
def test_the_end_of_a_version_on_a_server_is_known_from_the_beginning_of_the_next(tools: Tools, url: str) -> None:
    before = rows(url, "memory_version")
    bend(url, "UPDATE memory_version SET until = '2020-01-01T00:00:00.000Z' WHERE until IS NOT NULL")
    assert not fsck(tools).is_sound
    assert fsck(tools, is_repairing=True).is_sound and rows(url, "memory_version") == before


def test_every_column_beside_a_value_is_compared_with_it(url: str) -> None:
    """But for those that no value knows: numbers and places in a row, whose job it is, hashes, and the value itself."""
    import psycopg

    from hindbrain.adapters.postgres.beside import SORTS

    own = ["seq", "position", "home", "seal", "data"]
    opened(url, Path("/nonexistent")).close()
    with psycopg.connect(url) as db:
        found = db.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()"
            " AND table_name IN (SELECT table_name FROM information_schema.columns WHERE column_name = 'data'"
            " AND table_schema = current_schema()) AND table_name <> 'memory' AND column_name <> ALL(%s)",
            (own,),
        ).fetchall()
    known = {(table, name) for table, sort in SORTS.items() for name in sort.columns}
    left = {("memory_version", name) for name in ("until", "changed_by", "change", "row_hash")}
    assert {(table, name) for table, name in found} == known | left


# R8
@pytest.mark.parametrize(
    "change", ["term = term || 'x' WHERE term = 'second'", "often = often * 2 WHERE term = 'second'"]
)
def test_a_posting_of_another_word_or_weight_is_found_and_made_anew(tools: Tools, url: str, change: str) -> None:
    before = rows(url, "posting")
    bend(url, f"UPDATE posting SET {change}")
    assert rows(url, "posting") != before
    [bad] = [one for one in fsck(tools).findings if not one.is_ok]
    assert bad.name == "words"
    assert fsck(tools, is_repairing=True).is_sound and rows(url, "posting") == before


# R8: the embedded store seals a version whole
@pytest.mark.parametrize("change", ["changed_by = replace(changed_by, 'agent', 'human')", "change = 'bent'"])
def test_a_changed_maker_or_reason_of_a_version_is_found_and_taken_from_a_backup(
    tools: Tools, url: str, change: str
) -> None:
    backup(tools)
    before = tools.store.history("mem-a")
    bend(url, f"UPDATE memory_version SET {change} WHERE memory = 'mem-a' AND version = 1")
    assert tools.store.history("mem-a") != before
    [bad] = [one for one in fsck(tools).findings if not one.is_ok]
    assert "who made them, or why" in bad.what

    memory = tools.store.memory("mem-a")
    assert memory
    later = revised(memory, at=NOW + timedelta(days=1), title="its next version ends this one")
    tools.store.write(lambda tx: tx.apply(Changes(memories=(later,))))
    assert not fsck(tools).is_sound, "to write its end is not to seal it again"

    checkup = fsck(tools, is_repairing=True)
    assert checkup.is_sound and checkup.mended and checkup.mended.restored == ("maker of version 1 of mem-a",)
    assert [(one.changed_by, one.change) for one in tools.store.history("mem-a")][:-1] == [
        (one.changed_by, one.change) for one in before
    ]


# R8
@pytest.mark.parametrize(
    ("change", "told"), [("change = 'bent'", ("unsure", "bent")), ("changed_by = '{'", ("lost", ""))]
)
def test_without_a_backup_a_maker_stays_as_it_reads_or_is_who_taught_it(
    tools: Tools, url: str, change: str, told: tuple[str, str]
) -> None:
    (before, *_) = tools.store.history("mem-a")
    bend(url, f"UPDATE memory_version SET {change} WHERE memory = 'mem-a' AND version = 1")
    where, why = told

    mended = kept_in(Path(tools.settings.home) / "backups", url).mend(NOW)

    assert getattr(mended, where) == ("maker of version 1 of mem-a",) and not mended.restored
    (after, *_) = tools.store.history("mem-a")
    assert after.change == (why or before.change) and after.memory == before.memory
    assert why or after.changed_by == before.memory.provenance.actor
    assert fsck(tools).is_sound


SEALED = ("activity", "anchor", "event", "injection", "job", "link", "outcome", "receipt", "review", "saying", "audit")


# R8
@pytest.mark.parametrize("table", SEALED)
def test_a_changed_value_of_any_table_of_a_server_is_found(tools: Tools, url: str, table: str) -> None:
    """As a disk would change it: the server computes seals anew whenever a value is written through it."""
    assert fsck(tools).is_sound
    bend(
        url,
        f"ALTER TABLE {table} ALTER COLUMN seal DROP EXPRESSION; UPDATE {table} SET seal = seal + 1;",
    )
    try:
        bad = [one for one in fsck(tools).findings if not one.is_ok]
        assert any(f"{table}:" in one.what and "differ from the hash" in one.what for one in bad)
    finally:
        bend(
            url,
            f"ALTER TABLE {table} DROP COLUMN seal;"
            f" ALTER TABLE {table} ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED;",
        )
    assert fsck(tools).is_sound


TEXTS = {"audit": ("sug-1", "sug-9"), "event": ('"n":', '"m":'), "cursor": ("7", "8")}


def damaged(url: str, table: str, *, before: str, after: str) -> None:
    """As a disk would: the value changes and its seal does not."""
    name = "value" if table == "cursor" else "data"
    bend(
        url,
        f"ALTER TABLE {table} ALTER COLUMN seal DROP EXPRESSION;"
        f" UPDATE {table} SET {name} = replace({name}, '{before}', '{after}');",
    )


def resealed(url: str, table: str) -> None:
    value = 'value COLLATE "C"' if table == "cursor" else "data"
    bend(
        url,
        f"ALTER TABLE {table} DROP COLUMN seal;"
        f" ALTER TABLE {table} ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended({value}, 0)) STORED;",
    )


def rows(url: str, table: str) -> list[tuple[object, ...]]:
    import psycopg

    with psycopg.connect(url) as db:
        return db.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3".encode()).fetchall()


# R8, R10: what the embedded store takes from a backup, a server does as well
@pytest.mark.parametrize("table", [*SEALED, "suggestion", "cursor"])
def test_a_damaged_row_of_any_table_of_a_server_is_taken_from_a_backup(tools: Tools, url: str, table: str) -> None:
    backup(tools)
    before = rows(url, table)
    assert before
    old, new = TEXTS.get(table, ("2026-", "2036-"))
    damaged(url, table, before=old, after=new)
    try:
        bent = rows(url, table)
        assert bent != before
        mended = kept_in(Path(tools.settings.home) / "backups", url).mend(NOW)
        assert len(mended.restored) == sum(
            one != other for one, other in zip(sorted(bent), sorted(before), strict=True)
        )
        assert (mended.older, mended.unsure, mended.lost) == ((), (), ())
        assert rows(url, table) == before
    finally:
        resealed(url, table)
    assert fsck(tools).is_sound


# R8
def test_what_no_backup_has_as_it_was_is_named_for_what_it_is(tools: Tools, url: str) -> None:
    backup(tools)
    since = a_memory("learned since the backup", id="mem-since")
    keep(tools.store, since)
    bend(url, "UPDATE review SET data = '{'")  # a state that nobody can read; a backup has one
    bend(url, "INSERT INTO reply VALUES ('k', '2026', '{')")  # that, and in no backup
    bend(url, "UPDATE memory SET data = replace(data, 'since', 'dance') WHERE id = 'mem-since'")

    checkup = fsck(tools, is_repairing=True)

    assert checkup.is_sound and checkup.mended is not None
    assert set(checkup.mended.older) == {"review rev-1", "memory mem-since"}
    assert checkup.mended.lost == ("reply k",) and not checkup.mended.restored
    assert tools.store.review("rev-1") and tools.store.memory("mem-since") == since, "its history has it"


# R8
def test_without_a_backup_a_row_that_can_be_read_stays_and_is_called_unsure(tools: Tools, url: str) -> None:
    damaged(url, "link", before="2026-", after="2036-")
    try:
        mended = kept_in(Path(tools.settings.home) / "backups", url).mend(NOW)
        assert mended.unsure == ("link mem-a mem-b related_to",)
    finally:
        resealed(url, "link")
    assert fsck(tools).is_sound and tools.store.links("mem-a")[0].at.year == 2036


# R8
@pytest.mark.parametrize(
    "change",
    [
        "code = l2_normalize(code)",
        "scale = scale * 1.0001",
        "start = start + 1",
    ],
)
def test_changed_numbers_of_a_vector_are_found_and_made_anew(tools: Tools, url: str, change: str) -> None:
    assert fsck(tools).is_sound
    due = len(tools.store.unembedded(WIDE, limit=9))
    bend(url, f"UPDATE embedding SET {change} WHERE piece = 1")
    [bad] = [one for one in fsck(tools).findings if not one.is_ok]
    assert bad.name == "vectors" and "not as they were written" in bad.what

    assert fsck(tools, is_repairing=True).is_sound
    assert len(tools.store.unembedded(WIDE, limit=9)) == due + 1, "and the worker embeds it again"


# S4
def test_a_memory_forgotten_on_a_server_is_gone_from_this_machine_s_backups(tools: Tools, tmp_path: Path) -> None:
    secret = "the launch code is cranberry-seven"
    keep(tools.store, a_memory(secret, id="mem-launch"))
    made = backup(tools).backup
    erased = tools.store.erase("mem-launch", at=NOW + timedelta(hours=1))
    assert erased.backups == (made.path,) and not erased.found_in
    assert secret.encode() not in Path(made.path).read_bytes()
    assert kept_in(tmp_path / "backups", "").check(made.path) == (2, ())
