"""How the whole of a file is read out, and numbers of rows are kept when it is filled from another store."""

from collections.abc import Callable, Mapping, Sequence

import apsw

from hindbrain.adapters.sqlite import rows
from hindbrain.core.hints import Any
from hindbrain.core.model import Space, Vector

Ask = Callable[..., list[Any]]  # runs a query


def spaces(ask: Ask) -> Sequence[tuple[Space, bool]]:
    found = ask("SELECT provider, model, version, dimension, is_expected FROM space ORDER BY seq")
    return [(_space(key), bool(is_expected)) for *key, is_expected in found]


def vectors(ask: Ask, ids: Sequence[str]) -> Sequence[Vector]:
    """What `Movable.vectors` promises."""
    found = ask(
        "SELECT m.id, s.provider, s.model, s.version, s.dimension, v.piece, v.start, v.end, v.digest, v.scale, v.code,"
        " v.scope, v.space, v.memory FROM json_each(?) j CROSS JOIN memory m ON m.id = j.value"
        " CROSS JOIN memory_scope c ON c.memory = m.seq CROSS JOIN space s"
        " CROSS JOIN vector v ON v.scope = c.scope AND v.space = s.seq AND v.memory = m.seq"
        " ORDER BY m.id, s.provider, s.model, s.version, s.dimension, v.piece",
        rows.to_json(list(ids)),
    )
    return [_vector(row, ask) for row in found]


def _vector(row: Sequence[Any], ask: Ask) -> Vector:
    memory, *key = row[:5]
    piece, start, end, digest, scale, code, scope, space, number = row[5:]
    rest = ask(
        "SELECT code FROM vector_rest WHERE scope = ? AND space = ? AND memory = ? AND piece = ? ORDER BY part",
        *(scope, space, number, piece),
    )
    return Vector(
        memory_id=memory,
        space=_space(key),
        piece=piece,
        start=start,
        end=end,
        digest=digest.hex(),
        code=code + b"".join(part for (part,) in rest),
        scale=scale,
    )


def _space(key: Sequence[Any]) -> Space:
    provider, model, version, dimension = key
    return Space(provider=provider, model=model, version=version, dimension=dimension)


def number_from(db: apsw.Connection, first: Mapping[str, int]) -> None:
    """Which number the next row of each of these tables gets."""
    for table, number in first.items():
        db.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        db.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, number - 1))
