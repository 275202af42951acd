"""When a memory may be put away without asking. Archived, never erased: `restore` brings it back."""

from datetime import datetime

from hindbrain.core.model.memory import Kind, Memory, State
from hindbrain.core.model.moment import days_between

_DOUBTED = 0.15  # confidence; below it nobody believes it any more
_OLD = 30  # days
_SCAR_OLD = 180  # days
_DIGITS = 9  # arithmetic dust must not decide


def archive_reason(memory: Memory, *, now: datetime) -> str | None:
    """Why `memory` should be archived; None when it should stay (DX-129).

    All three must hold: doubted, never of use to anyone, and old. Only what is live can be put away. A scar fades by
    itself in recall, so it stays until nobody has recalled it for half a year (HB-081, Q-06).
    """
    if memory.state is not State.LIVE or memory.is_pinned or _was_of_use(memory):
        return None
    age = days_between(memory.created_at, now)
    if memory.kind is Kind.SCAR:
        return f"nobody recalled it in {int(age)} days" if age > _SCAR_OLD else None
    if round(memory.confidence, _DIGITS) >= _DOUBTED or age <= _OLD:
        return None
    return f"confidence {memory.confidence:.2f} is below {_DOUBTED}, and nobody used it in {int(age)} days"


def _was_of_use(memory: Memory) -> bool:
    counted = memory.counters
    return any((counted.injected, counted.recalled, counted.cited, counted.confirmed))
