"""In which tables a change lands."""

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial

import apsw

from hindbrain.adapters.sqlite import rows
from hindbrain.core.hints import Any
from hindbrain.core.model import Counters, Injection, Memory, Pulse, Receipt, Review
from hindbrain.core.model.moment import stamp
from hindbrain.core.model.record import actor_record, canonical, fingerprint_of, to_record
from hindbrain.errors import Conflict, StoreDamaged, UnknownMemory
from hindbrain.ports import Changes, Reader

TYPE_CHECKING = False  # checkers take it for True
if TYPE_CHECKING:
    from hindbrain.adapters.sqlite.trail import Trail

_INSERT = f"INSERT INTO memory ({', '.join(rows.WRITTEN)}) VALUES ({', '.join('?' * len(rows.WRITTEN))})"
_PULSED = (*Counters.__slots__, "confidence", "row_hash", "last_used_at", "decayed_at")
_PULSE = f"UPDATE memory SET {', '.join(f'{name} = ?' for name in _PULSED)} WHERE id = ?"
_UPDATE = f"UPDATE memory SET {', '.join(f'{name} = ?' for name in rows.WRITTEN)} WHERE id = ?"


def apply(changes: Changes, db: apsw.Connection, *, reader: Reader, trail: "Trail | None" = None) -> None:
    """Write all of `changes`. The caller holds the gate and a transaction, which `trail` follows."""
    if not changes.vectors:
        _write(changes, db, reader=reader, trail=trail)
        return
    from hindbrain.adapters.fit import refuse_misfits
    from hindbrain.adapters.sqlite.vectors import put  # most changes bring none

    refuse_misfits(changes.vectors)
    _write(changes, db, reader=reader, trail=trail)
    put(changes, db, reader=reader)


def _write(changes: Changes, db: apsw.Connection, *, reader: Reader, trail: "Trail | None") -> None:
    for memory in changes.memories:
        _put(memory, db, changes=changes, trail=trail)
    _file(changes, db, reader=reader, trail=trail)
    if changes.pulses:
        _beat(changes.pulses, db)
    for receipt in changes.receipts:
        _receipt(db, receipt)
    _sayings(changes, db)
    for gone in changes.unlinked:
        db.execute(
            "DELETE FROM link WHERE source = ? AND target = ? AND relation = ?",
            (gone.source, gone.target, str(gone.relation)),
        )
    for link in changes.links:
        db.execute(
            "INSERT OR IGNORE INTO link VALUES (?, ?, ?, ?, ?)",
            (link.source, link.target, str(link.relation), stamp(link.at), link.reason),
        )
    _reviews(changes.reviews, db)
    for injection in changes.injections:
        _injection(db, injection)
    for event in changes.events:
        db.execute(
            "INSERT INTO event (at, project, name, memory, data) VALUES (?, ?, ?, ?, ?)",
            (stamp(event.at), event.project, event.name, event.memory_id, rows.to_json(dict(event.data))),
        )
    _put_doings(changes, db)


def _file(changes: Changes, db: apsw.Connection, *, reader: Reader, trail: "Trail | None") -> None:
    if not changes.filings:
        return
    from hindbrain.adapters.sqlite import filing  # few commands put many away at once

    def put_one(memory: Memory) -> None:
        _put(memory, db, changes=changes, trail=trail)

    for one in changes.filings:
        filing.put(one, changes, db=db, reader=reader, put_one=put_one)
    if trail:
        trail.forget()  # of a sweep it would have to read as much again as it knows


def _sayings(changes: Changes, db: apsw.Connection) -> None:
    for gone in changes.unsaid:
        db.execute("DELETE FROM saying WHERE memory = ? AND receipt = ?", (gone.memory_id, gone.receipt))
    for saying in changes.sayings:
        db.execute(
            "INSERT OR IGNORE INTO saying VALUES (?, ?, ?, ?, ?)",
            (saying.memory_id, saying.receipt, saying.session, saying.speaker, stamp(saying.at)),
        )


def _put_doings(changes: Changes, db: apsw.Connection) -> None:
    if changes.activities or changes.jobs or changes.outcomes or changes.anchors:
        from hindbrain.adapters.sqlite import deeds, queue, worth  # a memory needs none of them

        deeds.put(changes.activities, db)
        queue.put(changes.jobs, db)
        worth.put_outcomes(changes.outcomes, db)
        worth.put_anchors(changes.anchors, db)
    _put_writings(changes, db)
    if changes.tokens or changes.replies:
        from hindbrain.adapters.sqlite import callers

        callers.put_tokens(changes.tokens, db)
        callers.put_replies(changes.replies, db)
    for name, value in changes.cursors.items():
        if value:
            db.execute("INSERT OR REPLACE INTO cursor VALUES (?, ?)", (name, value))
        else:
            db.execute("DELETE FROM cursor WHERE name = ?", (name,))


def _put_writings(changes: Changes, db: apsw.Connection) -> None:
    """What few commands write: each part loads when there is something for it."""
    if changes.calls:
        from hindbrain.adapters.sqlite import calls

        calls.put(changes.calls, db)
    if changes.papers:
        from hindbrain.adapters.sqlite import papers

        papers.put(changes.papers, db)
    if changes.suggestions or changes.audits or changes.workstreams:
        from hindbrain.adapters.sqlite import loop

        loop.put(changes, db)


def _put(memory: Memory, db: apsw.Connection, *, changes: Changes, trail: "Trail | None") -> None:
    known = _version(memory.id, db, is_new=memory.version == 1)
    if memory.version != known + 1:
        raise Conflict(
            f"{memory.id} is at version {known}, not {memory.version - 1}",
            fix="read it again and repeat the change",
        )
    (number,) = db.execute("SELECT seq FROM project WHERE id = ?", (memory.project,)).fetchone() or (None,)
    if number is None:
        raise Conflict(f"there is no project {memory.project}", fix="run the command again in the project's folder")
    text = canonical(to_record(memory))
    hash_ = fingerprint_of(text)
    row = rows.to_row(memory, project_number=number, known_hash=hash_)
    _put_row(memory.id, row, db=db, is_new=not known, trail=trail)
    if known:
        db.execute(
            "UPDATE memory_version SET until = ? WHERE memory = ? AND until IS NULL",
            (stamp(memory.updated_at), memory.id),
        )
    db.execute(
        "INSERT INTO memory_version VALUES (?, ?, ?, ?, NULL, ?, ?, ?, ?)",
        (
            *(memory.id, memory.version, memory.project, stamp(memory.updated_at)),
            *(canonical(actor_record(changes.by)), changes.change, text, hash_),
        ),
    )


def _put_row(memory_id: str, row: Sequence[Any], *, db: apsw.Connection, is_new: bool, trail: "Trail | None") -> None:
    ask = partial(_all, db)
    if trail:
        trail.meet(ask)
    if not is_new:
        with trail.changed(memory_id, ask) if trail else nullcontext():
            db.execute(_UPDATE, (*row, memory_id))
        return
    db.execute(_INSERT, row)
    if trail:
        trail.added(db.last_insert_rowid(), row[-rows.INDEXED :])


def _version(memory_id: str, db: apsw.Connection, *, is_new: bool) -> int:
    """At which the memory stands; 0: it is not there. StoreDamaged when it is not as it was written, which nobody needs
    to know of one that is taken for a new one."""
    if is_new:
        (known,) = db.execute("SELECT version FROM memory WHERE id = ?", (memory_id,)).fetchone() or (0,)
        return int(known)
    found = rows.selected(partial(_all, db), rows.THOSE, rows.to_json([memory_id]))
    if found and not rows.is_whole(found[0]):
        raise StoreDamaged.of(f"memory {memory_id}")
    return rows.of_row(found[0]).version if found else 0


def _all(db: apsw.Connection, sql: str, *values: Any) -> list[Any]:
    return db.execute(sql, values).fetchall()


def _beat(pulses: Sequence[Pulse], db: apsw.Connection) -> None:
    """A memory that is not as it was written stays so, and costs others that were shown with it no count."""
    touched = list(dict.fromkeys(pulse.memory_id for pulse in pulses))
    found = rows.selected(partial(_all, db), rows.THOSE, rows.to_json(touched))
    there = {row[0] for row in found}
    known = {row[0]: rows.of_row(row) for row in found if rows.is_whole(row)}
    for pulse in pulses:
        if pulse.memory_id not in there:
            raise UnknownMemory(f"there is no memory {pulse.memory_id}", fix="`hindbrain list` shows their ids")
        if memory := known.get(pulse.memory_id):
            known[memory.id] = pulse.applied_to(memory)  # a memory may have several
    db.executemany(_PULSE, [_pulsed(memory) for memory in known.values()])


def _pulsed(memory: Memory) -> tuple[Any, ...]:
    """Values for _PULSE."""
    return (
        *(getattr(memory.counters, name) for name in Counters.__slots__),
        *(memory.confidence, rows.row_hash(memory)),
        *(rows.maybe_stamp(memory.last_used_at), rows.maybe_stamp(memory.decayed_at), memory.id),
    )


def _receipt(db: apsw.Connection, receipt: Receipt) -> None:
    db.execute(
        f"INSERT INTO receipt VALUES ({', '.join('?' * 18)})",
        (
            *(
                receipt.id,
                receipt.key,
                stamp(receipt.at),
                receipt.project,
                str(receipt.verdict),
                receipt.text,
            ),
            *(receipt.reason, receipt.memory_id, rows.to_json(receipt.supersedes), receipt.signal),
            *(rows.maybe_stamp(receipt.said_at), receipt.session, receipt.task, receipt.adapter),
            *(receipt.origin, receipt.line, receipt.ref, rows.to_json(receipt.removed)),
        ),
    )


def _reviews(reviews: Sequence[Review], db: apsw.Connection) -> None:
    if reviews:
        from hindbrain.adapters.sqlite import seals

        seals.prove(db, "review", column="id", values=[review.id for review in reviews])
    for review in reviews:
        _review(db, review)


def _review(db: apsw.Connection, review: Review) -> None:
    db.execute(
        f"INSERT OR REPLACE INTO review VALUES ({', '.join('?' * 10)})",
        (
            *(review.id, review.project, str(review.kind), review.memory_id, review.other_id, review.reason),
            *(
                stamp(review.opened_at),
                rows.maybe_stamp(review.closed_at),
                review.decision,
                review.decided_by,
            ),
        ),
    )


def _injection(db: apsw.Connection, injection: Injection) -> None:
    db.execute(
        f"INSERT INTO injection VALUES ({', '.join('?' * 15)})",
        (
            *(injection.id, stamp(injection.at), injection.project, injection.format, injection.strategy),
            *(injection.left_out, injection.tokens, injection.session, injection.task),
            *(injection.persona, injection.hat, injection.query),
            *(injection.moment, injection.agent, int(injection.is_withheld)),
        ),
    )
    for position, shown in enumerate(injection.shown):
        reasons = [[r.name, r.value, r.weight, r.note] for r in shown.score.reasons]
        db.execute(
            "INSERT INTO injection_item VALUES (?, ?, ?, ?, ?, ?)",
            (
                injection.id,
                position,
                shown.memory_id,
                shown.version,
                injection.session,
                rows.to_json(reasons),
            ),
        )
