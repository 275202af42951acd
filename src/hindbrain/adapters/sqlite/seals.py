"""Which rows are as they were written, by the hash that a trigger put beside each.

What a seal covers stands in the trigger that makes it, and is read from there: the two cannot disagree.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

import apsw

from hindbrain.core.hints import Any
from hindbrain.core.notation import write
from hindbrain.core.value import dataclass
from hindbrain.errors import StoreDamaged
from hindbrain.ports import Damage

_TOLD = 20  # rows of one table that are named one by one
_BEGIN, _END = "VALUES (", ")) ON CONFLICT"


@dataclass(frozen=True, slots=True)
class Sealed:
    """A table whose rows have seals."""

    name: str
    key: str  # expression over a row
    hash: str  # expression over a row


def sealed(db: apsw.Connection) -> tuple[Sealed, ...]:
    """All of them, in the order in which the schema made them: what speaks of another table comes behind it."""
    found = db.execute(
        "SELECT tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' AND name = 'seal_' || tbl_name || '_insert'"
        " ORDER BY (SELECT rowid FROM sqlite_schema t WHERE t.type = 'table' AND t.name = sqlite_schema.tbl_name)"
    )
    return tuple(_read(name, sql) for name, sql in found)


def _read(name: str, sql: str) -> Sealed:
    body = sql[sql.index(_BEGIN) + len(_BEGIN) : sql.index(_END)].replace("new.", "") + ")"
    key, _, hash_ = body.removeprefix(f"'{name}', ").partition(", seal_of(")
    return Sealed(name, key, f"seal_of({hash_}")


def prove(db: apsw.Connection, name: str, *, column: str, values: Sequence[str]) -> None:
    """StoreDamaged when a row that has one of these values is not as it was written: before another takes its place."""
    if not values:
        return
    made = "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?"
    found: list[Any] = db.execute(made, (f"seal_{name}_insert",)).fetchall()
    for (sql,) in found:
        table = _read(name, sql)
        own = (
            f"SELECT {table.key} AS k, {table.hash} AS h FROM {name} WHERE {column} IN (SELECT value FROM json_each(?))"
        )
        bad = f"SELECT CAST(r.k AS BLOB) FROM ({own}) r LEFT JOIN seal s ON s.sort = '{name}' AND s.key = r.k"
        rows: list[Any] = db.execute(f"{bad} WHERE s.hash IS NOT r.h LIMIT 1", (write(list(values)),)).fetchall()
        for (key,) in rows:
            raise StoreDamaged.of(f"{name} {_shown(key)}")


def damage(db: apsw.Connection, *, fix: str) -> Iterator[Damage]:
    for table in sealed(db):
        yield from _of(table, db, fix=fix)


def _of(table: Sealed, db: apsw.Connection, *, fix: str) -> Iterator[Damage]:
    count = 0
    rows = f"SELECT {table.key} AS k, {table.hash} AS h FROM {table.name}"
    found = db.execute(
        f"SELECT CAST(r.k AS BLOB), s.hash IS NULL FROM ({rows}) r"
        f" LEFT JOIN seal s ON s.sort = '{table.name}' AND s.key = r.k WHERE s.hash IS NOT r.h"
    )
    for key, is_loose in islice(found, _TOLD):
        what = "has no hash: another program wrote it" if is_loose else "differs from the hash it was written with"
        count += 1
        yield Damage(where=f"{table.name} {_shown(key)}", what=what, fix=fix)
    rest = sum(1 for _ in found) if count == _TOLD else 0
    if rest:
        yield Damage(where=table.name, what=f"{rest} more rows like these", fix=fix)
    ((gone,),) = db.execute(
        f"SELECT count(*) FROM seal WHERE sort = '{table.name}' AND key NOT IN (SELECT {table.key} FROM {table.name})"
    ).fetchall()
    if gone:
        yield Damage(where=table.name, what=f"{gone} rows are missing that were written", fix=fix)


def _shown(key: bytes) -> str:
    return key.decode("utf-8", "replace").replace("\x1f", " ")
