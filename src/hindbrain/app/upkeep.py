"""How work that changes many memories at once is written down, so that a person can take it back within a month.

What a run did is noted in the transaction that does it, batch by batch, as numbers of versions: the texts stay in the
memories' own history. A run that was killed is as long as it got; the next one does the rest.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from functools import partial
from itertools import combinations

from hindbrain.app.archive import reopened
from hindbrain.app.heap import uncollected
from hindbrain.app.revise import revised
from hindbrain.app.tools import Tools
from hindbrain.core.hints import Any, NamedTuple, TypeVar
from hindbrain.core.model import Actor, ActorType, Counters, Event, Memory, Pulse
from hindbrain.core.model.event import MEMORIES_RESTORED
from hindbrain.core.model.filing import Filing
from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.core.notation import read, write
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import BadValue, Conflict
from hindbrain.ports import Changes, Reader, Saying, Transaction

KEPT_FOR = timedelta(days=30)
BATCH = 200  # memories of one transaction: others wait no longer than for that
_MOST = 5_000  # the same of those that are only put away, which takes each a fraction of that
_PERSON = Actor(type=ActorType.HUMAN)
_FILED = "filed"  # marks, in the log, memories that were put away and nothing else
_TIMES = ("version", "updated_at", "counters", "confidence", "last_used_at", "decayed_at")  # go on by themselves


Tell = Callable[[int, int], None]  # how many more are done, of how many
D = TypeVar("D", bound=Sized)


class Step(NamedTuple):
    """What was done to one memory."""

    id: str
    before: int  # versions
    after: int
    confidence: tuple[float, float] | None = None  # before and after, where that is all
    counted: Mapping[str, int] = {}  # what was added to its counters
    apart: tuple[str, ...] = ()  # those that were hidden behind it
    unsaid: tuple[tuple[str, str, str, str], ...] = ()  # sayings that were taken from it, as `noted` writes them


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    id: str
    job: str
    at: datetime
    steps: int
    is_over: bool = False
    undone_at: datetime | None = None

    @property
    def until(self) -> datetime:
        """When it can be taken back no longer."""
        return self.at + KEPT_FOR


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    run: Run
    restored: tuple[str, ...]
    left: tuple[str, ...]  # changed since by somebody else, and left as they are


class Log:
    """One run of a job. Nothing is written until something is done."""

    def __init__(self, job: str, *, project: str, tools: Tools) -> None:
        now = tools.clock.now()
        self._run = Run(id=tools.chance.id("run", now), job=job, at=now, steps=0)
        self._project = project
        self._tools = tools
        self._parts = 0

    @property
    def id(self) -> str:
        """Of the run; "" when it has done nothing."""
        return self._run.id if self._run.steps else ""

    @property
    def name(self) -> str:
        """Of the run, whether it has done anything yet or not."""
        return self._run.id

    def batch(self, work: Callable[[Transaction], Sequence[Step]]) -> Sequence[Step]:
        """Do `work` and note what it did, wholly or not at all."""
        return self._noted(work, lambda steps: [list(step) for step in steps])

    def put_away(self, work: Callable[[Transaction], Mapping[str, int]]) -> Mapping[str, int]:
        """The same of work that has only put memories away; it tells which, and their versions before."""
        return self._noted(work, lambda versions: {_FILED: dict(versions)})

    def _noted(self, work: Callable[[Transaction], D], told: Callable[[D], object]) -> D:
        def both(tx: Transaction) -> D:
            done = work(tx)
            if done:
                run = replace(self._run, steps=self._run.steps + len(done))
                part = f"{_part(run.id)}{self._parts + 1:06d}"
                tx.apply(Changes(cursors={_name(self._project, run.id): _written(run), part: write(told(done))}))
            return done

        done = self._tools.store.write(both)
        if done:
            self._parts += 1
            self._run = replace(self._run, steps=self._run.steps + len(done))
        return done

    def close(self) -> None:
        """Note that it is over, and forget runs that are too old to be taken back."""
        now = self._tools.clock.now()
        old = [run for run in runs(self._project, reader=self._tools.store) if run.until < now]
        gone = {name: "" for run in old for name in (_name(self._project, run.id), *_parts(run.id, self._tools.store))}
        mine = {_name(self._project, self.id): _written(replace(self._run, is_over=True))} if self.id else {}
        if gone or mine:
            self._tools.store.write(lambda tx: tx.apply(Changes(cursors=gone | mine)))


def alone(project: str, *, tools: Tools) -> AbstractContextManager[None]:
    """Be the only one who looks after that project. UpkeepRunning names the process that does."""
    return tools.alone(f"upkeep-{project}") if tools.alone else nullcontext()


def runs(project: str, *, reader: Reader) -> tuple[Run, ...]:
    """What was done unasked in the last month, oldest first."""
    found = reader.cursors(_name(project, ""))
    return tuple(_read(name.rpartition("/")[2], text) for name, text in found.items())


def undo(run_id: str, *, project: str, tools: Tools, tell: Tell = lambda *_: None) -> Undone:
    """Put back what a run has changed, but for what somebody changed since. It may be cut short and repeated."""
    run = _known(run_id, runs(project, reader=tools.store))
    if run.undone_at is not None:
        raise Conflict(f"{run.id} was taken back already", fix="`hindbrain maintenance` lists all runs")
    now = tools.clock.now()
    if run.until < now:
        raise Conflict(f"{run.id} is more than {KEPT_FOR.days} days old", fix="restore memories one by one")
    restored: list[str] = []
    left: list[str] = []
    with alone(project, tools=tools), uncollected():
        for part in reversed(_parts(run.id, tools.store)):
            done = read(tools.store.cursor(part))
            work = partial(_undone, done, part=_Part(part, project, run.id, now))
            undone = tools.store.write(work)
            for key, is_back in undone:
                (restored if is_back else left).append(key)
            tell(len(undone), run.steps)
        run = replace(run, undone_at=now)
        tools.store.write(lambda tx: tx.apply(Changes(cursors={_name(project, run.id): _written(run)})))
    return Undone(run=run, restored=tuple(restored), left=tuple(left))


def kept_apart(project: str, *, reader: Reader) -> frozenset[tuple[str, str]]:
    """Pairs that a person did not want to be one."""
    pairs = (name.rpartition("/")[2].split("~") for name in reader.cursors(f"apart/{project}/"))
    return frozenset((one, other) for one, other in pairs)


def apart(project: str, ids: Sequence[str]) -> dict[str, str]:
    """Marks for the store: no merge makes one of any two of them, for a person took them apart (LK-125)."""
    return {f"apart/{project}/{'~'.join(sorted(pair))}": "1" for pair in combinations(ids, 2)}


def _kept_apart(project: str, steps: Sequence[Step]) -> dict[str, str]:
    pairs = ((step.id, other) for step in steps for other in step.apart)
    return {mark: one for pair in pairs for mark, one in apart(project, pair).items()}


class _Part(NamedTuple):
    """One batch of a run that is taken back."""

    name: str
    project: str
    run: str
    at: datetime


def _undone(done: Any, tx: Transaction, *, part: _Part) -> list[tuple[str, bool]]:
    """Whose memory each step was of, and whether it is again as it was."""
    if isinstance(done, dict):
        return _taken_out(done[_FILED], tx, part=part)
    steps = [Step(*step) for step in done]
    back = [(step.id, _put_back(step, tx, at=part.at)) for step in reversed(steps)]
    tx.apply(Changes(cursors={part.name: ""} | _kept_apart(part.project, steps)))
    return back


def _taken_out(before: Mapping[str, int], tx: Transaction, *, part: _Part) -> list[tuple[str, bool]]:
    """The same for memories that were put away, and nothing else."""
    away = {key: version for key, version in tx.versions(list(before)).items() if version == before[key] + 1}
    data = {"count": len(away), "run": part.run, "reason": "undone"}
    tx.apply(
        Changes(
            filings=(Filing(versions=away, at=part.at),),
            events=(Event(name=MEMORIES_RESTORED, at=part.at, project=part.project, data=data),) if away else (),
            cursors={part.name: ""},
            by=_PERSON,
            change="undone",
        )
    )
    asked = tx.reviews(part.project, with_closed=True, about=tuple(away))
    waiting = tx.memories(list({review.memory_id for review in asked if review.memory_id in away})).values()
    tx.apply(Changes(reviews=tuple(review for memory in waiting for review in reopened(memory, tx))))
    return [(key, key in away) for key in before]


def _put_back(step: Step, tx: Transaction, *, at: datetime) -> bool:
    """Whether the memory is again as it was before the step."""
    memory = tx.memory(step.id)
    if memory is not None and step.confidence is not None:
        return _believed_again(memory, step.confidence, tx=tx)
    if memory is None or memory.version != step.after:
        return False
    past = {version.memory.version: version.memory for version in tx.history(memory.id)}
    before_, after_ = past[step.before], past[step.after]
    changed = {name: getattr(before_, name) for name in Memory.__slots__ if name not in _TIMES}
    changed = {name: value for name, value in changed.items() if getattr(after_, name) != value}
    back = revised(memory, at=at, **changed, counters=_discounted(memory, step))
    event = Event(
        name="memory_restored",
        at=at,
        project=back.project,
        memory_id=back.id,
        data={"memory_id": back.id, "run": "undone"},
    )
    tx.apply(
        Changes(
            memories=(back,),
            sayings=tuple(_said(step)),
            reviews=reopened(back, tx) if memory.archived_at else (),
            events=(event,),
            by=_PERSON,
            change="undone",
        )
    )
    return True


def noted(sayings: Sequence[Saying]) -> tuple[tuple[str, str, str, str], ...]:
    """Sayings that a step takes from its memory."""
    return tuple((one.receipt, one.session, one.speaker, stamp(one.at)) for one in sayings)


def _said(step: Step) -> Iterator[Saying]:
    for receipt, session, speaker, at in step.unsaid:
        yield Saying(memory_id=step.id, receipt=receipt, session=session, speaker=speaker, at=read_stamp(at))


def _believed_again(memory: Memory, confidence: tuple[float, float], *, tx: Transaction) -> bool:
    """The weeks stay accounted for: what was forgiven must not be taken again at once."""
    before, after = confidence
    if memory.confidence != after:
        return False
    tx.apply(Changes(pulses=(Pulse(memory_id=memory.id, confidence=before),)))
    return True


def _discounted(memory: Memory, step: Step) -> Counters:
    """Without what was added. What is wanted back counts as confirmed, or the next run would take it again."""
    left = {name: max(getattr(memory.counters, name) - count, 0) for name, count in step.counted.items()}
    counters = replace(memory.counters, **left)
    is_wanted = memory.archived_at is not None
    return replace(counters, confirmed=counters.confirmed + 1) if is_wanted else counters


def _known(run_id: str, known: Sequence[Run]) -> Run:
    found = [run for run in known if run.id == run_id] or [run for run in known if run.id.startswith(run_id)]
    if len(found) != 1 or not run_id:
        what = f"{run_id!r} may be {len(found)} runs" if found else f"there is no run {run_id!r}"
        raise BadValue(what, fix="`hindbrain maintenance` lists those that can be taken back")
    return found[0]


def _name(project: str, run_id: str) -> str:
    return f"upkeep/{project}/{run_id}"


def _part(run_id: str) -> str:
    return f"upkeep-part/{run_id}/"


def _parts(run_id: str, reader: Reader) -> list[str]:
    return sorted(reader.cursors(_part(run_id)))


def _written(run: Run) -> str:
    undone = stamp(run.undone_at) if run.undone_at else ""
    return write({"job": run.job, "at": stamp(run.at), "steps": run.steps, "is_over": run.is_over, "undone_at": undone})


def _read(run_id: str, text: str) -> Run:
    known: Mapping[str, Any] = read(text)
    undone = read_stamp(known["undone_at"]) if known["undone_at"] else None
    return Run(
        id=run_id,
        job=known["job"],
        at=read_stamp(known["at"]),
        steps=known["steps"],
        is_over=known["is_over"],
        undone_at=undone,
    )


def batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), BATCH):
        yield ids[start : start + BATCH]


def sweeps(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """Batches of what is only put away. They grow: the first are seen soon, the rest costs less."""
    start, size = 0, BATCH
    while start < len(ids):
        yield ids[start : start + size]
        start, size = start + size, min(2 * size, _MOST)
