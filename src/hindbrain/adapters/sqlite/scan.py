"""How a point is compared with many vectors: all of them roughly and fast, the best of them exactly.

numpy multiplies in single precision, in an order that depends on where a row lies; so equal vectors could come out
unequal. What is near the top is therefore computed again in double precision, each row by itself. Without numpy all is
computed so, with the same answers, later.
"""

import math
from array import array
from collections.abc import Iterable, Sequence
from itertools import repeat
from operator import mul
from typing import Any, Protocol

# Rows that are made floats at once: few enough to stay in the processor's cache (10,000 x 384: 0.6 ms, not 1.1), and to
# leave room there for what is read before and after. With twice as many the scan takes as long, and the rest longer.
_BLOCK = 256
_LARGEST = 127  # of a code's numbers
Row = tuple[int, int, float, bytes]  # memory, piece, scale, code


class Shelf:
    """Vectors that lie together: those of one project, or of all memories that go everywhere. Never changed."""

    __slots__ = ("_table", "codes", "memories", "pieces", "scales", "scope")

    def __init__(
        self, scope: int, *, memories: "array[int]", pieces: "array[int]", scales: "array[float]", codes: bytes
    ) -> None:
        self.scope = scope
        self.memories = memories  # seq, one for each row, ascending
        self.pieces = pieces
        self.scales = scales
        self.codes = codes
        self._table: _Table | None = None

    @property
    def table(self) -> "_Table":
        """For numpy; made once, as most questions find the same shelf again."""
        if self._table is None:
            self._table = _Table(self)
        return self._table

    @property
    def size(self) -> int:
        """In bytes."""
        return len(self.codes) + sum(a.itemsize * len(a) for a in (self.memories, self.pieces, self.scales))

    def extended(self, rows: Sequence[Row]) -> "Shelf":
        """With `rows` behind its own."""
        memories, pieces, scales, codes = zip(*rows, strict=True) if rows else ((), (), (), ())
        return Shelf(
            self.scope,
            memories=self.memories + array("q", memories),
            pieces=self.pieces + array("q", pieces),
            scales=self.scales + array("d", scales),
            codes=b"".join((self.codes, *codes)),
        )


def empty(scope: int) -> Shelf:
    return Shelf(scope, memories=array("q"), pieces=array("q"), scales=array("d"), codes=b"")


# How near a memory is by its best piece, on which scope's shelf, which piece that is, and of how many. No class of its
# own: hundreds are made for every question.
Found = tuple[float, int, int, int]


class Ranking(Protocol):
    """All memories of some shelves by how near they are to a point."""

    def top(self, depth: int) -> tuple[dict[int, Found], float]:
        """By seq at least the best `depth`, and a floor: of those left out, none is as near as that."""
        ...

    def of(self, memories: Sequence[int]) -> dict[int, Found]:
        """Those of `memories` that have a vector."""
        ...


def ranking(shelves: Sequence[Shelf], point: Sequence[float]) -> Ranking:
    filled = [shelf for shelf in shelves if shelf.memories]
    try:
        import numpy  # noqa: F401 - whether it is there
    except ImportError:
        return _Plain(filled, point)
    return _Fast(filled, point)


class _Plain:
    def __init__(self, shelves: Sequence[Shelf], point: Sequence[float]) -> None:
        self._found: dict[int, Found] = {}
        size = len(point)
        for shelf in shelves:
            numbers = array("b", shelf.codes)
            dots = (sum(map(mul, numbers[at : at + size], point)) for at in range(0, len(numbers), size))
            _best(shelf, zip(range(len(shelf.memories)), dots, strict=True), into=self._found)

    def top(self, depth: int) -> tuple[dict[int, Found], float]:
        if depth >= len(self._found):
            return self._found, -math.inf
        if depth < 1:
            return {}, math.inf
        floor = sorted((found[0] for found in self._found.values()), reverse=True)[depth - 1]
        return {memory: found for memory, found in self._found.items() if found[0] >= floor}, floor

    def of(self, memories: Sequence[int]) -> dict[int, Found]:
        return {memory: self._found[memory] for memory in memories if memory in self._found}


def _best(shelf: Shelf, dots: Iterable[tuple[int, float]], *, into: dict[int, Found]) -> None:
    """Keep the best piece of each memory; `dots` are (row, product of its code with the point)."""
    for row, dot in dots:
        memory, similarity = shelf.memories[row], dot * shelf.scales[row]
        known = into.get(memory)
        if known is None:
            into[memory] = (similarity, shelf.scope, shelf.pieces[row], 1)
        elif similarity > known[0]:
            into[memory] = (similarity, shelf.scope, shelf.pieces[row], known[3] + 1)
        else:
            into[memory] = (*known[:3], known[3] + 1)


class _Table:
    """A shelf as numpy reads it, and what does not depend on the question."""

    __slots__ = ("codes", "firsts", "known", "largest", "memories", "pieces", "rough_scales", "scales")

    def __init__(self, shelf: Shelf) -> None:
        import numpy as np

        self.memories: Any = np.frombuffer(shelf.memories, dtype=np.int64)
        self.pieces: Any = np.frombuffer(shelf.pieces, dtype=np.int64)
        self.scales: Any = np.frombuffer(shelf.scales, dtype=np.float64)
        self.rough_scales: Any = self.scales.astype(np.float32)
        self.codes: Any = np.frombuffer(shelf.codes, dtype=np.int8).reshape(len(shelf.memories), -1)
        starts = np.flatnonzero(self.memories[1:] != self.memories[:-1]) + 1
        # Where each memory begins, and behind the last of them the end; None where each has one piece.
        self.firsts: Any = None
        self.known: Any = self.memories  # each once
        if len(starts) + 1 < len(self.memories):
            self.firsts = np.concatenate(([0], starts, [len(self.memories)]))
            self.known = self.memories[self.firsts[:-1]]
        self.largest = float(np.abs(self.scales).max())


class _Fast:
    def __init__(self, shelves: Sequence[Shelf], point: Sequence[float]) -> None:
        import numpy as np

        self._np: Any = np
        self._point = np.asarray(point, dtype=np.float64)
        self._shelves = shelves
        rough = [self._rough(shelf.table) for shelf in shelves]
        self._similarity = rough[0] if len(rough) == 1 else np.concatenate([np.empty(0, np.float32), *rough])
        size = len(point)
        scale = max((shelf.table.largest for shelf in shelves), default=0.0)
        # The most that a sum of that many single-precision products can be off.
        self._error = size * 2.0**-23 * float(np.linalg.norm(self._point)) * _LARGEST * math.sqrt(size) * scale

    def _rough(self, table: _Table) -> Any:
        """For each memory the similarity of its best piece."""
        np = self._np
        codes, point = table.codes, self._point.astype(np.float32)
        found = np.empty(len(codes), dtype=np.float32)
        for start in range(0, len(codes), _BLOCK):
            block = slice(start, start + _BLOCK)
            np.dot(codes[block].astype(np.float32), point, out=found[block])
        found *= table.rough_scales
        return found if table.firsts is None else np.maximum.reduceat(found, table.firsts[:-1])

    def top(self, depth: int) -> tuple[dict[int, Found], float]:
        count = len(self._similarity)
        if depth >= count:
            return self._exact(self._np.arange(count)), -math.inf
        if depth < 1:
            return {}, math.inf
        last = float(self._np.partition(self._similarity, count - depth)[count - depth])
        return self._exact(self._np.flatnonzero(self._similarity >= last - 2 * self._error)), last - self._error

    def of(self, memories: Sequence[int]) -> dict[int, Found]:
        np = self._np
        asked, at, places = np.asarray(memories, dtype=np.int64), 0, []
        for shelf in self._shelves:
            known = shelf.table.known
            place = np.minimum(np.searchsorted(known, asked), len(known) - 1)
            places.append(np.sort(place[known[place] == asked]) + at)  # later ids are behind: they are sorted sooner
            at += len(known)
        return self._exact(np.concatenate(places)) if places else {}

    def _exact(self, places: Any) -> dict[int, Found]:
        """The memories at `places` of all shelves, one behind the other."""
        at = 0
        found: dict[int, Found] = {}
        for shelf in self._shelves:
            table = shelf.table
            count = len(table.known)
            here = places[(places >= at) & (places < at + count)] - at
            at += count
            if table.firsts is None and not found:
                found = self._alone(shelf, here)
                continue
            starts, ends = (here, here + 1) if table.firsts is None else (table.firsts[here], table.firsts[here + 1])
            rows = _all_rows(starts.tolist(), ends.tolist())
            _best(shelf, zip(rows, self._dots(table, rows).tolist(), strict=True), into=found)
        return found

    def _alone(self, shelf: Shelf, rows: Any) -> dict[int, Found]:
        """The same where no memory has a second piece, here or on a shelf before."""
        table = shelf.table
        near = (self._dots(table, rows) * table.scales[rows]).tolist()
        places = zip(near, repeat(shelf.scope), table.pieces[rows].tolist(), repeat(1))
        return dict(zip(table.memories[rows].tolist(), places, strict=False))

    def _dots(self, table: _Table, rows: Any) -> Any:
        products = table.codes.take(rows, axis=0).astype(self._np.float64)
        products *= self._point
        return products.sum(axis=1)


def _all_rows(starts: Sequence[int], ends: Sequence[int]) -> list[int]:
    return [row for start, end in zip(starts, ends, strict=True) for row in range(start, end)]
