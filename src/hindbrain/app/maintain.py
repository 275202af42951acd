"""What a cleanup does, and in which order: first neglect takes its part, then what nobody believes is put away."""

from collections.abc import Iterator
from datetime import datetime

from hindbrain.app.revise import revised
from hindbrain.app.settle import settled
from hindbrain.app.tools import Tools
from hindbrain.core.confidence import decay
from hindbrain.core.growth import Growth
from hindbrain.core.hints import NamedTuple
from hindbrain.core.model import Actor, ActorType, Event, Kind, Memory, Pulse
from hindbrain.core.retention import archive_reason
from hindbrain.core.value import dataclass
from hindbrain.ports import Changes, Reader, Transaction, Where

_FADING = tuple(kind for kind in Kind if kind not in (Kind.REFLEX, Kind.NOTE))  # a person's file stays as it is


class Faded(NamedTuple):
    id: str
    title: str
    before: float
    after: float


class PutAway(NamedTuple):
    id: str
    title: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    decayed: tuple[Faded, ...]
    archived: tuple[PutAway, ...]
    is_dry_run: bool


def cleanup(project: str, *, is_dry_run: bool = False, tools: Tools) -> Cleaned:
    """Let the unused memories of this project fade, archive those that faded away. Repeating it changes nothing.

    A dry run tells the same and writes nothing.
    """
    now = tools.clock.now()
    growth = tools.settings.growth
    if is_dry_run:
        steps = tuple(_steps(project, tools.store, now=now, growth=growth))
    else:
        steps = tools.store.write(lambda tx: _taken(tuple(_steps(project, tx, now=now, growth=growth)), tx, now=now))
    return Cleaned(
        decayed=tuple(step.faded for step in steps if step.faded.after != step.faded.before),
        archived=tuple(step.put_away for step in steps if step.put_away),
        is_dry_run=is_dry_run,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """What is to happen to one memory."""

    memory: Memory  # as it is
    faded: Faded
    pulse: Pulse | None
    put_away: PutAway | None


def _steps(project: str, reader: Reader, *, now: datetime, growth: Growth) -> Iterator[_Step]:
    """Over live memories of the project itself: what came from another one is cleaned there (F-34)."""
    for memory in reader.select(Where(project=project, with_everywhere=False, kinds=_FADING)):
        pulse = _fading(memory, now=now, growth=growth)
        after = pulse.applied_to(memory) if pulse else memory
        reason = archive_reason(after, now=now)
        if pulse or reason:
            faded = Faded(memory.id, memory.title, memory.confidence, after.confidence)
            put_away = PutAway(memory.id, memory.title, reason) if reason else None
            yield _Step(memory=memory, faded=faded, pulse=pulse, put_away=put_away)


def _fading(memory: Memory, *, now: datetime, growth: Growth) -> Pulse | None:
    decayed = decay(memory, now=now, growth=growth)
    if decayed is None:
        return None
    return Pulse(memory_id=memory.id, confidence=decayed.confidence, decayed_at=decayed.decayed_at)


def _taken(steps: tuple[_Step, ...], tx: Transaction, *, now: datetime) -> tuple[_Step, ...]:
    tx.apply(
        Changes(
            pulses=tuple(step.pulse for step in steps if step.pulse),
            events=tuple(_decayed(step, now) for step in steps if step.faded.after != step.faded.before),
        )
    )
    for step in steps:
        if step.put_away:
            tx.apply(_archived(step, tx, now=now, reason=step.put_away.reason))
    return steps


def _decayed(step: _Step, now: datetime) -> Event:
    memory, faded = step.memory, step.faded
    data = {"memory_id": memory.id, "before": faded.before, "after": faded.after}
    return Event(name="memory_decayed", at=now, project=memory.project, memory_id=memory.id, data=data)


def _archived(step: _Step, tx: Transaction, *, now: datetime, reason: str) -> Changes:
    memory = step.pulse.applied_to(step.memory) if step.pulse else step.memory
    data = {"memory_id": memory.id, "reason": reason}
    event = Event(name="memory_archived", at=now, project=memory.project, memory_id=memory.id, data=data)
    return Changes(
        memories=(revised(memory, at=now, archived_at=now, archive_reason=reason),),
        reviews=settled(memory, tx, decision="archived", at=now),
        events=(event,),
        by=Actor(type=ActorType.AUTOMATE),
        change="archived",
    )
