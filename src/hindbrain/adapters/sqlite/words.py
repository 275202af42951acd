"""How the best by words are found: by the engine's bm25(), or by counting where a project is a small part of the store.

bm25() weighs a word by its whole list, over all projects, with every question. Among a thousand projects that is nearly
all it does; to count the words of the one project's matches takes a fraction of it and gives the same numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter

import apsw

from hindbrain.core.hints import Any
from hindbrain.core.recall.bm25 import K1, B, idf
from hindbrain.core.recall.index import WEIGHTS, everywhere_token, is_scope, scope_token
from hindbrain.core.value import dataclass
from hindbrain.ports import Match, Where

_LARGE = 10_000  # memories from which on how rare a word is need not be counted each time
_COUNTED = 50_000  # words whose count a process keeps
_SMALL = 200  # a project of which a store could hold so many: bm25() would take longer than to count here
_BEST = (
    # Inside, because a join would read the row of every match before the order is known. What the condition leaves
    # out comes as NULL: how many there were says whether there are more.
    f"SELECT m.id, b.seq, b.score, d.sz FROM (SELECT rowid AS seq, -bm25(memory_words, {', '.join(map(str, WEIGHTS))})"
    " AS score FROM memory_words WHERE memory_words MATCH ? ORDER BY score DESC, rowid LIMIT ?) b"
    " LEFT JOIN memory m ON m.seq = b.seq AND %s LEFT JOIN memory_words_docsize d ON d.id = m.seq"
)
_HELD = (
    "SELECT m.id, m.seq, d.sz, m.title_words, m.content_words, m.extra_words FROM memory_words w"
    " CROSS JOIN memory m ON m.seq = w.rowid CROSS JOIN memory_words_docsize d ON d.id = m.seq"
    " WHERE memory_words MATCH ? AND %s"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    where: Where
    clause: str  # of it, on `memory m`
    values: Sequence[Any]
    number: int  # of the project


_SCORE = attrgetter("score")


class Words:
    """The index of words of a store, over whatever connection the calling thread has."""

    def __init__(self, all_: Callable[..., list[Any]], connection: Callable[[], apsw.Connection]) -> None:
        self._all, self._db = all_, connection
        self._counted: dict[str, tuple[int, int]] = {}  # of how many memories how many hold a word

    def best(self, words: Sequence[str], wanted: Wanted, *, limit: int) -> list[Match]:
        """The best by BM25, best first, those as good as each other by id."""
        match = _match(words, wanted, is_alone=self._is_alone())
        count, usual = self._averages()
        if self._is_small(wanted, among=count):
            found = self._by_counting(words, match, wanted=wanted, usual=usual or 1.0)
        else:
            found = self._by_engine(match, wanted, limit=limit, usual=usual or 1.0)
        found.sort()  # by id, which is what a match begins with
        found.sort(key=_SCORE, reverse=True)
        return found[:limit]

    def holders(self, words: Sequence[str]) -> tuple[int, dict[str, int]]:
        """How many memories there are, and how many hold each word, over all projects."""
        # One by one: asked for several terms at once, fts5vocab reads all that there are.
        count = self._size()
        return count, {word: 0 if is_scope(word) else self._held(word, among=count) for word in words}

    def _by_engine(self, match: str, wanted: Wanted, *, limit: int, usual: float) -> list[Match]:
        depth, sql = limit, _BEST % wanted.clause
        while True:
            found = self._all(sql, match, depth, *wanted.values)
            admitted = [row for row in found if row[0] is not None]
            if len(admitted) >= limit or len(found) < depth:
                return [Match(key, score, _length(sizes) / usual, seq) for key, seq, score, sizes in admitted]
            depth *= 4  # what the scope cannot say (persona, trust, session) has thinned them out

    def _by_counting(self, words: Sequence[str], match: str, *, wanted: Wanted, usual: float) -> list[Match]:
        count, held = self.holders(words)
        worths = {word: idf(held[word], count) * words.count(word) for word in words}
        found = []
        for key, seq, sizes, *texts in self._all(_HELD % wanted.clause, match, *wanted.values):
            size = _length(sizes) / usual
            found.append(Match(key, _score(_often(texts, worths), worths, size=size), size, seq))
        return found

    def _is_small(self, wanted: Wanted, *, among: int) -> bool:
        """Whether the project is so small a part of the store that counting is cheaper."""
        most = among // _SMALL
        if self._db().in_transaction or not most:
            return False  # a transaction does not see what it added in the index's own record
        own = "SELECT 1 FROM memory WHERE project = (SELECT id FROM project WHERE seq = ?)"
        wide = " UNION ALL SELECT 1 FROM memory WHERE reach = 'everywhere'" if wanted.where.with_everywhere else ""
        ((found,),) = self._all(f"SELECT count(*) FROM ({own}{wide} LIMIT ?)", wanted.number, most + 1)
        return bool(found <= most)

    def _is_alone(self) -> bool:
        """Whether there is one project only: naming it would make bm25() count all that it has, to no end."""
        return len(self._all("SELECT 1 FROM project LIMIT 2")) < 2

    def _averages(self) -> tuple[int, float]:
        """How many memories the index holds, and how long they are on average, from its own record."""
        found = self._all("SELECT block FROM memory_words_data WHERE id = 1")
        count, *sizes = _numbers(found[0][0]) if found and found[0][0] else (0,)
        return count, sum(sizes) / count if count else 0.0

    def _size(self) -> int:
        """How many memories there are. A transaction does not see what it added in the index's own record."""
        if self._db().in_transaction:
            return int(self._all("SELECT count(*) FROM memory")[0][0])
        return self._averages()[0]

    def _held(self, word: str, *, among: int) -> int:
        """Counting reads the word's whole list, over all projects. In a large store what was counted while it was
        about as large still says how rare a word is."""
        size, known = self._counted.get(word, (0, 0))
        if among >= _LARGE and abs(among - size) <= size // 100:
            return known
        found = self._all("SELECT doc FROM memory_terms WHERE term = ?", word)
        held = int(found[0][0]) if found else 0
        if among >= _LARGE and held and len(self._counted) < _COUNTED:
            self._counted[word] = (among, held)
        return held


def _match(words: Sequence[str], wanted: Wanted, *, is_alone: bool) -> str:
    """An FTS5 expression. Words are terms of ours, quoted all the same."""
    any_word = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
    in_text = f"{{title_words content_words extra_words}} : ({any_word})"
    if is_alone:
        return in_text
    states = sorted(wanted.where.states)
    scopes = [scope_token(wanted.number, state) for state in states]
    if wanted.where.with_everywhere:
        scopes += [everywhere_token(state) for state in states]
    any_scope = " OR ".join(f'"{token}"' for token in scopes)
    return f"scope : ({any_scope}) AND {in_text}"


def _often(texts: Sequence[str], worths: Mapping[str, float]) -> dict[str, float]:
    """How often each word stands in title, content and the rest, by what each of them weighs."""
    often: dict[str, float] = {}
    for text, weight in zip(texts, WEIGHTS[1:], strict=True):
        for term in text.split():
            if term in worths:
                often[term] = often.get(term, 0.0) + weight
    return often


def _score(often: Mapping[str, float], worths: Mapping[str, float], *, size: float) -> float:
    damping = K1 * (1 - B + B * size)
    return sum(worths[term] * count * (K1 + 1) / (count + damping) for term, count in often.items())


def _length(sizes: bytes) -> int:
    """Words in all columns."""
    return sum(sizes) if len(sizes) == len(WEIGHTS) else sum(_numbers(sizes))  # a byte each, unless one is long


def _numbers(blob: bytes) -> list[int]:
    """The whole numbers that SQLite packed into `blob`: seven bits a byte, the highest bit says that more follow."""
    found, number = [], 0
    for byte in blob:
        number = (number << 7) | (byte & 0x7F)
        if byte < 0x80:
            found.append(number)
            number = 0
    return found
