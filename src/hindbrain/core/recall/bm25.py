"""How well a text's words answer a query's: the numbers of SQLite FTS5's bm25(), for stores that have no FTS5.

FTS5 returns them negated, so that the best sorts first; here higher is better.
"""

from collections import Counter
from collections.abc import Sequence
from math import log

from hindbrain.core.value import dataclass

K1 = 1.2
B = 0.75
_COMMON = 1e-6  # idf of a term that half of all documents hold, so that it still counts as found
MOST = 0.4  # part of the documents that hold a term which tells none of them from the others
_FEW = 100  # documents that are added before that is reckoned: chance may put a term into most of a few


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    id: str
    columns: tuple[tuple[str, ...], ...]  # the terms of each, with repeats


def scores(documents: Sequence[Document], query: Sequence[str], *, weights: Sequence[float]) -> dict[str, float]:
    """The score of each document that holds at least one term of `query`.

    `documents` are all there are: how rare a term is, and how long a text is for its kind, depend on the
    others. A column without a weight counts once; a term that stands twice in `query` counts twice.
    """
    wanted = frozenset(query)
    found = {}
    for document in documents:
        if frequencies := _frequencies(document, wanted, weights=weights):
            found[document.id] = (frequencies, length(document))
    if not found:
        return {}
    average = sum(map(length, documents)) / len(documents)
    holders = Counter(term for frequencies, _ in found.values() for term in frequencies)
    rarity = {term: idf(holders[term], len(documents)) for term in wanted}
    answer = {}
    for id_, (frequencies, size) in found.items():
        damping = K1 * (1 - B + B * size / average)
        parts = ((rarity[term], frequencies.get(term, 0.0)) for term in query)
        answer[id_] = sum(worth * often * (K1 + 1) / (often + damping) for worth, often in parts)
    return answer


def _frequencies(document: Document, wanted: frozenset[str], *, weights: Sequence[float]) -> dict[str, float]:
    """How often each wanted term stands in the document, by the weight of its column."""
    often: dict[str, float] = {}
    for number, column in enumerate(document.columns):
        weight = weights[number] if number < len(weights) else 1.0
        for term in column:
            if term in wanted:
                often[term] = often.get(term, 0.0) + weight
    return often


def length(document: Document) -> int:
    """In terms, over all columns."""
    return sum(map(len, document.columns))


def idf(holders: int, documents: int) -> float:
    """What a term is worth that so many of so many documents hold. They may have been counted one after the other,
    with a new document in between."""
    rarity = log((max(documents - holders, 0) + 0.5) / (holders + 0.5))
    return rarity if rarity > 0 else _COMMON


def is_common(holders: int, documents: int) -> bool:
    """Whether so many of so many documents hold a term that it does not tell which of them is meant."""
    return holders > MOST * (documents + _FEW)
