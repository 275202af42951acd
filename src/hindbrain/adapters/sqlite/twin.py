"""How a database is copied while others write it, and put in another one's place, whole or not at all.

Only the engine copies: a copy of the file would be torn, and closing it would drop the locks of this process. What
takes a store's place is written into it as one transaction: whoever has it open goes on with the new content.
"""

import os
from collections.abc import Callable, Mapping, Sequence

import apsw

from hindbrain.adapters.sqlite import check
from hindbrain.adapters.sqlite.engine import connect
from hindbrain.adapters.sqlite.schema import create_file
from hindbrain.core.digest import Running
from hindbrain.core.hints import Any
from hindbrain.ports import Damage

Tell = Callable[[int, int], None]  # so many more pages are there, of so many
Print = Mapping[str, tuple[int, str]]  # by table: its rows, and a digest of their hashes
_PAGES = 1000  # copied between two words about it
_COUNTED = ("vector", "vector_rest", "vector_due")
_HASHED = {
    "memory": "SELECT id || row_hash FROM memory ORDER BY id",
    "seal": "SELECT sort || char(31) || key || hash FROM seal ORDER BY sort, key",
}


def copied(
    path: str, to: str, *, tell: Tell = lambda *_: None, look: Callable[[apsw.Connection], Print] = lambda _: {}
) -> Print:
    """Copy the database at `path` into a new file, as of one moment; what `look` saw of it at that moment."""
    db, _ = connect(path)
    try:
        # One view of it, however many write meanwhile: else each change would begin the copy anew.
        db.execute("BEGIN")
        db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
        wanted = look(db)
        create_file(to)
        copy = apsw.Connection(to)
        try:
            _pour(db, copy, tell=tell)
            copy.execute("PRAGMA journal_mode = DELETE").fetchall()
        finally:
            copy.close()
    finally:
        db.close()
    return wanted


def printed(db: apsw.Connection) -> Print:
    """What a copy is compared by. Rows are known by the hashes that they were written with."""
    known = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    found = {name: (_count(db, name), "") for name in _COUNTED if name in known}
    for name, sql in _HASHED.items():
        if name in known:
            digest = Running()
            for (text,) in db.execute(sql):
                digest.add(text.encode("utf-8", "surrogatepass"))
            found[name] = (digest.count, digest.hex)
    return found


def _count(db: apsw.Connection, table: str) -> int:
    found: list[Any] = db.execute(f"SELECT count(*) FROM {table}").fetchall()
    return int(found[0][0])


def checked(path: str) -> tuple[Print, Sequence[Damage]]:
    """What a copy holds, and what of it is damaged and could not be made anew. Nobody else may have it open."""
    db, _ = connect(path)
    try:
        return printed(db), check.loss(db)
    finally:
        db.close()


def poured(path: str, db: apsw.Connection) -> None:
    """Give the database of `db` the content of the file at `path`, in one transaction. The caller holds the gate."""
    source, _ = connect(path)
    try:
        _pour(source, db, tell=lambda *_: None)
    finally:
        source.close()


def _pour(source: apsw.Connection, target: apsw.Connection, *, tell: Tell) -> None:
    with target.backup("main", source, "main") as work:
        left = 0
        while not work.done:
            work.step(_PAGES)
            done = work.page_count - work.remaining
            tell(done - left, work.page_count)
            left = done


def settled(path: str, name: str) -> None:
    """Let a finished copy be found under its name, for good. No connection may have it open."""
    _sync(path)
    os.rename(path, name)
    _sync(os.path.dirname(name) or ".")


def _sync(path: str) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
