"""How memories are found by meaning: all of a project's vectors are compared where they are few.

Where they are many, a graph of all names candidates; those are compared exactly.
"""

from array import array
from collections.abc import Sequence
from operator import mul
from struct import unpack
from typing import Any

from hindbrain.adapters.postgres.wire import Db, steady
from hindbrain.core.model import Memory, Space, Vector
from hindbrain.core.value import dataclass
from hindbrain.ports import Near, Where

FEW = 20_000  # vectors of a project that are all compared: some 30 ms
_SLACK = 1e-4  # how far single precision may be off
_WIDEST = 4_000  # numbers of a vector that the index takes
# Candidates that the graph keeps in mind. Of the ten nearest of 50,000, by 150 questions that it was not chosen by, 100
# finds 84%, 400 96%, 800 99%.
_EF = 800
_MORE = 4  # times as many as asked for are taken from the graph, and compared exactly
# What the numbers, and where they lie in the text, are known by.
SEAL = (
    "hashfloat8extended(v.scale, hashtextextended("
    "(encode(halfvec_send(v.code), 'hex') || ' ' || v.digest || ' ' || v.start || ' ' || v.stop) COLLATE \"C\", 0))"
)
SPACE = "s.provider = %s AND s.model = %s AND s.version = %s AND s.dimension = %s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A question: near to what, within what, how many."""

    point: tuple[float, ...]
    where: Where
    sql: str  # of `where`
    values: tuple[Any, ...]
    limit: int
    also: tuple[str, ...]


def key(space: Space) -> tuple[str, str, str, int]:
    return space.provider, space.model, space.version, space.dimension


def number(db: Db, space: Space) -> int | None:
    found = db.execute(f"SELECT s.seq FROM space s WHERE {SPACE}".encode(), key(space)).fetchall()
    return int(found[0][0]) if found else None


def has_any(db: Db, space: Space, *, project: str) -> bool:
    sql = (
        f"SELECT EXISTS (SELECT 1 FROM embedding v JOIN space s ON s.seq = v.space WHERE {SPACE} AND v.scope = 0)"
        f" OR EXISTS (SELECT 1 FROM embedding v JOIN space s ON s.seq = v.space WHERE {SPACE}"
        " AND v.scope = (SELECT seq FROM project WHERE id = %s))"
    )
    return bool(db.execute(sql.encode(), (*key(space), *key(space), project)).fetchall()[0][0])


def nearest(db: Db, wanted: Wanted, *, space: Space) -> list[Near]:
    """The best by exact similarity, best first, and those of `also`; more than asked for where many are as near."""
    with steady(db):
        known = db.execute(_ASKED.encode(), (wanted.where.project, FEW + 1, *key(space))).fetchall()
        if not known:
            return []
        ((found, scopes, count),) = known
        chosen = _by_graph(db, wanted, space=space, number=found, scopes=scopes) if count > FEW else None
        if chosen is None:
            chosen = _by_comparing_all(db, wanted, number=found, scopes=scopes)
        return _compared(db, chosen, point=wanted.point, number=found)


# The number of the space, where to look, and how many vectors there are, one more than few at most.
_ASKED = f"""
    WITH place AS (SELECT 0 AS scope UNION ALL SELECT seq FROM project WHERE id = %s)
    SELECT s.seq, (SELECT array_agg(scope) FROM place),
        (SELECT count(*) FROM (SELECT 1 FROM place p JOIN embedding v ON v.scope = p.scope WHERE v.space = s.seq
            LIMIT %s) few)
    FROM space s WHERE {SPACE}"""


def _by_comparing_all(db: Db, wanted: Wanted, *, number: int, scopes: Sequence[int]) -> list[int]:
    sql = f"""
        WITH best AS (
            SELECT v.memory, min((v.code::vector <#> %s::vector) * v.scale) AS far FROM embedding v
            WHERE v.space = %s AND v.scope = ANY(%s) GROUP BY v.memory
        ), admitted AS (
            SELECT m.seq, m.id, b.far FROM best b JOIN memory m ON m.seq = b.memory WHERE {wanted.sql}
        ), edge AS (
            SELECT coalesce((SELECT far FROM admitted ORDER BY far LIMIT 1 OFFSET %s), 'infinity') AS far
        )
        SELECT a.seq FROM admitted a, edge e WHERE (%s AND a.far <= e.far + %s) OR a.id = ANY(%s::text[])"""
    limit = None if wanted.where.containing else wanted.limit
    values = (_text(wanted.point), number, list(scopes), *wanted.values)
    offset = 10**9 if limit is None else max(limit - 1, 0)
    return [seq for (seq,) in db.execute(sql.encode(), (*values, offset, limit != 0, _SLACK, list(wanted.also)))]


def _by_graph(db: Db, wanted: Wanted, *, space: Space, number: int, scopes: Sequence[int]) -> list[int] | None:
    """Candidates from the index; None when it found too few, or is no help."""
    if space.dimension > _WIDEST or wanted.where.containing or not wanted.limit:
        return None
    depth = wanted.limit * _MORE
    for name, value in (("ef_search", min(1000, max(_EF, depth))), ("max_scan_tuples", 200_000)):
        db.execute(f"SET LOCAL hnsw.{name} = {value}".encode())
    db.execute("SET LOCAL hnsw.iterative_scan = relaxed_order")  # goes on until the filter lets enough through
    sql = f"""
        SELECT m.seq FROM embedding v JOIN memory m ON m.seq = v.memory
        WHERE v.space = {number} AND v.scope = ANY(%s) AND {wanted.sql}
        ORDER BY (v.code::halfvec({space.dimension})) <=> %s::halfvec({space.dimension}) LIMIT %s"""
    rows = db.execute(sql.encode(), (list(scopes), *wanted.values, _text(wanted.point), depth)).fetchall()
    found = list(dict.fromkeys(seq for (seq,) in rows))
    if len(found) < wanted.limit:
        return None
    if wanted.also:
        asked = f"SELECT m.seq FROM memory m WHERE m.id = ANY(%s::text[]) AND {wanted.sql}"
        found += [seq for (seq,) in db.execute(asked.encode(), (list(wanted.also), *wanted.values))]
    return list(dict.fromkeys(found))


def _compared(db: Db, chosen: Sequence[int], *, point: Sequence[float], number: int) -> list[Near]:
    rows = db.cursor(binary=True).execute(
        "SELECT m.id, v.start, v.stop, v.scale, v.code FROM embedding v JOIN memory m ON m.seq = v.memory"
        " AND v.scope = m.scope WHERE v.space = %s AND v.memory = ANY(%s) ORDER BY m.id, v.piece",
        (number, list(chosen)),
    )
    pieces: dict[str, list[tuple[float, int, int]]] = {}
    for memory, start, stop, scale, code in rows:
        pieces.setdefault(memory, []).append((sum(map(mul, _halves(code), point)) * scale, start, stop))
    near = [_near(memory, found) for memory, found in pieces.items()]
    return sorted(near, key=lambda one: (-one.similarity, one.memory_id))


def _halves(code: bytes) -> tuple[float, ...]:
    """The numbers of a halfvec as the server sends it: how many there are, nothing, then two bytes for each."""
    return unpack(f">{len(code) // 2 - 2}e", code[4:])


def _near(memory: str, pieces: list[tuple[float, int, int]]) -> Near:
    similarity, start, stop = max(pieces, key=lambda piece: piece[0])
    return Near(memory_id=memory, similarity=similarity, start=start, end=stop, pieces=len(pieces))


def put(db: Db, memory: Memory, *, space: Space, vectors: Sequence[Vector]) -> None:
    """Instead of those that the memory had in that space."""
    found = made(db, space, is_expected=False)
    ((seq, scope),) = db.execute("SELECT seq, scope FROM memory WHERE id = %s", (memory.id,)).fetchall()
    db.execute("DELETE FROM embedding WHERE space = %s AND scope = %s AND memory = %s", (found, scope, seq))
    db.cursor().executemany(
        "INSERT INTO embedding (space, scope, memory, piece, start, stop, digest, scale, code, seal)"
        f" SELECT v.*, {SEAL} FROM (SELECT %s::int AS space, %s::int AS scope, %s::bigint AS memory, %s::int AS piece,"
        " %s::int AS start, %s::int AS stop, %s::text AS digest, %s::float8 AS scale, %s::halfvec AS code) v",
        [
            (found, scope, seq, v.piece, v.start, v.end, v.digest, float(v.scale), _text(memoryview(v.code).cast("b")))
            for v in vectors
        ],
    )


def made(db: Db, space: Space, *, is_expected: bool) -> int:
    """The number of the space, which is made with its index where it is not there. The caller holds the gate."""
    found = number(db, space)
    if found is None:
        sql = "INSERT INTO space (provider, model, version, dimension, is_expected) VALUES (%s, %s, %s, %s, false)"
        ((found,),) = db.execute(f"{sql} RETURNING seq".encode(), key(space)).fetchall()
        if space.dimension <= _WIDEST:
            db.execute(
                f"CREATE INDEX idx_space_{found} ON embedding USING hnsw"
                f" ((code::halfvec({space.dimension})) halfvec_cosine_ops) WHERE space = {found}".encode()
            )
    if is_expected:
        db.execute("UPDATE space SET is_expected = true WHERE seq = %s", (found,))
    return int(found)


def list_due(db: Db, memories: Sequence[int] | None = None) -> None:
    """Write down anew which of these (None: all) have no vector in a space that is expected."""
    of_memory = " AND m.seq = ANY(%(memories)s)" if memories is not None else ""
    values = {"memories": list(memories or ())}
    has = "EXISTS (SELECT 1 FROM embedding v WHERE v.space = s.seq AND v.scope = m.scope AND v.memory = m.seq)"
    db.execute(
        "DELETE FROM embedding_due d USING memory m, space s WHERE m.seq = d.memory AND s.seq = d.space"
        f" AND (m.state = 'archived' OR {has}){of_memory}".encode(),
        values,
    )
    db.execute(
        "INSERT INTO embedding_due SELECT s.seq, m.seq FROM space s CROSS JOIN memory m"
        f" WHERE s.is_expected AND m.state <> 'archived'{of_memory} AND NOT {has} ON CONFLICT DO NOTHING".encode(),
        values,
    )


def drop_one(db: Db, *, but: Space) -> tuple[int, bool]:
    """Remove one of the other spaces with all that is in it; how many vectors, and whether that was the last."""
    kept = number(db, but)
    others = db.execute("SELECT seq FROM space WHERE seq IS DISTINCT FROM %s ORDER BY seq", (kept,)).fetchall()
    if not others:
        return 0, True
    ((space,), *rest) = others
    db.execute(f"DROP INDEX IF EXISTS idx_space_{space}".encode())
    removed = db.execute("DELETE FROM embedding WHERE space = %s", (space,)).rowcount
    db.execute("DELETE FROM embedding_due WHERE space = %s", (space,))
    db.execute("DELETE FROM space WHERE seq = %s", (space,))
    return removed, not rest


def all_spaces(db: Db) -> list[tuple[Space, bool]]:
    """In the order in which they were made, and whether each is expected."""
    found = db.execute("SELECT provider, model, version, dimension, is_expected FROM space ORDER BY seq").fetchall()
    return [(_space(row), is_expected) for *row, is_expected in found]


def of(db: Db, ids: Sequence[str]) -> list[Vector]:
    """All vectors of these memories, by memory, space and piece."""
    found = (
        db.cursor(binary=True)
        .execute(
            "SELECT m.id, s.provider, s.model, s.version, s.dimension, v.piece, v.start, v.stop, v.digest, v.scale,"
            " v.code FROM embedding v JOIN memory m ON m.seq = v.memory JOIN space s ON s.seq = v.space"
            " WHERE m.id = ANY(%s)"
            ' ORDER BY m.id, s.provider COLLATE "C", s.model COLLATE "C", s.version COLLATE "C", s.dimension, v.piece',
            (list(ids),),
        )
        .fetchall()
    )
    return [
        Vector(
            memory_id=row[0],
            space=_space(row[1:5]),
            piece=row[5],
            start=row[6],
            end=row[7],
            digest=row[8],
            scale=row[9],
            code=array("b", map(int, _halves(row[10]))).tobytes(),
        )
        for row in found
    ]


def _space(row: Sequence[Any]) -> Space:
    provider, model, version, dimension = row
    return Space(provider=provider, model=model, version=version, dimension=dimension)


def told(db: Db) -> str:
    """A line for each space: what it holds, and what it waits for."""
    found = db.execute(
        "SELECT provider, model, version, dimension, (SELECT count(*) FROM embedding v WHERE v.space = s.seq),"
        " (SELECT count(*) FROM embedding_due d WHERE d.space = s.seq) FROM space s ORDER BY seq"
    ).fetchall()
    return "\n".join(
        f"{Space(provider=provider, model=model, version=version, dimension=dimension).name}: {kept} vectors, {due} due"
        for provider, model, version, dimension, kept, due in found
    )


def _text(numbers: Sequence[float] | memoryview) -> str:
    return "[" + ",".join(map(repr, numbers)) + "]"
