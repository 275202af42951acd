"""Which memories could be an answer: by words, by meaning, by path, or all where the strategy wants to see all."""

from collections.abc import Container, Iterator, Mapping, Sequence
from datetime import datetime

from hindbrain.app.tools import Tools
from hindbrain.core.model import Memory
from hindbrain.core.recall import Ask, Candidate, Recalled
from hindbrain.core.recall.bm25 import Document, idf, is_common, scores
from hindbrain.core.recall.fuse import DECIDE, LONG, relevance, share, weight
from hindbrain.core.recall.index import WEIGHTS, columns
from hindbrain.core.recall.meaningful import meaningful
from hindbrain.core.recall.rank import Terms
from hindbrain.core.value import dataclass, field, replace
from hindbrain.core.words import asked_terms, count_words, query_terms
from hindbrain.errors import EmbedderMissing, StoreDamaged
from hindbrain.ports import Embedder, Match, Near, Reader, Where

_NAMED = 100  # memories that may name a file by the words of its path
_FIRM = 3  # letters at the beginning that are taken as typed: few slips are there, and few words begin so
_LOOKED_UP = 250  # memories of a whole store, newest or most important, whose record is looked up
_SPELLED = 500  # words of the index that an unknown word is compared with
UNREAD = "memory {} cannot be read and was left out: run `hindbrain fsck --repair`"
_BY_MEANING = ("unified", "default", "loki", "doc05")
_NONE = (0.0, 0.0)
_CUT = ("unified", "default")  # the others decide themselves how many they look at, and by what


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    candidates: list[Candidate]
    how: str = ""  # which sides were asked, and why not the other, for `--why`
    notices: tuple[str, ...] = ()  # what a person should know about this answer
    spelled: tuple[tuple[str, str], ...] = ()  # words of the question that nothing holds, and what they were taken for
    terms: Terms | None = None  # the words of memories as the index has them; None: the past has no index


def gather(
    ask: Ask, where: Where, *, reader: Reader, embedder: Embedder | None, as_of: datetime | None = None
) -> Gathered:
    if as_of is not None:
        then = _then(_terms(ask), reader.as_of(where, as_of))
        return Gathered(candidates=then, how="words: the past has no vectors")
    try:
        return _now(ask, where, reader=reader, embedder=embedder)
    except StoreDamaged:
        with reader.leaving_out() as unread:
            gathered = _now(ask, where, reader=reader, embedder=embedder)
        return replace(gathered, notices=(*gathered.notices, *map(UNREAD.format, dict.fromkeys(unread))))


def _now(ask: Ask, where: Where, *, reader: Reader, embedder: Embedder | None) -> Gathered:
    words, sides, spelled = _by_words(ask, where, reader=reader)
    if embedder is None or not _has_meaning(ask):
        sides.how = _without_meaning(ask)
    else:
        sides = _with_meaning(sides, ask, where=where, reader=reader, embedder=embedder)
    best = sides.best(_room(ask)) if ask.strategy in _CUT else sides.found
    known = reader.memories(best)
    found = [sides.candidate(known[key]) for key in best if key in known]
    is_all = ask.strategy == "dex" or not (words or ask.paths)
    rest = reader.select(where, order="newest") if is_all else _about(ask.paths, where, reader=reader)
    found += [sides.candidate(memory) for memory in rest if memory.id not in known]
    return Gathered(
        candidates=_with_standing(found, ask, reader=reader),
        how=sides.how,
        notices=sides.notices,
        spelled=spelled,
        terms=reader.terms,
    )


def _with_standing(candidates: list[Candidate], ask: Ask, *, reader: Reader) -> list[Candidate]:
    """With what is known of each beside its words; the strategies of other systems know of no such thing."""
    if ask.strategy not in _CUT:
        return candidates
    known = reader.standings([candidate.memory.id for candidate in _foremost(candidates)])
    if not known:
        return candidates
    return [replace(one, standing=known.get(one.memory.id)) for one in candidates]


def _foremost(candidates: list[Candidate]) -> list[Candidate]:
    """All that words or meaning found. Of a whole store, which comes newest first, those that have a chance: the newest
    and the most important."""
    if len(candidates) <= 2 * _LOOKED_UP:
        return candidates
    weighty = sorted(candidates, key=lambda one: (one.memory.importance, one.memory.confidence), reverse=True)
    return list({one.memory.id: one for one in (*candidates[:_LOOKED_UP], *weighty[:_LOOKED_UP])}.values())


def misspelled(gathered: Gathered, ask: Ask, *, items: Sequence[Recalled]) -> tuple[tuple[str, str], ...]:
    """What `gathered` has spelled otherwise than the asker did, in words as people write them."""
    if not gathered.spelled:
        return ()
    from hindbrain.core.recall.spelling import in_words

    return in_words(gathered.spelled, ask.text, answers=[item.content for item in items])


def _without_meaning(ask: Ask) -> str:
    if not ask.text.strip():
        return "files" if ask.paths else "all memories"
    if ask.strategy not in _BY_MEANING:
        return f"words: the strategy {ask.strategy} compares no meanings"
    return "words: meaning is switched off"


def needs_model(ask: Ask, where: Where, *, tools: Tools) -> bool:
    """Whether `gather` would start a model that is not running yet."""
    embedder = tools.embedder
    if embedder is None or embedder.is_warm or not _has_meaning(ask):
        return False
    if ask.strategy in _CUT and covered(ask, where, reader=tools.store) >= DECIDE:
        return False
    return tools.store.has_vectors(embedder.space, where)


def covered(ask: Ask, where: Where, *, reader: Reader) -> float:
    """Of what the question's words are worth, how much the best answer by words holds."""
    _, sides, _ = _by_words(ask, where, reader=reader)
    return _covered(sides, reader)


def _has_meaning(ask: Ask) -> bool:
    return ask.strategy in _BY_MEANING and bool(ask.text.strip())


@dataclass(slots=True)
class _Sides:
    matches: Sequence[Match]  # what words have found
    words: dict[str, tuple[float, float]]  # by id: BM25, and its share of all that the question's words are worth
    worths: Mapping[str, float]  # what each word of the question is worth
    common: frozenset[str]  # those of them that most memories hold
    asked: int  # words of the question, as far as they are counted
    near: Mapping[str, Near] = field(default_factory=dict)  # by id: what meaning has found, or says of the matches
    usual: float = 0.0  # what counts for a match that has no vector yet
    nearest: float | None = None  # the highest cosine of all
    how: str = "words"
    aside: str = ""  # what else there is to say of how
    notices: tuple[str, ...] = ()

    @property
    def weight(self) -> float:
        """Of all words against the meaning."""
        return weight(self.asked, nearest=self.nearest)

    def candidate(self, memory: Memory) -> Candidate:
        """What is known of a memory, also of one that its path or the strategy brought in."""
        held, near = self.words.get(memory.id), self.near.get(memory.id)
        if held is None and near is None:
            return Candidate(memory=memory, nearest=self.nearest)
        words, part = held or _NONE
        return Candidate(
            memory=memory,
            words=words,
            share=part,
            similarity=near.similarity if near else None,
            usual=self.usual,
            nearest=self.nearest,
            pieces=near.pieces if near else 1,
            speaks=(near.start, near.end) if near and near.pieces > 1 else (0, len(meaningful(memory))),
        )

    @property
    def found(self) -> list[str]:
        """Ids of all: what words have found, then what only meaning has."""
        return [*self.words, *(key for key in self.near if key not in self.words)]

    def best(self, count: int) -> list[str]:
        """Ids of the most relevant, the later id first among equals, as the ranking has it."""
        found = self._relevant()
        if len(found) > count:  # numbers alone are sorted far sooner, and of hundreds few are wanted
            least = sorted([value for value, _ in found], reverse=True)[count - 1]
            found = [one for one in found if one[0] >= least]
        return [key for _, key in sorted(found, reverse=True)[:count]]

    def _relevant(self) -> list[tuple[float, str]]:
        by, usual, near = self.weight, self.usual, self.near
        found = []
        for key, (_, part) in self.words.items():
            one = near.get(key)
            likeness, pieces = (usual, 1) if one is None else (one.similarity, one.pieces)
            found.append((relevance(part, likeness, weight=by, pieces=pieces), key))
        for key in near.keys() - self.words.keys():
            found.append((relevance(0.0, near[key].similarity, weight=by, pieces=near[key].pieces), key))
        return found


def _by_words(ask: Ask, where: Where, *, reader: Reader) -> tuple[list[str], _Sides, tuple[tuple[str, str], ...]]:
    worths, common, spelled = _meant(_terms(ask), reader)
    known = list(worths)
    matches = reader.matches(known, where, limit=_words_depth(ask))
    worth = sum(worths.values())
    found = {key: (score, share(score, worth, size=size)) for key, score, size, _ in matches}
    return known, _Sides(matches, found, worths, common, count_words(ask.text, most=LONG)), spelled


def _terms(ask: Ask) -> list[str]:
    """The words to look for; the strategies of other systems know of none that only asks."""
    return asked_terms(ask.text) if ask.strategy in _CUT else query_terms(ask.text)


def _covered(sides: _Sides, reader: Reader) -> float:
    best, worth = sides.best(1), sum(sides.worths.values())
    held = reader.terms(best).get(best[0], frozenset()) if best else frozenset()
    return sum(value for word, value in sides.worths.items() if word in held) / worth if worth else 0.0


def _meant(
    words: Sequence[str], reader: Reader
) -> tuple[dict[str, float], frozenset[str], tuple[tuple[str, str], ...]]:
    """The words to look for with what each is worth, those that most memories hold, and the unknown ones with what they
    were taken for: a word that no memory holds stands for the known one it most resembles."""
    count, holders = reader.holders(words)
    taken = dict(_spelled([word for word in words if not holders[word]], reader, known=holders))
    worths = {taken.get(word, word): idf(holders[word], count) for word in words}
    common = frozenset([word for word in words if is_common(holders[word], count)])
    return worths, common, tuple(taken.items())


def _spelled(unknown: Sequence[str], reader: Reader, *, known: Container[str]) -> Iterator[tuple[str, str]]:
    if not unknown:
        return
    from hindbrain.core.recall.spelling import SHORTEST, meant  # most questions are spelled as the memories are

    for word in unknown:
        found = meant(word, reader.spelled(word[:_FIRM], limit=_SPELLED)) if len(word) >= SHORTEST else None
        if found is not None and found not in known:
            yield word, found


def _depth(ask: Ask) -> int:
    """How many meaning may bring: what is far down on both sides is not far up on their sum."""
    return 2 * max(ask.limit, 0) + 20


def _words_depth(ask: Ask) -> int:
    """How many words may bring. More, because where a word stands often, and in how long a text, is known of these
    only: among six thousand functions 40 instead of 100 cost two points of R@10, and a thousand gave 0.2 more."""
    return 4 * max(ask.limit, 0) + 160


def _room(ask: Ask) -> int:
    """How many of the most relevant are ranked in full: nudges move a memory by a few places, not by many."""
    return 2 * max(ask.limit, 0) + 5


def _with_meaning(sides: _Sides, ask: Ask, *, where: Where, reader: Reader, embedder: Embedder) -> _Sides:
    """`sides` with the cosine of each, and those that only meaning finds. A model that is not running yet is
    started only where words leave the question open, and where there are vectors to compare with; strategies whose
    formula is of meanings ask for it always."""
    if not reader.has_vectors(embedder.space, where):
        sides.how = "words: nothing here has a vector yet"
    elif ask.strategy in _CUT and not embedder.is_warm and (held := _covered(sides, reader)) >= DECIDE:
        sides.how = f"words: they decide, the best answer holds {held:.2f} of what they are worth"
    elif (point := _point(sides, ask, embedder=embedder)) is not None:
        near = reader.nearest(point, embedder.space, where=where, limit=_depth(ask), also=sides.matches)
        _join(sides, near)
        if ask.strategy in _CUT and len(sides.matches) >= _words_depth(ask):
            _complete(sides, reader)
    return sides


def _point(sides: _Sides, ask: Ask, *, embedder: Embedder) -> Sequence[float] | None:
    """Where the question lies; None where there is no saying, and `sides` tells why."""
    rest = _beside_common(sides, ask)
    try:
        point, *beside = embedder.embed([ask.text, rest] if rest else [ask.text])
    except EmbedderMissing as error:
        sides.how = "words: the model cannot run here"
        sides.notices = (f"meaning is not compared: {error.what}; {error.fix}",)
        return None
    if any(point) and beside:
        from hindbrain.core.recall.reread import halfway

        return halfway(point, *beside)
    if any(point):
        return point
    sides.how = "words: the model cannot read this question"
    return None


def _beside_common(sides: _Sides, ask: Ask) -> str:
    """The question without what most memories hold, which `sides` then tells; "" where there is no such word, or it is
    one of so many that it hardly moves the whole."""
    if not sides.common or sides.asked >= LONG or ask.strategy not in _CUT:
        return ""
    from hindbrain.core.recall.reread import without  # few questions hold such a word

    rest, left_out = without(ask.text, sides.common, asked=sides.worths)
    if left_out:
        named = ", ".join(f"'{word}'" for word in dict.fromkeys(left_out))
        sides.aside = f"; half of the meaning is asked for without {named}, which most memories hold"
    return rest


def _complete(sides: _Sides, reader: Reader) -> None:
    """Give those that meaning brought the words they hold, where words had more to bring than were asked for: each as
    often and in a text as long as is usual, which is all that is known without counting."""
    worth = sum(sides.worths.values())
    lacking = [one for key, one in sides.near.items() if key not in sides.words]
    for key, terms in reader.held(list(sides.worths), lacking).items():
        score = sum([value for word, value in sides.worths.items() if word in terms])
        if score:
            sides.words[key] = (score, share(score, worth, size=1.0))


def _join(sides: _Sides, near: Sequence[Near]) -> None:
    """Both sides' candidates. What has no vector yet counts as alike as the others that words found."""
    sides.near = by_id = {one.memory_id: one for one in near}
    sides.nearest = near[0].similarity if near else None  # the best come first
    known = [one.similarity for key in sides.words if (one := by_id.get(key)) is not None]
    sides.usual = sum(known) / len(known) if known else 0.0
    sides.how = f"words and meaning: for all words {sides.weight:.3g}, for the very same meaning 1"
    if sides.nearest is not None:
        sides.how += f"; the nearest is at {sides.nearest:.2f}{sides.aside}"


def _about(paths: Sequence[str], where: Where, *, reader: Reader) -> Iterator[Memory]:
    """Memories that name one of the files, found by the words of its path and then compared for real."""
    if not paths:
        return
    from hindbrain.core.shape import matches_path  # most questions name no file

    for path in paths:
        for hit in reader.search(query_terms(path), where, limit=_NAMED):
            if any(matches_path(ref, path) for ref in hit.memory.file_refs):
                yield hit.memory


def _then(words: Sequence[str], memories: Sequence[Memory]) -> list[Candidate]:
    """The past has no index: its words are scored as the index would have."""
    documents = [Document(id=memory.id, columns=((), *columns(memory))) for memory in memories]
    found = scores(documents, words, weights=WEIGHTS)
    held = [{term for column in document.columns for term in column} for document in documents]
    worth = sum(idf(sum(word in terms for terms in held), len(held)) for word in words)
    return [
        Candidate(
            memory=memory,
            words=found.get(memory.id, 0.0),
            share=share(found.get(memory.id, 0.0), worth, size=1.0),
        )
        for memory in memories
        if not words or memory.id in found
    ]
