"""In which tables a change lands."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hindbrain.adapters.fit import refuse_misfits
from hindbrain.adapters.postgres import authors, vectors, words
from hindbrain.adapters.postgres.codec import column, written
from hindbrain.adapters.postgres.filing import put as put_filing
from hindbrain.adapters.postgres.reader import PostgresReader
from hindbrain.adapters.postgres.schema import note
from hindbrain.adapters.postgres.wire import Db
from hindbrain.core.digest import sha256
from hindbrain.core.learning.audit import Entry, head_of
from hindbrain.core.model import Memory, Pulse, Reach, Space, Vector
from hindbrain.core.model.job import KEPT_DONE, SUPERSEDED, Job, JobState
from hindbrain.core.model.moment import stamp
from hindbrain.core.model.record import actor_record, canonical, from_record, to_record
from hindbrain.core.model.token import KEPT
from hindbrain.core.notation import read, write
from hindbrain.core.recall.meaningful import digest, meaningful
from hindbrain.core.value import replace
from hindbrain.errors import Conflict, StoreDamaged, UnknownMemory
from hindbrain.ports import Changes

COLUMNS = (
    *("seq", "id", "project", "scope", "kind", "type", "state", "persona", "reach", "session", "trust", "confidence"),
    *("is_pinned", "learned_at", "created_at", "error_signature", "key", "content_hash", "version", "size", "words"),
    *("row_hash", "data"),
)
_PUT = (
    f"INSERT INTO memory ({', '.join(COLUMNS)}) VALUES ({', '.join(['%s'] * len(COLUMNS))})"
    f" ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in COLUMNS[2:])}"
)
_SEAL = authors.SEAL.format(by="%s::text", why="%s::text")
_VERSION = f"INSERT INTO memory_version VALUES (%s, %s, %s, %s, %s, NULL, %s, %s, %s, %s, {_SEAL})"
_OPEN = (JobState.QUEUED, JobState.RUNNING)


def apply(changes: Changes, db: Db, *, reader: PostgresReader) -> None:
    """Write all of `changes`. The caller holds the gate and a transaction."""
    refuse_misfits(changes.vectors)
    _prove(changes, db)
    touched: set[int] = set()
    for group in _groups(changes.memories):
        touched |= _put_memories(group, db, changes=changes)
    for filing in changes.filings:
        touched |= put_filing(filing, changes, db=db)
    if changes.vectors:
        touched |= _put_vectors(changes.vectors, db, reader=reader)
    if touched:
        vectors.list_due(db, sorted(touched))
    if changes.pulses:
        _beat(changes.pulses, db)
    _put_receipts(changes, db)
    _put_plain(changes, db, home=reader.home)
    for job in changes.jobs:
        _queue(job, db, home=reader.home)
    if any(job.state is JobState.DONE for job in changes.jobs):
        _forget_done(db, reader.home)
    for entry in changes.audits:
        _log(entry, db, reader=reader)


def _prove(changes: Changes, db: Db) -> None:
    """StoreDamaged when a row that would get its next state is not as it was written."""
    states = {
        "review": [one.id for one in changes.reviews],
        "suggestion": [one.id for one in changes.suggestions],
        "workstream": [one.id for one in changes.workstreams],
    }
    for table, ids in states.items():
        if ids:
            sql = (
                f"SELECT id FROM {table} WHERE id = ANY(%s) AND seal IS DISTINCT FROM hashtextextended(data, 0) LIMIT 1"
            )
            for (key,) in db.execute(sql.encode(), (ids,)).fetchall():
                raise StoreDamaged.of(f"{table} {key}")


def _groups(memories: Sequence[Memory]) -> list[list[Memory]]:
    """Such that no memory stands twice in one."""
    groups: list[list[Memory]] = []
    for memory in memories:
        fit = next((group for group in groups if all(other.id != memory.id for other in group)), None)
        if fit is None:
            groups.append([memory])
        else:
            fit.append(memory)
    return groups


def _put_memories(memories: Sequence[Memory], db: Db, *, changes: Changes) -> set[int]:
    known, damaged = _standing([memory.id for memory in memories], db)
    for key in damaged:
        raise StoreDamaged.of(f"memory {key}")
    numbers, scope_of = _numbers(memories, db, known=known)
    index, rows = words.Index(), []
    for memory in memories:
        old, seq, scope = known.get(memory.id), numbers[memory.id], scope_of(memory)
        _refuse_other_version(memory, old)
        found = words.found_by(memory)
        rows.append(row(memory, number=seq, scope=scope, found=found))
        before = (words.found_by(old), scope_of(old)) if old else None
        if before and before != (found, scope):
            index.remove(seq, before[0], scope=before[1])
        if before != (found, scope):
            index.add(seq, found, scope=scope)
    db.cursor().executemany(_PUT, rows)
    pairs = [(known[memory.id], memory) for memory in memories if memory.id in known]
    reworded = [new for old, new in pairs if (old.title, old.content) != (new.title, new.content)]
    moved = [new for old, new in pairs if scope_of(old) != scope_of(new)]
    run = db.cursor()
    run.executemany("DELETE FROM embedding WHERE memory = %s", [(numbers[one.id],) for one in reworded])
    run.executemany(
        "UPDATE embedding SET scope = %s WHERE memory = %s", [(scope_of(one), numbers[one.id]) for one in moved]
    )
    index.write(db)
    _put_versions(memories, db, changes=changes)
    return set(numbers.values())


def _standing(ids: Sequence[str], db: Db) -> tuple[dict[str, Memory], set[str]]:
    """Those that are there as they were written, and who else is there."""
    sql = "SELECT id, data, row_hash FROM memory WHERE id = ANY(%s::text[])"
    found = db.execute(sql, ([column(key) for key in ids],)).fetchall()
    whole = [from_record(read(data)) for _, data, proof in found if hashed(data) == proof]
    known = {memory.id: memory for memory in whole}
    return known, {key for key, _, _ in found} - {column(key) for key in known}


def _refuse_other_version(memory: Memory, old: Memory | None) -> None:
    known = old.version if old else 0
    if memory.version != known + 1:
        raise Conflict(
            f"{memory.id} is at version {known}, not {memory.version - 1}", fix="read it again and repeat the change"
        )


def _numbers(
    memories: Sequence[Memory], db: Db, *, known: Mapping[str, Memory]
) -> tuple[dict[str, int], Callable[[Memory], int]]:
    """The number of each memory, new ones included, and what tells the scope of a memory. Conflict for a project that
    is not there."""
    names = {memory.project for memory in (*memories, *known.values())}
    projects: dict[str, int] = dict(
        db.execute("SELECT id, seq FROM project WHERE id = ANY(%s)", ([column(n) for n in names],)).fetchall()
    )
    lost = next((memory.project for memory in memories if memory.project not in projects), None)
    if lost is not None:
        raise Conflict(f"there is no project {lost}", fix="run the command again in the project's folder")
    old = db.execute("SELECT id, seq FROM memory WHERE id = ANY(%s)", ([column(key) for key in known],)).fetchall()
    fresh = [memory.id for memory in memories if memory.id not in known]
    new = db.execute("SELECT nextval('memory_number') FROM generate_series(1, %s)", (len(fresh),)).fetchall()
    numbers = dict(old) | {key: seq for key, (seq,) in zip(fresh, new, strict=True)}
    return numbers, lambda memory: 0 if memory.reach is Reach.EVERYWHERE else projects[memory.project]


def row(memory: Memory, *, number: int, scope: int, found: words.Found) -> tuple[Any, ...]:
    """Values for COLUMNS."""
    data = canonical(to_record(memory))
    return (
        *(number, memory.id, memory.project, scope, str(memory.kind), column(memory.type), str(memory.state)),
        *(column(memory.persona), str(memory.reach), column(memory.provenance.session), memory.trust),
        *(memory.confidence, memory.is_pinned, stamp(memory.learned_at), stamp(memory.created_at)),
        *(column(memory.error_signature), column(memory.key), column(memory.content_hash), memory.version),
        *(found.size, found.text, hashed(data), data),
    )


def hashed(data: str) -> str:
    return sha256(data.encode("utf-8", "surrogatepass"))


def _put_versions(memories: Sequence[Memory], db: Db, *, changes: Changes) -> None:
    run = db.cursor()
    run.executemany(
        "UPDATE memory_version SET until = %s WHERE memory = %s AND until IS NULL",
        [(stamp(memory.updated_at), memory.id) for memory in memories if memory.version > 1],
    )
    by = canonical(actor_record(changes.by))
    texts = [(memory, canonical(to_record(memory))) for memory in memories]
    run.executemany(
        _VERSION.encode(),
        [
            (
                *(memory.id, memory.version, memory.project, str(memory.reach), stamp(memory.updated_at)),
                *(by, changes.change, hashed(data), data, by, changes.change),
            )
            for memory, data in texts
        ],
    )


def _put_vectors(brought: Sequence[Vector], db: Db, *, reader: PostgresReader) -> set[int]:
    """Those of a text that a memory no longer has, or of a memory that is gone, are left out: somebody was faster."""
    pieces: dict[tuple[str, Space], list[Vector]] = {}
    for vector in brought:
        pieces.setdefault((vector.memory_id, vector.space), []).append(vector)
    known = reader.memories([key for key, _ in pieces])
    for (key, space), made in pieces.items():
        memory = known.get(key)
        if memory and {vector.digest for vector in made} == {digest(meaningful(memory))}:
            vectors.put(db, memory, space=space, vectors=made)
    rows = db.execute("SELECT seq FROM memory WHERE id = ANY(%s)", (list(known),)).fetchall()
    return {seq for (seq,) in rows}


def _beat(pulses: Sequence[Pulse], db: Db) -> None:
    """A memory that is not as it was written stays so, and costs others that were shown with it no count."""
    known, damaged = _standing([pulse.memory_id for pulse in pulses], db)
    for pulse in pulses:
        memory = known.get(pulse.memory_id)
        if memory is None and column(pulse.memory_id) not in damaged:
            raise UnknownMemory(f"there is no memory {pulse.memory_id}", fix="`hindbrain list` shows their ids")
        if memory is not None:
            known[memory.id] = pulse.applied_to(memory)  # a memory may have several
    texts = [(memory, canonical(to_record(memory))) for memory in known.values()]
    db.cursor().executemany(
        "UPDATE memory SET confidence = %s, row_hash = %s, data = %s WHERE id = %s",
        [(memory.confidence, hashed(data), data, memory.id) for memory, data in texts],
    )


def _put_receipts(changes: Changes, db: Db) -> None:
    if not changes.receipts:
        return
    keys = [str(column(receipt.key)) for receipt in changes.receipts]
    taken = db.execute("SELECT key FROM receipt WHERE key = ANY(%s)", (keys,)).fetchall()
    if taken or len(set(keys)) < len(keys):
        raise Conflict(f"receipt key {taken[0][0] if taken else keys[0]} is taken", fix="read the receipt that has it")
    db.cursor().executemany(
        "INSERT INTO receipt VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
        [
            (
                *(one.id, column(one.key), stamp(one.at), one.project, str(one.verdict), column(one.session)),
                *(one.memory_id, column(one.ref), written(one, without=("is_replay",))),
            )
            for one in changes.receipts
        ],
    )


def _put_plain(changes: Changes, db: Db, *, home: str) -> None:
    """What only has to be written down."""
    run = db.cursor()
    for sql, rows in _plain_rows(changes, home):
        if rows:
            run.executemany(sql.encode(), rows)
    gone = [column(name) for name, value in changes.cursors.items() if not value]
    if gone:
        run.execute("DELETE FROM cursor WHERE home = %s AND name = ANY(%s)", (home, gone))


def _plain_rows(changes: Changes, home: str) -> list[tuple[str, list[tuple[Any, ...]]]]:
    return [
        (
            "DELETE FROM saying WHERE memory = %s AND receipt = %s",
            [(s.memory_id, s.receipt) for s in changes.unsaid],
        ),
        (
            _insert("saying", 4),
            [(s.memory_id, s.receipt, stamp(s.at), written(s)) for s in changes.sayings],
        ),
        (
            "DELETE FROM link WHERE source = %s AND target = %s AND relation = %s",
            [(k.source, k.target, str(k.relation)) for k in changes.unlinked],
        ),
        (
            _insert("link", 5),
            [(k.source, k.target, str(k.relation), stamp(k.at), written(k)) for k in changes.links],
        ),
        (
            _insert("review", 7, key="id", changing=("closed_at", "other", "data")),
            [
                (r.id, r.project, r.memory_id, r.other_id, stamp(r.opened_at), _maybe(r.closed_at), written(r))
                for r in changes.reviews
            ],
        ),
        (
            _insert("injection", 7, key="id", changing=("data",)),
            [
                (i.id, stamp(i.at), i.project, column(i.session), column(i.agent), i.is_withheld, written(i))
                for i in changes.injections
            ],
        ),
        (
            _insert("injection_item", 4),
            [(i.id, n, s.memory_id, s.version) for i in changes.injections for n, s in enumerate(i.shown)],
        ),
        (
            "INSERT INTO event (project, memory, data) VALUES (%s, %s, %s)",
            [(e.project, e.memory_id, written(e, without=("seq",))) for e in changes.events],
        ),
        *_doing_rows(changes),
        *_loop_rows(changes, home),
        *_caller_rows(changes),
    ]


def _doing_rows(changes: Changes) -> list[tuple[str, list[tuple[Any, ...]]]]:
    tied = list(dict.fromkeys(anchor.memory_id for anchor in changes.anchors))
    places = {key: [anchor for anchor in changes.anchors if anchor.memory_id == key] for key in tied}
    return [
        (
            "INSERT INTO activity (id, project, session, deed, data) VALUES (%s, %s, %s, %s, %s)"
            " ON CONFLICT DO NOTHING",
            [
                (a.id, a.project, column(a.session), str(a.deed), written(a, without=("seq",)))
                for a in changes.activities
            ],
        ),
        (
            _insert("outcome", 8),
            [
                (o.id, stamp(o.at), o.project, o.memory_id, o.injection_id, o.how, column(o.session), written(o))
                for o in changes.outcomes
            ],
        ),
        ("DELETE FROM anchor WHERE memory = %s", [(key,) for key in tied]),
        (
            _insert("anchor", 5),
            [(key, n, a.project, column(a.path), written(a)) for key in tied for n, a in enumerate(places[key])],
        ),
        (
            "INSERT INTO call (id, at, data) VALUES (%s, %s, %s)"
            " ON CONFLICT (id) DO UPDATE SET at = excluded.at, data = excluded.data",
            [(c.id, stamp(c.at), written(c)) for c in changes.calls],
        ),
    ]


def _loop_rows(changes: Changes, home: str) -> list[tuple[str, list[tuple[Any, ...]]]]:
    return [
        (
            _insert("paper", 7, key="project, sort, id", changing=("agent", "receiver", "at", "data")),
            [
                (p.project, str(p.sort), column(p.id), column(p.agent), column(p.to), stamp(p.at), written(p))
                for p in changes.papers
            ],
        ),
        (
            _insert("suggestion", 6, key="id", changing=("project", "scar", "status", "created_at", "data")),
            [(s.id, s.project, s.scar_id, str(s.status), stamp(s.created_at), written(s)) for s in changes.suggestions],
        ),
        (
            _insert("workstream", 5, key="id", changing=("project", "state", "opened_at", "data")),
            [(w.id, w.project, w.state, stamp(w.opened_at), written(w)) for w in changes.workstreams],
        ),
        (
            _insert("cursor", 3, key="home, name", changing=("value",)),
            [(home, column(name), write(value)) for name, value in changes.cursors.items() if value],
        ),
    ]


def _caller_rows(changes: Changes) -> list[tuple[str, list[tuple[Any, ...]]]]:
    return [
        (
            _insert("token", 3, key="name", changing=("digest", "data")),
            [(token.name, token.digest, written(token)) for token in changes.tokens],
        ),
        ("DELETE FROM reply WHERE at < %s", [(stamp(reply.at - KEPT),) for reply in changes.replies]),
        (
            _insert("reply", 3, key="key", changing=("at", "data")),
            [(column(reply.key), stamp(reply.at), written(reply)) for reply in changes.replies],
        ),
    ]


def _insert(table: str, width: int, *, key: str = "", changing: Sequence[str] = ()) -> str:
    """What is there already stays, or takes the new values of `changing`."""
    news = ", ".join(f"{name} = excluded.{name}" for name in changing)
    then = f"({key}) DO UPDATE SET {news}" if changing else "DO NOTHING"
    return f"INSERT INTO {table} VALUES ({', '.join(['%s'] * width)}) ON CONFLICT {then}"


def _maybe(moment: Any) -> str | None:
    return stamp(moment) if moment else None


def _queue(job: Job, db: Db, *, home: str) -> None:
    is_known = db.execute("SELECT 1 FROM job WHERE id = %s", (job.id,)).fetchall()
    others = db.execute(
        "SELECT 1 FROM job WHERE home = %s AND key = %s AND state IN ('queued', 'running') AND id <> %s",
        (home, column(job.key), job.id),
    ).fetchall()
    is_taken = bool(others) and job.state in _OPEN
    if is_known and is_taken:
        job = replace(job, state=JobState.DONE, error=SUPERSEDED)
    if not is_known and is_taken:
        return
    values = (job.project, job.kind, column(job.key), str(job.state), stamp(job.due_at), written(job, without=("seq",)))
    db.execute(
        "INSERT INTO job (project, kind, key, state, due_at, data, id, home) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"
        " ON CONFLICT (id) DO UPDATE SET project = excluded.project, kind = excluded.kind, key = excluded.key,"
        " state = excluded.state, due_at = excluded.due_at, data = excluded.data",
        (*values, job.id, home),
    )


def _forget_done(db: Db, home: str) -> None:
    db.execute(
        "DELETE FROM job WHERE home = %(home)s AND state = 'done' AND seq <= (SELECT seq FROM job"
        " WHERE home = %(home)s AND state = 'done' ORDER BY seq DESC LIMIT 1 OFFSET %(kept)s)",
        {"home": home, "kept": KEPT_DONE},
    )


def _log(entry: Entry, db: Db, *, reader: PostgresReader) -> None:
    known = reader.audit_head()
    if known is None or (known.seq + 1, known.hash) != (entry.seq, entry.prev):
        raise Conflict(
            f"entry {entry.seq} does not follow the last one of the audit log",
            fix="run `hindbrain audit verify`; nothing was written",
        )
    db.execute("INSERT INTO audit VALUES (%s, %s, %s)", (entry.seq, entry.project, written(entry, without=("seq",))))
    note(db, "audit", value=head_of(entry).text)
