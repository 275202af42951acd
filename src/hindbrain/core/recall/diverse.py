"""What an order of answers owes to the other answers in it: the newest value first, the same thing once.

Both look at the first `_LOOKED_AT` only, and neither drops anything: a repeat goes to the end, with the id of the one
it repeats, and what overtook another says whom.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain

from hindbrain.core.value import dataclass

_LOOKED_AT = 50  # answers from the best; nobody reads further, and pairs grow with the square
_MOMENT = timedelta(minutes=10)  # what was learned closer together is equally new
_SAME_TOPIC = 0.6  # of the question's words that two hold, at least this share is held by both
_CLOSE = 0.4  # most that the older may be better by, with the best answer at 1
_ALIKE = 0.8  # of all words that two hold, at least this share is held by both; `_marks` rests on it
_MOST_TERMS = 2000  # more make a document, and documents are not compared
_DIGITS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An answer, as far as its neighbours matter to it."""

    id: str
    learned_at: datetime
    score: float  # the best answer's is 1.0, or 0.0 where none is any good
    asked: frozenset[str] = frozenset()  # terms of the question that it holds
    terms: frozenset[str] = frozenset()  # all that it holds, without stop words
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    items: tuple[Item, ...]
    because: tuple[tuple[str, str], ...]  # the id of each that was moved, and of the one that it was moved for


def newest_first(items: Sequence[Item]) -> Order:
    """Best first still, but of neighbours about as good on the same words of the question, the newer goes first.

    Whoever moved up is told with the last one, the best, that it overtook.
    """
    order = list(items[:_LOOKED_AT])
    overtook: dict[str, str] = {}
    for _ in order:
        is_settled = True
        for place in range(len(order) - 1):
            upper, lower = order[place : place + 2]
            if _replaces(lower, upper):
                order[place : place + 2] = lower, upper
                overtook[lower.id] = upper.id
                is_settled = False
        if is_settled:
            break
    return Order(items=(*order, *items[_LOOKED_AT:]), because=tuple(overtook.items()))


def repeats(items: Sequence[Item]) -> Order:
    """The same order, but what says the same as one that stays before it goes to the end."""
    kept: list[Item] = []
    again: list[Item] = []
    because: list[tuple[str, str]] = []
    marked: dict[str, list[int]] = {}  # a mark -> places in `kept` of those that bear it
    short = (item.terms for item in items[:_LOOKED_AT] if len(item.terms) <= _MOST_TERMS)
    often = Counter(chain.from_iterable(short))
    single = frozenset([term for term, count in often.items() if count == 1])
    for item in items[:_LOOKED_AT]:
        # Most hold too much that nobody else does to be like anybody.
        marks = _marks(item.terms, often) if 5 * len(item.terms & single) <= len(item.terms) else []
        places = sorted({place for mark in marks for place in marked.get(mark, ())})
        first = next((kept[place] for place in places if _is_repeat(item, kept[place])), None)
        if first is None:
            for mark in marks:
                marked.setdefault(mark, []).append(len(kept))
            kept.append(item)
        else:
            again.append(item)
            because.append((item.id, first.id))
    return Order(items=(*kept, *items[_LOOKED_AT:], *again), because=tuple(because))


def _replaces(newer: Item, older: Item) -> bool:
    return (
        newer.learned_at - older.learned_at >= _MOMENT
        and round(older.score - newer.score, _DIGITS) <= _CLOSE
        and _overlap(newer.asked, older.asked) >= _SAME_TOPIC
    )


def _marks(terms: frozenset[str], often: Mapping[str, int]) -> list[str]:
    """So many of the rarest terms that two which are alike share one, each lacking a fifth at most of what the other
    holds: spares comparing all pairs."""
    if len(terms) > _MOST_TERMS:
        return []
    return sorted(sorted(terms), key=often.__getitem__)[: len(terms) // 5 + 1]


def _is_repeat(item: Item, other: Item) -> bool:
    if _overlap(item.terms, other.terms) < _ALIKE:
        return False
    return _numbered(item.terms) == _numbered(other.terms) and not _contradict(item.text, other.text)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard's; 0 where either holds nothing."""
    common = len(one & other)
    return common / (len(one) + len(other) - common) if common else 0.0


def _numbered(terms: frozenset[str]) -> set[str]:
    """Numbers, also those inside of names: `http2` and `http3` are two things."""
    return {term for term in terms if any(map(str.isdigit, term))}


def _contradict(one: str, other: str) -> bool:
    """Whether a number, also one written as a word, or a "not" sets the two apart."""
    from hindbrain.core.claim import Kind, read  # only few questions find two that are this alike
    from hindbrain.core.same import negation_differs

    a, b = read(one), read(other)
    return set(a.of_kind(Kind.NUMBER)) != set(b.of_kind(Kind.NUMBER)) or negation_differs(a, b)
