"""How an old database becomes a new one: numbered SQL files, a verified backup before each, all or nothing."""

import os
from collections.abc import Sequence

import apsw

from hindbrain.adapters.sqlite.engine import transaction
from hindbrain.core.digest import sha256
from hindbrain.core.hints import TYPE_CHECKING, Any
from hindbrain.core.value import dataclass
from hindbrain.errors import SchemaNewer, StoreDamaged

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Migration:
    number: int
    name: str
    sql: str


def shipped() -> tuple[Migration, ...]:
    """The migrations of this program, in order."""
    folder = os.path.join(os.path.dirname(__file__), "migrations")
    return tuple(_read(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".sql"))


def _read(folder: str, name: str) -> Migration:
    number, _, rest = name.removesuffix(".sql").partition("_")
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return Migration(int(number), rest, file.read())


def create_file(path: str) -> None:
    """An empty database file that only its owner can read. Before any connection of ours is open: closing a
    descriptor on a database drops every lock that this process holds on it."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))


APPLICATION = 0x48494E44  # "HIND", in the header of every database of ours


def refuse_strangers(db: apsw.Connection, path: str) -> None:
    """A database that another program made is not ours to migrate, to clean or to write."""
    if db.pragma("application_id") != APPLICATION and db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall():
        raise StoreDamaged(
            f"{path} is a database of another program", fix="set HINDBRAIN_STORE to another path; it was left as it is"
        )


def version(db: apsw.Connection) -> int:
    return int(db.pragma("user_version"))


def last(migrations: Sequence[Migration]) -> int:
    """The number of the newest."""
    return max((migration.number for migration in migrations), default=0)


def migrate(db: apsw.Connection, path: str, *, migrations: Sequence[Migration], backups: "Path") -> "tuple[Path, ...]":
    """Bring the schema up to the last of `migrations`; the backups that were made. Call it under the gate."""
    refuse_strangers(db, path)
    refuse_newer(db, path, known=last(migrations))
    made = []
    is_new = not version(db)
    if is_new:
        db.pragma("application_id", APPLICATION)
    for migration in [one for one in migrations if one.number > version(db)]:
        if not is_new:
            made.append(back_up(db, backups, before=migration.number))
        with transaction(db):  # a failing statement leaves the old schema
            db.execute(migration.sql).fetchall()
            db.pragma("user_version", migration.number)
            db.execute("INSERT OR REPLACE INTO meta VALUES ('schema', ?)", (fingerprint(db),))
    if db.pragma("journal_mode") != (wanted := journal(path)):  # a new file, or a backup that was put in its place
        db.execute(f"PRAGMA journal_mode = {wanted}").fetchall()
    return tuple(made)


def journal(path: str) -> str:
    """How changes to a database at that place are made safe."""
    from hindbrain.adapters.sqlite import place  # late: most openers find a database that has its journal

    return "delete" if place.unfit(path) else "wal"


def refuse_newer(db: apsw.Connection, path: str, *, known: int) -> None:
    if version(db) > known:
        raise SchemaNewer(
            f"{path} has schema {version(db)}, this program knows {known}",
            fix="upgrade with `pip install --upgrade hindbrain`, or set HINDBRAIN_HOME to another folder",
        )


def reached(db: apsw.Connection) -> int:
    """A number that grows with whatever is added. One that is smaller than it was means that something is gone: a log
    whose end is damaged or missing reads as one that was never longer."""
    number: Any
    ((number,),) = db.execute(
        "SELECT (SELECT coalesce(sum(seq), 0) FROM sqlite_sequence) + (SELECT coalesce(max(seq), 0) FROM memory)"
        " + (SELECT coalesce(max(rowid), 0) FROM memory_version) + (SELECT coalesce(max(rowid), 0) FROM receipt)"
    ).fetchall()
    return int(number)


def fingerprint(db: apsw.Connection) -> str:
    """Of the schema as it is, not as a ledger says: two databases with equal prints have equal tables."""
    rows = db.execute(
        "SELECT type, name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"
    )
    return sha256(repr(rows.fetchall()).encode())


def back_up(db: apsw.Connection, folder: "Path", *, before: int) -> "Path":
    """A verified copy of the database, taken by the engine itself: a copy of the file would be torn."""
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"before-{before:04d}.db"
    path.unlink(missing_ok=True)
    create_file(str(path))
    copy = apsw.Connection(str(path))
    try:
        with copy.backup("main", db, "main") as backup:
            while not backup.done:
                backup.step(1000)
        copy.execute("PRAGMA journal_mode = DELETE").fetchall()
        checked = copy.execute("PRAGMA integrity_check").fetchall()
    finally:
        copy.close()
    if checked != [("ok",)]:
        raise StoreDamaged(
            f"the backup {path} of the old schema is not sound: {checked[0][0]}",
            fix="run `hindbrain doctor`; nothing was migrated",
        )
    return path
