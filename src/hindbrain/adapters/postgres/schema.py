"""How an empty or an old schema becomes the present one: numbered SQL files, one process at a time, all or nothing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from psycopg import errors

from hindbrain.adapters.postgres.wire import Db
from hindbrain.core.digest import sha256
from hindbrain.core.value import dataclass
from hindbrain.errors import BadSettings, ReadOnly, SchemaNewer, StoreDamaged

# Locks of sessions are the database's: each schema has two of its own, for its writers and for its migrations.
GATE = "hashtextextended('hindbrain ' || current_schema(), 0)"
_LEAST = (0, 8)  # the first pgvector whose graph goes on until the filter lets enough through
_VECTOR = "pgvector 0.8 or later"
_MAKING = "hashtextextended('hindbrain schema ' || current_schema(), 0)"


@dataclass(frozen=True, slots=True)
class Migration:
    number: int
    name: str
    sql: str


@cache
def shipped() -> tuple[Migration, ...]:
    """The migrations of this program, in order."""
    files = sorted((Path(__file__).parent / "migrations").glob("*.sql"))
    return tuple(Migration(int(one.stem[:4]), one.stem[5:], one.read_text(encoding="utf-8")) for one in files)


def last() -> int:
    return shipped()[-1].number


def version(db: Db) -> int:
    """Of the schema that is there; 0: none."""
    found = db.execute("SELECT to_regclass(quote_ident(current_schema()) || '.meta') IS NOT NULL").fetchall()
    if not found[0][0]:
        return 0
    rows = db.execute("SELECT value FROM meta WHERE name = 'schema'").fetchall()
    return int(rows[0][0]) if rows else 0


def prepare(db: Db, *, name: str, migrations: Sequence[Migration] = ()) -> None:
    """Bring the schema up to the last of `migrations` (those shipped, if none are given)."""
    wanted = tuple(migrations) or shipped()
    known = wanted[-1].number
    if version(db) < known:
        _refuse_unfit(db, name)
        has_vector = _refuse_unable(db, name)
        with _allowed(name, has_vector=has_vector), db.transaction():
            db.execute(f"SELECT pg_advisory_xact_lock({_MAKING})")
            _refuse_strangers(db, name)
            _make(db, [one for one in wanted if one.number > version(db)])
    if version(db) > known:
        raise SchemaNewer(
            f"{name} has schema {version(db)}, this program knows {known}",
            fix="upgrade with `pip install --upgrade hindbrain`, or set HINDBRAIN_STORE to another database",
        )


def _make(db: Db, migrations: Sequence[Migration]) -> None:
    if migrations:
        db.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        db.execute('CREATE TABLE IF NOT EXISTS meta (name text COLLATE "C" PRIMARY KEY, value text NOT NULL)')
    for migration in migrations:
        db.execute(migration.sql.encode())
        note(db, "schema", value=str(migration.number))
    if migrations:
        note(db, "fingerprint", value=fingerprint(db))


def note(db: Db, name: str, *, value: str) -> None:
    db.execute(
        "INSERT INTO meta VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value", (name, value)
    )


def fingerprint(db: Db) -> str:
    """Of the tables, columns and policies as they are, not as a ledger says. Without the indexes of spaces."""
    found: list[Any] = db.execute(
        "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, c.relrowsecurity,"
        " (SELECT count(*) FROM pg_policy p WHERE p.polrelid = c.oid)"
        " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
        " WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' ORDER BY 1, a.attnum"
    ).fetchall()
    return sha256(repr(found).encode())


def _refuse_unfit(db: Db, name: str) -> None:
    ((number, encoding, path),) = db.execute(
        "SELECT current_setting('server_version_num')::int, current_setting('server_encoding'), current_schema()"
    ).fetchall()
    if number < 140000 or encoding != "UTF8" or not path:
        raise BadSettings(
            f"{name}: PostgreSQL {number // 10000} with encoding {encoding} and schema {path}",
            fix="use a database with encoding UTF8 on PostgreSQL 14 or later, with a schema on the search_path",
        )


def _refuse_unable(db: Db, name: str) -> bool:
    """Whether pgvector is in the database already. BadSettings where it is not to be had, too old, or out of sight."""
    here: list[Any] = db.execute(
        "SELECT extversion, extnamespace::regnamespace::text, to_regtype('halfvec') IS NOT NULL"
        " FROM pg_extension WHERE extname = 'vector'"
    ).fetchall()
    offered: list[Any] = db.execute(
        "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'"
    ).fetchall()
    if not here and not offered:
        raise BadSettings(f"{name}: the server has no pgvector", fix=f"install {_VECTOR} there (github.com/pgvector)")
    number, place, is_seen = here[0] if here else (offered[0][0], "public", True)
    if tuple(map(int, number.split(".")[:2])) < _LEAST:
        step = "then run `ALTER EXTENSION vector UPDATE` in the database" if here else "and try again"
        raise BadSettings(f"{name}: pgvector {number} is too old", fix=f"install {_VECTOR} on the server, {step}")
    if not is_seen:
        raise BadSettings(
            f"{name}: pgvector lies in the schema {place}, which is not on the search_path",
            fix=f"add it: `ALTER ROLE … SET search_path = public, {place}`, or options=-csearch_path%3Dpublic,{place}",
        )
    return bool(here)


@contextmanager
def _allowed(name: str, *, has_vector: bool) -> Iterator[None]:
    """Who may not make the tables is told what is missing, and who can give it."""
    try:
        yield
    except errors.InsufficientPrivilege as error:
        missing = "GRANT CREATE, USAGE ON SCHEMA … TO …" if has_vector else "CREATE EXTENSION vector"
        fix = f"have an administrator run `{missing}` in this database once; the role has to own the tables"
        raise ReadOnly(f"{name}: {error.diag.message_primary}", fix=fix) from error


def _refuse_strangers(db: Db, name: str) -> None:
    """Tables that another program made are not ours to migrate or to write."""
    found = db.execute(
        "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename IN ('memory', 'project', 'meta')"
    ).fetchall()
    if found and not version(db):
        raise StoreDamaged(
            f"{name} holds tables of another program",
            fix="set HINDBRAIN_STORE to another database or schema; it was left as it is",
        )
