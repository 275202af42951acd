"""How long each kind of memory is kept as it is, and what may happen to it without asking.

One table for all (X-13). Archived is never erased: `restore` brings it back. Three things stay whatever the table says:
what a person pinned, what was ever of use to anyone, and what another memory refers to.
"""

from collections.abc import Mapping
from datetime import datetime

from hindbrain.core.model.memory import Kind, Memory, State
from hindbrain.core.model.moment import days_between
from hindbrain.core.value import dataclass

SUMMARISED = "summarised_at"  # in an episode's body: when, so that it happens once (F-20)
_DOUBTED = 0.15  # confidence; below it nobody believes it any more
_OLD = 30  # days
_DIGITS = 9  # arithmetic dust must not decide


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What time does to one kind. Ages are in days; None: never."""

    fades: bool = False  # loses confidence while nobody uses it, and is archived once nobody believes it
    merges: bool = False  # two that say the same become one
    summarised_after: int | None = None
    archived_after: int | None = None
    unrecalled_after: int | None = None  # archived at that age if nobody has ever recalled it
    why: str


_CLAIM = Rule(fades=True, merges=True, why="a claim that nobody uses may have become wrong; one voice for one claim")

RETENTION: Mapping[Kind, Rule] = {
    Kind.LESSON: _CLAIM,
    Kind.PATTERN: _CLAIM,
    Kind.ANTI_PATTERN: _CLAIM,
    Kind.FACT: _CLAIM,
    Kind.EPISODE: Rule(
        summarised_after=7,
        archived_after=30,
        why="what happened stays true, but details are read in the first week; what it taught is a pattern by then",
    ),
    Kind.ITERATION: Rule(archived_after=30, why="a step of one session: of use while that session is remembered"),
    Kind.SKILL: Rule(why="a person approved it, and a person takes it away"),
    Kind.SCAR: Rule(unrecalled_after=180, why="what it cost to learn must not be paid twice, if anybody comes there"),
    Kind.REFLEX: Rule(why="a file of a person's: the file decides"),
    Kind.NOTE: Rule(why="a file of a person's: the file decides"),
}


def is_kept(memory: Memory, *, is_referenced: bool = False) -> bool:
    """Whether nothing may put `memory` away but a person."""
    return memory.is_pinned or is_referenced or _was_of_use(memory)


def archive_reason(memory: Memory, *, now: datetime, is_referenced: bool = False) -> str | None:
    """Why `memory` should be archived because nobody believes it; None when it should stay (DX-129).

    All three must hold: doubted, never of use to anyone, and old. Only what is live can be put away. A scar fades by
    itself in recall, so it stays until nobody has recalled it for half a year (HB-081, Q-06).
    """
    rule = RETENTION[memory.kind]
    age = days_between(memory.created_at, now)
    if memory.state is not State.LIVE or is_kept(memory, is_referenced=is_referenced):
        return None
    if rule.unrecalled_after is not None:
        return f"nobody recalled it in {int(age)} days" if age > rule.unrecalled_after else None
    if not rule.fades or round(memory.confidence, _DIGITS) >= _DOUBTED or age <= _OLD:
        return None
    return f"confidence {memory.confidence:.2f} is below {_DOUBTED}, and nobody used it in {int(age)} days"


def expiry_reason(memory: Memory, *, now: datetime, is_referenced: bool) -> str | None:
    """Why `memory` should be archived because of its age; None when it should stay (LK-124)."""
    limit = RETENTION[memory.kind].archived_after
    age = days_between(memory.learned_at, now)
    if limit is None or age <= limit or memory.state is not State.LIVE or is_kept(memory, is_referenced=is_referenced):
        return None
    return f"it is {int(age)} days old, {memory.kind}s are kept for {limit}, and nothing refers to it"


def is_to_summarise(memory: Memory, *, now: datetime) -> bool:
    """Whether the details may go now: once, and also where something refers to it (LK-122, LK-123, F-20)."""
    limit = RETENTION[memory.kind].summarised_after
    if limit is None or memory.state is not State.LIVE or memory.is_pinned or SUMMARISED in memory.body:
        return False
    return days_between(memory.learned_at, now) > limit


def _was_of_use(memory: Memory) -> bool:
    counted = memory.counters
    return any((counted.injected, counted.recalled, counted.cited, counted.confirmed))
