"""How queued work is laid down in rows, and which of two jobs with one key stays."""

from collections.abc import Callable, Sequence
from datetime import datetime

import apsw

from hindbrain.adapters.sqlite import rows
from hindbrain.core.hints import Any
from hindbrain.core.model.job import KEPT_DONE, SUPERSEDED, Job, JobState
from hindbrain.core.model.moment import stamp
from hindbrain.core.notation import read
from hindbrain.core.value import replace

_COLUMNS = (
    *("id", "kind", "key", "project", "payload", "created_at", "due_at", "state", "tries", "updated_at", "error"),
)
_SELECT = f"SELECT seq, {', '.join(_COLUMNS)} FROM job"
_INSERT = f"INSERT INTO job ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
_UPDATE = f"UPDATE job SET {', '.join(f'{name} = ?' for name in _COLUMNS)} WHERE id = ?"
_FORGET = (
    "DELETE FROM job WHERE state = 'done'"
    " AND seq <= (SELECT seq FROM job WHERE state = 'done' ORDER BY seq DESC LIMIT 1 OFFSET ?)"
)
_OPEN = "state IN ('queued', 'running')"  # as the partial indexes say it: only then are they used


def put(jobs: Sequence[Job], db: apsw.Connection) -> None:
    for job in jobs:
        is_known = db.execute("SELECT 1 FROM job WHERE id = ?", (job.id,)).fetchall()
        others = db.execute(f"SELECT 1 FROM job WHERE key = ? AND {_OPEN} AND id <> ?", (job.key, job.id)).fetchall()
        is_open = job.state in (JobState.QUEUED, JobState.RUNNING)
        if is_known:
            settled = replace(job, state=JobState.DONE, error=SUPERSEDED) if others and is_open else job
            db.execute(_UPDATE, (*_values(settled), job.id))
        elif not others or not is_open:
            db.execute(_INSERT, _values(job))
    if any(job.state is JobState.DONE for job in jobs):
        db.execute(_FORGET, (KEPT_DONE,))


def found(ask: Callable[..., list[Any]], *, states: Sequence[JobState], kind: str, limit: int) -> Sequence[Job]:
    """What `Reader.jobs` promises; `ask` runs a query."""
    parts = [f"state IN ({', '.join('?' * len(states))})"] * bool(states) + ["kind = ?"] * bool(kind)
    where = f" WHERE {' AND '.join(parts)}" if parts else ""
    told = ask(f"{_SELECT}{where} ORDER BY seq LIMIT ?", *map(str, states), *([kind] if kind else []), limit or -1)
    return [_job(row) for row in told]


def due(ask: Callable[..., list[Any]], now: datetime, *, limit: int) -> Sequence[Job]:
    """What `Reader.due` promises. By that index: the planner would rather sort all that is open."""
    told = ask(
        f"{_SELECT} INDEXED BY idx_job_open WHERE {_OPEN} AND (state = 'running' OR due_at <= ?) ORDER BY seq LIMIT ?",
        *(stamp(now), limit),
    )
    return [_job(row) for row in told]


def _values(job: Job) -> tuple[Any, ...]:
    return (
        *(job.id, job.kind, job.key, job.project, rows.to_json(dict(job.payload)), stamp(job.created_at)),
        *(stamp(job.due_at), str(job.state), job.tries, rows.maybe_stamp(job.updated_at), job.error),
    )


def _job(row: Sequence[Any]) -> Job:
    seq, *values = row
    r = dict(zip(_COLUMNS, values, strict=True))
    r |= {name: rows.read_moment(r[name]) for name in ("created_at", "due_at", "updated_at")}
    return Job(**(r | {"payload": read(r["payload"]), "state": JobState(r["state"])}), seq=seq)
