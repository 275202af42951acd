"""Which value is believed when a row of a server is damaged: one that fits its seal, from wherever it can be had.

The same value of a backup comes first, known by the seal; for memories then their own history; then an older state of
the row. What nothing can replace is kept as it reads and named, or goes when nobody can read it. A row that is missing
altogether leaves no trace here: a server's own backups are for that.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from hindbrain.adapters.postgres import authors, beside
from hindbrain.adapters.postgres.check import KINDS, SEALED, is_readable
from hindbrain.adapters.postgres.codec import column, written
from hindbrain.adapters.postgres.wire import Db
from hindbrain.adapters.postgres.writer import hashed
from hindbrain.core.model.backup import Mended
from hindbrain.core.model.record import canonical, from_record, to_record
from hindbrain.core.notation import read, write
from hindbrain.core.value import dataclass, field
from hindbrain.ports import Whole

Key = tuple[str, ...]
_EVERY = 10**9


@dataclass(frozen=True, slots=True)
class _Sort:
    """How the rows of one table are known, and where a backup has their values."""

    names: Key  # of the columns that name a row
    values: Callable[[Whole], Iterable[Any]]
    key: Callable[[Any], tuple[Any, ...]]
    without: Key = ()  # fields that stand in columns of their own


@dataclass(slots=True)
class Told:
    """What came of it, row by row, and the newest older state of what could not be restored yet."""

    restored: list[str] = field(default_factory=list)
    older: list[str] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    spare: dict[tuple[str, Key], str] = field(default_factory=dict)

    def report(self) -> Mended:
        found = (tuple(dict.fromkeys(one)) for one in (self.restored, self.older, self.unsure, self.lost))
        restored, older, unsure, lost = found
        return Mended(base="", aside="", restored=restored, older=older, unsure=unsure, lost=lost)


def is_sound(db: Db) -> bool:
    found = (_broken_memories(db), _broken_versions(db), authors.broken(db), *(_broken(db, table) for table in SEALED))
    return not any(chain(*found))


def restore(db: Db, source: Whole, *, told: Told) -> None:
    """Put values of a backup in the place of damaged ones that were written just so. The caller holds the gate."""
    _restore_memories(db, source, told=told)
    told.restored += [_maker(place) for place in authors.restore(db, source)]
    for table in SEALED:
        broken = list(_broken(db, table))
        known = _values(table, source, wanted={key for _, key, _, _ in broken}) if broken else {}
        for place, key, seal, _ in broken:
            texts = known.get(key, [])
            exact = [text for text in texts if _seal(db, text) == seal]
            if exact:
                _put(db, table, place=place, text=exact[0])
                told.restored.append(_named(table, key))
            elif texts:
                told.spare.setdefault((table, key), texts[-1])


def settle(db: Db, *, told: Told) -> None:
    """Of what is still damaged: its history or an older state; else as it reads; else nothing."""
    _settle_memories(db, told)
    _settle_versions(db, told)
    for version, is_lost in authors.settle(db):
        (told.lost if is_lost else told.unsure).append(_maker(version))
    for table in SEALED:
        for place, key, _, data in list(_broken(db, table)):
            name, spare = _named(table, key), told.spare.get((table, key))
            if spare is not None:
                _put(db, table, place=place, text=spare)
                told.older.append(name)
            elif _reads(table, data):
                _put(db, table, place=place, text=data)
                told.unsure.append(name)
            else:
                db.execute(f"DELETE FROM {table} WHERE ctid = %s::tid".encode(), (place,))
                told.lost.append(name)
    beside.repair(db)  # what was put in the place of another value may belong elsewhere


def _broken(db: Db, table: str) -> Iterator[tuple[str, Key, int, str]]:
    """Place, key, seal and text of rows that are not as they were written, or that nobody can read."""
    text = "value" if table == "cursor" else "data"
    names = ", ".join(f"{name}::text" for name in _SORTS[table].names)
    sql = f"SELECT ctid::text, seal, seal IS DISTINCT FROM hashtextextended({SEALED[table]}, 0), {text}, {names}"
    for place, seal, is_changed, data, *key in db.execute(f"{sql} FROM {table}".encode()).fetchall():
        if is_changed or not _reads(table, data):
            yield place, tuple(key), seal, data


def _reads(table: str, data: str) -> bool:
    return table not in KINDS or is_readable(KINDS[table], data)


def _seal(db: Db, text: str) -> int:
    ((seal,),) = db.execute('SELECT hashtextextended(%s COLLATE "C", 0)', (text,)).fetchall()
    return int(seal)


def _put(db: Db, table: str, *, place: str, text: str) -> None:
    name = "value" if table == "cursor" else "data"
    db.execute(f"UPDATE {table} SET {name} = %s WHERE ctid = %s::tid".encode(), (text, place))


def _maker(place: authors.Place) -> str:
    memory, version = place
    return f"maker of version {version} of {memory}"


def _named(table: str, key: Key) -> str:
    return f"{table} {' '.join(key)}"


def _values(table: str, source: Whole, *, wanted: set[Key]) -> Mapping[Key, list[str]]:
    """Of the backup, as they would be written; an anchor's key may have several."""
    sort = _SORTS[table]
    found: dict[Key, list[str]] = {}
    for value in sort.values(source):
        key = tuple(str(column(part) if isinstance(part, str) else part) for part in sort.key(value))
        if key in wanted:
            text = write(value[1]) if table == "cursor" else written(value, without=sort.without)
            found.setdefault(key, []).append(text)
    return found


def _restore_memories(db: Db, source: Whole, *, told: Told) -> None:
    bad, past = list(_broken_memories(db)), list(_broken_versions(db))
    versions = [one.memory for key in {*bad, *(key for key, _ in past)} for one in source.history(key)]
    for memory in (*source.memories(bad).values(), *versions):
        data = canonical(to_record(memory))
        sql = "UPDATE memory SET data = %s WHERE id = %s AND row_hash = %s AND data <> %s"
        if db.execute(sql, (data, memory.id, hashed(data), data)).rowcount:
            told.restored.append(f"memory {memory.id}")
    for memory in versions:
        data = canonical(to_record(memory))
        sql = "UPDATE memory_version SET data = %s WHERE memory = %s AND version = %s AND row_hash = %s AND data <> %s"
        if db.execute(sql, (data, memory.id, memory.version, hashed(data), data)).rowcount:
            told.restored.append(f"version {memory.version} of {memory.id}")


def _broken_memories(db: Db) -> Iterator[str]:
    for key, row_hash, data in db.execute("SELECT id, row_hash, data FROM memory").fetchall():
        if hashed(data) != row_hash:
            yield key


def _broken_versions(db: Db) -> Iterator[tuple[str, int]]:
    rows = db.execute("SELECT memory, version, row_hash, data FROM memory_version").fetchall()
    return ((key, version) for key, version, row_hash, data in rows if hashed(data) != row_hash)


def _settle_memories(db: Db, told: Told) -> None:
    """The last version that is whole: counters may be older, words seldom are."""
    for key in list(_broken_memories(db)):
        sql = "SELECT row_hash, data FROM memory_version WHERE memory = %s ORDER BY version DESC"
        whole = [(hash_, data) for hash_, data in db.execute(sql, (key,)).fetchall() if hashed(data) == hash_]
        if whole:
            db.execute("UPDATE memory SET row_hash = %s, data = %s WHERE id = %s", (*whole[0], key))
            told.older.append(f"memory {key}")
        else:
            told.lost.append(f"memory {key}")


def _settle_versions(db: Db, told: Told) -> None:
    """The present one is what the memory is now; an earlier one that nothing could replace goes."""
    for key, version in list(_broken_versions(db)):
        rows = db.execute("SELECT row_hash, data FROM memory WHERE id = %s", (key,)).fetchall()
        present = [(hash_, data) for hash_, data in rows if hashed(data) == hash_]
        name, place = f"version {version} of {key}", (key, version)
        if present and from_record(read(present[0][1])).version == version:
            sql = "UPDATE memory_version SET row_hash = %s, data = %s WHERE memory = %s AND version = %s"
            db.execute(sql, (*present[0], *place))
            told.older.append(name)
        else:
            db.execute("DELETE FROM memory_version WHERE memory = %s AND version = %s", place)
            told.lost.append(name)


def _by_project(read_: Callable[[Whole, str], Iterable[Any]]) -> Callable[[Whole], Iterator[Any]]:
    return lambda store: (row for project in store.projects() for row in read_(store, project.id))


def _by_memory(read_: Callable[[Whole, str], Sequence[Any]]) -> Callable[[Whole], Iterator[Any]]:
    return lambda store: (row for key in store.ids("", limit=_EVERY) for row in read_(store, key))


def _by_id(values: Callable[[Whole], Iterable[Any]], *without: str) -> _Sort:
    return _Sort(("id",), values, lambda one: (one.id,), without)


_SORTS: dict[str, _Sort] = {
    "activity": _by_id(_by_project(lambda store, project: store.activities(project)), "seq"),
    "anchor": _Sort(
        ("memory", "path"),
        _by_project(lambda store, project: store.anchors(project)),
        lambda one: (one.memory_id, one.path),
    ),
    "audit": _Sort(("seq",), lambda store: store.audits(), lambda one: (one.seq,), ("seq",)),
    "call": _by_id(lambda store: store.calls()),
    # Those of other machines are not in a backup: the seal tells whether one of the same name is theirs.
    "cursor": _Sort(("name",), lambda store: store.cursors("").items(), lambda one: (one[0],)),
    "event": _Sort(("seq",), lambda store: store.events(), lambda one: (one.seq,), ("seq",)),
    "injection": _by_id(_by_project(lambda store, project: store.told(project))),
    "job": _by_id(lambda store: store.jobs(), "seq"),
    "link": _Sort(
        ("source", "target", "relation"),
        _by_memory(lambda store, key: [link for link in store.links(key) if link.source == key]),
        lambda one: (one.source, one.target, str(one.relation)),
    ),
    "outcome": _by_id(_by_project(lambda store, project: store.outcomes(project))),
    "paper": _Sort(
        ("project", "sort", "id"),
        _by_project(lambda store, project: store.papers(project)),
        lambda one: (one.project, str(one.sort), one.id),
    ),
    "receipt": _by_id(_by_project(lambda store, project: store.receipts(project)), "is_replay"),
    "reply": _Sort(("key",), lambda _: (), lambda one: (one.key,)),  # short-lived, and in no backup
    "review": _by_id(_by_project(lambda store, project: store.reviews(project, with_closed=True))),
    "saying": _Sort(
        ("memory", "receipt"),
        _by_memory(lambda store, key: store.sayings(key)),
        lambda one: (one.memory_id, one.receipt),
    ),
    "suggestion": _by_id(_by_project(lambda store, project: store.suggestions(project))),
    "token": _Sort(("name",), lambda store: store.tokens(), lambda one: (one.name,)),
    "workstream": _by_id(_by_project(lambda store, project: store.workstreams(project))),
}
