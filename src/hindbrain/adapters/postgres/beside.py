"""What stands in columns beside a value, for questions and policies to ask by. All of it follows from the value.

A seal covers the value alone. A column that says something else hides a row from its project, or shows it to another,
and no hash would tell: so the two are compared.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from psycopg import errors

from hindbrain.adapters.postgres.codec import column, read_as
from hindbrain.adapters.postgres.wire import Db
from hindbrain.core.learning.audit import Entry
from hindbrain.core.model import Event, Injection, Link, Receipt, Review
from hindbrain.core.model.activity import Activity
from hindbrain.core.model.call import Call
from hindbrain.core.model.job import Job
from hindbrain.core.model.moment import stamp
from hindbrain.core.model.outcome import Anchor, Outcome
from hindbrain.core.model.paper import Paper
from hindbrain.core.model.record import from_record
from hindbrain.core.model.suggestion import Suggestion
from hindbrain.core.model.token import Reply, Token
from hindbrain.core.model.workstream import Workstream
from hindbrain.core.notation import read
from hindbrain.core.value import dataclass
from hindbrain.ports import Saying

Astray = tuple[str, list[object]]  # where a row lies, and the columns that it should have


@dataclass(frozen=True, slots=True)
class Sort:
    kind: Callable[[str], Any]  # the value of a text; ValueError, KeyError or TypeError when it is none
    columns: Mapping[str, str]  # column -> field of the value that it repeats


def _as(kind: type[Any], **more: Any) -> Callable[[str], Any]:
    return lambda text: read_as(kind, text, **more)


def _same(*names: str, **others: str) -> Mapping[str, str]:
    return {**{name: name for name in names}, **others}


SORTS: dict[str, Sort] = {
    "activity": Sort(_as(Activity), _same("id", "project", "session", "deed")),
    "anchor": Sort(_as(Anchor), _same("project", "path", memory="memory_id")),
    "audit": Sort(_as(Entry), _same("project")),
    "call": Sort(_as(Call), _same("id", "at")),
    "event": Sort(_as(Event), _same("project", memory="memory_id")),
    "injection": Sort(_as(Injection), _same("id", "at", "project", "session", "agent", "is_withheld")),
    "job": Sort(_as(Job), _same("id", "project", "kind", "key", "state", "due_at")),
    "link": Sort(_as(Link), _same("source", "target", "relation", "at")),
    "outcome": Sort(
        _as(Outcome), _same("id", "at", "project", "how", "session", memory="memory_id", injection="injection_id")
    ),
    "paper": Sort(_as(Paper), _same("project", "sort", "id", "agent", "at", receiver="to")),
    "receipt": Sort(_as(Receipt), _same("id", "key", "at", "project", "verdict", "session", "ref", memory="memory_id")),
    "reply": Sort(_as(Reply), _same("key", "at")),
    "review": Sort(_as(Review), _same("id", "project", "opened_at", "closed_at", memory="memory_id", other="other_id")),
    "saying": Sort(_as(Saying), _same("receipt", "at", memory="memory_id")),
    "suggestion": Sort(_as(Suggestion), _same("id", "project", "status", "created_at", scar="scar_id")),
    "token": Sort(_as(Token), _same("name", "digest")),
    "workstream": Sort(_as(Workstream), _same("id", "project", "state", "opened_at")),
    "memory_version": Sort(
        lambda text: from_record(read(text)), _same("version", "project", "reach", memory="id", since="updated_at")
    ),
}


def looked(db: Db, table: str) -> tuple[int, list[Astray]]:
    """How many rows of a table nobody can read, and those whose columns do not follow from their values."""
    sort, bad = SORTS[table], 0
    astray: list[Astray] = []
    for place, data, *told in db.execute(f"SELECT ctid::text, data, {', '.join(sort.columns)} FROM {table}".encode()):
        try:
            value = sort.kind(data)
        except (ValueError, KeyError, TypeError):
            bad += 1
            continue
        due = [_plain(getattr(value, field)) for field in sort.columns.values()]
        if due != told:
            astray.append((place, due))
    return bad, astray


def repair(db: Db) -> None:
    """Write the columns anew. One that would stand in the way of another row, or name a row that is not there, stays,
    and is told again."""
    for table, sort in SORTS.items():
        names = ", ".join(f"{name} = %s" for name in sort.columns)
        for place, due in looked(db, table)[1]:
            _tried(db, f"UPDATE {table} SET {names} WHERE ctid = %s::tid", values=(*due, place))


def _tried(db: Db, sql: str, *, values: tuple[object, ...]) -> None:
    try:
        with db.transaction():
            db.execute(sql.encode(), values)
    except errors.IntegrityError:
        return


def told(db: Db) -> Iterator[tuple[str, int, int]]:
    """Table, rows that cannot be read, rows astray."""
    for table in SORTS:
        bad, astray = looked(db, table)
        if bad or astray:
            yield table, bad, len(astray)


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return stamp(value)
    return column(str(value)) if isinstance(value, str) else value
