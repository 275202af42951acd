"""How the holders of one word are kept, so that one more or a look at a few of them does not touch all the others."""

from collections.abc import Callable, Sequence

import numpy as np

from hindbrain.adapters.sqlite.words import length
from hindbrain.core.hints import Any
from hindbrain.core.recall.bm25 import K1, B
from hindbrain.core.recall.index import WEIGHTS

FARTHEST = 4_000_000  # seq; there is a place for every one up to the last
_SHARE = 4  # a word that one in so many memories holds is kept by seq as well: then nobody has to be searched for
_SHORT = 200  # characters that name some thirty places
_WEIGHTS: Any = np.array(WEIGHTS)
TABLE = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.memory_places USING fts5vocab (main, memory_words, instance)"
# As text, a list at a time: to make a row of each place takes longer than to find it. The table is opened once for all
# words; asked for several at once in any other way, it reads all that there are.
_COLUMN = "CASE p.col WHEN 'content_words' THEN 2 WHEN 'title_words' THEN 1 WHEN 'extra_words' THEN 3 ELSE 0 END"
PLACES = (  # for each word its number, how many places it has, and these; of no more places than are asked for
    f"SELECT word, count(*), group_concat(place) FROM (SELECT j.key AS word, 4 * p.doc + {_COLUMN} AS place"
    " FROM json_each(?) j CROSS JOIN temp.memory_places p ON p.term = j.value LIMIT ?) GROUP BY word"
)
ALL_PLACES = (  # for each word its number and its places, however many: they need not be put in order of the words
    f"SELECT j.key, (SELECT group_concat(4 * p.doc + {_COLUMN}) FROM temp.memory_places p WHERE p.term = j.value)"
    " FROM json_each(?) j"
)

_SIZES = "SELECT group_concat(id), group_concat(hex(sz), '') FROM memory_words_docsize WHERE length(sz) = 4"
_LONG_SIZES = "SELECT id, sz FROM memory_words_docsize WHERE length(sz) <> 4"  # where a text has more than 127 words


class Postings:
    """Who holds a word in a text, and how often by what each place weighs."""

    __slots__ = ("_by_seq", "_fresh", "_often", "_seqs", "_size")

    def __init__(self, places: str) -> None:
        """`places`: as PLACES tells them."""
        self._seqs, self._often = weighed(places)
        self._size = len(self._seqs)
        self._by_seq: Any = None
        self._fresh: list[tuple[int, float]] = []  # what was added since somebody asked

    def __len__(self) -> int:
        return self._size + len(self._fresh)

    def add(self, seq: int, weight: float) -> None:
        """`seq` is behind all others."""
        self._fresh.append((seq, weight))

    @property
    def seqs(self) -> Any:
        """Rising."""
        self._settle()
        return self._seqs[: self._size]

    @property
    def often(self) -> Any:
        self._settle()
        return self._often[: self._size]

    def among(self, wanted: Any) -> tuple[Any, Any]:
        """Those of `wanted` that hold the word, and how often."""
        often = self._of(wanted)
        held = often > 0
        return wanted[held], often[held]

    def _of(self, wanted: Any) -> Any:
        seqs, often = self.seqs, self.often
        if not len(seqs):
            return np.zeros(len(wanted))
        if _SHARE * len(seqs) < seqs[-1]:
            places = np.minimum(np.searchsorted(seqs, wanted), len(seqs) - 1)
            return np.where(seqs[places] == wanted, often[places], 0.0)
        if self._by_seq is None:
            self._by_seq = reaching(np.zeros(0), int(seqs[-1]))
            self._by_seq[seqs] = often
        self._by_seq = reaching(self._by_seq, int(wanted.max(initial=0)))
        return self._by_seq[wanted]

    def _settle(self) -> None:
        if not self._fresh:
            return
        seqs, weights = zip(*self._fresh, strict=True)
        size = self._size + len(seqs)
        self._seqs, self._often = reaching(self._seqs, size), reaching(self._often, size)
        self._seqs[self._size : size], self._often[self._size : size] = seqs, weights
        if self._by_seq is not None:
            self._by_seq = reaching(self._by_seq, seqs[-1])
            self._by_seq[list(seqs)] = weights
        self._size, self._fresh = size, []


def weighed(places: str) -> tuple[Any, Any]:
    """Who holds a word in a text, rising, and how often by what each place weighs. `places`: four times the seq and the
    number of the column, of every one of them, with commas between."""
    return _few(places) if len(places) < _SHORT else _many(places)


def _few(places: str) -> tuple[Any, Any]:
    """As `_many`, one by one: most lists are so short that to begin takes arrays longer."""
    often: dict[int, float] = {}
    for place in map(int, places.split(",") if places else ()):
        if 0 <= place < 4 * FARTHEST and (weight := WEIGHTS[place & 3]):
            often[place >> 2] = often.get(place >> 2, 0.0) + weight
    seqs = sorted(often)
    return np.array(seqs, dtype=np.int64), np.array([often[seq] for seq in seqs], dtype=np.float64)


def _many(places: str) -> tuple[Any, Any]:
    told = _told(places)
    weights = _WEIGHTS[told & 3]
    in_texts = weights > 0
    holders, weights = (told >> 2)[in_texts], weights[in_texts]
    if len(holders) and (holders[1:] >= holders[:-1]).all():  # as the engine tells them, unless it is damaged
        firsts = np.flatnonzero(np.concatenate(([True], holders[1:] > holders[:-1])))
        return holders[firsts], np.add.reduceat(weights, firsts)
    seqs, of = np.unique(holders, return_inverse=True)
    return seqs, np.bincount(of, weights=weights)


def scoped(places: str) -> Any:
    """Who has the word as a scope."""
    told = _told(places)
    return told[told & 3 == 0] >> 2


def _told(places: str) -> Any:
    told = numbers(places)
    return told[(told >= 0) & (told < 4 * FARTHEST)]  # of a damaged index no number can be trusted


Scored = tuple[Any, Any]  # seqs, and what a word is worth to each


def parts(seqs: Any, often: Any, *, worth: float, sizes: Any, usual: float) -> Any:
    """What a word adds to the BM25 of each of `seqs`; `sizes` in words by seq."""
    damping = K1 * (1 - B + B * sizes[seqs] / usual)
    return worth * ((often * (K1 + 1)) / (often + damping))


def summed(scored: Sequence[Scored], scores: Any) -> Scored:
    """Each seq once, with all that it was given, added up in the order of `scored`. `scores` is zero for every seq,
    before and after."""
    for seqs, worths in scored:
        scores[seqs] += worths
    seqs = np.concatenate([one for one, _ in scored])
    sums = scores[seqs]
    places = np.arange(len(seqs), dtype=np.float64)
    scores[seqs] = places
    is_first = scores[seqs] == places  # each once, though it may hold several of the words
    scores[seqs] = 0.0
    return seqs[is_first], sums[is_first]


def measured(all_: Callable[..., list[Any]]) -> Any:
    """How many words each memory has, by seq."""
    ((ids, sizes),) = all_(_SIZES)
    seqs = numbers(ids)
    long = all_(_LONG_SIZES)
    found = np.zeros(max([int(seqs.max(initial=0)), *(seq for seq, _ in long)]) + 1)
    found[seqs] = np.frombuffer(bytes.fromhex(sizes or ""), dtype=np.uint8).reshape(-1, 4).sum(axis=1)
    found[[seq for seq, _ in long]] = [length(blob) for _, blob in long]
    return found


def numbers(text: str | None) -> Any:
    return np.fromstring(text, dtype=np.int64, sep=",") if text else np.zeros(0, dtype=np.int64)


def reaching(found: Any, seq: int) -> Any:
    """`found` with a place for `seq`, and some more."""
    if seq < len(found):
        return found
    wider = np.zeros(seq + 1 + seq // 8, dtype=found.dtype)
    wider[: len(found)] = found
    return wider
