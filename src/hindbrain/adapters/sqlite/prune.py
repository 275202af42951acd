"""Who of a long list need not be scored: a word that most memories hold is worth next to nothing to any of them.

Of each list it is known what its word can add at most. As soon as enough memories have more from the shorter lists than
the longer ones can give together, nobody else can be among the best (MaxScore; Turtle and Flood, 1995).
"""

from collections.abc import Callable, Sequence

import numpy as np

from hindbrain.adapters.sqlite.postings import Postings, Scored
from hindbrain.core.hints import Any
from hindbrain.core.recall.bm25 import K1

_FEW = 4_000  # places in all lists, below which it is cheaper to score everybody
_SLACK = 1e-9  # of a sum; rounding stays far below it

Word = tuple[Postings, float]  # who holds it, and its idf


def contenders(words: Sequence[Word], *, depth: int, score: Callable[[Sequence[Word]], Scored]) -> Any | None:
    """The seqs of all that may be among the best `depth`, rising; None: anybody may. `score` adds up some words."""
    by_length = sorted(words, key=lambda word: len(word[0]))
    lengths = [len(one) for one, _ in by_length]
    if sum(lengths) < _FEW or depth < 1:
        return None
    tried = 0  # places that were scored in vain
    for cut in range(1, len(by_length)):
        places = sum(lengths[:cut])
        if places < max(depth, 2 * tried) or 2 * places > sum(lengths):
            continue
        seqs, sums = score(by_length[:cut])
        rest = (K1 + 1) * sum(worth for _, worth in by_length[cut:]) + _SLACK
        if len(seqs) >= depth and (last := np.partition(sums, len(sums) - depth)[len(sums) - depth]) > rest:
            return np.sort(seqs[sums >= last - rest])
        tried = places
    return None
