"""When two texts are the same lesson, so that one may stand for both.

Wording decides how alike they are; five guards decide whether they may merge at all. A number, a path, an identifier,
a "not", an "into" or "out of" is a small part of a sentence and all of its meaning.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache

from hindbrain.core.claim import Claim, Kind, read
from hindbrain.core.shape.file_refs import file_refs_of
from hindbrain.core.shape.key import content_hash
from hindbrain.core.value import dataclass
from hindbrain.core.words import STOP, listed, pieces, stem

MERGE_AT = 0.9  # of likeness; measured in bench/decisions.py

_LONGEST = 20_000  # characters; beyond, only equal text is the same lesson
_NEAR = 0.35  # below, meaning words are not looked at
_STOP_WEIGHT = 0.3
_WORDS, _LETTERS = 0.6, 0.4  # shares of the score
_MANY = 8  # meaning words; in a shorter text "runs" and "ran" may be all the difference
_SWAPPED = 0.89  # most that a text can reach whose meaning words differ on both sides


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How alike two texts are worded, and what forbids to merge them."""

    score: float  # 0..1
    guards: tuple[str, ...]  # of numbers, paths, identifiers, negation, relations: those that disagree


def is_same(a: str, b: str) -> bool:
    """Whether one of the two says it all."""
    if _is_equal(a, b):
        return True
    # What most pairs fail at comes first; the order does not matter to the answer.
    return max(len(a), len(b)) <= _LONGEST and _agree(read(a), read(b)) and wording(a, b) >= _NEAR and not _guards(a, b)


def means_same(a: str, b: str, *, similarity: float) -> bool:
    """Whether one of the two says it all, where a model has compared what they mean (`similarity`, 0..1).

    A model finds "in the API" and "in the UI" nearly equal: texts in which a word stands for another one stay apart.
    """
    if similarity < MERGE_AT or max(len(a), len(b)) > _LONGEST or _guards(a, b):
        return False
    one, other = read(a), read(b)
    ours, theirs = set(one.meant), set(other.meant)
    only_a, only_b = _without_typos(ours - theirs, theirs - ours, inflect=min(len(ours), len(theirs)) >= _MANY)
    return not (only_a or only_b) and not _stance(one, other) and _is_told_alike(one, other)


def likeness(a: str, b: str) -> Likeness:
    """Compare two texts; the order of the two does not matter."""
    if _is_equal(a, b):
        return Likeness(score=1.0, guards=())
    score = wording(a, b)
    if max(len(a), len(b)) > _LONGEST:
        score = min(score, _SWAPPED)
    elif score >= _NEAR:
        score = _judged(read(a), read(b), score=score)
    return Likeness(score=score, guards=_guards(a, b))


def _is_equal(a: str, b: str) -> bool:
    return a == b or (max(len(a), len(b)) <= _LONGEST and _hash(a) == _hash(b))


_hash = lru_cache(maxsize=256)(content_hash)  # one text is compared with several


def wording(a: str, b: str) -> float:
    """Share of words and of letter groups that two texts have in common, 0..1."""
    words_a, letters_a = _profile(a[:_LONGEST])
    words_b, letters_b = _profile(b[:_LONGEST])
    shared = _weight(words_a & words_b)
    of_words = shared / max(1e-9, _weight(words_a) + _weight(words_b) - shared)
    in_common = sum(min(letters_a[g], letters_b[g]) for g in letters_a.keys() & letters_b.keys())
    of_letters = 2 * in_common / max(1, letters_a.total() + letters_b.total())
    return _WORDS * of_words + _LETTERS * of_letters


@lru_cache(maxsize=256)
def _profile(text: str) -> tuple[frozenset[str], Counter[str]]:
    found = list(pieces(text))
    flat = f" {' '.join(found)} "
    words = frozenset(stem(p) if p.isascii() and p.isalpha() else p for p in found)
    return words, Counter(map("".join, zip(flat, flat[1:], flat[2:], flat[3:], strict=False)))


def _weight(words: frozenset[str]) -> float:
    return sum(_STOP_WEIGHT if word in STOP else 1.0 for word in words)


def _judged(one: Claim, other: Claim, *, score: float) -> float:
    """Near the threshold, meaning words decide."""
    if not _agree(one, other):
        return min(score, _SWAPPED)
    return max(MERGE_AT, 0.75 + 0.25 * in_order(one.meant, other.meant))


def _agree(one: Claim, other: Claim) -> bool:
    """Whether all meaning words are present on both sides, in much the same order."""
    a, b = one.meant, other.meant
    only_a, only_b = _without_typos(set(a) - set(b), set(b) - set(a), inflect=min(len(a), len(b)) >= _MANY)
    if only_a or only_b or not a or _stance(one, other):
        return False
    return _is_told_alike(one, other)


def _is_told_alike(one: Claim, other: Claim) -> bool:
    """In the same order, or one begins with what the other ends with: *for caching use Redis*, *use Redis for caching*.

    A word that moves alone may belong to another one then: *the old client*, *an old cache*.
    """
    a, b = one.meant, other.meant
    if in_order(a, b) == 1.0:
        return True
    is_turned = sorted(a) == sorted(b) and any(a[i:] + a[:i] == b for i in range(1, len(a)))
    return is_turned and not (is_directed(one) or is_directed(other))


def is_directed(claim: Claim) -> bool:
    """Whether something goes from here to there, so that the order of the words is meaning."""
    return any(token.raw.lower() in _DIRECTIONS for token in claim.tokens)


_DIRECTIONS = frozenset(listed("from to before after than over into not"))


def _stance(one: Claim, other: Claim) -> bool:
    """Whether small words set the two apart: a question, a condition, a past, a comparison, another person."""
    here, there = ({t.raw.lower() for t in claim.tokens} for claim in (one, other))
    for group in (_ASKING, _CONDITIONS, _PAST, _COMPARING):
        if bool(here & group) != bool(there & group):
            return True
    return bool(here & _PERSONS) and bool(there & _PERSONS) and here & _PERSONS != there & _PERSONS


_ASKING = frozenset(listed("what why how who which whether"))
_CONDITIONS = frozenset(listed("if unless until except only"))
_COMPARING = frozenset(["than"])
_PAST = frozenset(listed("was were had did used"))
_PERSONS = frozenset(listed("i i'm you he she it it's his her they"))


def _without_typos(only_a: set[str], only_b: set[str], *, inflect: bool) -> tuple[set[str], set[str]]:
    """What is left when words are paired that are spelt a little differently, or bent differently."""
    if len(only_a) != len(only_b) or len(only_a) > 3:
        return only_a, only_b
    for word in sorted(only_a):
        twin = next((w for w in sorted(only_b) if _is_typo(word, w) or (inflect and stem(word) == stem(w))), None)
        if twin is not None:
            only_a, only_b = only_a - {word}, only_b - {twin}
    return only_a, only_b


def _is_typo(a: str, b: str) -> bool:
    """One letter added, lost, changed or two exchanged inside a long word."""
    if min(len(a), len(b)) < 6 or a[0] != b[0] or abs(len(a) - len(b)) > 1 or not (a + b).isalpha():
        return False
    if len(a) == len(b):
        wrong = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
        return len(wrong) == 1 or (len(wrong) == 2 and a[wrong[0]] == b[wrong[1]] and a[wrong[1]] == b[wrong[0]])
    short, long = sorted((a, b), key=len)
    return any(long[:i] + long[i + 1 :] == short for i in range(1, len(long)))


def in_order(a: tuple[str, ...], b: tuple[str, ...]) -> float:
    """Share of the common words that stand in the same order in both, 0..1."""
    place = {word: i for i, word in reversed(list(enumerate(b)))}
    places = [place[word] for word in dict.fromkeys(a) if word in place]
    tails: list[int] = []  # patience sorting: the length is that of the longest rising run
    for p in places:
        at = bisect_left(tails, p)
        tails[at : at + 1] = [p]
    return len(tails) / len(places) if places else 1.0


def _guards(a: str, b: str) -> tuple[str, ...]:
    one, other = read(a), read(b)
    disagree = {
        "numbers": set(one.of_kind(Kind.NUMBER)) != set(other.of_kind(Kind.NUMBER)),
        "paths": _paths(a[:_LONGEST]) != _paths(b[:_LONGEST]),
        "identifiers": _names_disagree(one, other),
        "negation": negation_differs(one, other),
        "relations": _relations(one, other) != _relations(other, one),
    }
    return tuple(name for name, differs in disagree.items() if differs)


def _relations(claim: Claim, other: Claim) -> Counter[tuple[str, str]]:
    """The relations of a text; a word that the other does not have, a typo perhaps, is left out of its pair."""
    known = {token.plain for token in other.tokens if token.counts}
    pairs = ((how, word if word in known else "") for how, word in relations(claim) if how)
    return Counter(pairs)


def relations(claim: Claim) -> Iterator[tuple[str, str]]:
    """How each word with meaning hangs on what stands before it: *(into, pool)* is not *(out of, pool)*.

    What is counted hangs on its number: *a dog* is not *two dogs*.
    """
    between: list[str] = []
    for token in claim.tokens:
        word = token.raw.lower()
        if word in _RELATIONS:
            between = [*(how for how in between if how != "#"), word]
        elif token.counts:
            yield " ".join(between), token.plain
            between = ["#"] if token.kind is Kind.NUMBER else []
    if between:
        yield " ".join(between), ""


_RELATIONS = frozenset(
    listed(
        "in on at under over above below near off out into onto from to of for with by via through before after about "
        "around against between behind beside across along up down during per than within inside outside being upon "
        "until while still both few many most half several"
    )
)


@lru_cache(maxsize=256)
def _paths(text: str) -> frozenset[str]:
    return frozenset(file_refs_of(text)) | frozenset(read(text).of_kind(Kind.PATH))


def _names_disagree(one: Claim, other: Claim) -> bool:
    """A name of one is nowhere in the other, or shared names stand in another order: from A to B, from B to A."""
    ours, theirs = one.of_kind(Kind.NAME), other.of_kind(Kind.NAME)
    if set(ours) - {t.word for t in other.tokens} or set(theirs) - {t.word for t in one.tokens}:
        return True
    return in_order(ours, theirs) < 1.0


def negation_differs(one: Claim, other: Claim) -> bool:
    """One says not and the other does not, or of something else, or they use opposite words."""
    return _negated(one) != _negated(other) or opposites(one, other) is not None


def _negated(claim: Claim) -> list[tuple[str, str]]:
    """What each "not" stands before: the next word, and the next one with meaning."""
    found: list[tuple[str, str]] = []
    word = meaning = ""
    for token in reversed(claim.tokens):
        if token.kind is Kind.NOT:
            found.append((word, meaning))
        elif token.raw.lower() not in _PASSED_OVER:
            word, meaning = token.word, token.word if token.counts else meaning
    return sorted(found)


_PASSED_OVER = frozenset(["a", "an", "the", "any", "ever"])


def opposites(one: Claim, other: Claim) -> tuple[str, str] | None:
    """A pair of opposite words, one on each side only; None when there is none."""
    here, there = one.said, other.said
    table = _opposite_table()
    for word in sorted(here - there, key=_longest_first):
        for opposite in sorted(table.get(word, frozenset()), key=_longest_first):
            if opposite in there and opposite not in here:
                return word, opposite
    return None


def _longest_first(word: str) -> tuple[int, str]:
    return -len(word), word  # as it is written before its stem: reasons are read by people


@cache
def _opposite_table() -> dict[str, frozenset[str]]:
    pairs = (
        "always never|enable disable|enabled disabled|required optional|mandatory optional|must optional|sync async|"
        "synchronous asynchronous|synchronously asynchronously|allow deny|allow forbid|allow disallow|"
        "allowed forbidden|allow block|before after|true false|on off|include exclude|mutable immutable|"
        "blocking non-blocking|safe unsafe|valid invalid|supported unsupported|possible impossible|"
        "increase decrease|increases decreases|"
        "sequential parallel|serial parallel|fast slow|faster slower|open closed|strict loose|with without|"
        "manual automatic|manually automatically|lazy eager|lazily eagerly|ascending descending|newest oldest|"
        "latest oldest|succeeds fails|works fails|works breaks|more less|most least|shared separate|"
        "stateful stateless|ordered unordered|sorted unsorted|static dynamic|explicit implicit|"
        "explicitly implicitly|read-only writable|inclusive exclusive|encrypted unencrypted|signed unsigned|"
        "nullable required|above below|keep delete|keep remove|keep drop|commit ignore|uppercase lowercase|"
        "opt-in opt-out|high low|higher lower|large small|big small|long short|inside outside|full empty|"
        "wet dry|dirty clean|standing sitting|lying standing|awake asleep"
    )
    table: dict[str, set[str]] = {}
    for pair in pairs.split("|"):
        a, b = pair.split()
        for x, y in ((a, b), (b, a)):
            table.setdefault(x, set()).add(y)
            if x.isalpha() and y.isalpha():
                table.setdefault(stem(x), set()).add(stem(y))
    return {word: frozenset(found - {word}) for word, found in table.items()}
