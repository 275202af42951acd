"""Which of many texts are worth comparing with one: those that share most of its rarer words."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache

from hindbrain.core.words import query_terms

_RAREST = 12  # words of a text by which others are looked for
_LONGEST = 400  # texts that hold a word, beyond which it sets nobody apart


class Shelf:
    """Texts by key. A look costs as much as its rare words are common, not as much as there are texts."""

    def __init__(self) -> None:
        self._holders: dict[str, dict[str, None]] = defaultdict(dict)
        self._terms: dict[str, frozenset[str]] = {}

    def put(self, key: str, text: str) -> None:
        """In the place of what had that key."""
        for term in self._terms.get(key, ()):
            self._holders[term].pop(key, None)
        self._terms[key] = frozenset(_terms(text))
        for term in self._terms[key]:
            self._holders[term][key] = None

    def near(self, text: str, *, limit: int) -> list[str]:
        """Keys of those that share most words, at most `limit`; the order of equals is that of their keys."""
        known = sorted((term for term in set(_terms(text)) if self._holders.get(term)), key=self._rarity)
        shared: Counter[str] = Counter()
        for term in self._telling(known):
            shared.update(self._holders[term].keys())
        return sorted(shared, key=lambda key: (-shared[key], key))[:limit]

    def _telling(self, terms: list[str]) -> Iterable[str]:
        """The rarest; where all are common, the first of them all the same."""
        rare = [term for term in terms[:_RAREST] if len(self._holders[term]) <= _LONGEST]
        return rare or terms[:1]

    def _rarity(self, term: str) -> tuple[int, str]:
        return len(self._holders[term]), term


@lru_cache(maxsize=2048)
def _terms(text: str) -> tuple[str, ...]:
    return tuple(query_terms(text))
