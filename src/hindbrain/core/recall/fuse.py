"""How words and meaning are weighed against each other, so that neither hurts where it is weak.

Both are measured on a scale of their own and then added up. Words count by the share of all that the question's
words could be worth: where few of them are found, words say little and meaning decides; where all are found, words
lead. Meaning counts by its cosine, and for less in a long question: one vector has to stand for all that it says,
while each of its words is still looked for by itself. Where something comes very near to the question, meaning is sure
of itself, and words count for less. Ranks, or scores stretched between best and worst, would make the best of a weak
side count as much as the best of a strong one. `bench/tune.py` chose the constants.
"""

import math

from hindbrain.core.recall.bm25 import K1, B

WORDS = 1.0  # what a full share of words is worth in cosines where a question has few
EACH = 0.12  # what it is worth more for each further word of the question
SHORT, LONG = 6, 18  # words of a question from which on that counts, and up to which
NEAR = 0.5  # cosine of the nearest memory with which words have just that weight
SURE = 2.0  # how fast it falls the nearer that one is: by a fifth for each 0.11
UNSURE = 1.2  # times the weight at most, where all memories are far off
MANY = 0.08  # taken off for each e-fold of pieces: the best of many is good by chance, too
CROWD = 4  # pieces up to which that grows: those of one text are much alike, and the tenth is hardly another chance
LEAST = 0.1  # cosine below which meaning alone is no reason to answer
DECIDE = 0.7  # of the worth of the question's words, held by the best answer: then no model is started for it


def share(score: float, worth: float, *, size: float) -> float:
    """How much of what the question's words are `worth` together a memory's BM25 `score` is.

    BM25 forgives long texts three quarters of their length only. That is right for articles; among memories the long
    ones win too often, so the last quarter is taken off here, as exactly as it can be without counting again.
    """
    if worth <= 0 or score <= 0:
        return 0.0
    forgiven = (1 + K1 * (1 - B + B * size)) / (1 + K1 * size)
    return score / (worth * (K1 + 1)) * forgiven


def weight(asked: int, *, nearest: float | None = None) -> float:
    """What a full share of words is worth in cosines where the question has `asked` words, stop words included.

    `nearest` is the cosine of whatever comes nearest to it; None: nothing was compared.
    """
    by_length = WORDS + EACH * (min(max(asked, SHORT), LONG) - SHORT)
    return by_length if nearest is None else by_length * math.exp(min(SURE * (NEAR - nearest), math.log(UNSURE)))


def relevance(words: float, similarity: float, *, weight: float, pieces: int) -> float:
    """What a share of words, by its `weight`, and a cosine are together; in cosines."""
    together = weight * words + similarity
    return together - crowd(pieces) if pieces > 1 else together


def crowd(pieces: int) -> float:
    return MANY * math.log(min(pieces, CROWD)) if pieces > 1 else 0.0
