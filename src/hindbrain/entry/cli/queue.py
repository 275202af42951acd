"""How a person looks at the worker's jobs, and has those done again that it gave up."""

from collections.abc import Iterator, Sequence

from hindbrain.app.tasks import Task
from hindbrain.core.hints import Any
from hindbrain.core.model.job import Job, JobState
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.grammar import family
from hindbrain.entry.cli.output import dim, line, many, moment, table
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.values import OneOf, Whole
from hindbrain.entry.cli.verb import Misuse, argument, command, option


@command(
    name="queue",
    examples="""
hindbrain queue
hindbrain queue --state dead --json
hindbrain queue retry --dead
""",
)
@option(
    "--state",
    "states",
    multiple=True,
    type=OneOf("state", tuple(map(str, JobState))),
    help="Only those in this state; repeatable.",
)
@option("--limit", type=Whole(0, 1_000_000), default=50, help="Most jobs to print; 0: all.")
def _listed(call: Call, states: Sequence[str], limit: int) -> None:
    """List the jobs of the worker, and try again those it gave up.

    Jobs of all projects, in the order in which they were queued; without --state, those that are not done.
    """
    wanted = tuple(map(JobState, states)) or (JobState.QUEUED, JobState.RUNNING, JobState.DEAD)
    with call.open() as hindbrain:
        jobs = hindbrain.store.jobs(states=wanted, limit=limit)
        counts = hindbrain.store.count_jobs()
    call.tell(lambda: {"jobs": plain(jobs), "counts": dict(counts)}, _lines(jobs, counts))


@command(name="retry", examples="hindbrain queue retry job-01k2x6d0q3v8r5w7y9z1b3d5f7\nhindbrain queue retry --dead")
@argument("ids", nargs=-1, required=False, metavar="[ID]...")
@option("--dead", is_flag=True, help="All that were given up.")
def _retried(call: Call, ids: Sequence[str], dead: bool) -> None:
    """Queue what was given up once more, with all its tries."""
    if bool(ids) == dead:
        raise Misuse("Give the ids of jobs, or --dead.")
    with call.open() as hindbrain:
        jobs = hindbrain.retry(tuple(ids))
    call.tell(lambda: {"jobs": plain(jobs)}, [f"{many(len(jobs), 'job')} will be tried again", *_rows(jobs)])


@command(name="task", examples="hindbrain queue task .chorus/agents/ed/logs/ch-7.jsonl --task ch-7 --agent ed-001")
@argument("log", metavar="LOG")
@option("--task", default="", metavar="ID", help="Id of the task.")
@option("--agent", default="", metavar="ID", help="Who did it: ed-001.")
@option("--persona", default="", metavar="NAME", help="As whom: ed.")
def _completed(call: Call, *, log: str, task: str, agent: str, persona: str) -> None:
    """Say that a task is done: its log will be read (TASK_COMPLETED)."""
    from pathlib import Path

    done = Task(log_path=str(Path(log).resolve()), task_id=task, agent_id=agent, persona=persona)
    with call.open(is_new=True) as hindbrain:
        job = hindbrain.complete(done)
    call.tell(lambda: plain(job), [f"queued      {line(log)}", f"            {dim(line(job.id))}"])


queue = family(_listed, _retried, _completed)


def _lines(jobs: Sequence[Job], counts: Any) -> Iterator[str]:
    yield from _rows(jobs) if jobs else ["Nothing waits to be done."]
    yield dim(", ".join(f"{count:,} {state}" for state, count in counts.items()))


def _rows(jobs: Sequence[Job]) -> Iterator[str]:
    rows = [[job.id, str(job.state), job.kind, str(job.tries), moment(job.due_at), job.error] for job in jobs]
    yield from table(["ID", "STATE", "KIND", "TRIES", "DUE", "ERROR"], rows, styles={0: dim})
