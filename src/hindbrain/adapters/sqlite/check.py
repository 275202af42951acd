"""What counts as damage: a row that no longer has the hash it was written with, words that no row holds."""

import json
from collections.abc import Callable, Iterator, Sequence

import apsw

from hindbrain.adapters.sqlite import agree, rows, schema, seals
from hindbrain.adapters.sqlite.words import renew
from hindbrain.core.hints import Any
from hindbrain.core.model import Memory
from hindbrain.core.model.record import fingerprint
from hindbrain.core.recall.index import columns, scope
from hindbrain.ports import Damage

_RESTORE = "hindbrain fsck --repair takes it from a backup"
_REPAIR = "hindbrain doctor --repair"


def damage(db: apsw.Connection) -> tuple[Damage, ...]:
    """Everything that is wrong. SQLite's own integrity_check sees the pages, not what they say."""
    return tuple(one for name, look in _LOOKS.items() for one in _guarded(name, look, db=db))


def loss(db: apsw.Connection) -> tuple[Damage, ...]:
    """What is wrong and cannot be made anew: all but what follows from the rows, which takes most of the time."""
    looks = {**_LOOKS, "memory": _hashes}
    return tuple(one for name, look in looks.items() if name not in _DERIVED for one in _guarded(name, look, db=db))


def _guarded(name: str, look: Callable[[apsw.Connection], Iterator[Damage]], *, db: apsw.Connection) -> list[Damage]:
    """What one look finds. Pages that cannot be read end it, not the others."""
    found: list[Damage] = []
    try:
        found.extend(look(db))
    except (apsw.CorruptError, apsw.SQLError, UnicodeDecodeError) as error:
        found.append(Damage(where=name, what=f"cannot be read to its end: {error}", fix=_RESTORE))
    return found


def shortfall(db: apsw.Connection, noted: int) -> Iterator[Damage]:
    """Nothing, if the database has come as far as whoever wrote last has noted."""
    try:
        is_short = schema.reached(db) < noted
    except (apsw.CorruptError, apsw.SQLError):
        return  # which the other looks have told
    if is_short:
        what = "what was written last is not there any more: the end of the write-ahead log is damaged or missing"
        yield Damage(where="log", what=what, fix=_RESTORE)


def _pages(db: apsw.Connection) -> Iterator[Damage]:
    for (line,) in db.execute("PRAGMA integrity_check"):
        if line != "ok":
            yield Damage(where="file", what=line, fix=_RESTORE)


def _schema(db: apsw.Connection) -> Iterator[Damage]:
    if db.execute("SELECT value FROM meta WHERE name = 'schema'").fetchall() != [(schema.fingerprint(db),)]:
        yield Damage(where="schema", what="tables or triggers were changed by another hand", fix=_RESTORE)


def _memories(db: apsw.Connection) -> Iterator[Damage]:
    return (one for row in scanned(db) for one in (*_hash(row), *_own_words(row)))


def _hashes(db: apsw.Connection) -> Iterator[Damage]:
    return (one for row in scanned(db) for one in _hash(row))


def _hash(row: tuple[Any, ...] | int) -> Iterator[Damage]:
    if isinstance(row, int):
        yield Damage(where=f"memory number {row}", what="holds bytes that are no text", fix=_RESTORE)
        return
    where = f"memory {row[0]}"
    try:
        memory = rows.of_row(row)
    except (ValueError, KeyError, TypeError) as error:
        yield Damage(where=where, what=f"cannot be read: {error}", fix=_RESTORE)
        return
    if rows.row_hash(memory) != row[len(rows.COLUMNS) - 1]:
        yield Damage(where=where, what="differs from the hash it was written with", fix=_RESTORE)


def _own_words(row: tuple[Any, ...] | int) -> Iterator[Damage]:
    if isinstance(row, int):
        return
    try:
        memory = rows.of_row(row)
    except (ValueError, KeyError, TypeError):
        return  # told already
    if _found_by(memory, row) != row[-4:]:
        yield Damage(where=f"memory {row[0]}", what="its search words are not those of its text", fix=_REPAIR)


_EVERYTHING = (
    f"SELECT {rows.SELECTED}, p.seq, m.seq, m.scope, m.title_words, m.content_words, m.extra_words"
    " FROM memory m JOIN project p ON p.id = m.project"
)
_NUMBER = len(rows.COLUMNS) + 1  # where the memory's own stands


def scanned(db: apsw.Connection) -> Iterator[tuple[Any, ...] | int]:
    """Every memory's row, with its project's number, its own, its scope and its words; of a row that holds bytes which
    are no text, only its own number."""
    last = -1
    while True:
        try:
            for row in db.execute(f"{_EVERYTHING} WHERE m.seq > ? ORDER BY m.seq", (last,)):
                last = row[_NUMBER]
                yield row
        except UnicodeDecodeError:
            found: list[Any] = db.execute("SELECT min(seq) FROM memory WHERE seq > ?", (last,)).fetchall()
            ((last,),) = found
            yield last
        else:
            return


def _found_by(memory: Memory, row: Sequence[Any]) -> tuple[str, ...]:
    """Scope and words that the row should have."""
    number = row[len(rows.COLUMNS)]
    return (" ".join(scope(memory, number)), *(" ".join(column) for column in columns(memory)))


def repair(db: apsw.Connection) -> None:
    """Write scope and words of every row anew where they differ, then build the index from them; mend the vectors."""
    # The index may not match the rows that the triggers would take out of it: it is emptied first.
    db.execute("INSERT INTO memory_words (memory_words) VALUES ('rebuild')")
    for row in [row for row in scanned(db) if not isinstance(row, int)]:
        try:
            wanted = _found_by(rows.of_row(row), row)
        except (ValueError, KeyError, TypeError):
            continue  # reported as a row that cannot be read
        if wanted != row[-4:]:
            db.execute(
                "UPDATE memory SET scope = ?, title_words = ?, content_words = ?, extra_words = ? WHERE id = ?",
                (*wanted, row[0]),
            )
    db.execute("INSERT INTO memory_words (memory_words) VALUES ('rebuild')")
    db.execute(f"UPDATE memory_version AS v SET until = {_NEXT} WHERE until IS NOT {_NEXT}")
    renew(db)
    agree.repair(db)


def _versions(db: apsw.Connection) -> Iterator[Damage]:
    for memory, version, data, row_hash in db.execute("SELECT memory, version, data, row_hash FROM memory_version"):
        try:
            is_intact = fingerprint(json.loads(data)) == row_hash
        except ValueError:
            is_intact = False
        if not is_intact:
            yield Damage(where=f"version {version} of {memory}", what="differs from its hash", fix=_RESTORE)


# No seal covers the end of a version: it is when the next one began.
_NEXT = (
    "(SELECT n.since FROM memory_version n WHERE n.memory = v.memory AND n.version > v.version"
    " ORDER BY n.version LIMIT 1)"
)


def _ends(db: apsw.Connection) -> Iterator[Damage]:
    ((count,),) = db.execute(f"SELECT count(*) FROM memory_version v WHERE v.until IS NOT {_NEXT}").fetchall()
    if count:
        yield Damage(where="history", what=f"{count} versions do not end when the next one begins", fix=_REPAIR)


def _words(db: apsw.Connection) -> Iterator[Damage]:
    """FTS5 compares index and rows only when rank is 1; without it, a lost index passes."""
    try:
        db.execute("INSERT INTO memory_words (memory_words, rank) VALUES ('integrity-check', 1)")
    except apsw.CorruptError:
        yield Damage(where="word index", what="does not match the memories", fix=_REPAIR)
    except apsw.ReadOnlyError:
        return


def _doings(db: apsw.Connection) -> Iterator[Damage]:
    """Rows that nobody could read: one such job would stop the queue."""
    for table, column in (
        *(("activity", "data"), ("job", "payload"), ("paper", "data")),
        *(("suggestion", "data"), ("workstream", "data")),
    ):
        ((count,),) = db.execute(f"SELECT count(*) FROM {table} WHERE NOT json_valid({column})").fetchall()
        if count:
            yield Damage(where=table, what=f"{count} rows whose {column} cannot be read", fix=_RESTORE)


def _foreign_keys(db: apsw.Connection) -> Iterator[Damage]:
    for table, rowid, parent, _ in db.execute("PRAGMA foreign_key_check"):
        yield Damage(where=f"{table} {rowid}", what=f"names a {parent} that is not there", fix=_RESTORE)


def _seals(db: apsw.Connection) -> Iterator[Damage]:
    return seals.damage(db, fix=_RESTORE)


_LOOKS: dict[str, Callable[[apsw.Connection], Iterator[Damage]]] = {
    "file": _pages,
    "schema": _schema,
    "memory": _memories,
    "version": _versions,
    "history": _ends,
    "word index": _words,
    "vectors": agree.damage,
    "rows": _doings,
    "links": _foreign_keys,
    "seals": _seals,
}
_DERIVED = frozenset({"vectors"})
