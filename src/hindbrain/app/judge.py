"""When what an agent did after it was told something is judged, and what follows from that for a memory.

Once, and late: when the agent or its session has ended, or nothing was heard of it for a while. Judged earlier, a
memory that is followed in the last turn would count as unseen for ever.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from hindbrain.app.tools import Tools
from hindbrain.core.confidence import after_outcome
from hindbrain.core.model import Event, Injection, Memory, Pulse
from hindbrain.core.model.activity import Activity, Deed
from hindbrain.core.model.moment import stamp
from hindbrain.core.model.outcome import Effect, Outcome
from hindbrain.core.outcomes import Judgement, judged
from hindbrain.core.value import dataclass
from hindbrain.ports import Changes, Transaction

_QUIET = timedelta(minutes=30)  # after which an agent that said no goodbye is taken to have gone
_SWEPT = timedelta(days=7)  # how far back sessions that ended without a word are looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    injections: int  # how many were judged now
    outcomes: tuple[Outcome, ...]


def judge(project: str, session: str = "", *, tools: Tools) -> Judged:
    """Judge what is ripe of the session, and of others of the project that went quiet; what was judged before stays
    as it is. An injection without a session cannot be judged: nobody knows what came after it."""
    now = tools.clock.now()
    told = {one.id: one for one in tools.store.told(project, since=now - _SWEPT) if one.session}
    told |= {one.id: one for one in tools.store.told(project, session=session)} if session else {}
    done: list[Outcome] = []
    count = 0
    for name, injections in _by_session(told.values()).items():
        fresh = [one for one in injections if not tools.store.cursor(_cursor(one))]
        activities = tools.store.activities(project, session=name) if fresh else ()
        for injection in fresh:
            if _is_over(injection, activities, now=now):
                done += _settle(injection, activities, tools=tools)
                count += 1
    return Judged(injections=count, outcomes=tuple(done))


def _by_session(injections: Iterable[Injection]) -> Mapping[str, list[Injection]]:
    found: dict[str, list[Injection]] = {}
    for one in injections:
        found.setdefault(one.session, []).append(one)
    return found


def _cursor(injection: Injection) -> str:
    return f"judged/{injection.id}"


def _is_over(injection: Injection, activities: Sequence[Activity], *, now: datetime) -> bool:
    """A subagent is over with its session, too."""
    later = [one for one in activities if one.at > injection.at]
    if any(one.deed is Deed.END and one.agent in ("", injection.agent) for one in later):
        return True
    last = max((one.at for one in later), default=injection.at)
    return now - last >= _QUIET


def _settle(injection: Injection, activities: Sequence[Activity], *, tools: Tools) -> Sequence[Outcome]:
    """Outcomes, what they are worth to the memories, and the mark that it was done: all, or nothing."""
    now = tools.clock.now()

    def work(tx: Transaction) -> Sequence[Outcome]:
        if tx.cursor(_cursor(injection)):
            return ()
        known = tx.memories([shown.memory_id for shown in injection.shown])
        found = judged(injection, known, activities=activities)
        outcomes = tuple(_outcome(one, injection, tools=tools, at=now) for one in found)
        tx.apply(
            Changes(
                outcomes=outcomes,
                pulses=tuple(_pulses(outcomes, known, tx=tx, tools=tools)),
                cursors={_cursor(injection): stamp(now)},
                events=(_event(injection, outcomes, at=now),) if outcomes else (),
            )
        )
        return outcomes

    return tools.store.write(work)


def _outcome(judgement: Judgement, injection: Injection, *, tools: Tools, at: datetime) -> Outcome:
    return Outcome(
        id=tools.chance.id("out", at),
        at=at,
        project=injection.project,
        memory_id=judgement.memory_id,
        effect=judgement.effect,
        how=judgement.how,
        injection_id=injection.id,
        session=injection.session,
        note=judgement.note,
        is_withheld=injection.is_withheld,
    )


def _pulses(
    outcomes: Sequence[Outcome], known: Mapping[str, Memory], *, tx: Transaction, tools: Tools
) -> Iterator[Pulse]:
    """A session counts once for each memory, however often it was shown there."""
    for outcome in outcomes:
        if outcome.is_withheld or outcome.effect is Effect.UNKNOWN:
            continue
        memory = known[outcome.memory_id]
        before = tx.outcomes(outcome.project, memory_id=memory.id, session=outcome.session)
        if any(one.effect is outcome.effect for one in before):
            continue
        yield Pulse(
            memory_id=memory.id,
            cited=int(outcome.how == "cited"),
            confirmed=int(outcome.effect is Effect.HELPED),
            confidence=after_outcome(memory.confidence, outcome.effect, by_person=False, growth=tools.settings.growth),
        )


def _event(injection: Injection, outcomes: Sequence[Outcome], *, at: datetime) -> Event:
    effects = {one.memory_id: str(one.effect) for one in outcomes}
    data = {"injection_id": injection.id, "session": injection.session, "effects": effects}
    return Event(name="injection_judged", at=at, project=injection.project, data=data)
