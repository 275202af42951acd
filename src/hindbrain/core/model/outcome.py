"""What came of showing a memory, and what is known of a memory beyond its words."""

from collections.abc import Iterable
from datetime import datetime

from hindbrain.core.closed import StrEnum
from hindbrain.core.value import dataclass


class Effect(StrEnum):
    HELPED = "helped"
    HURT = "hurt"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One judgement about one memory in one injection, or by a person about the memory as such.

    There is at most one for each (memory, injection, how): judging again changes nothing.
    """

    id: str
    at: datetime
    project: str
    memory_id: str
    effect: Effect
    how: str  # cited, followed, contradicted, recurred, avoided, gate, unseen, agent, person
    injection_id: str = ""
    session: str = ""
    note: str = ""
    is_withheld: bool = False  # it would have been shown, but was held out to measure what showing is worth


class Freshness(StrEnum):
    """Whether the code that a memory speaks of still is as it was."""

    UNTIED = ""  # it names no file, or none that could be tied
    FRESH = "fresh"
    SUSPECT = "suspect"  # the code changed
    GONE = "gone"  # the file or the symbol is not there any more


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A place in the code that a memory speaks of, with the content it had."""

    memory_id: str
    project: str
    path: str  # relative to the top of the code base
    tied_at: datetime
    checked_at: datetime
    blob: str = ""  # git's name for the file's content
    symbol: str = ""  # a named function or class; empty: lines, or the whole file
    start: int = 0  # first line, 1-based; 0: the whole file
    end: int = 0
    digest: str = ""  # of the symbol's or the lines' text
    freshness: Freshness = Freshness.FRESH
    note: str = ""  # what changed, in words


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What ranking may know of a memory beside its text."""

    helped: int = 0
    hurt: int = 0
    unknown: int = 0
    freshness: Freshness = Freshness.UNTIED


def standing(outcomes: Iterable[Outcome], anchors: Iterable[Freshness]) -> Standing:
    """What all of them amount to, for one memory.

    One session counts once: what it says last, and unknown only when it says nothing else. A person's word outside
    any session counts by itself. The memory is gone when every place that it speaks of is, and suspect when any
    has changed.
    """
    said: dict[str, Outcome] = {}
    for outcome in sorted(outcomes, key=lambda one: (one.effect is not Effect.UNKNOWN, one.at, one.id)):
        if not outcome.is_withheld:
            said[f"in {outcome.session}" if outcome.session else outcome.id] = outcome
    effects = [outcome.effect for outcome in said.values()]
    tied = set(anchors) - {Freshness.UNTIED}
    freshness = next(iter(tied)) if len(tied) == 1 else Freshness.SUSPECT if tied else Freshness.UNTIED
    return Standing(
        helped=effects.count(Effect.HELPED),
        hurt=effects.count(Effect.HURT),
        unknown=effects.count(Effect.UNKNOWN),
        freshness=freshness,
    )
