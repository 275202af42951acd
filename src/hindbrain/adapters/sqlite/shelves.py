"""When vectors that were read once need not be read again.

The tally of a shelf changes with every write to it, by whatever process, in the same transaction; so equal tallies mean
equal rows. Inside a transaction of our own nothing is kept: it may be undone, and another may reach the same tally.
"""

from typing import Any

import apsw

from hindbrain.adapters.sqlite.scan import Row, Shelf, empty

PART = 896  # bytes of a code in one row: with all else that it holds, four rows fill a page
ROOM = 64 * 1024 * 1024  # bytes of vectors that a process keeps
_ROWS = (
    "SELECT memory, piece, scale, code FROM vector"
    " WHERE scope = ? AND space = ? AND memory > ? AND length(code) = ? ORDER BY memory, piece"
)
_REST = (
    "SELECT memory, piece, code FROM vector_rest"
    " WHERE scope = ? AND space = ? AND memory > ? ORDER BY memory, piece, part"
)
_Tally = tuple[int, int]  # vectors, removed


class Shelves:
    """What a process has read. Threads may share it: it is replaced, never changed."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._kept: dict[tuple[int, int], tuple[_Tally, Shelf]] = {}  # the one asked for last comes last

    @property
    def size(self) -> int:
        return sum(shelf.size for _, shelf in self._kept.values())

    def read(self, db: apsw.Connection, scope: int, *, space: int, dimension: int, is_committed: bool) -> Shelf:
        """The vectors of a scope in a space, as the transaction that `db` is in sees them.

        One whose length is not that of the space is left out; `doctor` names it.
        """
        sql = "SELECT vectors, removed FROM vector_tally WHERE space = ? AND scope = ?"
        found: list[Any] = db.execute(sql, (space, scope)).fetchall()
        tally: _Tally = found[0] if found else (0, 0)
        if not tally[0]:
            return empty(scope)
        known = self._kept.get((scope, space)) if is_committed else None
        if known and known[0] == tally:
            shelf = known[1]
        else:
            grown = self._grown(db, known, tally=tally, space=space, dimension=dimension)
            shelf = grown or empty(scope).extended(_rows(db, scope, space=space, dimension=dimension))
        if is_committed:
            self._keep((scope, space), (tally, shelf))
        return shelf

    def _grown(
        self, db: apsw.Connection, known: tuple[_Tally, Shelf] | None, *, tally: _Tally, space: int, dimension: int
    ) -> Shelf | None:
        """What is known with the rows behind it, if nothing else has changed: a capture adds to the end."""
        if not known or known[0][1] != tally[1] or not known[1].memories:
            return None
        (before, _), shelf = known
        rows = _rows(db, shelf.scope, space=space, dimension=dimension, after=shelf.memories[-1])
        return shelf.extended(rows) if len(rows) == tally[0] - before else None

    def _keep(self, key: tuple[int, int], entry: tuple[_Tally, Shelf]) -> None:
        kept = {other: self._kept[other] for other in list(self._kept) if other != key} | {key: entry}
        size = sum(shelf.size for _, shelf in kept.values())
        for other in list(kept):
            if size <= self._room:
                break
            size -= kept.pop(other)[1].size
        self._kept = kept


def _rows(db: apsw.Connection, scope: int, *, space: int, dimension: int, after: int = -1) -> list[Row]:
    found: list[Any] = db.execute(_ROWS, (scope, space, after, min(dimension, PART))).fetchall()
    if dimension <= PART:
        return found
    rest: dict[tuple[int, int], bytes] = {}
    for memory, piece, code in db.execute(_REST, (scope, space, after)):
        rest[memory, piece] = rest.get((memory, piece), b"") + code
    whole = ((*row[:3], row[3] + rest.get((row[0], row[1]), b"")) for row in found)
    return [row for row in whole if len(row[3]) == dimension]
