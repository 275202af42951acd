"""Why Dex puts one memory before another: its formula as documented, with bounds where it had none.

Base confidence and four bonuses are added up; at or below a threshold nothing is shown. Different on purpose (F-15):
all candidates are scored instead of the 50 most believed, tags bring at most two bonuses, and punctuation is no part
of a keyword.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import islice
from types import MappingProxyType

from hindbrain.core.model.memory import Memory
from hindbrain.core.model.moment import days_between
from hindbrain.core.model.score import Reason, Score
from hindbrain.core.recall.ask import Ask, Candidate, Recalled

# A hat -> the hats whose memories bear on it. Not symmetric: exploring feeds planning, not making.
RELATED_HATS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "explorer": frozenset({"planner"}),
        "planner": frozenset({"creator", "explorer"}),
        "creator": frozenset({"critic", "editor", "planner"}),
        "critic": frozenset({"creator", "editor"}),
        "editor": frozenset({"creator", "critic"}),
    }
)

_LEAST_CONFIDENCE = 0.3  # candidates lie above
_LEAST_SCORE = 0.25  # answers lie above
_CONFIDENCE = 0.2
_SAME_HAT = 0.25
_RELATED_HAT = 0.1
_PATH = 0.3
_TAG = 0.15
_MOST_TAGS = 2
_RECENCY = 0.1  # used this moment
_FORGOTTEN_AFTER = 50  # days until the bonus for recent use is gone
_DIGITS = 9  # arithmetic dust must not lift a score over a threshold

_STOP = frozenset(
    {
        *("the", "a", "an", "and", "or", "to", "in", "on", "for", "of"),
        *("is", "it", "this", "that", "with", "as", "be", "are", "was", "were"),
    }
)
_SHORTEST_KEYWORD = 3
_MOST_KEYWORDS = 10
_PUNCTUATION = ".,;:!?\"'`()[]{}<>*_#…"


def choose(candidates: Sequence[Candidate], ask: Ask, *, now: datetime) -> list[Recalled]:
    """Candidates believed enough whose score is high enough."""
    wanted = keywords(ask.text)
    believed = [c.memory for c in candidates if round(c.memory.confidence, _DIGITS) > _LEAST_CONFIDENCE]
    scored = [Recalled(memory=memory, score=_score(memory, ask, wanted=wanted, now=now)) for memory in believed]
    return [recalled for recalled in scored if round(recalled.score.total, _DIGITS) > _LEAST_SCORE]


def keywords(text: str) -> tuple[str, ...]:
    """The first ten words that may name a tag (DX-104)."""
    bare = (word.lower().strip(_PUNCTUATION) for word in text.split())
    telling = (word for word in bare if len(word) >= _SHORTEST_KEYWORD and word not in _STOP)
    return tuple(islice(telling, _MOST_KEYWORDS))


def hat_reason(memory: Memory, hat: str, *, same: float, related: float) -> tuple[Reason, ...]:
    """The bonus for a memory made under the same hat, or else under one that bears on it."""
    made_under = memory.provenance.actor.hat.lower()
    hat = hat.lower()
    if not made_under or not hat:
        return ()
    if made_under == hat:
        return (Reason("same hat", 1.0, same, made_under),)
    if made_under in RELATED_HATS.get(hat, ()):
        return (Reason("related hat", 1.0, related, f"{made_under} for {hat}"),)
    return ()


def touched(memory: Memory, paths: Sequence[str]) -> str:
    """Which of the memory's file references covers which of `paths`, as a note; "" when none does."""
    if not (paths and memory.file_refs):
        return ""
    from hindbrain.core.shape import matches_path  # most questions are about no file

    for ref in memory.file_refs:
        for path in paths:
            if matches_path(ref, path):
                return path if ref == path else f"{path} by {ref}"
    return ""


def _score(memory: Memory, ask: Ask, *, wanted: Sequence[str], now: datetime) -> Score:
    reasons = [Reason("confidence", memory.confidence, _CONFIDENCE)]
    reasons += hat_reason(memory, ask.hat, same=_SAME_HAT, related=_RELATED_HAT)
    if path := touched(memory, ask.paths):
        reasons.append(Reason("path", 1.0, _PATH, path))
    if tags := [tag for tag in memory.tags if any(word in tag.lower() for word in wanted)]:
        reasons.append(Reason("tags", float(min(len(tags), _MOST_TAGS)), _TAG, ", ".join(tags)))
    if memory.last_used_at is not None:
        faded = days_between(memory.last_used_at, now) / _FORGOTTEN_AFTER
        reasons.append(Reason("recency", max(0.0, 1 - faded), _RECENCY, "last use"))
    return Score(tuple(reasons))
