"""Which sessions may be compared to say what showing is worth, and what is compared in them.

Sessions are the unit: what one agent does twice is not two witnesses. The first time that a session could be told
decides on which side it stands, as chance had it at that moment (held out, or shown), whatever it is told later: so the
two sides differ by nothing but that. What somebody asked for, and what a person wants always in mind, is never held
out, so it is no trial. What is compared is observable in either: whether a known failure happened
(again), and how many tool calls it took until what had failed passed.
"""

from collections.abc import Mapping, Sequence

from hindbrain.core.model.activity import Activity, Deed
from hindbrain.core.model.injection import Injection
from hindbrain.core.model.memory import Kind, Memory
from hindbrain.core.outcomes import passed_again, trigger
from hindbrain.core.value import dataclass

_CALLS = (Deed.READ, Deed.EDIT, Deed.COMMAND, Deed.GATE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    session: str
    is_withheld: bool
    value: float  # 1 or 0 for a failure that came back or did not; or a number of calls
    is_complete: bool = True  # False: it never passed, and the calls until the session's end are a lower bound


def recurrence(
    injections: Sequence[Injection], memories: Mapping[str, Memory], *, activities: Sequence[Activity]
) -> Trial | None:
    """Whether the first known failure that a session was told of, or would have been, came (back) afterwards. None
    when it was of none."""
    for injection in _drawn(injections):
        known = (memories[shown.memory_id] for shown in injection.shown if shown.memory_id in memories)
        signatures = {memory.error_signature for memory in known if memory.error_signature and not _is_always(memory)}
        if signatures:
            later = _after(injection, activities)
            is_back = any(one.signature in signatures for one in later)
            return Trial(session=injection.session, is_withheld=injection.is_withheld, value=float(is_back))
    return None


def calls_to_green(injections: Sequence[Injection], activities: Sequence[Activity]) -> Trial | None:
    """How many tool calls it took from the first failure for which something was known until the same passed, that
    call included. None when there was no such failure, or nothing was done about it."""
    for injection in _drawn(injections):
        failed = trigger(injection, activities)
        if failed is None:
            continue
        later = _after(injection, activities)
        green = passed_again(failed, later)
        calls = _calls(later if green is None else later[: green + 1])
        if not calls:
            return None
        side = injection.is_withheld
        return Trial(session=injection.session, is_withheld=side, value=float(calls), is_complete=green is not None)
    return None


def _drawn(injections: Sequence[Injection]) -> list[Injection]:
    """Those about which chance decided, oldest first."""
    return sorted((one for one in injections if one.moment != "asked"), key=lambda one: (one.at, one.id))


def _is_always(memory: Memory) -> bool:
    return memory.is_pinned or memory.kind is Kind.REFLEX


def _after(injection: Injection, activities: Sequence[Activity]) -> list[Activity]:
    return [one for one in activities if one.agent == injection.agent and one.at > injection.at]


def _calls(activities: Sequence[Activity]) -> int:
    """A command that is also a gate is one call."""
    return len({one.ref or one.id for one in activities if one.deed in _CALLS})
