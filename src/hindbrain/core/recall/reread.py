"""What a question asks beside the words that most memories hold (`bm25.is_common`).

Such a word says nothing about which memory is meant, and the index gives it hardly any weight. In the one vector of a
question it still pulls towards everything that mentions it: a name that every second memory begins with is most of what
a small model makes of a short question. So the question is read once more without it, and the point halfway between
both readings is compared.
"""

from collections.abc import Iterable, Sequence
from math import sqrt

from hindbrain.core.words import query_terms

_DENIALS = frozenset(("cannot", "neither", "never", "no", "nor", "not", "without"))  # else it would ask the opposite
_TINY = 1e-6


def without(text: str, common: frozenset[str], *, asked: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """`text` without the words that stand for nothing but `common` terms, and those words.

    "" where nothing of what is `asked` would be left.
    """
    if common.issuperset(asked):
        return "", ()
    idle = common - _DENIALS
    kept: list[str] = []
    left_out: list[str] = []
    for word in text.split():
        own = query_terms(word)
        (left_out if own and idle.issuperset(own) else kept).append(word)
    return (" ".join(kept), tuple(left_out)) if left_out else ("", ())


def halfway(one: Sequence[float], other: Sequence[float]) -> Sequence[float]:
    """The direction between two of length 1; `one` where the other has no direction, or the opposite one."""
    both = [a + b for a, b in zip(one, other, strict=True)]
    length = sqrt(sum([value * value for value in both]))
    return [value / length for value in both] if any(other) and length > _TINY else one
