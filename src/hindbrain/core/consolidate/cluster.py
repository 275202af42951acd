"""Which episodes belong together: like goals and troubles, or the same error.

Likeness is the cosine of vectors where they are known, else of words; 0.7 is enough (Q-10). The same kind of task alone
is not: that is how patterns come about that say nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt

from hindbrain.core.consolidate.past import Past, signature_of

ALIKE = 0.7  # cosine
FEWEST = 2  # episodes that make a cluster
_COMMON = 24  # episodes that share a word and are all compared; of more, each with the next few
_NEXT = 8
_RAREST = 12  # words of an episode by which others are looked for
Pair = tuple[str, str]  # ids of two memories, the smaller first


def clusters(pasts: Sequence[Past], *, near: Mapping[Pair, float]) -> tuple[tuple[Past, ...], ...]:
    """Groups of at least two, in the order of their first members. `near` are the cosines that are known."""
    by_id = {one.id: one for one in pasts}
    parent = {one.id: one.id for one in pasts}
    close = (pair for pair, likeness in near.items() if likeness >= ALIKE and pair[0] in parent and pair[1] in parent)
    for one, other in (*close, *_by_words(pasts, near=near), *_by_error(pasts)):
        parent[_root(one, parent)] = _root(other, parent)
    groups: dict[str, list[Past]] = defaultdict(list)
    for key in by_id:
        groups[_root(key, parent)].append(by_id[key])
    return tuple(tuple(group) for group in groups.values() if len(group) >= FEWEST)


def candidates(pasts: Sequence[Past]) -> Iterator[Pair]:
    """Pairs that share one of their rarer words: the only ones worth comparing. Each may come more than once. Their
    number grows with that of the episodes, not with its square."""
    counts = Counter(term for one in pasts for term in one.terms)
    holders: dict[str, list[str]] = defaultdict(list)
    for one in pasts:
        for term in sorted(one.terms, key=lambda term: (counts[term], term))[:_RAREST]:
            holders[term].append(one.id)
    for ids in holders.values():
        reach = len(ids) if len(ids) <= _COMMON else _NEXT
        yield from (pair_of(one, other) for at, one in enumerate(ids) for other in ids[at + 1 : at + 1 + reach])


def pair_of(one: str, other: str) -> Pair:
    return (one, other) if one < other else (other, one)


def _by_words(pasts: Sequence[Past], *, near: Mapping[Pair, float]) -> Iterator[Pair]:
    by_id = {one.id: one.terms for one in pasts}
    for pair in dict.fromkeys(candidates(pasts)):
        if pair not in near and _cosine(by_id[pair[0]], by_id[pair[1]]) >= ALIKE:
            yield pair


def _by_error(pasts: Sequence[Past]) -> Iterator[Pair]:
    """Whoever met the same error has something to tell each other, whatever they were at."""
    holders: dict[str, list[str]] = defaultdict(list)
    for one in pasts:
        for signature in {signature_of(error) for error in one.errors} - {""}:
            holders[signature].append(one.id)
    for ids in holders.values():
        yield from (pair_of(ids[0], other) for other in ids[1:])


def _cosine(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / sqrt(len(one) * len(other)) if one and other else 0.0


def _root(key: str, parent: dict[str, str]) -> str:
    while parent[key] != key:
        parent[key] = parent[parent[key]]
        key = parent[key]
    return key
