"""How queued work gets done: one at a time, in order, tried again later when it fails, parked when it keeps failing.

A job is marked before it runs, so that one which takes the whole process down is counted as tried; and it is done in
the transaction that writes what it brought about, so that it is never done twice. A handler that writes by itself must
be one that may be repeated.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from hindbrain.app.detour import Told, around
from hindbrain.app.tools import Tools
from hindbrain.core.door import admit
from hindbrain.core.logger import Phase, Step, after
from hindbrain.core.model.job import MOST_TRIES, SUPERSEDED, Job, JobState
from hindbrain.core.model.moment import stamp
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import Conflict, UnknownMemory
from hindbrain.ports import Changes, Transaction

Handler = Callable[[Job, Tools], Changes | None]  # what it brought about; None: it wrote everything itself
Attempt = Callable[[Callable[[], None]], str]  # runs it, and outlives it: what went wrong, "" for nothing
Watch = Callable[[Phase, Job], None]

PAUSES_S = (1, 4, 15, 60)  # before the second try, the third …
_LOST = "the worker died while it did this"
_FAR = timedelta(seconds=2 * PAUSES_S[-1])  # nobody queues for later than that, unless the clock was set back
_LONGEST_ERROR = 500  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    done: int = 0
    failed: int = 0  # to be tried again
    dead: int = 0


def run_due(
    handlers: Mapping[str, Handler],
    *,
    tools: Tools,
    attempt: Attempt,
    is_over: Callable[[], bool] = lambda: False,
    watch: Watch = lambda *_: None,
) -> Ran:
    """Do what is due, one by one, until nothing is or `is_over`."""
    counts = {state: 0 for state in JobState}
    phase = Phase.IDLE
    _mend_times(tools)
    while not is_over() and (job := _taken(tools)):
        if job.state is JobState.RUNNING:
            phase = after(phase, Step.TASK_COMPLETED, has_more=True)
            watch(phase, job)
            job = _run(job, handlers.get(job.kind), tools=tools, attempt=attempt)
        counts[job.state] += 1
        step = Step.DONE if job.state is JobState.DONE else Step.ERROR
        phase = after(phase, step, has_more=bool(tools.store.due(tools.clock.now())))
        watch(phase, job)
    return Ran(done=counts[JobState.DONE], failed=counts[JobState.QUEUED], dead=counts[JobState.DEAD])


def retry(ids: tuple[str, ...], *, tools: Tools) -> tuple[Job, ...]:
    """Queue parked jobs anew, those with these ids, or all when none is given; each with all its tries."""
    now = tools.clock.now()

    def work(tx: Transaction) -> tuple[Job, ...]:
        parked = {job.id: job for job in tx.jobs(states=(JobState.DEAD,))}
        for wanted in ids:
            if wanted not in parked:
                raise UnknownMemory(f"no parked job has the id {wanted}", fix="`hindbrain queue` lists them")
        anew = tuple(
            replace(parked[key], state=JobState.QUEUED, tries=0, due_at=now, updated_at=now) for key in ids or parked
        )
        tx.apply(Changes(jobs=anew))
        return tuple(job for job in tx.jobs() if job.id in {one.id for one in anew})

    return tools.store.write(work)


def _taken(tools: Tools) -> Job | None:
    """The next job, marked as running and tried once more; parked where it has taken too many workers with it."""

    def work(tx: Transaction) -> Job | None:
        now = tools.clock.now()
        for job in tx.due(now):
            is_hopeless = job.state is JobState.RUNNING and job.tries >= MOST_TRIES
            if is_hopeless:
                job = replace(job, state=JobState.DEAD, updated_at=now, error=_LOST)
            else:
                error = _LOST if job.state is JobState.RUNNING else job.error
                job = replace(job, state=JobState.RUNNING, tries=job.tries + 1, updated_at=now, error=error)
            tx.apply(Changes(jobs=(job,)))
            return job
        return None

    # Most looks find nothing: those need no lock.
    return tools.store.write(work) if tools.store.due(tools.clock.now()) else None


def _run(job: Job, handler: Handler | None, *, tools: Tools, attempt: Attempt) -> Job:
    """What became of the job."""
    if handler is None:
        return _failed(job, f"nobody here knows how to do {job.kind}", tools=tools)

    def work(left_out: Told) -> None:
        changes = handler(job, tools)
        tools.store.write(
            lambda tx: _settle(tx, replace(job, error=left_out()), changes=changes, now=tools.clock.now())
        )

    trouble = attempt(lambda: around(work, store=tools.store))
    return _failed(job, trouble, tools=tools) if trouble else replace(job, state=JobState.DONE)


def _settle(tx: Transaction, job: Job, *, changes: Changes | None, now: datetime) -> None:
    """The effects and the end of the job, together; its error is what it had to leave out. What was parked with the
    same key has been done by this, too."""
    _refuse_other(tx, job)
    if changes is not None:
        tx.apply(changes)
    payload = {name: value for name, value in job.payload.items() if name != "text"}  # what was heard is not kept
    done = replace(job, state=JobState.DONE, updated_at=now, payload=payload)
    parked = [one for one in tx.jobs(states=(JobState.DEAD,), kind=job.kind) if one.key == job.key]
    late = (replace(one, state=JobState.DONE, updated_at=now, error=SUPERSEDED) for one in parked)
    trouble = f"{stamp(now)} {job.error}" if job.error else ""
    tx.apply(Changes(jobs=(done, *late), cursors={f"trouble/{job.kind}": trouble}))


def _failed(job: Job, trouble: str, *, tools: Tools) -> Job:
    def work(tx: Transaction) -> Job:
        now = tools.clock.now()
        error = admit(trouble[:_LONGEST_ERROR]).text
        if job.tries >= MOST_TRIES:
            failed = replace(job, state=JobState.DEAD, updated_at=now, error=error)
        else:
            pause = timedelta(seconds=PAUSES_S[min(job.tries, len(PAUSES_S)) - 1])
            failed = replace(job, state=JobState.QUEUED, updated_at=now, due_at=now + pause, error=error)
        _refuse_other(tx, job)
        tx.apply(Changes(jobs=(failed,), cursors={f"trouble/{job.kind}": f"{stamp(now)} {error}"}))
        return failed

    return tools.store.write(work)


def _refuse_other(tx: Transaction, job: Job) -> None:
    """A worker that was stopped for long may find that another one took over: what it did since does not count."""
    known = next((one for one in tx.jobs(states=(JobState.RUNNING,)) if one.id == job.id), None)
    if known is None or known.tries != job.tries:
        raise Conflict(f"{job.id} was taken over by another worker", fix="nothing: the other one does it")


def _mend_times(tools: Tools) -> None:
    """A clock that was set back must not keep a job waiting until it has caught up."""
    now = tools.clock.now()
    if tools.store.due(now):
        return
    far = [job for job in tools.store.jobs(states=(JobState.QUEUED,), limit=100) if job.due_at - now > _FAR]
    if far:
        tools.store.write(lambda tx: tx.apply(Changes(jobs=tuple(replace(job, due_at=now) for job in far))))
