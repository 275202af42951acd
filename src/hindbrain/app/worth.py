"""What memory has been worth to a project: which memories helped or hurt, and how sessions fared with and without."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from hindbrain.core.lift import Comparison, efforts, shares
from hindbrain.core.model import Injection, Memory
from hindbrain.core.model.outcome import Outcome, Standing, standing
from hindbrain.core.trial import Trial, calls_to_green, recurrence
from hindbrain.core.value import dataclass
from hindbrain.core.worth import estimate
from hindbrain.ports import Reader

_LISTED = 5  # memories that helped most, and that hurt most


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """How one memory has fared."""

    memory_id: str
    title: str
    helped: int
    hurt: int
    unknown: int
    estimate: float  # how likely it is that it helps the next time: 0..1


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    sessions: int  # that were told something, or would have been
    shown: int  # injections
    withheld: int  # injections
    helped: int  # memories in sessions: each counts once in each, as below
    hurt: int
    unknown: int
    best: tuple[Record, ...]
    worst: tuple[Record, ...]
    recurrence: Comparison  # of known failures
    calls: Comparison  # until what failed passed


def worth(project: str, *, since: datetime | None = None, store: Reader) -> Worth:
    """All of it since that moment, or ever. A session that is going on counts as far as it has come."""
    told = [one for one in store.told(project, since=since) if one.session]
    known = store.memories(list(dict.fromkeys(shown.memory_id for one in told for shown in one.shown)))
    back, calls = _trials(project, _comparable(told), known=known, store=store)
    records = _records(store.outcomes(project), since=since, store=store)
    return Worth(
        sessions=len({one.session for one in told}),
        shown=sum(not one.is_withheld for one in told),
        withheld=sum(one.is_withheld for one in told),
        helped=sum(one.helped for one in records),
        hurt=sum(one.hurt for one in records),
        unknown=sum(one.unknown for one in records),
        best=tuple(sorted((one for one in records if one.helped), key=lambda one: (-one.estimate, one.memory_id)))[
            :_LISTED
        ],
        worst=tuple(sorted((one for one in records if one.hurt), key=lambda one: (one.estimate, one.memory_id)))[
            :_LISTED
        ],
        recurrence=shares(back),
        calls=efforts(calls),
    )


def _comparable(told: Sequence[Injection]) -> list[Injection]:
    """From the first that was held back: sessions of a time when none was have nothing to stand beside."""
    first = min((one.at for one in told if one.is_withheld), default=None)
    return [one for one in told if first is None or one.at >= first]


def _trials(
    project: str, told: Iterable[Injection], *, known: Mapping[str, Memory], store: Reader
) -> tuple[list[Trial], list[Trial]]:
    sessions: dict[str, list[Injection]] = {}
    for injection in told:
        sessions.setdefault(injection.session, []).append(injection)
    back, calls = [], []
    for session, injections in sessions.items():
        activities = store.activities(project, session=session)
        back.append(recurrence(injections, known, activities=activities))
        calls.append(calls_to_green(injections, activities))
    return [one for one in back if one], [one for one in calls if one]


def _records(outcomes: Sequence[Outcome], *, since: datetime | None, store: Reader) -> list[Record]:
    by_memory: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if not outcome.is_withheld and (since is None or outcome.at >= since):
            by_memory.setdefault(outcome.memory_id, []).append(outcome)
    known = store.memories(list(by_memory))
    return [_record(known[key], standing(said, ())) for key, said in by_memory.items() if key in known]


def _record(memory: Memory, fared: Standing) -> Record:
    return Record(
        memory_id=memory.id,
        title=memory.title,
        helped=fared.helped,
        hurt=fared.hurt,
        unknown=fared.unknown,
        estimate=estimate(fared),
    )
