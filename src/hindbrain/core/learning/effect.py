"""When a rule counts as one that works: the failure that it was made for comes back more rarely than before it."""

from collections.abc import Iterable, Mapping, Sequence
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


_Span = tuple[datetime, datetime]  # first and last moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """A log, as far as effects need it: read once, however many rules there are."""

    sessions: Mapping[str, _Span]
    failures: Mapping[str, Mapping[str, _Span]]  # signature -> session -> when it was seen there


def survey(activities: Iterable[Activity]) -> Survey:
    sessions: dict[str, _Span] = {}
    failures: dict[str, dict[str, _Span]] = {}
    for one in activities:
        _widen(sessions, one)
        if one.signature:
            _widen(failures.setdefault(one.signature, {}), one)
    return Survey(sessions=sessions, failures=failures)


def _widen(spans: dict[str, _Span], one: Activity) -> None:
    first, last = spans.get(one.session, (one.at, one.at))
    spans[one.session] = (min(first, one.at), max(last, one.at))


def effect_of(seen: Survey, *, signature: str, since: datetime, outcomes: Sequence[Outcome] = ()) -> Effect:
    """The effect of a rule that holds `since` then, against the failure with that signature."""
    failed = seen.failures.get(signature, {}) if signature else {}
    before, before_of = (sum(first <= since for first, _ in spans.values()) for spans in (failed, seen.sessions))
    after, after_of = (sum(last > since for _, last in spans.values()) for spans in (failed, seen.sessions))
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
