"""Why DOC-05 puts one memory before another: similarity, which for scars grows with importance and fades with age.

The most similar are fetched, several times as many as are wanted, and then scored:
similarity × (1 + importance / 10) × exp(−days / 365) for a scar, similarity alone for anything else. The two do
not compare: a fresh scar can double what it has. So where both are found, the band of the raw similarity goes first,
and scores order only within a band (X-21). A score is a sum of reasons, so the product is written as one: the weight
of each reason is what its value multiplies.
"""

import math
from collections.abc import Sequence
from datetime import datetime

from hindbrain.core.model.memory import Kind, Memory
from hindbrain.core.model.moment import days_between
from hindbrain.core.model.score import Reason, Score
from hindbrain.core.recall.ask import Ask, Candidate, Recalled
from hindbrain.core.recall.strategies import BY_WORDS, alike, is_near
from hindbrain.core.value import replace

_FETCHED = 4  # times as many as are wanted
_FEWEST_FETCHED = 20
_MOST_IMPORTANT = 10
_YEAR = 365  # days in which a scar fades to 1/e
_DIGITS = 9  # arithmetic dust must not lift a similarity over a threshold

_HIGHLY_RELEVANT = 0.75  # above
_RELEVANT = 0.65  # from here on
_LABELS = ("validate manually", "relevant", "highly relevant")


def choose(candidates: Sequence[Candidate], ask: Ask, *, now: datetime) -> list[Recalled]:
    """The most similar candidates, re-ranked: `ask.limit` times four, and twenty at least."""
    near = [(candidate, alike(candidate)) for candidate in candidates if is_near(candidate, ask)]
    near.sort(key=lambda found: _place(*found), reverse=True)
    fetched = near[: max(_FETCHED * ask.limit, _FEWEST_FETCHED)]
    is_mixed = len({candidate.memory.kind is Kind.SCAR for candidate, _ in fetched}) > 1
    return [_recalled(candidate, raw, is_mixed=is_mixed, now=now) for candidate, raw in fetched]


def label(similarity: float) -> str:
    """How far to rely on a match, by its raw similarity (HB-082, HB-083, HB-084)."""
    return _LABELS[_band(similarity)]


def _place(candidate: Candidate, raw: Reason) -> tuple[float, datetime, str]:
    memory = candidate.memory
    return (round(raw.value, _DIGITS), memory.learned_at, memory.id)


def _band(similarity: float) -> int:
    similarity = round(similarity, _DIGITS)
    if similarity > _HIGHLY_RELEVANT:
        return 2
    return 1 if similarity >= _RELEVANT else 0


def _recalled(candidate: Candidate, raw: Reason, *, is_mixed: bool, now: datetime) -> Recalled:
    """Words in common are no similarity: without one, it is the lowest band and the most careful label."""
    memory = candidate.memory
    is_known = candidate.similarity is not None
    told = replace(raw, note=label(raw.value) if is_known else f"{BY_WORDS}, {_LABELS[0]}")
    reasons = (told, *_fate(memory, raw.value, now=now)) if memory.kind is Kind.SCAR else (told,)
    return Recalled(
        memory=memory,
        score=Score(reasons),
        similarity=candidate.similarity,
        speaks=candidate.speaks,
        band=_band(raw.value) if is_mixed and is_known else 0,
    )


def _fate(memory: Memory, raw: float, *, now: datetime) -> tuple[Reason, Reason]:
    """What importance adds to a scar, and what age takes from both."""
    importance = memory.importance / _MOST_IMPORTANT
    days = days_between(memory.learned_at, now)
    return (
        Reason("importance", importance, raw, f"{memory.importance} of {_MOST_IMPORTANT}"),
        Reason("age", math.exp(-days / _YEAR) - 1, raw * (1 + importance), f"{days:.0f} days"),
    )
