"""How a hundred thousand memories get their next version in seconds: their texts are changed, not read and made anew.

What a memory was written down as stands in its history. Where only its counters went on since, they are put into that
text. It must come to the hash that the row has; a memory whose text does not is changed as any other one is.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache

import apsw

from hindbrain.core.digest import hasten
from hindbrain.core.hints import Any
from hindbrain.core.model import Counters, Memory, Reach, State
from hindbrain.core.model.filing import Filing, counted
from hindbrain.core.model.moment import stamp
from hindbrain.core.model.record import actor_record, canonical, fingerprint_of
from hindbrain.core.recall.index import everywhere_token, scope_token
from hindbrain.errors import Conflict
from hindbrain.ports import Changes, Reader

Put = Callable[[Memory], None]  # writes the next version of any memory

_MANY = 1_000  # from so many on it pays to give the engine more memory
_CACHE_KB = 64 * 1024  # a page that is changed several times is written once
_HASH, _USUAL_HASH = 16 * 1024 * 1024, 1024 * 1024  # bytes of words that the index gathers before it writes them down
_SELECT = (
    "SELECT m.seq, m.id, m.project, m.version, m.updated_at, m.row_hash, v.data, v.rowid,"
    " p.seq, m.reach, m.superseded_by IS NOT NULL, m.trust"
    " FROM json_each(?) j CROSS JOIN memory m ON m.id = j.key AND m.version = j.value"
    " CROSS JOIN project p ON p.id = m.project"
    " LEFT JOIN memory_version v ON v.memory = m.id AND v.version = m.version"
)
_COUNTED = f"SELECT confidence, last_used_at, decayed_at, {', '.join(Counters.__slots__)} FROM memory WHERE seq = ?"
_CLOSE = "UPDATE memory_version SET until = ? WHERE rowid = ?"
# One statement for all that get the same: before each, the index of words writes down what it has gathered.
_FILE = (
    "UPDATE memory SET archived_at = ?, archive_reason = ?, confirmed = confirmed + ?, scope = ?,"
    " updated_at = max(updated_at, ?), version = version + 1, row_hash = f.value"
    " FROM json_each(?) f WHERE memory.seq = CAST(f.key AS INTEGER)"
)
_VERSION = "INSERT INTO memory_version VALUES (?, ?, ?, ?, NULL, ?, ?, ?, ?)"
_GATHER = "INSERT INTO memory_words (memory_words, rank) VALUES ('hashsize', ?)"


def put(filing: Filing, changes: Changes, *, db: apsw.Connection, reader: Reader, put_one: Put) -> None:
    """Write the next version of all that `filing` names. Conflict when one is at another version."""
    hasten()
    with _roomy(db) if len(filing.versions) >= _MANY else nullcontext():
        _put(filing, changes, db=db, reader=reader, put_one=put_one)


@contextmanager
def _roomy(db: apsw.Connection) -> Iterator[None]:
    """More memory for the engine."""
    db.pragma("cache_size", -_CACHE_KB)
    db.execute(_GATHER, (_HASH,))
    yield
    db.execute(_GATHER, (_USUAL_HASH,))


def _put(filing: Filing, changes: Changes, *, db: apsw.Connection, reader: Reader, put_one: Put) -> None:
    next_ = _Next(filing, changes)
    found: list[str] = []
    others: list[str] = []  # whose history does not tell what they are
    # By number, for the index of words writes down what it has gathered whenever a lower one comes; here, because the
    # engine would copy every text twice to put them in order.
    for row in sorted(db.execute(_SELECT, (json.dumps(dict(filing.versions)),))):
        found.append(row[1])
        if not next_.took(row) and not next_.took(row, text=_counted(row, db)):
            others.append(row[1])
    if len(found) < len(filing.versions):
        raise _conflict(filing, found, reader=reader)
    next_.write(db)
    for key in others:
        if memory := reader.memory(key):
            put_one(filing.applied_to(memory))


def _conflict(filing: Filing, found: Sequence[str], *, reader: Reader) -> Conflict:
    known = frozenset(found)
    lost = next(key for key in filing.versions if key not in known)
    memory = reader.memory(lost)
    return Conflict(
        f"{lost} is at version {memory.version if memory else 0}, not {filing.versions[lost]}",
        fix="read it again and repeat the change",
    )


def _counted(row: Sequence[Any], db: apsw.Connection) -> str:
    """The text of its last version with the counters that the row has; "" when there is none."""
    seq, _, _, _, _, _, data = row[:7]
    found: list[Any] = db.execute(_COUNTED, (seq,)).fetchall()
    ((confidence, used, decayed, *counts),) = found
    counters = Counters(**dict(zip(Counters.__slots__, counts, strict=True)))
    try:
        return counted(data or "", counters, confidence=confidence, last_used_at=used, decayed_at=decayed)
    except ValueError:
        return ""  # another hand's


class _Next:
    """What is to be written for the next versions of many."""

    def __init__(self, filing: Filing, changes: Changes) -> None:
        self._filing, self._now = filing, stamp(filing.at)
        self._by, self._change = canonical(actor_record(changes.by)), changes.change
        self._rewritten = filing.rewriting
        self._scope = cache(lambda *home: _scope(home, is_away=bool(filing.reason)))
        self._closed: list[tuple[Any, ...]] = []
        self._filed: defaultdict[str, dict[int, str]] = defaultdict(dict)
        self._versions: list[tuple[Any, ...]] = []

    def took(self, row: Sequence[Any], *, text: str = "") -> bool:
        """Whether `text`, or else that of its last version, is what the row was written as: its next one is due."""
        seq, key, project, version, updated_at, proof, data, place, *home = row
        old = text or data
        if not old or fingerprint_of(old) != proof:
            return False
        new, since = self._rewritten(old), max(self._now, updated_at)
        hash_ = fingerprint_of(new)
        self._closed.append((since, place))
        self._filed[self._scope(*home)][seq] = hash_
        self._versions.append((key, version + 1, project, since, self._by, self._change, new, hash_))
        return True

    def write(self, db: apsw.Connection) -> None:
        filing = self._filing
        archived_at, confirmed = (self._now, 0) if filing.reason else (None, 1)
        db.executemany(_CLOSE, self._closed)
        db.executemany(_VERSION, self._versions)
        for place, hashes in self._filed.items():
            values = (archived_at, filing.reason, confirmed, place, self._now, json.dumps(hashes))
            db.execute(_FILE, values)


def _scope(home: tuple[int, str, int, int], *, is_away: bool) -> str:
    number, reach, is_superseded, trust = home
    state = State.QUARANTINED if trust == 0 else State.LIVE
    if is_away or is_superseded:
        state = State.ARCHIVED if is_away else State.SUPERSEDED
    own = scope_token(number, state)
    return f"{own} {everywhere_token(state)}" if reach == Reach.EVERYWHERE else own
