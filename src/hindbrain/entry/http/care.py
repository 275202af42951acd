"""How the memory is: its health, its queue, what it is worth, and what was done with it."""

from typing import Annotated

from fastapi import Path, Query, Request
from starlette.responses import PlainTextResponse, Response

from hindbrain import __version__
from hindbrain.core.model.job import JobState
from hindbrain.entry.cli.records import plain
from hindbrain.entry.http import shapes
from hindbrain.entry.http.answers import Here, Paged, ProjectName, given, listed, moment, told

PaperId = Annotated[str, Path(max_length=200)]
State = Annotated[list[shapes.JobStateName], Query(max_length=4, description="Only those in this state; repeatable.")]


def health(visit: Here, project: ProjectName = "", *, full: Annotated[bool, Query()] = False) -> Response:
    """Whether it answers; with `full`, all that `doctor` finds, each with its fix, which takes as long as it takes."""
    visit.projects()  # the store can be read
    findings = visit.hindbrain(project).doctor() if full else []
    status = "ok" if all(finding.is_ok for finding in findings) else "trouble"
    return told({"status": status, "version": __version__, "findings": findings})


def stats(visit: Here, project: ProjectName = "") -> Response:
    """How many memories there are, of which state, type and category."""
    return told(visit.hindbrain(project).stats())


def worth(
    visit: Here, project: ProjectName = "", *, since: Annotated[str | None, Query(max_length=40)] = None
) -> Response:
    """What memory is worth: what helped and hurt, and how sessions fared with and without it."""
    return told(visit.hindbrain(project).worth(since=moment(since, name="since")))


def jobs(request: Request, visit: Here, *, page: Paged, state: State = []) -> Response:  # noqa: B006 - never changed
    """The worker's queue, in its order."""
    store = visit.desk.tools().store
    seen = [job for job in store.jobs(states=tuple(map(JobState, state))) if visit.caller.owns(job.project)]
    found, cursor = page.cut(lambda count: seen[:count], id_of=lambda job: job.id)
    return listed(request, found, cursor=cursor)


def retry(visit: Here, sent: shapes.Retried) -> Response:
    """Queue jobs anew that were given up."""
    dead = visit.desk.tools().store.jobs(states=(JobState.DEAD,))
    own = [job.id for job in dead if visit.caller.owns(job.project) and (not sent.ids or job.id in sent.ids)]
    return told(visit.hindbrain().retry(own) if own else [])


def episodes(visit: Here, asked: Annotated[shapes.Past, Query()]) -> Response:
    """What was done in earlier tasks, and how it ended."""
    return told(visit.hindbrain(asked.project).episodes(asked.q, outcome=asked.outcome, limit=asked.limit))


def handoffs(visit: Here, project: ProjectName = "") -> Response:
    """What agents left for those who take over."""
    return told(visit.hindbrain(project).handoffs())


def handoff(visit: Here, paper_id: PaperId, *, project: ProjectName = "") -> Response:
    """One handoff."""
    return told(visit.hindbrain(project).handoff(paper_id))


def hand_over(visit: Here, sent: shapes.NewHandoff, *, project: ProjectName = "") -> Response:
    """Leave word for whoever takes over."""
    more = given(sent)
    agent, done = more.pop("agent"), more.pop("done")
    return told(visit.hindbrain(project).hand_over(agent, done, **more), status=201)


def take_handoff(visit: Here, paper_id: PaperId, *, project: ProjectName = "") -> Response:
    """Take over what was left."""
    return told(visit.hindbrain(project).take_handoff(paper_id))


def metrics(request: Request, visit: Here) -> Response:
    """Prometheus' text format: the service's own counters, and the state of the store."""
    store = visit.desk.tools().store
    states: dict[str, int] = {}
    for id_, name in visit.projects():
        for state, count in visit.desk.of(id_, name=name).stats().by_state.items():
            states[str(state)] = states.get(str(state), 0) + count
    gauges = {
        "hindbrain_memories": {f'state="{state}"': count for state, count in states.items()},
        "hindbrain_jobs": {f'state="{state}"': count for state, count in plain(store.count_jobs()).items()},
    }
    text = request.app.state.figures.text(gauges)
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")


def schedule(visit: Here, project: ProjectName = "") -> Response:
    """What runs by itself, with its last and its next run."""
    return told(visit.hindbrain(project).jobs())
