"""How a connection is opened, and what the engine's complaints mean to a user."""

import contextlib
import errno
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from hindbrain.core.digest import raw_sha256
from hindbrain.core.hints import Any
from hindbrain.errors import (
    DiskFailed,
    DiskFull,
    EngineUnsafe,
    HindbrainError,
    ReadOnly,
    StoreDamaged,
    StoreLocked,
)

BUSY_MS = 30_000  # behind the gate this only covers programs that are not ours


def is_safe(version: tuple[int, int, int]) -> bool:
    """Whether that SQLite is outside the range of the WAL-reset bug (3.7.0 to 3.51.2, two back-ports)."""
    if version[:2] == (3, 44):
        return version >= (3, 44, 6)
    if version[:2] == (3, 50):
        return version >= (3, 50, 7)
    return version >= (3, 51, 3)


def engine_version() -> tuple[int, int, int]:
    major, minor, patch = (int(part) for part in apsw.sqlite_lib_version().split(".")[:3])
    return major, minor, patch


def connect(path: str) -> tuple[apsw.Connection, bool]:
    """A connection to an existing file, and whether it can only read."""
    version = engine_version()
    if not is_safe(version):
        raise EngineUnsafe(
            f"SQLite {'.'.join(map(str, version))} can corrupt a database that several processes write",
            fix="pip install --upgrade apsw",
        )
    try:
        db = _tuned(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE))
        return db, db.readonly("main")  # SQLite opens for reading what it cannot write, and does not say so
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        return _read_only(path), True


def _tuned(db: apsw.Connection) -> apsw.Connection:
    try:
        db.set_busy_timeout(BUSY_MS)
        # Checkpoints happen under the gate only, never on close: two at once is what the WAL-reset bug needs.
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        teach(db)
        # One by one: a cursor stops at the first row, and some of these answer with one.
        for name, value in (("wal_autocheckpoint", 0), ("synchronous", 2), ("foreign_keys", 1), ("secure_delete", 1)):
            db.pragma(name, value)
        db.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except apsw.Error:
        db.close()
        raise
    return db


def teach(db: apsw.Connection) -> None:
    """Let a connection keep the seals of rows. One that was not taught can read them, and cannot write."""
    db.create_scalar_function("seal_of", seal_of, deterministic=True)


def seal_of(*values: Any) -> int:
    """Eight bytes that tell these values (bytes, or None) from others, and NULL from an empty text."""
    told = b"".join([b"-" if value is None else b"%d:%b" % (len(value), value) for value in values])
    return int.from_bytes(raw_sha256(told)[:8], signed=True)


def _read_only(path: str) -> apsw.Connection:
    """A folder that cannot be written still answers; `immutable` is what SQLite needs where no lock can be taken."""
    from urllib.parse import quote  # costs more than everything else here, and is rarely needed

    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    with contextlib.suppress(apsw.CantOpenError, apsw.ReadOnlyError):
        db = apsw.Connection(f"file:{quote(path)}?mode=ro", flags=flags)
        db.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        teach(db)
        return db
    db = apsw.Connection(f"file:{quote(path)}?immutable=1", flags=flags)
    db.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    teach(db)
    return db


@contextmanager
def transaction(db: apsw.Connection) -> Iterator[None]:
    """All of it or nothing. Not apsw's own `with db`: it fails to undo what a failing disk has undone already."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    finally:
        if db.in_transaction:  # it did not come to its end; a full disk has rolled back already
            db.execute("ROLLBACK")


@contextmanager
def steady(db: apsw.Connection) -> Iterator[bool]:
    """All reads see one state of the store; whether it is a committed one."""
    if db.in_transaction:
        yield False
        return
    db.execute("BEGIN")
    try:
        yield True
    finally:
        if db.in_transaction:  # an error of the disk may have ended it
            db.execute("COMMIT")


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Errors of the engine and of the disk as errors of ours, each with its fix."""
    try:
        yield
    except apsw.Error as error:
        known = _ENGINE_ERRORS.get(type(error))
        if known is None:
            raise
        raise known(f"{path}: {error}", fix=_FIXES[known]) from error
    except OSError as error:
        kind = _DISK_ERRORS.get(error.errno or 0)
        if kind is None:
            raise
        raise kind(f"{path}: {error.strerror}", fix=_FIXES[kind]) from error


_ENGINE_ERRORS: dict[type[apsw.Error], type[HindbrainError]] = {
    apsw.FullError: DiskFull,
    apsw.IOError: DiskFailed,
    apsw.CantOpenError: ReadOnly,
    apsw.ReadOnlyError: ReadOnly,
    apsw.PermissionsError: ReadOnly,
    apsw.BusyError: StoreLocked,
    apsw.LockedError: StoreLocked,
    apsw.CorruptError: StoreDamaged,
    apsw.NotADBError: StoreDamaged,
}
_DISK_ERRORS: dict[int, type[HindbrainError]] = {
    errno.ENOSPC: DiskFull,
    errno.EDQUOT: DiskFull,
    errno.EFBIG: DiskFull,
    errno.EIO: DiskFailed,
    errno.EROFS: ReadOnly,
    errno.ENOENT: ReadOnly,
    errno.ENOTDIR: ReadOnly,
    errno.EACCES: ReadOnly,
    errno.EPERM: ReadOnly,
}
_FIXES: dict[type[HindbrainError], str] = {
    DiskFull: "free some space and run the same command again; what was saved before is intact",
    DiskFailed: "check the disk, then run the same command again: repeating it is safe",
    ReadOnly: "make the folder writable, or set HINDBRAIN_HOME to one that is",
    StoreLocked: "try again; `hindbrain doctor` names the process that holds it",
    StoreDamaged: "move the file away together with its -wal and -shm, then put the newest backup in its place",
}
