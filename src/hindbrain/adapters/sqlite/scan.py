"""How a point is compared with many vectors: all of them roughly and fast, the best of them exactly.

numpy multiplies in single precision, in an order that depends on where a row lies; so equal vectors could come out
unequal. What is near the top is therefore computed again in double precision, each row by itself. Without numpy all is
computed so, with the same answers, later.
"""

import math
from array import array
from collections.abc import Iterable, Sequence
from operator import mul
from typing import Any, NamedTuple, Protocol

from hindbrain.core.value import dataclass

_BLOCK = 512  # rows that are made floats at once: they stay in the processor's cache (10,000 x 384: 0.6 ms, not 1.1)
_LARGEST = 127  # of a code's numbers
Row = tuple[int, int, float, bytes]  # memory, piece, scale, code


@dataclass(frozen=True, slots=True)
class Shelf:
    """Vectors that lie together: those of one project, or of all memories that go everywhere."""

    scope: int
    memories: "array[int]"  # seq, one for each row, ascending
    pieces: "array[int]"
    scales: "array[float]"
    codes: bytes

    @property
    def size(self) -> int:
        """In bytes."""
        return len(self.codes) + sum(a.itemsize * len(a) for a in (self.memories, self.pieces, self.scales))

    def extended(self, rows: Sequence[Row]) -> "Shelf":
        """With `rows` behind its own."""
        memories, pieces, scales, codes = zip(*rows, strict=True) if rows else ((), (), (), ())
        return Shelf(
            self.scope,
            self.memories + array("q", memories),
            self.pieces + array("q", pieces),
            self.scales + array("d", scales),
            b"".join((self.codes, *codes)),
        )


def empty(scope: int) -> Shelf:
    return Shelf(scope, array("q"), array("q"), array("d"), b"")


class Found(NamedTuple):
    """How near a memory is, by its best piece. A tuple: hundreds are made for every question."""

    similarity: float
    scope: int
    piece: int
    pieces: int  # how many it has


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
        floor = sorted((found.similarity for found in self._found.values()), reverse=True)[depth - 1]
        return {memory: found for memory, found in self._found.items() if found.similarity >= floor}, floor

    def of(self, memories: Sequence[int]) -> dict[int, Found]:
        return {memory: self._found[memory] for memory in memories if memory in self._found}


def _best(shelf: Shelf, dots: Iterable[tuple[int, float]], *, into: dict[int, Found]) -> None:
    """Keep the best piece of each memory; `dots` are (row, product of its code with the point)."""
    for row, dot in dots:
        memory, similarity = shelf.memories[row], dot * shelf.scales[row]
        known = into.get(memory)
        if known is None:
            into[memory] = Found(similarity, shelf.scope, shelf.pieces[row], 1)
        elif similarity > known.similarity:
            into[memory] = Found(similarity, shelf.scope, shelf.pieces[row], known.pieces + 1)
        else:
            into[memory] = known._replace(pieces=known.pieces + 1)


class _Fast:
    def __init__(self, shelves: Sequence[Shelf], point: Sequence[float]) -> None:
        import numpy as np

        self._np: Any = np
        self._point = np.asarray(point, dtype=np.float64)
        self._shelves = shelves
        self._firsts = [self._first_rows(shelf) for shelf in shelves]
        rough = [self._rough(shelf, first) for shelf, first in zip(shelves, self._firsts, strict=True)]
        self._similarity = np.concatenate(rough) if rough else np.empty(0, np.float32)
        size = len(point)
        scale = max((float(np.abs(self._scales(shelf)).max()) for shelf in shelves), default=0.0)
        # The most that a sum of that many single-precision products can be off.
        self._error = size * 2.0**-23 * float(np.linalg.norm(self._point)) * _LARGEST * math.sqrt(size) * scale

    def _first_rows(self, shelf: Shelf) -> Any:
        """Where each memory begins, and behind the last of them the end."""
        np = self._np
        memories = np.frombuffer(shelf.memories, dtype=np.int64)
        return np.concatenate(([0], np.flatnonzero(memories[1:] != memories[:-1]) + 1, [len(memories)]))

    def _rough(self, shelf: Shelf, first: Any) -> Any:
        """For each memory the similarity of its best piece."""
        np = self._np
        codes, point = self._codes(shelf), self._point.astype(np.float32)
        found = np.empty(len(codes), dtype=np.float32)
        for start in range(0, len(codes), _BLOCK):
            block = slice(start, start + _BLOCK)
            np.dot(codes[block].astype(np.float32), point, out=found[block])
        found *= self._scales(shelf).astype(np.float32)
        return found if len(first) == len(found) + 1 else np.maximum.reduceat(found, first[:-1])

    def _scales(self, shelf: Shelf) -> Any:
        return self._np.frombuffer(shelf.scales, dtype=self._np.float64)

    def _codes(self, shelf: Shelf) -> Any:
        return self._np.frombuffer(shelf.codes, dtype=self._np.int8).reshape(-1, len(self._point))

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
        for shelf, first in zip(self._shelves, self._firsts, strict=True):
            known = np.frombuffer(shelf.memories, dtype=np.int64)[first[:-1]]
            place = np.minimum(np.searchsorted(known, asked), len(known) - 1)
            places.append(place[known[place] == asked] + at)
            at += len(known)
        return self._exact(np.concatenate(places)) if places else {}

    def _exact(self, places: Any) -> dict[int, Found]:
        """The memories at `places` of all shelves, one behind the other."""
        np, at = self._np, 0
        found: dict[int, Found] = {}
        for shelf, first in zip(self._shelves, self._firsts, strict=True):
            count = len(first) - 1
            here = places[(places >= at) & (places < at + count)] - at
            at += count
            has_several = count < len(shelf.memories)
            rows = _all_rows(first[here].tolist(), first[here + 1].tolist()) if has_several else here.tolist()
            dots = (self._codes(shelf)[rows].astype(np.float64) * self._point).sum(axis=1)
            _best(shelf, zip(rows, dots.tolist(), strict=True), into=found)
        return found


def _all_rows(starts: Sequence[int], ends: Sequence[int]) -> list[int]:
    return [row for start, end in zip(starts, ends, strict=True) for row in range(start, end)]
