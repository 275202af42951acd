"""When vectors agree with the memories: each as it was made, from the present words of its own, none missing."""

from collections.abc import Iterator

import apsw

from hindbrain.adapters.sqlite import rows
from hindbrain.adapters.sqlite.shelves import PART
from hindbrain.core.recall.meaningful import digest, meaningful
from hindbrain.ports import Damage

_REPAIR = "hindbrain doctor --repair"
_VECTORS = "vector v LEFT JOIN space s ON s.seq = v.space LEFT JOIN memory_scope c ON c.memory = v.memory"
_LOOSE = "(s.seq IS NULL OR c.memory IS NULL OR c.scope <> v.scope)"
_PLACE = "r.scope = v.scope AND r.space = v.space AND r.memory = v.memory AND r.piece = v.piece"
_RESTS = f"(SELECT coalesce(sum(length(r.code)), 0) FROM vector_rest r WHERE {_PLACE})"
_MISFIT = f"(length(v.code) <> min(s.dimension, {PART}) OR length(v.code) + {_RESTS} <> s.dimension)"
_SCALE = "CAST(CAST(round(v.scale * 1e12) AS INTEGER) AS BLOB)"
_SEAL = f"seal_of(v.code, {_SCALE}, v.digest, CAST(v.start AS BLOB), CAST(v.end AS BLOB))"
_CHANGED = (
    f"(v.seal IS NOT {_SEAL} OR EXISTS (SELECT 1 FROM vector_rest r WHERE {_PLACE} AND r.seal IS NOT seal_of(r.code)))"
)
_LOST = f"vector_rest r WHERE NOT EXISTS (SELECT 1 FROM vector v WHERE {_PLACE})"
_HAS_VECTOR = """EXISTS (
    SELECT 1 FROM vector v
    WHERE v.scope = (SELECT scope FROM memory_scope WHERE memory = m.seq) AND v.space = s.seq AND v.memory = m.seq)"""
_MISSING = f"""space s JOIN memory m
WHERE s.is_expected = 1 AND m.seq > s.unlisted AND m.archived_at IS NULL AND NOT {_HAS_VECTOR}
    AND NOT EXISTS (SELECT 1 FROM vector_due d WHERE d.space = s.seq AND d.memory = m.seq)"""
_NEEDLESS = f"""vector_due d LEFT JOIN space s ON s.seq = d.space LEFT JOIN memory m ON m.seq = d.memory
WHERE s.seq IS NULL OR m.seq IS NULL OR m.archived_at IS NOT NULL OR {_HAS_VECTOR}"""
_COUNTED = "(SELECT space, scope, count(*) AS vectors FROM vector GROUP BY space, scope)"
_MISCOUNTED = f"""vector_tally t FULL JOIN {_COUNTED} n ON n.space = t.space AND n.scope = t.scope
WHERE coalesce(t.vectors, 0) <> coalesce(n.vectors, 0)"""
_WRONG = {
    "belong to no memory, or lie with another project": f"{_VECTORS} WHERE {_LOOSE}",
    "are not as long as their space says": f"{_VECTORS} WHERE {_MISFIT}",
    "are not as they were written": f"vector v WHERE {_CHANGED}",
    "are parts of none": _LOST,
    "are missing, and nothing will make them": _MISSING,
    "are waited for in vain": _NEEDLESS,
}


def damage(db: apsw.Connection) -> Iterator[Damage]:
    for what, source in _WRONG.items():
        ((count,),) = db.execute(f"SELECT count(*) FROM {source}").fetchall()
        if count:
            yield Damage(where="vectors", what=f"{count} {what}", fix=_REPAIR)
    if db.execute(f"SELECT 1 FROM {_MISCOUNTED} LIMIT 1").fetchall():
        yield Damage(where="vectors", what="their number is not the one that is written down", fix=_REPAIR)
    stale = sum(1 for _ in _stale(db))
    if stale:
        yield Damage(where="vectors", what=f"those of {stale} memories were made from other words", fix=_REPAIR)


def repair(db: apsw.Connection) -> None:
    """Remove what disagrees, and list its memories as due."""
    # All pieces go with one that is wrong: the list knows memories, not pieces.
    db.execute(
        "DELETE FROM vector WHERE (scope, space, memory) IN"
        f" (SELECT v.scope, v.space, v.memory FROM {_VECTORS} WHERE {_LOOSE} OR {_MISFIT} OR {_CHANGED})"
    )
    lost = f"SELECT r.scope, r.space, r.memory, r.piece FROM {_LOST}"
    db.execute(f"DELETE FROM vector_rest WHERE (scope, space, memory, piece) IN ({lost})")
    for seq in list(_stale(db)):
        db.execute(
            "DELETE FROM vector WHERE scope IN (SELECT scope FROM memory_scope WHERE memory = ?1)"
            " AND space IN (SELECT seq FROM space) AND memory = ?1",
            (seq,),
        )
    wrong = (
        f"SELECT coalesce(t.space, n.space), coalesce(t.scope, n.scope), coalesce(n.vectors, 0), 1 FROM {_MISCOUNTED}"
    )
    db.execute(  # `removed` moves too, so that nobody takes what he read before for what is there
        f"INSERT INTO vector_tally {wrong} ON CONFLICT DO UPDATE SET vectors = excluded.vectors, removed = removed + 1"
    )
    db.execute(f"DELETE FROM vector_due WHERE (space, memory) IN (SELECT d.space, d.memory FROM {_NEEDLESS})")
    db.execute(f"INSERT INTO vector_due SELECT s.seq, m.seq FROM {_MISSING}")


def _stale(db: apsw.Connection) -> Iterator[int]:
    """The seq of memories with a vector of another wording."""
    made = "(SELECT DISTINCT memory, digest FROM vector) v JOIN memory m ON m.seq = v.memory"
    for row in db.execute(f"SELECT {rows.SELECTED}, m.seq, v.digest FROM {made}"):
        try:
            memory = rows.of_row(row)
        except (ValueError, KeyError, TypeError):
            continue  # reported as a row that cannot be read
        if bytes.fromhex(digest(meaningful(memory))) != row[-1]:
            yield row[-2]
