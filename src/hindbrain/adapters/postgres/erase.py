"""How a text is really forgotten: every copy removed or blanked, then the tables searched for it.

What the server wrote to its log and to backups before is out of reach; docs/postgres.md says how long it stays there.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any

from hindbrain.adapters.postgres import words
from hindbrain.adapters.postgres.codec import read_as, written
from hindbrain.adapters.postgres.wire import Db
from hindbrain.core.model import Injection, Link, Memory, Receipt
from hindbrain.core.model.activity import Activity
from hindbrain.core.model.job import Job, JobState
from hindbrain.core.model.moment import stamp
from hindbrain.core.model.outcome import Anchor, Outcome
from hindbrain.core.model.paper import Paper
from hindbrain.core.model.receipt import FORGOTTEN
from hindbrain.core.model.record import from_record
from hindbrain.core.model.suggestion import Suggestion
from hindbrain.core.model.workstream import Workstream
from hindbrain.core.notation import read, write
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import UnknownMemory
from hindbrain.ports import Erasure

_PIECE, _PIECES = 64, 8  # characters of a piece, and pieces of a text, by which it is sought
_TELLING = 12  # a shorter text ("use tabs") stands in other places by chance
_OWN = {
    "saying": "memory = %(id)s",
    "link": "source = %(id)s OR target = %(id)s",
    "injection_item": "memory = %(id)s",
    "outcome": "memory = %(id)s",
    "anchor": "memory = %(id)s",
    "review": "memory = %(id)s OR other = %(id)s",
    "suggestion": "scar = %(id)s",
    "memory_version": "memory = %(id)s",
    "event": "memory = %(id)s",
    "embedding": "memory = %(seq)s",
    "embedding_due": "memory = %(seq)s",
    "memory": "id = %(id)s",
}
SEARCHED = (
    *("memory", "memory_version", "saying", "link", "receipt", "review", "injection", "event", "activity", "job"),
    *("outcome", "anchor", "paper", "suggestion", "workstream", "reply"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lost:
    """What nobody is to read any more."""

    memory_id: str
    names: tuple[str, ...]  # by which sentences speak of it
    pieces: tuple[str, ...]
    reason: str

    def holds(self, value: object) -> bool:
        if isinstance(value, str):
            return any(piece in value for piece in self.pieces)
        if isinstance(value, dict):
            return any(map(self.holds, (*value, *value.values())))
        return isinstance(value, list | tuple) and any(map(self.holds, value))

    def without(self, text: str) -> str:
        return FORGOTTEN if self.holds(text) else text


def erase(db: Db, memory_ids: Sequence[str], *, at: datetime) -> Erasure:
    """Remove memories and their copies. The caller holds the gate and a transaction.

    Receipts stay, without their text: they keep the same transcript from teaching it again.
    """
    known = [_known(db, memory_id, at=at) for memory_id in memory_ids]
    count = sum(_removed(db, one) for one in known)
    found_in = {table: None for one in known for table in _remaining(db, one.lost)}
    return Erasure(rows=count, backups=(), found_in=tuple(found_in))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    seq: int
    scope: int
    memory: Memory
    lost: _Lost


def _known(db: Db, memory_id: str, *, at: datetime) -> _Known:
    found = db.execute("SELECT seq, scope, data FROM memory WHERE id = %s", (memory_id,)).fetchall()
    if not found:
        raise UnknownMemory(f"there is no memory {memory_id}", fix="`hindbrain list --all` shows their ids")
    ((seq, scope, data),) = found
    return _Known(seq=seq, scope=scope, memory=from_record(read(data)), lost=_lost(db, memory_id, at=at))


def _removed(db: Db, known: _Known) -> int:
    index = words.Index()
    index.remove(known.seq, words.found_by(known.memory), scope=known.scope)
    index.write(db)
    key = {"id": known.memory.id, "seq": known.seq}
    count = sum(
        db.execute(f"DELETE FROM {table} WHERE {which}".encode(), key).rowcount for table, which in _OWN.items()
    )
    for table, kind, blank in _BLANKS:
        _blank(db, table, kind=kind, blank=blank, lost=known.lost)
    _blank_feed(db, known.lost)
    return count


def _lost(db: Db, memory_id: str, *, at: datetime) -> _Lost:
    rows = db.execute("SELECT data FROM memory_version WHERE memory = %s", (memory_id,)).fetchall()
    versions: list[Memory] = [from_record(read(data)) for (data,) in rows]
    texts = {text for one in versions for text in (one.content, one.title.removesuffix("..."))}
    return _Lost(
        memory_id=memory_id,
        names=(memory_id, *sorted({one.chorus_hash for one in versions if one.chorus_hash})),
        pieces=tuple(sorted({piece for text in texts if len(text) >= _TELLING for piece in _cut(text)})),
        reason=f"forgotten by a person on {stamp(at)}",
    )


def _cut(text: str) -> Iterator[str]:
    """What agents did is kept cut to a length, so pieces from all over a text are sought, not the whole."""
    step = max(_PIECE, len(text) // _PIECES)
    yield from (text[at : at + _PIECE] for at in range(0, max(1, len(text) - _PIECE + 1), step))


def _needles(lost: _Lost) -> list[str]:
    """The pieces as they may stand in JSON, or in a file's bytes as they are kept."""
    plain = [write(piece)[1:-1] for piece in lost.pieces]
    return [*plain, *(piece.encode("utf-8", "surrogatepass").hex() for piece in lost.pieces)]


_HOLDS = "EXISTS (SELECT 1 FROM unnest(%(needles)s::text[]) n WHERE strpos({}, n) > 0)"


def _blank(db: Db, table: str, *, kind: type[Any], blank: Callable[[Any, _Lost], Any], lost: _Lost) -> None:
    needles = [*_needles(lost), *lost.names]
    rows = db.execute(
        f"SELECT ctid::text, data FROM {table} WHERE {_HOLDS.format('data')}".encode(), {"needles": needles}
    )
    for place, data in rows.fetchall():
        changed = written(blank(read_as(kind, data), lost), without=("seq", "is_replay"))
        state = ", state = 'done'" if table == "job" and '"state":"done"' in changed else ""
        db.execute(f"UPDATE {table} SET data = %s{state} WHERE ctid = %s::tid".encode(), (changed, place))


def _receipt(one: Receipt, lost: _Lost) -> Receipt:
    if one.memory_id == lost.memory_id or lost.holds(one.text):
        return replace(one, text=FORGOTTEN, reason=lost.reason)
    return replace(one, reason=FORGOTTEN) if any(name in one.reason for name in lost.names) else one


def _link(one: Link, lost: _Lost) -> Link:
    is_about = any(name in one.reason for name in lost.names) or lost.holds(one.reason)
    return replace(one, reason=FORGOTTEN) if is_about else one


def _injection(one: Injection, lost: _Lost) -> Injection:
    shown = tuple(item for item in one.shown if item.memory_id != lost.memory_id)
    return replace(one, query=lost.without(one.query), shown=shown)


def _activity(one: Activity, lost: _Lost) -> Activity:
    data = {} if lost.holds(one.data) else one.data
    return replace(one, subject=lost.without(one.subject), detail=lost.without(one.detail), data=data)


def _job(one: Job, lost: _Lost) -> Job:
    """A job that carried the text has nothing left to do."""
    if lost.holds(one.payload):
        return replace(one, payload={}, state=JobState.DONE, error=FORGOTTEN)
    return replace(one, error=lost.without(one.error))


def _noted(one: Any, lost: _Lost) -> Any:
    return replace(one, note=lost.without(one.note))


def _paper(one: Paper, lost: _Lost) -> Paper:
    return replace(one, data={}) if lost.holds(one.data) else one


def _suggestion(one: Suggestion, lost: _Lost) -> Suggestion:
    """What is a rule by now is the person's: their file stays, but it cannot be undone from here any more."""
    raw = [piece.encode("utf-8", "surrogatepass") for piece in lost.pieces]
    edits = tuple(e for e in one.edits if not any(piece in (e.before or b"") + (e.after or b"") for piece in raw))
    if any(map(lost.holds, (one.title, one.text, one.note, one.data))):
        return replace(one, title=FORGOTTEN, text=FORGOTTEN, note="", data={}, edits=edits)
    return replace(one, edits=edits)


def _workstream(one: Workstream, lost: _Lost) -> Workstream:
    return replace(one, title=lost.without(one.title), data={} if lost.holds(one.data) else one.data)


_BLANKS: tuple[tuple[str, type[Any], Callable[[Any, _Lost], Any]], ...] = (
    ("receipt", Receipt, _receipt),
    ("link", Link, _link),
    ("injection", Injection, _injection),
    ("activity", Activity, _activity),
    ("job", Job, _job),
    ("outcome", Outcome, _noted),
    ("anchor", Anchor, _noted),
    ("paper", Paper, _paper),
    ("suggestion", Suggestion, _suggestion),
    ("workstream", Workstream, _workstream),
)


def _blank_feed(db: Db, lost: _Lost) -> None:
    sought = {"needles": [*_needles(lost), *lost.names]}
    db.execute(f"DELETE FROM event WHERE {_HOLDS.format('data')}".encode(), sought)
    values = {"needles": _needles(lost), "blank": write(FORGOTTEN)}
    # A body is JSON within JSON: there the escapes are escaped once more.
    doubled = {"needles": [*values["needles"], *(write(one)[1:-1] for one in _needles(lost))]}
    db.execute(f"DELETE FROM reply WHERE {_HOLDS.format('data')}".encode(), doubled)
    db.execute(f"UPDATE cursor SET value = %(blank)s WHERE {_HOLDS.format('value')}".encode(), values)


def _remaining(db: Db, lost: _Lost) -> Sequence[str]:
    """Tables that still hold a piece of it."""
    sought = {"needles": _needles(lost)}
    tables = [(table, "data") for table in SEARCHED] + [("cursor", "value")]
    sql = "SELECT 1 FROM {} WHERE " + _HOLDS + " LIMIT 1"
    return [table for table, name in tables if db.execute(sql.format(table, name).encode(), sought).fetchall()]


def swept(db: Db) -> None:
    """Give the room of what was deleted back, so that it does not stay readable in the server's files."""
    db.execute(f"VACUUM {', '.join((*SEARCHED, 'posting', 'term', 'embedding', 'cursor'))}".encode())
