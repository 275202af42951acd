"""When lists of words that were read once need not be read again.

bm25() looks up how long each text is that holds a word of the question, one by one and with every question: most of
what it costs. Here a process keeps the lengths, and the lists of the words it was asked for, and gives the same
numbers. The index's own record changes with every write to it, by whatever process, in the same transaction; so equal
records mean equal lists. Nothing is kept before some questions in a row have found the same record, the more the larger
the store is: where memories come as fast as questions, that would cost more than it spares.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from hindbrain.adapters.sqlite.postings import ALL_PLACES, TABLE, measured, scoped, weighed
from hindbrain.adapters.sqlite.rows import to_json
from hindbrain.core.hints import Any
from hindbrain.core.recall.bm25 import K1, B, idf
from hindbrain.core.recall.index import is_scope
from hindbrain.ports import Match

_MOST = 200_000  # memories; the lengths of more would take too much room, and too long to read
_FARTHEST = 5 * _MOST  # seq; there is a place for every one up to the last
_ROOM = 5_000_000  # places in all lists that a process keeps, 12 bytes each at most
_LEAST, _EACH = 2, 12_000  # questions in a row that find the same; memories for each of which it takes one more
_IDS, _RAW_IDS = "SELECT seq, id FROM memory", "SELECT seq, CAST(id AS BLOB) FROM memory"
_LAST = "SELECT max(id) FROM main.memory_words_docsize"

match = partial(tuple.__new__, Match)  # what Match._make does, without a Python function in between
All = Callable[..., list[Any]]  # the rows of a query


class Lists:
    """What a process has read. Threads may share it: what belongs to another record is replaced, never changed."""

    def __init__(self) -> None:
        self._seen, self._often = b"", 0
        self._kept: Kept | None = None

    def at(self, record: bytes, *, count: int, total: int, all_: All) -> "Kept | None":
        """The lists of an index with that record, for a transaction that sees it; None: ask the engine."""
        if not 0 < count <= _MOST or not total:
            return None
        self._often = self._often + 1 if self._seen == record else 1
        self._seen = record
        kept = self.known(record)
        if kept is None and self._often >= max(_LEAST, count // _EACH) and all_(_LAST)[0][0] <= _FARTHEST:
            kept = Kept(record, count=count, total=total, all_=all_)
        self._kept = kept
        return kept

    def known(self, record: bytes) -> "Kept | None":
        """The same, if there are any already."""
        kept = self._kept
        return kept if kept is not None and kept.record == record else None


class Kept:
    """Lists of one state of the index."""

    def __init__(self, record: bytes, *, count: int, total: int, all_: All) -> None:
        self.record = record
        self._count = count
        self.sizes: Any = measured(all_)  # in words, by seq
        self._damping = K1 * (1 - B + B * self.sizes / (total / count))
        self._lists: dict[str, _List] = {}
        self._room = _ROOM
        self._scopes: dict[tuple[str, ...], Any] = {}
        self._ids: Any = _named(all_, len(self.sizes))  # by seq; None where there is no memory

    def holders(self, words: Sequence[str], *, all_: All) -> dict[str, int]:
        """How many memories hold each, in any text."""
        lists = self._of(words, all_)
        return {word: len(lists[word].holders) for word in words}

    def held(self, words: Sequence[str], ids: Mapping[int, str], *, all_: All) -> dict[str, set[str]]:
        """By id which of `words` each of these memories holds that holds any."""
        lists, keys = self._of(words, all_), list(ids.values())
        asked = np.array(list(ids), dtype=np.int32)
        found: dict[str, set[str]] = {}
        for word in words:
            holders = lists[word].holders
            if not len(holders):
                continue
            places = np.minimum(holders.searchsorted(asked), len(holders) - 1)
            for at in np.flatnonzero(holders[places] == asked).tolist():
                found.setdefault(keys[at], set()).add(word)
        return found

    def scores(self, words: Sequence[str], *, scopes: Sequence[str], all_: All) -> Any:
        """BM25 of every memory by seq; 0 where it holds none of `words`, or none of `scopes` if there are any."""
        scores = np.zeros(len(self.sizes))
        lists = self._of((*words, *scopes), all_)
        for word in words:
            scores[lists[word].holders] += lists[word].parts
        if scopes:
            scores *= self._inside(scopes, lists)
        return scores

    def _inside(self, scopes: Sequence[str], lists: Mapping[str, "_List"]) -> Any:
        """By seq who has any of `scopes`."""
        known = self._scopes.get(tuple(scopes))
        if known is None:
            known = np.zeros(len(self.sizes), dtype=bool)
            for scope in scopes:
                known[lists[scope].inside] = True
            self._scopes[tuple(scopes)] = known
        return known

    def best(self, scores: Any, depth: int) -> Any:
        """The seq of the best, in no order; of those as good as the last, the first ones."""
        found = np.flatnonzero(scores)
        if len(found) <= depth or depth < 1:
            return found[: max(depth, 0)]
        theirs = scores[found]
        last = np.partition(theirs, len(found) - depth)[len(found) - depth]
        better = found[theirs > last]
        return np.concatenate((better, found[theirs == last][: depth - len(better)]))

    def told(self, scores: Any, seqs: Any, *, usual: float) -> list[Match]:
        """What is known of each of these memories that is there."""
        places = np.asarray(seqs, dtype=np.int64)
        sizes = self.sizes[places] / usual
        known = zip(self._ids[places].tolist(), scores[places].tolist(), sizes.tolist(), places.tolist(), strict=True)
        return [match(one) for one in known if one[0] is not None]

    def _of(self, words: Sequence[str], all_: All) -> dict[str, "_List"]:
        lists = {word: self._lists[word] for word in words if word in self._lists}
        lacking = [word for word in dict.fromkeys(words) if word not in lists]
        if not lacking:
            return lists
        all_(TABLE)  # every thread has a connection of its own
        for number, places in all_(ALL_PLACES, to_json(lacking)):
            word, count = lacking[number], places.count(",") + 1 if places else 0
            lists[word] = self._read(word, places or "")
            if count <= self._room:
                self._room -= count
                self._lists[word] = lists[word]
        return lists

    def _read(self, word: str, places: str) -> "_List":
        """`places`: as ALL_PLACES tells them."""
        holders, often = weighed(places)
        worth = idf(len(holders), self._count)
        parts = worth * ((often * (K1 + 1)) / (often + self._damping[holders]))
        inside = scoped(places) if is_scope(word) else holders[:0]
        return _List(holders.astype(np.int32), parts, inside.astype(np.int32))


def _named(all_: All, size: int) -> Any:
    """The id of each memory by its seq: an index on the ids holds both, and no memory's row is read for it."""
    try:
        named = all_(_IDS)
    except UnicodeDecodeError:  # one is damaged, and nobody will find its memory
        named = [(seq, raw.decode("utf-8", "replace")) for seq, raw in all_(_RAW_IDS)]
    ids = np.full(size, None, dtype=object)
    for seq, key in named:
        if seq < size:
            ids[seq] = key
    return ids


class _List:
    """Who holds a word in a text, what it adds to the BM25 of each, and who has it as a scope."""

    __slots__ = ("holders", "inside", "parts")

    def __init__(self, holders: Any, parts: Any, inside: Any) -> None:
        self.holders, self.parts, self.inside = holders, parts, inside
