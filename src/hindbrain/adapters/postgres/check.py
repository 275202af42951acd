"""What counts as damage: a row that no longer has the hash it was written with, an index that tells other words."""

from collections import Counter
from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any

from hindbrain.adapters.postgres import authors, beside, vectors, words
from hindbrain.adapters.postgres.codec import read_as
from hindbrain.adapters.postgres.schema import fingerprint
from hindbrain.adapters.postgres.wire import Db, steady
from hindbrain.adapters.postgres.writer import COLUMNS, hashed, row
from hindbrain.core.model import Event, Injection, Link, Memory, Receipt, Review
from hindbrain.core.model.activity import Activity
from hindbrain.core.model.call import Call
from hindbrain.core.model.job import Job
from hindbrain.core.model.outcome import Anchor, Outcome
from hindbrain.core.model.paper import Paper
from hindbrain.core.model.record import from_record
from hindbrain.core.model.suggestion import Suggestion
from hindbrain.core.model.token import Reply, Token
from hindbrain.core.model.workstream import Workstream
from hindbrain.core.notation import read
from hindbrain.core.recall.meaningful import digest, meaningful
from hindbrain.ports import Damage, Saying

_RESTORE = "hindbrain fsck --repair takes it from a backup, or restore one of the server"
_REPAIR = "hindbrain doctor --repair"
KINDS: dict[str, type[Any]] = {
    "activity": Activity,
    "anchor": Anchor,
    "call": Call,
    "event": Event,
    "injection": Injection,
    "job": Job,
    "link": Link,
    "outcome": Outcome,
    "paper": Paper,
    "receipt": Receipt,
    "review": Review,
    "reply": Reply,
    "saying": Saying,
    "suggestion": Suggestion,
    "token": Token,
    "workstream": Workstream,
}
SEALED = {**dict.fromkeys(("audit", *KINDS), "data"), "cursor": 'value COLLATE "C"'}
_NEXT = (
    "(SELECT n.since FROM memory_version n WHERE n.memory = v.memory AND n.version > v.version"
    " ORDER BY n.version LIMIT 1)"
)
_HAS = "EXISTS (SELECT 1 FROM embedding v WHERE v.space = s.seq AND v.scope = m.scope AND v.memory = m.seq)"
_WRONG = {
    "lie with another project": "embedding v JOIN memory m ON m.seq = v.memory WHERE v.scope <> m.scope",
    "are not as long as their space says": "embedding v JOIN space s ON s.seq = v.space"
    " WHERE vector_dims(v.code) <> s.dimension",
    "are not as they were written": f"embedding v WHERE v.seal <> {vectors.SEAL}",
    "are missing, and nothing will make them": "space s CROSS JOIN memory m"
    " WHERE s.is_expected AND m.state <> 'archived'"
    f" AND NOT {_HAS} AND NOT EXISTS (SELECT 1 FROM embedding_due d WHERE d.space = s.seq AND d.memory = m.seq)",
    "are waited for in vain": "embedding_due d LEFT JOIN space s ON s.seq = d.space"
    " LEFT JOIN memory m ON m.seq = d.memory"
    f" WHERE s.seq IS NULL OR m.seq IS NULL OR m.state = 'archived' OR {_HAS}",
}


def damage(db: Db) -> tuple[Damage, ...]:
    """Everything that is wrong, as of one moment."""
    weights: dict[int, float] = {}
    with steady(db):
        memories = (*_schema(db), *_memories(db, weights), *_versions(db))
        index = () if is_partial(db) else _index(db, weights)
        return (*memories, *index, *_vectors(db), *_rows(db))


def is_partial(db: Db) -> bool:
    """Whether this role sees the rows of some projects only: the word index counts those of all."""
    ((found,),) = db.execute("SELECT row_security_active('memory')").fetchall()
    return bool(found)


def _schema(db: Db) -> Iterator[Damage]:
    known = db.execute("SELECT value FROM meta WHERE name = 'fingerprint'").fetchall()
    if known != [(fingerprint(db),)]:
        yield Damage(where="schema", what="tables or policies were changed by another hand", fix=_RESTORE)


def _memories(db: Db, weights: dict[int, float]) -> Iterator[Damage]:
    """Also what the words of each weigh, by its number."""
    for values in db.execute(f"SELECT {', '.join(COLUMNS)} FROM memory ORDER BY seq".encode()):
        where = f"memory {values[1]}"
        memory = _read_memory(values[-1])
        if memory is None:
            yield Damage(where=where, what="cannot be read", fix=_RESTORE)
            continue
        if hashed(values[-1]) != values[-2]:
            yield Damage(where=where, what="differs from the hash it was written with", fix=_RESTORE)
            continue
        found = words.found_by(memory)
        weights[values[0]] = sum(found.often.values())
        if row(memory, number=values[0], scope=values[3], found=found) != values:
            yield Damage(where=where, what="its columns are not those of its value", fix=_REPAIR)


def _read_memory(data: str) -> Memory | None:
    try:
        return from_record(read(data))
    except (ValueError, KeyError, TypeError):
        return None


def _versions(db: Db) -> Iterator[Damage]:
    for memory, version, data, row_hash in db.execute("SELECT memory, version, data, row_hash FROM memory_version"):
        if hashed(data) != row_hash:
            yield Damage(where=f"version {version} of {memory}", what="differs from its hash", fix=_RESTORE)
    if count := authors.count(db):
        what = f"of {count} who made them, or why, differs from the hash it was written with"
        yield Damage(where="versions", what=what, fix=_RESTORE)


def _index(db: Db, weights: Mapping[int, float]) -> Iterator[Damage]:
    """Postings, the count of holders and the tally, against the words of the rows and what these weigh."""
    holders: Counter[str] = Counter()
    postings: Counter[int] = Counter()
    size = 0
    for seq, length, text in db.execute("SELECT seq, size, words FROM memory").fetchall():
        terms = set(text.split())
        holders.update(terms)
        postings[seq], size = len(terms), size + length
    told: dict[str, int] = dict(db.execute("SELECT term, holders FROM term").fetchall())
    kept: dict[int, int] = dict(
        db.execute(
            "SELECT p.memory, count(*) FROM posting p JOIN memory m ON m.seq = p.memory AND m.scope = p.scope"
            " AND m.size = p.size GROUP BY p.memory"
        ).fetchall()
    )
    ((rows,),) = db.execute("SELECT count(*) FROM posting").fetchall()
    # As many as it has terms, and each of them one of its own: then they are all of them.
    ((foreign,),) = db.execute(
        "SELECT count(*) FROM posting p JOIN memory m ON m.seq = p.memory"
        " WHERE strpos(' ' || m.words || ' ', ' ' || p.term || ' ') = 0"
    ).fetchall()
    often: dict[int, float] = dict(db.execute("SELECT memory, sum(often) FROM posting GROUP BY memory").fetchall())
    is_weighed = all(isclose(often.get(seq, 0.0), weight) for seq, weight in weights.items())
    ((count, total),) = db.execute("SELECT memories, size FROM tally").fetchall()
    is_sound = (told, kept, rows) == (dict(holders), dict(+postings), sum(postings.values()))
    is_sound = is_sound and is_weighed and not foreign
    if not is_sound or (count, total) != (len(postings), size):
        yield Damage(where="word index", what="does not match the memories", fix=_REPAIR)


def _vectors(db: Db) -> Iterator[Damage]:
    for what, source in _WRONG.items():
        ((count,),) = db.execute(f"SELECT count(*) FROM {source}".encode()).fetchall()
        if count:
            yield Damage(where="vectors", what=f"{count} {what}", fix=_REPAIR)
    stale = len(_stale(db))
    if stale:
        yield Damage(where="vectors", what=f"those of {stale} memories were made from other words", fix=_REPAIR)


def _stale(db: Db) -> list[int]:
    made = "(SELECT DISTINCT memory, digest FROM embedding) v JOIN memory m ON m.seq = v.memory"
    found = (
        (seq, told, _read_memory(data))
        for seq, told, data in db.execute(f"SELECT m.seq, v.digest, m.data FROM {made}".encode())
    )
    return [seq for seq, told, memory in found if memory and digest(meaningful(memory)) != told]


def _rows(db: Db) -> Iterator[Damage]:
    """Rows that are not as they were written, or that nobody could read: one such job would stop the queue."""
    for table, value in SEALED.items():
        sql = f"SELECT count(*) FROM {table} WHERE seal IS DISTINCT FROM hashtextextended({value}, 0)"
        ((count,),) = db.execute(sql.encode()).fetchall()
        if count:
            yield Damage(
                where=table, what=f"{count} rows that differ from the hash they were written with", fix=_RESTORE
            )
    for table, bad, astray in beside.told(db):
        if bad:
            yield Damage(where=table, what=f"{bad} rows that cannot be read", fix=_RESTORE)
        if astray:
            yield Damage(where=f"{table} columns", what=f"{astray} rows are not where their values say", fix=_REPAIR)
    ((ends,),) = db.execute(f"SELECT count(*) FROM memory_version v WHERE until IS DISTINCT FROM {_NEXT}").fetchall()
    if ends:
        yield Damage(where="memory_version columns", what=f"{ends} do not end when the next begins", fix=_REPAIR)


def is_readable(kind: type[Any], data: str) -> bool:
    try:
        read_as(kind, data)
    except (ValueError, KeyError, TypeError):
        return False
    return True


def repair(db: Db) -> None:
    """Write columns and the word index anew from the values, and mend the vectors. The caller holds the gate."""
    beside.repair(db)
    db.execute(f"UPDATE memory_version v SET until = {_NEXT} WHERE until IS DISTINCT FROM {_NEXT}")
    db.execute("TRUNCATE posting, term")
    db.execute("UPDATE tally SET memories = 0, size = 0")
    index = words.Index()
    for seq, scope, data in db.execute("SELECT seq, scope, data FROM memory").fetchall():
        memory = _read_memory(data)
        if memory is None:
            continue  # reported as a row that cannot be read
        found = words.found_by(memory)
        index.add(seq, found, scope=scope)
        values = row(memory, number=seq, scope=scope, found=found)[2:-2]
        names = ", ".join(f"{name} = %s" for name in COLUMNS[2:-2])
        db.execute(f"UPDATE memory SET {names} WHERE seq = %s".encode(), (*values, seq))
    index.write(db)
    db.execute("DELETE FROM embedding v USING space s WHERE s.seq = v.space AND vector_dims(v.code) <> s.dimension")
    db.execute(  # all pieces go with one that is wrong: the list knows memories, not pieces
        "DELETE FROM embedding e USING embedding v WHERE e.space = v.space AND e.memory = v.memory"
        f" AND v.seal <> {vectors.SEAL}".encode()
    )
    db.execute("UPDATE embedding v SET scope = m.scope FROM memory m WHERE m.seq = v.memory AND v.scope <> m.scope")
    db.execute("DELETE FROM embedding WHERE memory = ANY(%s)", (_stale(db),))
    db.execute("DELETE FROM embedding_due")
    vectors.list_due(db)
