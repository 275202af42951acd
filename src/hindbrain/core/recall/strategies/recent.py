"""Why Beads puts one memory before another: the newest first, and of each key only the newest."""

from collections.abc import Sequence
from datetime import datetime

from hindbrain.core.model.memory import Memory
from hindbrain.core.model.moment import days_between
from hindbrain.core.model.score import Reason, Score
from hindbrain.core.recall.ask import Ask, Candidate, Recalled


def choose(candidates: Sequence[Candidate], ask: Ask, *, now: datetime) -> list[Recalled]:
    """All candidates, or with a question those that share a word with it; one for each key."""
    found = [c.memory for c in candidates if c.words > 0 or not ask.text.strip()]
    newest: dict[str, Memory] = {}
    for memory in sorted(found, key=lambda memory: (memory.learned_at, memory.id), reverse=True):
        newest.setdefault(memory.key or memory.id, memory)
    return [Recalled(memory=memory, score=_score(memory, now)) for memory in newest.values()]


def _score(memory: Memory, now: datetime) -> Score:
    days = days_between(memory.learned_at, now)
    return Score((Reason("recency", 1 / (1 + days), 1.0, f"learned {days:.0f} days ago"),))
