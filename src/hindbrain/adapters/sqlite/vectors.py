"""How vectors get into the file, and how it stays known which memories have none."""

from typing import Any

import apsw

from hindbrain.adapters.sqlite.shelves import PART
from hindbrain.core.model import Memory, Space, Vector
from hindbrain.core.recall.meaningful import digest, meaningful
from hindbrain.ports import Changes, Reader

BATCH = 5_000  # rows in one transaction of the long jobs: others write in between
_SPACE = "provider = ? AND model = ? AND version = ? AND dimension = ?"
# What the numbers, and where they lie in the text, are known by: as 0010 wrote it for what was there before.
_SEAL = "seal_of(?9, CAST(CAST(round(?8 * 1e12) AS INTEGER) AS BLOB), ?7, CAST(?5 AS BLOB), CAST(?6 AS BLOB))"
# What `memory_scope` says, without looking for the memory twice.
_PLACE = (
    "SELECT m.seq, CASE m.reach WHEN 'everywhere' THEN 0 ELSE p.seq END"
    " FROM memory m JOIN project p ON p.id = m.project WHERE m.id = ?"
)
_LIST = """
INSERT OR IGNORE INTO vector_due
SELECT :space, m.seq FROM memory m JOIN memory_scope c ON c.memory = m.seq
WHERE m.seq > :low AND m.seq <= :high AND m.archived_at IS NULL AND NOT EXISTS (
    SELECT 1 FROM vector v WHERE v.scope = c.scope AND v.space = :space AND v.memory = m.seq)
"""
_CUT = """
DELETE FROM vector WHERE scope = :scope AND space = :space AND memory <= coalesce(
    (SELECT memory FROM vector WHERE scope = :scope AND space = :space ORDER BY memory LIMIT 1 OFFSET :most),
    9223372036854775807)
"""


def number(db: apsw.Connection, space: Space) -> int | None:
    """The seq of a known space."""
    found = _all(db, f"SELECT seq FROM space WHERE {_SPACE}", *_key(space))
    return int(found[0][0]) if found else None


def _all(db: apsw.Connection, sql: str, *values: Any) -> list[Any]:
    return db.execute(sql, values).fetchall()


def _key(space: Space) -> tuple[str, str, str, int]:
    return space.provider, space.model, space.version, space.dimension


def put(changes: Changes, db: apsw.Connection, *, reader: Reader) -> None:
    """Write the vectors of `changes`, whose memories are written already.

    Those of a text that a memory no longer has, or of a memory that is gone, are left out: somebody was faster.
    """
    fresh = {memory.id: memory for memory in changes.memories}
    pieces: dict[tuple[str, Space], list[Vector]] = {}
    for vector in changes.vectors:
        pieces.setdefault((vector.memory_id, vector.space), []).append(vector)
    for (memory_id, space), vectors in pieces.items():
        memory = fresh.get(memory_id) or reader.memory(memory_id)
        if memory and {vector.digest for vector in vectors} == {digest(meaningful(memory))}:
            _replace(db, memory, space=space, vectors=vectors)


def _replace(db: apsw.Connection, memory: Memory, *, space: Space, vectors: list[Vector]) -> None:
    found = number(db, space)
    if found is None:
        db.execute(f"INSERT INTO space VALUES (NULL, {', '.join('?' * 4)}, 0, 0)", _key(space))
        found = db.last_insert_rowid()
    ((seq, scope),) = db.execute(_PLACE, (memory.id,)).fetchall()
    db.execute("DELETE FROM vector WHERE scope = ? AND space = ? AND memory = ?", (scope, found, seq))
    db.executemany(
        f"INSERT INTO vector VALUES ({', '.join('?' * 9)}, {_SEAL})",
        [
            (scope, found, seq, v.piece, v.start, v.end, bytes.fromhex(v.digest), float(v.scale), v.code[:PART])
            for v in vectors
        ],
    )
    db.executemany(
        f"INSERT INTO vector_rest VALUES ({', '.join('?' * 6)}, seal_of(?6))",
        [
            (scope, found, seq, v.piece, at // PART, v.code[at : at + PART])
            for v in vectors
            for at in range(PART, len(v.code), PART)
        ],
    )
    db.execute("DELETE FROM vector_due WHERE space = ? AND memory = ?", (found, seq))


def is_listed(db: apsw.Connection, space: Space) -> bool:
    """Whether the space is expected, and all that has no vector in it stands on the list."""
    sql = f"SELECT 1 FROM space WHERE is_expected = 1 AND unlisted = 0 AND {_SPACE}"
    return bool(db.execute(sql, _key(space)).fetchall())


def list_some(db: apsw.Connection, space: Space) -> bool:
    """Expect the space, and list a batch of the memories that it lacks, the newest first; whether there are no more."""
    db.execute(f"INSERT OR IGNORE INTO space VALUES (NULL, {', '.join('?' * 4)}, 0, 0)", _key(space))
    db.execute(
        "UPDATE space SET is_expected = 1, unlisted = (SELECT coalesce(max(seq), 0) FROM memory)"
        f" WHERE is_expected = 0 AND {_SPACE}",
        _key(space),
    )
    ((seq, high),) = _all(db, f"SELECT seq, unlisted FROM space WHERE {_SPACE}", *_key(space))
    low = max(0, high - BATCH)
    db.execute(_LIST, {"space": seq, "low": low, "high": high})
    db.execute("UPDATE space SET unlisted = ? WHERE seq = ?", (low, seq))
    return not low


def drop_some(db: apsw.Connection, *, but: Space) -> tuple[int, bool]:
    """Remove a batch of the vectors of other spaces; how many, and whether that was all."""
    kept = number(db, but)
    db.execute("UPDATE space SET is_expected = 0 WHERE seq IS NOT ?", (kept,))
    others = _all(db, "SELECT seq FROM space WHERE seq IS NOT ? ORDER BY seq LIMIT 1", kept)
    if not others:
        return 0, True
    space = others[0][0]
    removed = _cut(db, space)
    if not removed and not _shorten(db, space):
        db.execute("DELETE FROM vector_tally WHERE space = ?", (space,))
        db.execute("DELETE FROM space WHERE seq = ?", (space,))
    return removed, False


def _cut(db: apsw.Connection, space: int) -> int:
    removed = 0
    filled = "SELECT scope FROM vector_tally WHERE space = ? AND vectors > 0 LIMIT 1"
    while removed < BATCH and (scopes := db.execute(filled, (space,)).fetchall()):
        db.execute(_CUT, {"scope": scopes[0][0], "space": space, "most": BATCH})
        count = db.changes()
        if not count:  # the tally was wrong, and would be asked for ever
            db.execute("UPDATE vector_tally SET vectors = 0 WHERE space = ? AND scope = ?", (space, scopes[0][0]))
        removed += count
    return removed


def _shorten(db: apsw.Connection, space: int) -> int:
    listed = "SELECT memory FROM vector_due WHERE space = ?1 LIMIT ?2"
    db.execute(f"DELETE FROM vector_due WHERE space = ?1 AND memory IN ({listed})", (space, BATCH))
    return db.changes()


def told(db: apsw.Connection) -> str:
    """A line for each space: what it holds, and what it waits for."""
    found = _all(
        db,
        "SELECT provider, model, version, dimension,"
        " (SELECT coalesce(sum(vectors), 0) FROM vector_tally WHERE space = s.seq),"
        " (SELECT count(*) FROM vector_due WHERE space = s.seq) FROM space s ORDER BY seq",
    )
    return "\n".join(
        f"{Space(provider=provider, model=model, version=version, dimension=dimension).name}: {kept} vectors, {due} due"
        for provider, model, version, dimension, kept, due in found
    )
