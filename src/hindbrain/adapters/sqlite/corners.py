"""When the words of a small project in a large store need not be looked for again.

The index has one list for a word, of all projects: among a thousand projects nearly all that a question reads there is
of others. Here a process keeps the words of the few memories that one project may be told of, and gives the numbers
that counting gives. The index's own record says, as with `lists`, whether they are still those.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from hindbrain.adapters.sqlite.lists import All, match
from hindbrain.adapters.sqlite.words import length
from hindbrain.core.hints import Any
from hindbrain.core.recall.bm25 import K1, B
from hindbrain.core.recall.index import WEIGHTS
from hindbrain.ports import Match

_ROOM = 1_000_000  # words in all texts that a process keeps
_LEAST = 2  # questions in a row that find the same record
_ROWS = (
    "SELECT m.id, m.seq, d.sz, m.scope, m.title_words, m.content_words, m.extra_words FROM memory m"
    " CROSS JOIN memory_words_docsize d ON d.id = m.seq WHERE "
)
_OWN = f"{_ROWS} m.project = (SELECT id FROM project WHERE seq = ?)"
_OTHERS = f"{_ROWS} m.reach = 'everywhere' AND m.project IS NOT (SELECT id FROM project WHERE seq = ?)"


class Corners:
    """What a process has read. Threads may share it: what belongs to another record is replaced, never changed."""

    def __init__(self) -> None:
        self._record, self._seen = b"", 0
        self._kept: dict[tuple[str, ...], Corner] = {}

    def at(self, record: bytes, number: int, *, scopes: Sequence[str], all_: All) -> "Corner | None":
        """What a project with that number may be told of, for a transaction that sees the record; None: count."""
        if record != self._record:
            self._record, self._seen, self._kept = record, 0, {}
        self._seen += 1
        known = self._kept.get(tuple(scopes))
        if known is not None or self._seen < _LEAST:
            return known
        wanted = frozenset(scopes)
        rows = (*all_(_OWN, number), *all_(_OTHERS, number))
        corner = Corner([row for row in rows if not wanted.isdisjoint(row[3].split())])
        if corner.room + sum(other.room for other in self._kept.values()) <= _ROOM:
            self._kept = {**self._kept, tuple(scopes): corner}
        return corner


class Corner:
    """The memories of some scopes, by their places in the order they were read in."""

    def __init__(self, rows: Sequence[tuple[Any, ...]]) -> None:
        self._ids = [row[0] for row in rows]
        self._seqs: Any = np.array([row[1] for row in rows], dtype=np.int64)
        self._places = {row[1]: place for place, row in enumerate(rows)}
        self._sizes: Any = np.array([length(row[2]) for row in rows], dtype=np.float64)
        self._words = _Words([row[4:] for row in rows])

    @property
    def room(self) -> int:
        return len(self._words.places)

    def scores(self, worths: Mapping[str, float], *, usual: float) -> Any:
        """BM25 of every memory by place; 0 where it holds none of the words."""
        scores = np.zeros(len(self._ids))
        damping = K1 * (1 - B + B * (self._sizes / usual))
        for word, worth in worths.items():
            places, often = self._words.of(word)
            scores[places] += worth * often * (K1 + 1) / (often + damping[places])
        return scores

    def best(self, scores: Any, depth: int) -> list[int]:
        """The numbers of the best, in no order; all of those as good as the last."""
        places = np.flatnonzero(scores)
        if len(places) > depth:
            theirs = scores[places]
            places = places[theirs >= np.partition(theirs, len(places) - depth)[len(places) - depth]]
        found: list[int] = self._seqs[places].tolist()
        return found

    def told(self, scores: Any, seqs: Sequence[int], *, usual: float) -> list[Match]:
        """What is known of those with these numbers."""
        places = [self._places[seq] for seq in seqs]
        ids = [self._ids[place] for place in places]
        sizes = (self._sizes[places] / usual).tolist()
        return list(map(match, zip(ids, scores[places].tolist(), sizes, seqs, strict=True)))


class _Words:
    """Which texts hold a word, and how often by what each place weighs: for all words in two arrays, one by one."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        parts = [part.split() for memory in texts for part in memory]
        counts = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts))
        weights = np.repeat(np.tile(WEIGHTS[1:], len(texts)), counts)
        places = np.repeat(np.arange(len(parts)) // len(WEIGHTS[1:]), counts)
        numbers: dict[str, int] = {}
        words = np.fromiter((numbers.setdefault(word, len(numbers)) for part in parts for word in part), dtype=np.int64)
        keys = words * len(texts) + places
        order = np.argsort(keys, kind="stable")
        known, firsts = np.unique(keys[order], return_index=True)
        self.places: Any = known % max(len(texts), 1)
        self._often: Any = np.add.reduceat(weights[order], firsts) if len(firsts) else np.zeros(0)
        self._bounds: Any = np.searchsorted(known, np.arange(len(numbers) + 1) * len(texts))
        self._numbers = numbers

    def of(self, word: str) -> tuple[Any, Any]:
        number = self._numbers.get(word)
        span = slice(0) if number is None else slice(self._bounds[number], self._bounds[number + 1])
        return self.places[span], self._often[span]
