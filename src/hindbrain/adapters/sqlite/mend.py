"""Which row is believed when a database is damaged: one that fits its hash, from wherever it can be had.

A sound row of the damaged file comes first, then the same row of a backup, known by the same hash; then a memory's own
history; then an older state of the row. What nothing can replace is kept as it reads and named. What was deleted since
the backup stays deleted, as far as the damaged file can still tell.
"""

from collections.abc import Iterable, Mapping, Sequence

import apsw

from hindbrain.adapters.sqlite import check, rows, seals
from hindbrain.adapters.sqlite.schema import fingerprint as fingerprint_of_schema
from hindbrain.core.hints import Any
from hindbrain.core.model import Memory
from hindbrain.core.model.record import canonical, fingerprint, from_record, to_record
from hindbrain.core.notation import read
from hindbrain.core.value import dataclass, field

_BROKEN = (apsw.CorruptError, apsw.SQLError, apsw.IOError, apsw.NotADBError)
_CARRIED = ("vector", "vector_rest")
_NUMBERED = "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?"


@dataclass(slots=True)
class Told:
    """What came of it, row by row."""

    restored: list[str] = field(default_factory=list)  # exactly as they were
    older: list[str] = field(default_factory=list)  # as a backup or the history has them
    unsure: list[str] = field(default_factory=list)  # as they read now
    lost: list[str] = field(default_factory=list)


def mended(damaged: apsw.Connection, target: apsw.Connection) -> Told:
    """Bring `target`, a sound store with the content of a backup or none, up to what `damaged` still tells."""
    told = Told()
    target.pragma("foreign_keys", 0)
    with target:
        for table in seals.sealed(target):
            if table.name != "meta":
                _Table(table, damaged, target=target, told=told).mend()
        _note_head(target)
        _Memories(damaged, target, told).mend()
        for name in _CARRIED:
            _carry(name, damaged, target=target)
        for name, seq in _read_all(damaged, "SELECT name, seq FROM sqlite_sequence")[0]:
            target.execute(_NUMBERED, (seq, name))
        _drop_orphans(target)
        check.repair(target)
    target.pragma("foreign_keys", 1)
    return told


def _read_all(db: apsw.Connection, sql: str, *values: object) -> tuple[list[Any], bool]:
    """As many rows as can be read, and whether these are all."""
    found: list[Any] = []
    try:
        for row in db.execute(sql, values):
            found.append(row)
    except (*_BROKEN, UnicodeDecodeError):
        return found, False
    return found, True


class _Table:
    """One table whose rows have seals."""

    def __init__(self, table: seals.Sealed, damaged: apsw.Connection, *, target: apsw.Connection, told: Told) -> None:
        self._table = table
        self._damaged = damaged
        self._target = target
        self._told = told
        info: list[Any] = target.execute(f"SELECT name, type, pk FROM pragma_table_info('{table.name}')").fetchall()
        self._columns: Mapping[str, str] = {name: type_ for name, type_, _ in info}
        self._key = [name for name, _, at in sorted(info, key=lambda one: one[2]) if at]

    def mend(self) -> None:
        claimed, is_all = self._seals(self._damaged)
        ours, _ = self._seals(self._target)
        rows_, is_whole = self._rows()
        if not is_all and not is_whole:
            self._told.lost.append(f"{self._table.name}: what could not be read, if it is newer than the backup")
        seen = {key for key, *_ in rows_}
        claimed = _with_owners(claimed, {key: hash_ for key, hash_, *_ in rows_})
        for key, hash_, *values in rows_:
            if key in claimed:
                self._judge(key, values, hashes=(hash_, claimed[key], ours.get(key)))
            elif key and not is_all and ours.get(key) != hash_:
                self._believe(key, values, is_older=key in ours)
        self._mend_missing(claimed, ours, seen=seen)
        if is_all:
            self._delete_all(ours.keys() - claimed.keys() - seen)

    def _mend_missing(self, claimed: Mapping[bytes, int], ours: Mapping[bytes, int], *, seen: set[bytes]) -> None:
        for key in claimed.keys() - seen:
            self._replace(key, None, is_held=ours.get(key) == claimed[key], is_older=key in ours)

    def _judge(self, key: bytes, values: Sequence[Any], *, hashes: tuple[int, int, int | None]) -> None:
        """A row of which it is known how it was written."""
        hash_, claimed, ours = hashes
        if ours == hash_:  # if the seal says otherwise, it is the seal that was damaged
            return
        if claimed != hash_:
            self._replace(key, values, is_held=ours == claimed, is_older=ours is not None)
        elif not self._put(key, values):
            self._told.lost.append(self._named(key))

    def _believe(self, key: bytes, values: Sequence[Any], *, is_older: bool) -> None:
        """A row whose seal cannot be read: what a backup has is sure, if older; what is no row is none."""
        if is_older:
            self._told.older.append(self._named(key))
        elif self._put(key, values):
            self._told.unsure.append(self._named(key))

    def _replace(self, key: bytes, values: Sequence[Any] | None, *, is_held: bool, is_older: bool) -> None:
        if is_held:
            self._told.restored.append(self._named(key))
        elif is_older:
            self._told.older.append(self._named(key))
        elif values is not None and self._put(key, values):
            self._told.unsure.append(self._named(key))
        else:
            self._told.lost.append(self._named(key))

    def _seals(self, db: apsw.Connection) -> tuple[dict[bytes, int], bool]:
        sql = "SELECT CAST(key AS BLOB), hash FROM seal WHERE sort = ? ORDER BY key"
        found, is_all = _read_all(db, sql, self._table.name)
        if not is_all:
            found += _read_all(db, f"{sql} DESC", self._table.name)[0]
        known = {key: hash_ for key, hash_ in found if key is not None and isinstance(hash_, int)}
        return known, is_all and len(known) == len(found)  # a seal that says nothing leaves some row without one

    def _rows(self) -> tuple[list[Any], bool]:
        """Key, hash and values; from the front and, where something is in the way, from the back. Whether all are."""
        values = ", ".join(f"CAST({name} AS BLOB)" if t == "TEXT" else name for name, t in self._columns.items())
        wanted = f"CAST({self._table.key} AS BLOB), {self._table.hash}, {values} FROM {self._table.name}"
        found, is_all = _read_all(self._damaged, f"SELECT {wanted}")
        if not is_all:
            order = ", ".join(f"{name} DESC" for name in self._key)
            known = {row[0] for row in found}
            back, _ = _read_all(self._damaged, f"SELECT {wanted} ORDER BY {order}")
            found += [row for row in back if row[0] not in known]
        return found, is_all

    def _put(self, key: bytes, values: Sequence[Any]) -> bool:
        texts = (value for value, type_ in zip(values, self._columns.values(), strict=True) if type_ == "TEXT")
        if not all(value is None or _is_text(value) for value in texts):
            return False
        self._delete(key)
        places = ", ".join("CAST(? AS TEXT)" if type_ == "TEXT" else "?" for type_ in self._columns.values())
        sql = f"INSERT INTO {self._table.name} ({', '.join(self._columns)}) VALUES ({places})"
        try:
            self._target.execute(sql, tuple(values))
        except (apsw.ConstraintError, apsw.MismatchError):
            return False
        return True

    def _delete_all(self, keys: Iterable[bytes]) -> None:
        for key in keys:
            self._delete(key)

    def _delete(self, key: bytes) -> None:
        parts = key.split(b"\x1f", len(self._key) - 1)
        if len(parts) == len(self._key):
            where = " AND ".join(f"{name} = CAST(? AS {self._columns[name]})" for name in self._key)
            self._target.execute(f"DELETE FROM {self._table.name} WHERE {where}", tuple(parts))

    def _named(self, key: bytes) -> str:
        return f"{self._table.name} {key.decode('utf-8', 'replace')}".replace("\x1f", " ")


def _with_owners(claimed: Mapping[bytes, int], rows_: Mapping[bytes, int]) -> dict[bytes, int]:
    """Seals by the keys of their rows: one of no row, whose hash a row without a seal has, has lost its key."""
    lonely = {hash_: key for key, hash_ in rows_.items() if key and key not in claimed}
    return {key if key in rows_ else lonely.get(hash_, key): hash_ for key, hash_ in claimed.items()}


class _Memories:
    """Rows that carry their hash themselves, and have a history to fall back on."""

    def __init__(self, damaged: apsw.Connection, target: apsw.Connection, told: Told) -> None:
        self._damaged = damaged
        self._target = target
        self._told = told
        self._ours = dict(target.execute("SELECT id, row_hash FROM memory"))
        self._numbers = dict(target.execute("SELECT id, seq FROM project"))

    def mend(self) -> None:
        seen, is_all = set(), True
        try:
            for row in check.scanned(self._damaged):
                seen.add(self._taken(row))
        except _BROKEN:
            is_all = False
            self._told.lost.append("memory: what could not be read, if neither the backup nor its history has it")
        versions = {memory for (memory,) in self._target.execute("SELECT DISTINCT memory FROM memory_version")}
        for memory_id in sorted(versions - seen):
            self._without(memory_id, claimed=self._ours.get(memory_id, "") if not is_all else "")
        for memory_id in sorted(self._ours.keys() - versions - seen) if is_all else ():
            self._target.execute("DELETE FROM memory WHERE id = ?", (memory_id,))
        self._mend_versions()

    def _mend_versions(self) -> None:
        """A version that nothing could replace is what the memory is now, if it is the present one; else it goes."""
        sql = "SELECT memory, version, data, row_hash FROM memory_version"
        bad: list[Any] = [row for row in self._target.execute(sql) if not _is_intact(*row[2:])]
        for memory_id, version, *_ in bad:
            name = f"memory_version {memory_id} {version}"
            found = self._target.execute(
                f"SELECT {rows.SELECTED} FROM memory m WHERE m.id = ?", (memory_id,)
            ).fetchall()
            memory = _read(found[0]) if found else None
            if memory is not None and memory.version == version:
                record = to_record(memory)
                change = "UPDATE memory_version SET data = ?, row_hash = ? WHERE memory = ? AND version = ?"
                self._target.execute(change, (canonical(record), fingerprint(record), memory_id, version))
                self._told.older.append(name)
            else:
                self._target.execute(
                    "DELETE FROM memory_version WHERE memory = ? AND version = ?", (memory_id, version)
                )
                self._told.lost.append(name)
            self._told.unsure[:] = [one for one in self._told.unsure if one != name]

    def _taken(self, row: tuple[Any, ...] | int) -> str:
        """The id of the memory, which is sound in the target now."""
        if isinstance(row, int):
            sql = "SELECT CAST(id AS BLOB), CAST(row_hash AS BLOB) FROM memory WHERE seq = ?"
            found: list[Any] = self._damaged.execute(sql, (row,)).fetchall()
            ((key, hash_),) = found
            memory_id: str = key.decode("utf-8", "replace")
            self._without(memory_id, claimed=hash_.decode("utf-8", "replace"))
            return memory_id
        memory_id, claimed = row[0], row[len(rows.COLUMNS) - 1]
        memory = _read(row)
        if memory is not None and rows.row_hash(memory) == claimed:
            if self._ours.get(memory_id) != claimed:
                self._put(memory, number=row[len(rows.COLUMNS) + 1])
        else:
            self._without(memory_id, claimed=claimed, otherwise=memory, number=row[len(rows.COLUMNS) + 1])
        return str(memory_id)

    def _without(
        self, memory_id: str, *, claimed: str, otherwise: Memory | None = None, number: int | None = None
    ) -> None:
        if self._ours.get(memory_id) == claimed:
            self._told.restored.append(f"memory {memory_id}")
            return
        past = self._last(memory_id)
        if past is not None:
            told = self._told.restored if rows.row_hash(past) == claimed else self._told.older
            self._put(past, number=number)
            told.append(f"memory {memory_id}")
        elif memory_id in self._ours:
            self._told.older.append(f"memory {memory_id}")
        elif otherwise is not None and self._put(otherwise, number=number):
            self._told.unsure.append(f"memory {memory_id}")
        else:
            self._told.lost.append(f"memory {memory_id}")

    def _last(self, memory_id: str) -> Memory | None:
        sql = "SELECT data, row_hash FROM memory_version WHERE memory = ? ORDER BY version DESC LIMIT 1"
        for data, row_hash in self._target.execute(sql, (memory_id,)):
            return from_record(read(data)) if _is_intact(data, row_hash) else None
        return None

    def _put(self, memory: Memory, *, number: int | None) -> bool:
        """Under the number that it had: its vectors are known by it."""
        if memory.project not in self._numbers:
            return False
        values = rows.to_row(memory, project_number=self._numbers[memory.project])
        held: list[Any] = self._target.execute("SELECT seq FROM memory WHERE id = ?", (memory.id,)).fetchall()
        number = held[0][0] if held else number
        self._target.execute("DELETE FROM memory WHERE id = ? OR seq = ?", (memory.id, number))
        names, places = ", ".join(("seq", *rows.WRITTEN)), ", ".join("?" * (len(rows.WRITTEN) + 1))
        self._target.execute(f"INSERT INTO memory ({names}) VALUES ({places})", (number, *values))
        return True


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_intact(data: str, row_hash: str) -> bool:
    try:
        return fingerprint(read(data)) == row_hash
    except ValueError:
        return False


def _read(row: tuple[Any, ...]) -> Memory | None:
    try:
        return rows.of_row(row)
    except (ValueError, KeyError, TypeError):
        return None


def _note_head(target: apsw.Connection) -> None:
    """The end of the log of decisions as the rows that were saved tell it; the schema's print is the target's own."""
    last = target.execute("SELECT seq || ' ' || hash || char(10) FROM audit ORDER BY seq DESC LIMIT 1").fetchall()
    for (text,) in last:
        target.execute("INSERT OR REPLACE INTO meta VALUES ('audit', ?)", (text,))
    target.execute("INSERT OR REPLACE INTO meta VALUES ('schema', ?)", (fingerprint_of_schema(target),))


def _carry(table: str, damaged: apsw.Connection, *, target: apsw.Connection) -> None:
    """Vectors, as far as they can be read. Those that do not fit are taken out again, and made anew."""
    for row in _read_all(damaged, f"SELECT * FROM {table}")[0]:
        try:
            target.execute(f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        except (apsw.ConstraintError, apsw.MismatchError):
            continue


def _drop_orphans(db: apsw.Connection) -> None:
    """Rows about something that could not be saved. One may be what another speaks of."""
    while db.execute("PRAGMA foreign_key_check").fetchall():
        for (table,) in db.execute("SELECT name FROM pragma_table_list WHERE type = 'table'").fetchall():
            for key in db.execute(f"PRAGMA foreign_key_list({table})").fetchall():
                parent, column, wanted = key[2], key[3], key[4]
                known = f"SELECT {wanted} FROM {parent}"
                db.execute(f"DELETE FROM {table} WHERE {column} IS NOT NULL AND {column} NOT IN ({known})")
