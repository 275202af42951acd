"""When upkeep comes by itself: a week after a project was first seen, and every week from then on."""

from datetime import datetime, timedelta

from hindbrain.app.tools import Tools
from hindbrain.core.model.job import Job
from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.errors import UpkeepRunning
from hindbrain.ports import Changes, Reader

EVERY = timedelta(days=7)
_KIND = "upkeep"


def due_at(project: str, *, reader: Reader) -> datetime | None:
    """When the project's turn comes; None while no worker has seen it."""
    last = reader.cursor(_name(project))
    return read_stamp(last) + EVERY if last else None


def queue_upkeep(*, tools: Tools) -> int:
    """Queue the projects whose turn has come; how many. One that is new waits for a week."""
    now = tools.clock.now()
    known = tools.store.cursors(_name(""))
    new = [project.id for project in tools.store.projects() if _name(project.id) not in known]
    due = [name.removeprefix(_name("")) for name, last in known.items() if read_stamp(last) + EVERY <= now]
    jobs = tuple(
        Job(
            id=tools.chance.id("job", now),
            kind=_KIND,
            key=f"{_KIND}/{project}",
            project=project,
            payload={},
            created_at=now,
            due_at=now,
        )
        for project in due
    )
    if new or jobs:
        cursors = {_name(project): stamp(now) for project in (*new, *due)}
        tools.store.write(lambda tx: tx.apply(Changes(jobs=jobs, cursors=cursors)))
    return len(jobs)


def upkeep_job(job: Job, tools: Tools) -> None:
    """Fade, prune and merge, in this order (DX-128). Whoever does it by hand meanwhile has done it."""
    from hindbrain.app.maintain import cleanup, merge, prune

    try:
        for work in (cleanup, prune, merge):
            work(job.project, tools=tools)
    except UpkeepRunning:
        return


def _name(project: str) -> str:
    return f"weekly/{project}"
