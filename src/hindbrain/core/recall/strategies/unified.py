"""Why we put one memory before another: relevance decides, everything else only nudges.

Relevance is words and meaning in common (core/recall/fuse.py), measured against the best candidate's, which is 1, or
a file in common. All nudges together move a score by at most `CLAMP`, so that nothing overtakes what is more relevant
by twice that. How often a memory was shown or asked for is no part of it: what is shown often would be shown more
often. That it helped or hurt counts a little (core/worth.py), and so does code that is no longer as the memory says.

Without a question and without files, as at the start of a session, nothing is relevant to anything. Then confidence,
importance and age stand in for it; confidence weighs little even there, because being shown raises it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.model.memory import Memory
from hindbrain.core.model.moment import days_between
from hindbrain.core.model.score import Reason, Score
from hindbrain.core.recall import fuse
from hindbrain.core.recall.ask import Ask, Candidate, Recalled
from hindbrain.core.recall.strategies.dex import hat_reason, touched
from hindbrain.core.words import count_words, query_terms, terms

if TYPE_CHECKING:
    from hindbrain.core.model.outcome import Standing

CLAMP = 0.15  # most that all nudges together add or take

_TOUCHES = 0.5  # relevance of a memory about a file at hand that shares no word with the question

_PATH = 0.05
_SAME_HAT = 0.04
_RELATED_HAT = 0.02
_TAG = 0.03
_CONFIDENCE = 0.1  # 0.5 is neutral
_RECENCY = 0.04
_IMPORTANCE = 0.05  # 5 is neutral
_DISTRUST = -0.06  # per level below an agent's own words
_STALE = {"suspect": -0.05, "gone": -0.1}  # the code has changed since, or is not there any more

_STANDING_CONFIDENCE = 0.2
_STANDING_IMPORTANCE = 0.4
_STANDING_RECENCY = 0.4

_NO_VECTOR = "no vector yet: counted like the others"
_HALF_LIFE = 90  # days since it was learned
_NEUTRAL_TRUST = 2
_DIGITS = 9


def choose(candidates: Sequence[Candidate], ask: Ask, *, now: datetime) -> list[Recalled]:
    """Candidates that share a word, a file or a tag with `ask`; all of them when it names none."""
    if not ask.text.strip() and not ask.paths:
        return [Recalled(memory=c.memory, score=_by_itself(c, ask, now=now)) for c in candidates]
    nearest = max((c.nearest for c in candidates if c.nearest is not None), default=None)
    weight = fuse.weight(count_words(ask.text, most=fuse.LONG), nearest=nearest)
    best = max((_worth(c, weight) for c in candidates), default=0.0)
    best = max(best, fuse.LEAST)  # what hardly bears on the question is not made the measure of all else
    wanted = frozenset(query_terms(ask.text))
    answers = []
    for candidate in candidates:
        memory = candidate.memory
        path = touched(memory, ask.paths)
        tags = _shared_tags(memory, wanted)
        if _is_found(candidate) or path or tags:
            relevance = _relevance(candidate, weight=weight, best=best, path=path)
            nudges = _by_match(path, tags) + _by_worth(memory, now) + _by_source(memory, ask)
            answers.append(_recalled(candidate, _score(relevance, nudges, standing=candidate.standing)))
    return answers


def _is_found(candidate: Candidate) -> bool:
    return candidate.words > 0 or (candidate.similarity or 0.0) >= fuse.LEAST


def _worth(candidate: Candidate, weight: float) -> float:
    return fuse.relevance(candidate.share, _likeness(candidate), weight=weight, pieces=candidate.pieces)


def _likeness(candidate: Candidate) -> float:
    return candidate.usual if candidate.similarity is None else candidate.similarity


def _recalled(candidate: Candidate, score: Score) -> Recalled:
    return Recalled(
        memory=candidate.memory,
        score=score,
        similarity=candidate.similarity,
        speaks=candidate.speaks,
        pieces=candidate.pieces,
    )


def _relevance(candidate: Candidate, *, weight: float, best: float, path: str) -> tuple[Reason, ...]:
    """Words and meaning, and what a file in common adds where they alone would say less."""
    reasons = []
    if candidate.share:
        reasons.append(Reason("words", candidate.share, weight / best))
    if likeness := _likeness(candidate):
        reasons.append(Reason("meaning", likeness, 1 / best, _NO_VECTOR if candidate.similarity is None else ""))
    if candidate.pieces > 1:
        reasons.append(Reason("pieces", fuse.crowd(candidate.pieces), -1 / best, f"the best of {candidate.pieces}"))
    if path and (found := sum(reason.part for reason in reasons)) < _TOUCHES:
        reasons.append(Reason("about", _TOUCHES - found, 1.0, path))
    return tuple(reasons)


def _by_itself(candidate: Candidate, ask: Ask, *, now: datetime) -> Score:
    memory = candidate.memory
    stand_in = (
        Reason("confidence", memory.confidence, _STANDING_CONFIDENCE),
        Reason("importance", memory.importance / 10, _STANDING_IMPORTANCE),
        Reason("recency", _freshness(memory, now), _STANDING_RECENCY),
    )
    return _score(stand_in, _by_source(memory, ask), standing=candidate.standing)


def _score(relevance: tuple[Reason, ...], nudges: tuple[Reason, ...], *, standing: Standing | None) -> Score:
    if standing is not None:
        so_far = Score(relevance + _held(nudges)).total
        nudges += _by_record(standing, so_far)
    return Score(relevance + _held(nudges))


def _by_record(standing: Standing, score: float) -> tuple[Reason, ...]:
    """How it has fared when it was shown, and what has become of the code that it speaks of."""
    from hindbrain.core import worth  # nothing is known of most memories

    stale = _STALE.get(standing.freshness, 0.0)
    note = "what it speaks of is gone" if standing.freshness == "gone" else "the code changed since it was tied"
    return (
        Reason("helped", worth.nudge(standing, score=score) / worth.MOST, worth.MOST, worth.told(standing)),
        Reason(str(standing.freshness), 1.0, stale, note),
    )


def _by_match(path: str, tags: Sequence[str]) -> tuple[Reason, ...]:
    by_path = (Reason("path", 1.0, _PATH, path),) if path else ()
    by_tag = (Reason("tag", 1.0, _TAG, ", ".join(tags)),) if tags else ()
    return by_path + by_tag


def _by_worth(memory: Memory, now: datetime) -> tuple[Reason, ...]:
    recency = Reason("recency", _freshness(memory, now), _RECENCY)
    if memory.confidence == 0.5 and memory.importance == 5:
        return (recency,)  # as most are
    return (
        Reason("confidence", memory.confidence - 0.5, _CONFIDENCE),
        Reason("importance", (memory.importance - 5) / 5, _IMPORTANCE),
        recency,
    )


def _by_source(memory: Memory, ask: Ask) -> tuple[Reason, ...]:
    missing = _NEUTRAL_TRUST - memory.trust
    distrust = (Reason("low trust", float(missing), _DISTRUST, f"trust {memory.trust}"),) if missing > 0 else ()
    return hat_reason(memory, ask.hat, same=_SAME_HAT, related=_RELATED_HAT) + distrust


def _held(nudges: tuple[Reason, ...]) -> tuple[Reason, ...]:
    """The nudges that say something, and, where they say too much, what is taken back."""
    telling = [nudge for nudge in nudges if nudge.part]
    wish = sum([nudge.part for nudge in telling])
    excess = wish - max(-CLAMP, min(CLAMP, wish))
    if round(excess, _DIGITS) == 0:
        return tuple(telling)
    return (*telling, Reason("held back", excess, -1.0, f"nudges together count at most {CLAMP}"))


def _shared_tags(memory: Memory, wanted: frozenset[str]) -> list[str]:
    return [tag for tag in memory.tags if wanted.intersection(_terms_of(tag))] if wanted else []


@lru_cache(maxsize=1024)  # projects use the same few tags all the time
def _terms_of(tag: str) -> tuple[str, ...]:
    return tuple(terms(tag))


def _freshness(memory: Memory, now: datetime) -> float:
    """1 for what was learned just now, half of it every `_HALF_LIFE` days."""
    return math.pow(0.5, days_between(memory.learned_at, now) / _HALF_LIFE)
