"""When a rule counts as one that works: the failure that it was made for comes back more rarely than before it."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from hindbrain.core.closed import StrEnum
from hindbrain.core.model.activity import Activity
from hindbrain.core.model.outcome import Effect as Came
from hindbrain.core.model.outcome import Outcome
from hindbrain.core.value import dataclass

_ENOUGH = 2  # sessions in which it came back, before anybody says that the rule does nothing
_TRIED = 3  # sessions after the rule, before anybody says that it works


class Verdict(StrEnum):
    WORKS = "works"
    IDLE = "no effect"
    HURT = "hurt"
    OPEN = "too early to tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Sessions with the failure, of all sessions, on either side of the rule."""

    before: int
    before_of: int
    after: int
    after_of: int
    verdict: Verdict
    why: str


def effect_of(
    activities: Iterable[Activity], *, signature: str, since: datetime, outcomes: Sequence[Outcome] = ()
) -> Effect:
    """The effect of a rule that holds `since` then, against the failure with that signature."""
    sides: dict[bool, dict[str, bool]] = {True: {}, False: {}}
    for one in activities:
        side = sides[one.at > since]
        side[one.session] = side.get(one.session, False) or (bool(signature) and one.signature == signature)
    (after, after_of), (before, before_of) = ((sum(sides[late].values()), len(sides[late])) for late in (True, False))
    hurt = sum(one.effect is Came.HURT and one.how != "recurred" for one in _later(outcomes, since))
    helped = sum(one.effect is Came.HELPED for one in _later(outcomes, since))
    verdict, why = _judged(
        after, after_of, share_before=before / before_of if before_of else 0.0, is_known=bool(signature)
    )
    if hurt > helped:
        verdict, why = Verdict.HURT, f"it hurt {hurt} × and helped {helped} ×"
    return Effect(before=before, before_of=before_of, after=after, after_of=after_of, verdict=verdict, why=why)


def _later(outcomes: Sequence[Outcome], since: datetime) -> list[Outcome]:
    return [one for one in outcomes if one.at > since and not one.is_withheld]


def _judged(after: int, after_of: int, *, share_before: float, is_known: bool) -> tuple[Verdict, str]:
    if not is_known:
        return Verdict.OPEN, "the failure has no signature by which it would be known again"
    if after >= _ENOUGH and after / after_of >= share_before:
        return Verdict.IDLE, f"the failure came back in {after} of {after_of} sessions, no more rarely than before"
    if after_of >= _TRIED and after / after_of < share_before:
        return Verdict.WORKS, f"the failure came back in {after} of {after_of} sessions, more rarely than before"
    return Verdict.OPEN, f"{after_of} sessions since"
