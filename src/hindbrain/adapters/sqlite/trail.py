"""How a process that writes need not read again what it knew before it wrote.

Every new memory is compared with those that share its rarer words. To find them the engine reads the lists of those
words, and how long each text in them is, one by one. Here a writer keeps the lists that it has read and adds to them
what it writes itself. The index's own record says whether anybody else has written since: it changes with every write,
in the same transaction. Where others only added memories, these are read and added as well; after anything else, all is
read again. The numbers are those of bm25(), to the last digit.

One thread at a time uses it, in a transaction of its own.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock

import numpy as np

from hindbrain.adapters.sqlite.postings import (
    FARTHEST,
    PLACES,
    TABLE,
    Postings,
    Scored,
    measured,
    parts,
    reaching,
    summed,
)
from hindbrain.adapters.sqlite.prune import Word, contenders
from hindbrain.adapters.sqlite.rows import to_json
from hindbrain.adapters.sqlite.words import GENERATION, HOLDERS, are_plain, length
from hindbrain.core.hints import Any
from hindbrain.core.model import Reach
from hindbrain.core.model.record import from_record
from hindbrain.core.notation import read
from hindbrain.core.recall.bm25 import idf
from hindbrain.core.recall.index import WEIGHTS, columns

_ROOM = 2_000_000  # memories in all lists that a process keeps, 16 bytes each
_MOST_COUNTS = 200_000  # words of which it is known how many hold them
_SHORT = 400  # places of the lists of some words together
_MOST_SCOPES = 16
_EACH = 50_000  # memories for each of which it takes one more transaction in a row until it pays to read lists
_MOST_MISSED = 500  # versions that others wrote meanwhile; of more it is cheaper to read all again
_INSIDE = "SELECT rowid FROM memory_words WHERE memory_words MATCH ?"
_INDEXED = (
    "SELECT m.seq, d.sz, m.scope, m.title_words, m.content_words, m.extra_words"
    " FROM memory m CROSS JOIN memory_words_docsize d ON d.id = m.seq WHERE m.id = ?"
)
_LAST = "SELECT coalesce(max(seq), 0) FROM memory"
_MARK = "SELECT rowid, memory, version FROM memory_version ORDER BY rowid DESC LIMIT 1"
_MISSED = (
    "SELECT v.rowid, v.memory, v.version, m.seq, d.sz, m.scope, m.title_words, m.content_words, m.extra_words"
    " FROM memory_version v LEFT JOIN memory m ON m.id = v.memory LEFT JOIN memory_words_docsize d ON d.id = m.seq"
    " WHERE v.rowid >= ? ORDER BY v.rowid LIMIT ?"
)
_BEFORE = "SELECT data FROM memory_version WHERE memory = ? AND version = ?"

All = Callable[..., list[Any]]  # the rows of a query
Record = tuple[bytes, int, int]  # of the index: itself, how many memories, with how many words
Best = list[tuple[int, float, int]]  # seq, score and length of each


class Trail:
    """What one process knows of the index since it last looked."""

    def __init__(self) -> None:
        self.lock = Lock()  # held around a transaction that is followed
        self._record = b""  # as it was left
        self._met = b""  # as the open transaction found it
        self._look: Callable[[], Record] | None = None  # None once the open transaction has looked at it
        self.forget()

    def forget(self) -> None:
        self._steps = 0  # transactions in a row that have found what the one before had left
        self._count = self._total = self._last = 0
        self._mark: tuple[int, str, int] | None = None  # the last version that was written: its row, memory and number
        self._counts: dict[str, int] = {}
        self._lists: dict[str, Postings] = {}
        self._room = _ROOM
        self._inside: dict[str, Any] = {}  # by scope, and there by seq, who has it
        self._scores: Any = np.zeros(0)  # by seq; all zero between two questions
        self._sizes: Any = np.zeros(0)  # in words, by seq; empty before they are needed
        self._is_known = False

    @contextmanager
    def followed(self, look: Callable[[], Record], all_: All, *, is_look: bool = False) -> Iterator[None]:
        """Around one transaction: what it wrote is known afterwards, unless it came to nothing. One that only looks
        leaves the record that it found."""
        self._look = look
        is_whole = False
        try:
            yield
            is_whole = True
        finally:
            if not is_whole:
                self.forget()
            elif self._look is None:
                self._leave(self._met if is_look else look()[0], all_)

    def meet(self, all_: All) -> None:
        """Find out whether what is known still holds. Before the transaction writes: it does not see in the record what
        it added itself."""
        if self._look is None:
            return
        record, count, total = self._look()
        self._met, self._look = record, None
        is_same = (record, count, total) == (self._record, self._count, self._total)
        if self._is_known and (is_same or self._catch_up(record, count=count, total=total, all_=all_)):
            self._steps += 1
            return
        self.forget()
        ((self._last,),) = all_(_LAST)
        self._count, self._total, self._is_known = count, total, self._last <= FARTHEST

    def _leave(self, record: bytes, all_: All) -> None:
        if record != self._record:
            self._record = record
            self._mark = next(iter(all_(_MARK)), None)

    def _catch_up(self, record: bytes, *, count: int, total: int, all_: All) -> bool:
        """Add what others wrote. Every version of a memory has a row; without one, or if the numbers do not come out as
        the index has them, something else has happened that nobody can tell from here."""
        if self._mark is None or record[:GENERATION] != self._record[:GENERATION]:
            return False
        found = all_(_MISSED, self._mark[0], _MOST_MISSED)
        if not 1 < len(found) < _MOST_MISSED or found[0][:3] != self._mark:
            return False
        missed: dict[str, Sequence[Any]] = {}
        for row in found[1:]:
            missed.setdefault(row[1], row)
        if not all(self._take(row, all_) for row in missed.values()):
            return False
        is_all: bool = (self._count, self._total) == (count, total)
        return is_all

    def _take(self, row: Sequence[Any], all_: All) -> bool:
        """What another one wrote, of which `row` is the first version that is not known here."""
        _, memory_id, version, *after = row
        if after[0] is None or after[1] is None:
            return False
        often = _often(after[2:])
        if not are_plain(often):
            return False
        if version == 1:
            is_new: bool = after[0] > self._last
            self._wrote(after[0], after[2], size=length(after[1]), often=often)
            return is_new
        size, before = _told(all_(_BEFORE, memory_id, version - 1))
        if after[0] > self._last or not are_plain(before):
            return False
        self._rewrote(after, size=size, words={*before, *often})
        return True

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
            self._counts |= {word: len(one) for word, one in read.items()}
            self._keep(read, also=words)
        return bool(read)

    def added(self, seq: int, texts: Sequence[str]) -> None:
        """A new memory: its words are added to what is known of them. `texts` as they were given to the index."""
        often = _often(texts)
        # Of other words it is not sure what the engine takes them for.
        if not self._is_known or not are_plain(often):
            self.forget()
        else:
            self._wrote(seq, texts[0], size=sum(len(text.split()) for text in texts), often=often)

    @contextmanager
    def changed(self, memory_id: str, all_: All) -> Iterator[None]:
        """Around the writing of one that was known: its words are read again."""
        before = all_(_INDEXED, memory_id)
        yield
        after = all_(_INDEXED, memory_id)
        if before == after:
            return
        words = [_often(texts) for _, _, *texts in (*before, *after)]
        if not self._is_known or len(before) != 1 or len(after) != 1 or not all(map(are_plain, words)):
            self.forget()
        else:
            self._rewrote(after[0], size=length(before[0][1]), words={word for often in words for word in often})

    def _wrote(self, seq: int, scopes: str, *, size: int, often: Mapping[str, float]) -> None:
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
                lists[word].add(seq, weight)
                self._room -= 1

    def _rewrote(self, row: Sequence[Any], *, size: int, words: Iterable[str]) -> None:
        """What is known of any of its words, those before and those after, is read again. `size` is of before."""
        seq, now = row[0], length(row[1])
        self._total += now - size
        self._measure(seq, now)
        scopes = row[2].split()
        for scope in self._inside:
            self._place(scope, seq, is_inside=scope in scopes)
        for word in words:
            self._counts.pop(word, None)
            self._lists.pop(word, None)

    def best(self, words: Sequence[str], *, scopes: Sequence[str], depth: int, all_: All) -> Best:
        """The best by BM25 of those that hold any of `words`, and have one of `scopes` if there are any; the first ones
        of those that are as good as the last."""
        lists = [one for one in self._read(words, all_) if len(one)]
        if not lists:
            return []
        self._last = max(self._last, *(int(one.seqs[-1]) for one in lists))
        self._sizes, self._scores = reaching(self._sizes, self._last), reaching(self._scores, self._last)
        inside = self._in_any(scopes, all_) if scopes else None
        known = [(one, idf(len(one), self._count)) for one in lists]
        few = contenders(known, depth=depth, score=lambda some: self._scored(some, inside=inside))
        seqs, sums = self._scored(known, inside=inside, few=few)
        return _foremost(seqs, sums, sizes=self._sizes[seqs], depth=depth)

    def _scored(self, words: Sequence[Word], *, inside: Any, few: Any = None) -> Scored:
        """All that hold any of `words`, or those of them that are among `few`."""
        scored = []
        for one, worth in words:
            seqs, often = (one.seqs, one.often) if few is None else one.among(few)
            scored.append((seqs, parts(seqs, often, worth=worth, sizes=self._sizes, usual=self.usual)))
        seqs, sums = summed(scored, self._scores)
        if inside is None:
            return seqs, sums
        chosen = inside[seqs]
        return seqs[chosen], sums[chosen]

    def _read(self, words: Sequence[str], all_: All) -> list[Postings]:
        lacking = [word for word in dict.fromkeys(words) if word not in self._lists]
        if lacking:
            self._keep(self._lists_of(lacking, all_), also=words)
        return [self._lists[word] for word in words]

    def _lists_of(self, words: Sequence[str], all_: All, *, most: int = -1) -> dict[str, Postings]:
        """None of them when they have more than `most` places together."""
        all_(TABLE)  # every thread has a connection of its own
        found = all_(PLACES, to_json(words), most)
        if sum(count for _, count, _ in found) == most:
            return {}
        if not len(self._sizes):
            self._sizes = measured(all_)
        places = {number: text for number, _, text in found}
        return {word: Postings(places.get(number, "")) for number, word in enumerate(words)}

    def _keep(self, read: dict[str, Postings], *, also: Sequence[str]) -> None:
        self._room -= sum(len(one) for one in read.values())
        if self._room < 0:
            self._lists = {word: self._lists[word] for word in also if word in self._lists}
            self._room = _ROOM - sum(len(one) for one in (*self._lists.values(), *read.values()))
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
            has = self._inside[scope] = reaching(self._inside[scope], seq)
            has[seq] = is_inside

    def _measure(self, seq: int, size: int) -> None:
        if len(self._sizes):
            self._sizes = reaching(self._sizes, seq)
            self._sizes[seq] = size


def _often(texts: Sequence[str]) -> dict[str, float]:
    """How often each word stands in them, by what each of them weighs."""
    often: dict[str, float] = {}
    for text, weight in zip(texts, WEIGHTS, strict=True):
        for term in text.split():
            often[term] = often.get(term, 0.0) + weight
    return often


def _told(found: Sequence[Sequence[str]]) -> tuple[int, dict[str, float]]:
    """How many words the index had of a memory, by what its history says of it, and which."""
    if not found:
        return 0, {"": 0.0}  # which is no word that anybody could be sure of
    memory = from_record(read(found[0][0]))
    texts = columns(memory)
    scopes = 2 if memory.reach is Reach.EVERYWHERE else 1
    return scopes + sum(map(len, texts)), _often(["", *map(" ".join, texts)])


def _foremost(seqs: Any, sums: Any, *, sizes: Any, depth: int) -> Best:
    if len(seqs) > depth:
        last = np.partition(sums, len(sums) - depth)[len(sums) - depth]
        better, equal = np.flatnonzero(sums > last), np.flatnonzero(sums == last)
        first = np.argsort(seqs[equal])[: depth - len(better)]
        chosen = np.concatenate((better, equal[first]))
        seqs, sums, sizes = seqs[chosen], sums[chosen], sizes[chosen]
    best = sorted(zip((-sums).tolist(), seqs.tolist(), sizes.tolist(), strict=True))
    return [(seq, -score, int(size)) for score, seq, size in best]
