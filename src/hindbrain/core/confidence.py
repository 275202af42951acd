"""How belief in a memory grows with use and fades with neglect."""

from __future__ import annotations

from datetime import datetime, timedelta

from hindbrain.core.growth import Growth
from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.model.actor import Source
from hindbrain.core.model.memory import Memory
from hindbrain.core.value import dataclass

if TYPE_CHECKING:
    from hindbrain.core.model.outcome import Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Decayed:
    confidence: float
    decayed_at: datetime  # up to when neglect is now accounted for


_DEX = Growth()
_WEEK = timedelta(days=7)
_CONFIRMED = 0.1  # a person says that it helped
_REFUTED = -0.2  # a person says that it hurt
_FAILED = -0.05  # what an agent did next says that it hurt
_DIGITS = 9  # 0.1 + 0.2 must not miss a threshold of 0.3


def first(source: Source, *, growth: Growth = _DEX) -> float:
    """The confidence of a memory that was just written down."""
    match source:
        case Source.EXPLICIT:
            return growth.explicit
        case Source.AUTOMATIC:
            return growth.automatic
        case Source.IMPORTED:
            return growth.imported
        case Source.MANUAL:
            return growth.manual


def after_use(confidence: float, *, growth: Growth = _DEX) -> float:
    """One more session was shown it. The caller counts a session once (X-12).

    What stands above the ceiling already (a person may set it so) stays: use is no reason to doubt.
    """
    return max(confidence, min(growth.ceiling, round(confidence + growth.usage_boost, _DIGITS)))


def decay(memory: Memory, *, now: datetime, growth: Growth = _DEX) -> Decayed | None:
    """What the full weeks since the last use take away; None when no full week has passed.

    Running it often takes no more than running it once: `decayed_at` moves by whole weeks, so that no
    fraction is lost or counted twice. A memory at the floor keeps its confidence, but its weeks are
    accounted for all the same, or a later rise would be eaten at once by weeks long gone.
    """
    since = memory.last_used_at or memory.created_at  # F-08: never used fades as well
    if memory.decayed_at is not None:
        since = max(since, memory.decayed_at)
    weeks = (now - since) // _WEEK
    if weeks < 1 or memory.is_pinned:
        return None
    faded = round(memory.confidence - weeks * growth.decay_per_week, _DIGITS)
    return Decayed(
        confidence=min(memory.confidence, max(growth.floor, faded)),
        decayed_at=since + weeks * _WEEK,
    )


def after_outcome(confidence: float, effect: Effect, *, by_person: bool, growth: Growth = _DEX) -> float:
    """What came of showing it. A session that it helped counts as one more use of it (F-16), a person's word for five;
    harm weighs more than help. Between the floor of neglect and the ceiling of use; what stands beyond them stays."""
    match str(effect):
        case "helped":
            step = _CONFIRMED if by_person else growth.usage_boost
            return max(confidence, min(growth.ceiling, round(confidence + step, _DIGITS)))
        case "hurt":
            step = _REFUTED if by_person else _FAILED
            return min(confidence, max(growth.floor, round(confidence + step, _DIGITS)))
    return confidence
