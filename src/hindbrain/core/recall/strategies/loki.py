"""Why Loki puts one memory before another: each of its three collections is searched by itself, then they are merged.

Episodic is what happened once: episodes and iterations. Skills are skills. Semantic is all the rest, because it says
what holds beyond one run: patterns, anti-patterns, facts and lessons, and also scars, reflexes and notes, which Loki
does not have. Semantic and episodic memories are found by similarity, skills by keyword, and of equal ones the newer
comes first. Different on purpose (F-21): an episode that did not succeed is not hidden, it counts a fifth less.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import chain

from hindbrain.core.model.memory import Kind, Memory
from hindbrain.core.model.score import Reason, Score
from hindbrain.core.recall.ask import Ask, Candidate, Recalled
from hindbrain.core.recall.index import columns
from hindbrain.core.recall.strategies import alike, is_near
from hindbrain.core.value import dataclass, replace
from hindbrain.core.words import query_terms

LIMIT = 5  # most that are answered, even when more are asked for

_MOST_SEMANTIC = 5
_MOST_EPISODES = 3
_EPISODES = (Kind.EPISODE, Kind.ITERATION)
_SUCCESS = "success"
_NO_SUCCESS = -0.2  # of what an episode counts; more than a third would put it behind an equal skill


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What a match in each collection counts; at 0 it answers nothing. A kind of task may have its own (Q-15)."""

    semantic: float = 0.5
    episodic: float = 0.3
    skills: float = 0.2
    anti_patterns: float = 0.5  # they lie among the semantic ones, and share their five places


USUAL = Weights()
BY_TASK = {
    "exploration": Weights(episodic=0.6, semantic=0.3, skills=0.1, anti_patterns=0.0),
    "implementation": Weights(episodic=0.15, semantic=0.5, skills=0.35, anti_patterns=0.0),
    "debugging": Weights(episodic=0.4, semantic=0.2, skills=0.0, anti_patterns=0.4),
    "review": Weights(episodic=0.3, semantic=0.5, skills=0.0, anti_patterns=0.2),
    "refactoring": Weights(episodic=0.25, semantic=0.45, skills=0.3, anti_patterns=0.0),
}


def choose(candidates: Sequence[Candidate], ask: Ask, *, now: datetime, weights: Weights = USUAL) -> list[Recalled]:
    """The best five of the five nearest semantic memories, the three nearest episodes and the skills that fit."""
    keywords = frozenset(query_terms(ask.text))
    semantic, episodes, skills = [], [], []
    for candidate in candidates:
        kind = candidate.memory.kind
        if kind is Kind.SKILL:
            skills += _found(candidate, _by_keyword(candidate.memory, ask, keywords=keywords), weight=weights.skills)
        elif not is_near(candidate, ask):
            continue
        elif kind in _EPISODES:
            episodes += _found(candidate, _as_episode(candidate), weight=weights.episodic)
        else:
            weight = weights.anti_patterns if kind is Kind.ANTI_PATTERN else weights.semantic
            semantic += _found(candidate, (alike(candidate),), weight=weight)
    return _best([*_best(semantic, _MOST_SEMANTIC), *_best(episodes, _MOST_EPISODES), *skills], LIMIT)


def _by_keyword(memory: Memory, ask: Ask, *, keywords: frozenset[str]) -> tuple[Reason, ...]:
    """The share of the keywords that a skill holds; nothing when a question was asked and it holds none."""
    if not ask.text.strip():
        return (Reason("words", 0.0, 1.0),)
    held = keywords.intersection(chain(*columns(memory)))
    return (Reason("words", len(held) / len(keywords), 1.0),) if held else ()


def _as_episode(candidate: Candidate) -> tuple[Reason, ...]:
    match = alike(candidate)
    if candidate.memory.body.get("outcome") == _SUCCESS:
        return (match,)
    return (match, Reason("no success", match.value, _NO_SUCCESS, "episodes that succeeded are preferred"))


def _found(candidate: Candidate, reasons: Iterable[Reason], *, weight: float) -> list[Recalled]:
    """The candidate with its reasons in the weight of its collection; none without reasons or without weight."""
    weighed = tuple(replace(reason, weight=reason.weight * weight) for reason in reasons)
    if not weighed or weight <= 0:
        return []
    memory, score = candidate.memory, Score(weighed)
    return [Recalled(memory=memory, score=score, similarity=candidate.similarity, speaks=candidate.speaks)]


def _best(found: Iterable[Recalled], most: int) -> list[Recalled]:
    return sorted(found, key=lambda item: item.place, reverse=True)[:most]
