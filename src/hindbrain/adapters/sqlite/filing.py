"""How a hundred thousand memories get their next version in seconds: their texts are changed, not read and made anew.

What a memory was written down as stands in its history. Where only its counters went on since, they are put into that
text. It must come to the hash that the row has; a memory whose text does not is changed as any other one is.
"""

import gc
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache

import apsw

from hindbrain.core.digest import hasten
from hindbrain.core.hints import Any, NamedTuple
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
    "SELECT m.seq, m.id, m.project, m.version, m.updated_at, m.row_hash, v.row_hash, v.rowid, v.data,"
    " p.seq, m.reach, m.superseded_by IS NOT NULL, m.trust"
    " FROM json_each(?) j CROSS JOIN memory m ON m.id = j.key AND m.version = j.value"
    " CROSS JOIN project p ON p.id = m.project"
    " LEFT JOIN memory_version v ON v.memory = m.id AND v.version = m.version ORDER BY m.seq"
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


class _Row(NamedTuple):
    seq: int
    id: str
    project: str
    version: int
    updated_at: str
    hash: str
    version_hash: str | None  # the same, where it is as its version was written; None: that is not there
    place: int  # of the version
    data: str
    home: tuple[Any, ...]  # number of the project, reach, whether it is superseded, trust


def put(filing: Filing, changes: Changes, *, db: apsw.Connection, reader: Reader, put_one: Put) -> None:
    """Write the next version of all that `filing` names. Conflict when one is at another version."""
    hasten()
    with _roomy(db) if len(filing.versions) >= _MANY else nullcontext():
        _put(filing, changes, db=db, reader=reader, put_one=put_one)


@contextmanager
def _roomy(db: apsw.Connection) -> Iterator[None]:
    """More memory for the engine, and no search for cycles among rows that form none."""
    db.pragma("cache_size", -_CACHE_KB)
    db.execute(_GATHER, (_HASH,))
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_collecting:
            gc.enable()
    db.execute(_GATHER, (_USUAL_HASH,))


def _put(filing: Filing, changes: Changes, *, db: apsw.Connection, reader: Reader, put_one: Put) -> None:
    found = [_Row._make((*row[:9], row[9:])) for row in db.execute(_SELECT, (json.dumps(dict(filing.versions)),))]
    if len(found) < len(filing.versions):
        raise _conflict(filing, [row.id for row in found], reader=reader)
    told = [(row, _text(row, db)) for row in found]
    _write(filing, [(row, text) for row, text in told if text], changes=changes, db=db)
    for key in [row.id for row, text in told if not text]:
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


def _text(row: _Row, db: apsw.Connection) -> str:
    """The canonical text of the memory as it is; "" when its history does not tell."""
    text = row.data or ""
    if row.version_hash != row.hash and text:
        text = _counted(row, db)
    return text if text and fingerprint_of(text) == row.hash else ""


def _counted(row: _Row, db: apsw.Connection) -> str:
    found: list[Any] = db.execute(_COUNTED, (row.seq,)).fetchall()
    ((confidence, used, decayed, *counts),) = found
    counters = Counters(**dict(zip(Counters.__slots__, counts, strict=True)))
    try:
        return counted(row.data, counters, confidence=confidence, last_used_at=used, decayed_at=decayed)
    except ValueError:
        return ""  # another hand's


def _write(filing: Filing, told: Sequence[tuple[_Row, str]], *, changes: Changes, db: apsw.Connection) -> None:
    now, by = stamp(filing.at), canonical(actor_record(changes.by))
    rewritten, scope = filing.rewriting, cache(lambda home: _scope(home, is_away=bool(filing.reason)))
    archived_at, confirmed = (now, 0) if filing.reason else (None, 1)
    closed: list[tuple[Any, ...]] = []
    filed: defaultdict[str, dict[int, str]] = defaultdict(dict)
    versions: list[tuple[Any, ...]] = []
    for row, old in told:
        text, version, since = rewritten(old), row.version + 1, max(now, row.updated_at)
        hash_ = fingerprint_of(text)
        closed.append((since, row.place))
        filed[scope(row.home)][row.seq] = hash_
        versions.append((row.id, version, row.project, since, by, changes.change, text, hash_))
    db.executemany(_CLOSE, closed)
    db.executemany(_VERSION, versions)
    for place, hashes in filed.items():
        db.execute(_FILE, (archived_at, filing.reason, confirmed, place, now, json.dumps(hashes)))


def _scope(home: tuple[int, str, int, int], *, is_away: bool) -> str:
    number, reach, is_superseded, trust = home
    state = State.QUARANTINED if trust == 0 else State.LIVE
    if is_away or is_superseded:
        state = State.ARCHIVED if is_away else State.SUPERSEDED
    own = scope_token(number, state)
    return f"{own} {everywhere_token(state)}" if reach == Reach.EVERYWHERE else own
