"""How the best by words are found: by the engine's bm25(), or by counting where a project is a small part of the store.

bm25() weighs a word by its whole list, over all projects, with every question. Among a thousand projects that is nearly
all it does; to count the words of the one project's matches takes a fraction of it and gives the same numbers.
"""

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from operator import attrgetter

import apsw

from hindbrain.adapters.sqlite import rows
from hindbrain.adapters.sqlite.engine import steady
from hindbrain.core.hints import Any
from hindbrain.core.recall.bm25 import K1, B, idf
from hindbrain.core.recall.index import WEIGHTS, everywhere_token, is_scope, scope_token
from hindbrain.core.value import dataclass
from hindbrain.ports import Match, Where

TYPE_CHECKING = False  # checkers take it for True
if TYPE_CHECKING:
    from hindbrain.adapters.sqlite.corners import Corner, Corners
    from hindbrain.adapters.sqlite.lists import Kept, Lists
    from hindbrain.adapters.sqlite.trail import Trail

_LARGE = 10_000  # memories from which on how rare a word is need not be counted each time
_COUNTED = 50_000  # words whose count a process keeps
GENERATION = 4  # bytes that the index's own record begins with
_MOST_RENEWALS = 10_000  # of a damaged file no number can be trusted
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
    is_scope: bool = False  # whether the scope that a memory is indexed with says all of it


# The table is opened once for all words; asked for several at once in any other way, it reads all that there are.
HOLDERS = "SELECT j.value, t.doc FROM json_each(?) j CROSS JOIN memory_terms t ON t.term = j.value"
_ADMITTED = "SELECT m.id, m.seq FROM json_each(?) j CROSS JOIN memory m ON m.seq = j.value WHERE %s"
_SCORE = attrgetter("score")


class Words:
    """The index of words of a store, over whatever connection the calling thread has."""

    def __init__(
        self, all_: Callable[..., list[Any]], connection: Callable[[], apsw.Connection], trail: "Trail | None" = None
    ) -> None:
        self._all, self._db, self._trail = all_, connection, trail  # a trail is for who may write
        self._lists: Lists | None = None
        self._corners: Corners | None = None
        self._counted: dict[str, tuple[int, int]] = {}  # of how many memories how many hold a word

    def best(self, words: Sequence[str], wanted: Wanted, *, limit: int) -> list[Match]:
        """The best by BM25, best first, those as good as each other by id."""
        if self._trail and self._is_followed(words):
            found = self._by_trail(self._trail, words, wanted=wanted, limit=limit)
        else:
            with steady(self._db()) as is_committed:
                found = self._found(words, wanted, limit=limit, is_committed=is_committed)
        found.sort()  # by id, which is what a match begins with
        found.sort(key=_SCORE, reverse=True)
        return found[:limit]

    def holders(self, words: Sequence[str]) -> tuple[int, dict[str, int]]:
        """How many memories there are, and how many hold each word, over all projects."""
        with steady(self._db()) as is_committed:
            record, count, _ = self.record()
            if not is_committed:  # which does not see what it added in the index's own record
                count = int(self._all("SELECT count(*) FROM memory")[0][0])
            kept = self._lists.known(record) if self._lists and is_committed else None
            return count, self._held(words, among=count, kept=kept)

    def held(self, words: Sequence[str], ids: Mapping[int, str]) -> "dict[str, set[str]] | None":
        """By id which of `words` each memory holds that holds any, by their numbers; None where they must be read."""
        if self._lists is None or not are_plain(words):
            return None
        with steady(self._db()) as is_committed:
            kept = self._lists.known(self.record()[0]) if is_committed else None
            return None if kept is None else kept.held(words, ids, all_=self._all)

    def admitted(self, seqs: Sequence[int], wanted: Wanted) -> dict[int, str]:
        """Those of some memories, known by their numbers, that are wanted, with the id of each."""
        found = self._all(_ADMITTED % wanted.clause, rows.to_json(seqs), *wanted.values)
        return {seq: key for key, seq in found}

    def counts(self, words: Sequence[str]) -> dict[str, int]:
        """How many memories hold each word, over all projects, counted now."""
        held = dict.fromkeys(words, 0)
        asked = [word for word in held if not is_scope(word)]
        if not asked:
            return held
        if self._trail and are_plain(asked):
            return held | self._trail.counts(asked, self._all)
        return held | dict(self._all(HOLDERS, rows.to_json(asked)))

    def _found(self, words: Sequence[str], wanted: Wanted, *, limit: int, is_committed: bool) -> list[Match]:
        record, count, total = self.record()
        usual = total / count if total else 1.0
        is_alone = self._is_alone()
        match = _match(words, () if is_alone else _scopes(wanted))
        # A transaction does not see what it added in the index's own record.
        if is_committed and self._is_small(wanted, among=count, is_alone=is_alone):
            held = self._held(words, among=count, kept=None)
            worths = {word: idf(held[word], count) * words.count(word) for word in words}
            corner = self._corner(record, words, wanted=wanted)
            if corner is not None:
                return self._in_corner(corner, worths, wanted=wanted, limit=limit, usual=usual)
            return self._by_counting(worths, match, wanted=wanted, usual=usual)
        if is_committed and are_plain(words) and (lists := self._read_lists()):
            kept = lists.at(record, count=count, total=total, all_=self._all)
            if kept is not None:
                return self._by_lists(kept, words, wanted=wanted, limit=limit, usual=usual)
        return self._by_engine(match, wanted, limit=limit, usual=usual)

    def _is_followed(self, words: Sequence[str]) -> bool:
        if self._trail is None or not are_plain(words):
            return False
        self._trail.meet(self._all)
        return self._trail.is_worn

    def _by_trail(self, trail: "Trail", words: Sequence[str], *, wanted: Wanted, limit: int) -> list[Match]:
        depth, scopes = limit, [] if self._is_alone() else _scopes(wanted)
        while True:
            best = trail.best(words, scopes=scopes, depth=depth, all_=self._all)
            told = {seq: (score, size) for seq, score, size in best}
            admitted = self._all(_ADMITTED % wanted.clause, rows.to_json(list(told)), *wanted.values)
            if len(admitted) >= limit or len(best) < depth:
                return [Match(key, told[seq][0], told[seq][1] / trail.usual, seq) for key, seq in admitted]
            depth *= 4

    def _by_lists(self, kept: "Kept", words: Sequence[str], *, wanted: Wanted, limit: int, usual: float) -> list[Match]:
        scores = kept.scores(words, scopes=_scopes(wanted), all_=self._all)
        depth = limit
        while True:
            best = kept.best(scores, depth)
            if wanted.is_scope:
                return kept.told(scores, best, usual=usual)
            admitted = self.admitted(best.tolist(), wanted)
            if len(admitted) >= limit or len(best) < depth:
                return kept.told(scores, list(admitted), usual=usual)
            depth *= 4

    def _read_lists(self) -> "Lists | None":
        """For who has numpy loaded: then the process is no short one."""
        if self._lists is None and "numpy" in sys.modules:
            from hindbrain.adapters.sqlite.lists import Lists

            self._lists = Lists()
        return self._lists

    def _by_engine(self, match: str, wanted: Wanted, *, limit: int, usual: float) -> list[Match]:
        depth, sql = limit, _BEST % wanted.clause
        while True:
            found = self._all(sql, match, depth, *wanted.values)
            admitted = [row for row in found if row[0] is not None]
            if len(admitted) >= limit or len(found) < depth:
                return [Match(key, score, length(sizes) / usual, seq) for key, seq, score, sizes in admitted]
            depth *= 4  # what the scope cannot say (persona, trust, session) has thinned them out

    def _corner(self, record: bytes, words: Sequence[str], *, wanted: Wanted) -> "Corner | None":
        """For who has numpy loaded: then the process is no short one."""
        if "numpy" not in sys.modules or not are_plain(words):
            return None
        if self._corners is None:
            from hindbrain.adapters.sqlite.corners import Corners

            self._corners = Corners()
        return self._corners.at(record, wanted.number, scopes=_scopes(wanted), all_=self._all)

    def _in_corner(
        self, corner: "Corner", worths: Mapping[str, float], *, wanted: Wanted, limit: int, usual: float
    ) -> list[Match]:
        scores = corner.scores(worths, usual=usual)
        depth = limit
        while True:
            best = admitted = corner.best(scores, depth)
            if not wanted.is_scope:
                admitted = [seq for _, seq in self._all(_ADMITTED % wanted.clause, rows.to_json(best), *wanted.values)]
            if len(admitted) >= limit or len(best) < depth:
                return corner.told(scores, admitted, usual=usual)
            depth *= 4

    def _by_counting(self, worths: Mapping[str, float], match: str, *, wanted: Wanted, usual: float) -> list[Match]:
        found = []
        for key, seq, sizes, *texts in self._all(_HELD % wanted.clause, match, *wanted.values):
            size = length(sizes) / usual
            found.append(Match(key, _score(_often(texts, worths), worths, size=size), size, seq))
        return found

    def _is_small(self, wanted: Wanted, *, among: int, is_alone: bool) -> bool:
        """Whether the project is so small a part of the store that counting is cheaper."""
        most = among // _SMALL
        if not most or (is_alone and wanted.number):
            return False
        own = "SELECT 1 FROM memory WHERE project = (SELECT id FROM project WHERE seq = ?)"
        wide = " UNION ALL SELECT 1 FROM memory WHERE reach = 'everywhere'" if wanted.where.with_everywhere else ""
        ((found,),) = self._all(f"SELECT count(*) FROM ({own}{wide} LIMIT ?)", wanted.number, most + 1)
        return bool(found <= most)

    def _is_alone(self) -> bool:
        """Whether there is one project only: naming it would make bm25() count all that it has, to no end."""
        return len(self._all("SELECT 1 FROM project LIMIT 2")) < 2

    def record(self) -> tuple[bytes, int, int]:
        """The index's own record, which no two states share, and of how many memories with how many words it tells."""
        # The structure, which begins with the generation, and the sizes.
        found = self._all("SELECT block FROM memory_words_data WHERE id IN (1, 10) ORDER BY id DESC")
        count, *sizes = _numbers(found[-1][0]) if found and found[-1][0] else (0,)
        return b"".join(block or b"" for (block,) in found), count, sum(sizes)

    def _held(self, words: Sequence[str], *, among: int, kept: "Kept | None") -> dict[str, int]:
        """Counting reads a word's whole list, over all projects. In a large store what was counted while it was about
        as large still says how rare a word is."""
        held = dict.fromkeys(words, 0)
        if among >= _LARGE:
            held |= self._counted_before(words, among)
        lacking = [word for word, count in held.items() if not count and not is_scope(word)]
        if kept and are_plain(lacking):
            found = kept.holders(lacking, all_=self._all)
        else:
            found = dict(self._all(HOLDERS, rows.to_json(lacking))) if lacking else {}
        if among >= _LARGE and len(self._counted) < _COUNTED:
            self._counted |= {word: (among, count) for word, count in found.items() if count}
        return held | found

    def _counted_before(self, words: Sequence[str], among: int) -> dict[str, int]:
        known = ((word, *self._counted.get(word, (0, 0))) for word in words)
        return {word: count for word, size, count in known if abs(among - size) <= size // 100}


def generation(db: apsw.Connection) -> int:
    """A number in the index's own record that only grows when something is set."""
    found: list[Any] = db.execute("SELECT block FROM memory_words_data WHERE id = 10").fetchall()
    return int.from_bytes(found[0][0][:GENERATION], "big")


def renew(db: apsw.Connection, *, beyond: int = 0) -> None:
    """Give the index a record that it never had. One that was built anew, or comes from a backup, counts its writes
    from an earlier number on, and could come to a record by which others know lists that it does not hold."""
    for _ in range(max(1, min(beyond + 1 - generation(db), _MOST_RENEWALS))):
        db.execute("INSERT INTO memory_words (memory_words, rank) VALUES ('secure-delete', 0)")


def _match(words: Sequence[str], scopes: Sequence[str]) -> str:
    """An FTS5 expression. Words are terms of ours, quoted all the same."""
    any_word = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
    in_text = f"{{title_words content_words extra_words}} : ({any_word})"
    if not scopes:
        return in_text
    any_scope = " OR ".join(f'"{token}"' for token in scopes)
    return f"scope : ({any_scope}) AND {in_text}"


def are_plain(words: Collection[str]) -> bool:
    """Whether the engine is sure to take each as it is."""
    text = "0".join(words) or "0"
    return all(words) and text.isascii() and text.replace("_", "0").isalnum() and text == text.lower()


def _scopes(wanted: Wanted) -> list[str]:
    states = sorted(wanted.where.states)
    scopes = [scope_token(wanted.number, state) for state in states]
    if wanted.where.with_everywhere:
        scopes += [everywhere_token(state) for state in states]
    return scopes


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
    known = ((worth, often[term]) for term, worth in worths.items() if term in often)  # the same order everywhere
    return sum(worth * count * (K1 + 1) / (count + damping) for worth, count in known)


def length(sizes: bytes) -> int:
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
