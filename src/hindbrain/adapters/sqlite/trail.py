"""How a process that writes need not read again what it knew before it wrote.

Every new memory is compared with those that share its rarer words. To find them the engine reads the lists of those
words, and how long each text in them is, one by one. Here a writer keeps the lists that it has read and adds to them
what it writes itself. The index's own record says whether anybody else has written since: it changes with every write,
in the same transaction. The numbers are those of bm25(), to the last digit.

All of it happens behind the gate, so one thread at a time.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from hindbrain.adapters.sqlite.rows import to_json
from hindbrain.adapters.sqlite.words import HOLDERS, are_plain, length
from hindbrain.core.hints import Any
from hindbrain.core.recall.bm25 import K1, B, idf
from hindbrain.core.recall.index import WEIGHTS

_ROOM = 2_000_000  # memories in all lists that a process keeps, 16 bytes each
_MOST_COUNTS = 200_000  # words of which it is known how many hold them
_SHORT = 400  # places of the lists of some words together
_MOST_SCOPES = 16
_FARTHEST = 4_000_000  # seq; there is a place for every one up to the last
_EACH = 50_000  # memories for each of which it takes one more transaction in a row until it pays to read lists
_TABLE = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.memory_places USING fts5vocab (main, memory_words, instance)"
# As text, a list at a time: to make a row of each place takes longer than to find it. The table is opened once for all
# words; asked for several at once in any other way, it reads all that there are.
_COLUMN = "(p.col = 'title_words') + 2 * (p.col = 'content_words') + 3 * (p.col = 'extra_words')"
_PLACES = (
    f"SELECT word, count(*), group_concat(place) FROM (SELECT j.key AS word, 4 * p.doc + {_COLUMN} AS place"
    " FROM json_each(?) j CROSS JOIN temp.memory_places p ON p.term = j.value LIMIT ?) GROUP BY word"
)
_WEIGHTS: Any = np.array(WEIGHTS)
_SIZES = "SELECT group_concat(id), group_concat(hex(sz), '') FROM memory_words_docsize WHERE length(sz) = 4"
_LONG_SIZES = "SELECT id, sz FROM memory_words_docsize WHERE length(sz) <> 4"  # where a text has more than 127 words
_INSIDE = "SELECT rowid FROM memory_words WHERE memory_words MATCH ?"
_INDEXED = (
    "SELECT m.seq, d.sz, m.scope, m.title_words, m.content_words, m.extra_words"
    " FROM memory m CROSS JOIN memory_words_docsize d ON d.id = m.seq WHERE m.id = ?"
)
_LAST = "SELECT coalesce(max(seq), 0) FROM memory"

All = Callable[..., list[Any]]  # the rows of a query
Record = tuple[bytes, int, int]  # of the index: itself, how many memories, with how many words
Best = list[tuple[int, float, int]]  # seq, score and length of each


class Trail:
    """What one process knows of the index since it last wrote."""

    def __init__(self) -> None:
        self._record = b""  # as it was left
        self._look: Callable[[], Record] | None = None  # None once the open transaction has looked at it
        self.forget()

    def forget(self) -> None:
        self._steps = 0  # transactions in a row that have found what the one before had left
        self._count = self._total = self._last = 0
        self._counts: dict[str, int] = {}
        self._lists: dict[str, _List] = {}
        self._room = _ROOM
        self._inside: dict[str, Any] = {}  # by scope, and there by seq, who has it
        self._scores: Any = np.zeros(0)  # by seq; all zero between two questions
        self._sizes: Any = np.zeros(0)  # in words, by seq; empty before they are needed
        self._is_known = False

    @contextmanager
    def followed(self, look: Callable[[], Record]) -> Iterator[None]:
        """Around one transaction: what it wrote is known afterwards, unless it came to nothing."""
        self._look = look
        is_whole = False
        try:
            yield
            is_whole = True
        finally:
            if not is_whole:
                self.forget()
            elif self._look is None:
                self._record = look()[0]

    def meet(self, all_: All) -> None:
        """Find out whether what is known still holds. Before the transaction writes: it does not see in the record what
        it added itself."""
        if self._look is None:
            return
        record, count, total = self._look()
        self._look = None
        if not self._is_known or (record, count, total) != (self._record, self._count, self._total):
            self.forget()
            ((self._last,),) = all_(_LAST)
            self._count, self._total, self._is_known = count, total, self._last <= _FARTHEST
        else:
            self._steps += 1

    @property
    def is_worn(self) -> bool:
        """Whether it pays to read lists: somebody who writes once, or by turns with others, has no use for them."""
        return self._is_known and self._steps > self._count // _EACH and self._total > 0

    @property
    def usual(self) -> float:
        """How many words a memory has, on average."""
        return self._total / self._count

    def counts(self, words: Sequence[str], all_: All) -> dict[str, int]:
        """How many memories hold each."""
        self.meet(all_)
        known = self._counts
        lacking = [word for word in words if word not in known]
        if not self._is_known:
            return {**dict.fromkeys(words, 0), **dict(all_(HOLDERS, to_json(lacking)))}
        if len(known) > _MOST_COUNTS:
            known = self._counts = {word: known[word] for word in words if word in known}
        if lacking and not (self.is_worn and self._are_short(lacking, all_)):
            known |= {**dict.fromkeys(lacking, 0), **dict(all_(HOLDERS, to_json(lacking)))}
        return {word: known[word] for word in words}

    def _are_short(self, words: Sequence[str], all_: All) -> bool:
        """Whether the lists of `words` were short enough to be read along with how many they name: of those that nobody
        asked for before, most are."""
        read = self._lists_of(words, all_, most=_SHORT)
        if read:
            self._counts |= {word: len(one.holders) for word, one in read.items()}
            self._keep(read, also=words)
        return bool(read)

    @contextmanager
    def written(self, memory_id: str, all_: All, *, is_new: bool) -> Iterator[None]:
        """Around the writing of one memory: its words are added to what is known of them."""
        self.meet(all_)
        before = all_(_INDEXED, memory_id) if not is_new else []
        yield
        after = all_(_INDEXED, memory_id)
        if before == after:
            return
        words = [_often(texts) for _, _, *texts in (*before, *after)]
        # Of other words it is not sure what the engine takes them for.
        if not self._is_known or len(after) != 1 or not all(map(are_plain, words)):
            self.forget()
        elif before:
            self._rewrote(before[0], after[0], words={word for often in words for word in often})
        else:
            self._wrote(after[0], often=words[0])

    def _wrote(self, row: Sequence[Any], *, often: Mapping[str, float]) -> None:
        seq, size, scopes = row[0], length(row[1]), row[2]
        self._count, self._total, self._last = self._count + 1, self._total + size, max(self._last, seq)
        self._measure(seq, size)
        for scope in scopes.split():
            self._place(scope, seq, is_inside=True)
        counts, lists = self._counts, self._lists
        for word, weight in often.items():
            if not weight:
                continue
            if word in counts:
                counts[word] += 1
            if word in lists:
                lists[word].fresh.append((seq, weight))
                self._room -= 1

    def _rewrote(self, before: Sequence[Any], after: Sequence[Any], *, words: Iterable[str]) -> None:
        """What is known of any of its words is read again."""
        self._total += length(after[1]) - length(before[1])
        self._measure(after[0], length(after[1]))
        for seq, _, scopes, *_ in (before, after):
            for scope in scopes.split():
                self._place(scope, seq, is_inside=scope in after[2].split())
        for word in words:
            self._counts.pop(word, None)
            self._lists.pop(word, None)

    def best(self, words: Sequence[str], *, scopes: Sequence[str], depth: int, all_: All) -> Best:
        """The best by BM25 of those that hold any of `words`, and have one of `scopes` if there are any; the first ones
        of those that are as good as the last."""
        lists = [one for one in self._read(words, all_) if len(one.holders)]
        if not lists:
            return []
        holders = np.concatenate([one.holders for one in lists])
        often = np.concatenate([one.often for one in lists])
        self._last = max(self._last, int(holders.max()))
        self._sizes = _reaching(self._sizes, self._last)
        sizes = self._sizes[holders]
        worths = np.repeat([idf(len(one.holders), self._count) for one in lists], [len(one.holders) for one in lists])
        damping = K1 * (1 - B + B * sizes / self.usual)
        parts = worths * ((often * (K1 + 1)) / (often + damping))
        scores = self._scores = _reaching(self._scores, self._last)
        at = 0
        for one in lists:  # one after the other, as the engine adds them up
            end = at + len(one.holders)
            scores[one.holders] += parts[at:end]
            at = end
        sums = scores[holders]
        places = np.arange(len(holders), dtype=np.float64)
        scores[holders] = places
        chosen = scores[holders] == places  # each once, though it may hold several of the words
        scores[holders] = 0.0
        if scopes:
            chosen &= self._in_any(scopes, all_)[holders]
        return _foremost(holders[chosen], sums[chosen], sizes=sizes[chosen], depth=depth)

    def _read(self, words: Sequence[str], all_: All) -> "list[_List]":
        lacking = [word for word in dict.fromkeys(words) if word not in self._lists]
        if lacking:
            self._keep(self._lists_of(lacking, all_), also=words)
        lists = [self._lists[word] for word in words]
        for one in lists:
            one.settle()
        return lists

    def _lists_of(self, words: Sequence[str], all_: All, *, most: int = -1) -> "dict[str, _List]":
        """None of them when they have more than `most` places together."""
        all_(_TABLE)  # every thread has a connection of its own
        found = all_(_PLACES, to_json(words), most)
        if sum(count for _, count, _ in found) == most:
            return {}
        if not len(self._sizes):
            self._sizes = _measured(all_)
        places = {number: text for number, _, text in found}
        return {word: _List(places.get(number, "")) for number, word in enumerate(words)}

    def _keep(self, read: "dict[str, _List]", *, also: Sequence[str]) -> None:
        self._room -= sum(len(one.holders) for one in read.values())
        if self._room < 0:
            self._lists = {word: self._lists[word] for word in also if word in self._lists}
            self._room = _ROOM - sum(len(one.holders) for one in (*self._lists.values(), *read.values()))
        self._lists |= read

    def _in_any(self, scopes: Sequence[str], all_: All) -> Any:
        """By seq who has any of `scopes`."""
        found = np.zeros(self._last + 1, dtype=bool)
        for scope in scopes:
            if scope not in self._inside:
                if len(self._inside) >= _MOST_SCOPES:
                    self._inside.clear()
                has = self._inside[scope] = np.zeros(self._last + 1, dtype=bool)
                has[[seq for (seq,) in all_(_INSIDE, f'scope : "{scope}"') if 0 <= seq <= self._last]] = True
            has = self._inside[scope]
            found[: len(has)] |= has[: self._last + 1]
        return found

    def _place(self, scope: str, seq: int, *, is_inside: bool) -> None:
        if scope in self._inside:
            has = self._inside[scope] = _reaching(self._inside[scope], seq)
            has[seq] = is_inside

    def _measure(self, seq: int, size: int) -> None:
        if len(self._sizes):
            self._sizes = _reaching(self._sizes, seq)
            self._sizes[seq] = size


class _List:
    """Who holds a word in a text, and how often by what each place weighs."""

    __slots__ = ("fresh", "holders", "often")

    def __init__(self, places: str) -> None:
        told = _numbers(places)
        told = told[(told >= 0) & (told < 4 * _FARTHEST)]  # of a damaged index no number can be trusted
        weights = _WEIGHTS[told & 3]
        self.holders, of = np.unique((told >> 2)[weights > 0], return_inverse=True)
        self.often: Any = np.bincount(of, weights=weights[weights > 0])
        self.fresh: list[tuple[int, float]] = []  # what was written since

    def settle(self) -> None:
        if self.fresh:
            seqs, weights = zip(*self.fresh, strict=True)
            self.holders = np.concatenate((self.holders, seqs))
            self.often = np.concatenate((self.often, weights))
            self.fresh = []


def _numbers(text: str | None) -> Any:
    return np.fromstring(text, dtype=np.int64, sep=",") if text else np.zeros(0, dtype=np.int64)


def _measured(all_: All) -> Any:
    """How many words each memory has, by seq."""
    ((ids, sizes),) = all_(_SIZES)
    seqs = _numbers(ids)
    long = all_(_LONG_SIZES)
    found = np.zeros(max([int(seqs.max(initial=0)), *(seq for seq, _ in long)]) + 1)
    found[seqs] = np.frombuffer(bytes.fromhex(sizes or ""), dtype=np.uint8).reshape(-1, 4).sum(axis=1)
    found[[seq for seq, _ in long]] = [length(blob) for _, blob in long]
    return found


def _often(texts: Sequence[str]) -> dict[str, float]:
    """How often each word stands in them, by what each of them weighs."""
    often: dict[str, float] = {}
    for text, weight in zip(texts, WEIGHTS, strict=True):
        for term in text.split():
            often[term] = often.get(term, 0.0) + weight
    return often


def _reaching(found: Any, seq: int) -> Any:
    """`found` with a place for `seq`, and some more."""
    if seq < len(found):
        return found
    wider = np.zeros(seq + 1 + seq // 8, dtype=found.dtype)
    wider[: len(found)] = found
    return wider


def _foremost(holders: Any, sums: Any, *, sizes: Any, depth: int) -> Best:
    if len(holders) > depth:
        chosen = sums >= np.partition(sums, len(sums) - depth)[len(sums) - depth]
        holders, sums, sizes = holders[chosen], sums[chosen], sizes[chosen]
    best = sorted(zip((-sums).tolist(), holders.tolist(), sizes.tolist(), strict=True))[:depth]
    return [(seq, -score, int(size)) for score, seq, size in best]
