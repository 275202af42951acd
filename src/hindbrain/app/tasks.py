"""What it means that a task of Chorus is done: its log waits to be read, and everybody may know."""

from collections.abc import Mapping
from datetime import UTC, datetime

from hindbrain.app.admission import tidy
from hindbrain.app.projects import adopted
from hindbrain.app.tools import Tools
from hindbrain.core.model import Event
from hindbrain.core.model.job import Job
from hindbrain.core.value import dataclass
from hindbrain.ports import Changes

TASK_COMPLETED = "TASK_COMPLETED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What Chorus calls an ExtractionTask."""

    log_path: str
    task_id: str = ""
    agent_id: str = ""
    persona: str = ""
    timestamp: datetime | None = None  # when it was done; None: now


def complete(task: Task, *, project: str, tools: Tools) -> Job:
    """Queue the log of a finished task; the job that will read it, be it new or one that waits already."""
    at = tools.clock.now()
    changes = _changes(task, project=project, at=task.timestamp or at, tools=tools)
    tools.store.write(lambda tx: tx.apply(changes))
    return next(job for job in tools.store.jobs() if job.key == changes.jobs[0].key and job.state != "dead")


def queued(payload: Mapping[str, object], *, at: datetime, tools: Tools) -> Changes:
    """The same, from what a hook was told: {taskId, agentId, persona, logPath, timestamp, cwd}."""
    words = {name: str(payload.get(name) or "") for name in ("taskId", "agentId", "persona", "logPath", "cwd")}
    done = payload.get("timestamp")  # milliseconds, as JavaScript counts
    task = Task(
        log_path=words["logPath"],
        task_id=words["taskId"],
        agent_id=words["agentId"],
        persona=words["persona"],
        timestamp=_moment(done) if isinstance(done, int | float) else at,
    )
    return _changes(task, project=adopted(words["cwd"], tools=tools), at=task.timestamp or at, tools=tools)


def _changes(task: Task, *, project: str, at: datetime, tools: Tools) -> Changes:
    now = tools.clock.now()
    fields = {
        "taskId": tidy(task.task_id),
        "agentId": tidy(task.agent_id),
        "persona": tidy(task.persona),
        "logPath": tidy(task.log_path),
        "timestamp": int(at.timestamp() * 1000),
    }
    job = Job(
        id=tools.chance.id("job", now),
        kind="transcript",
        key=f"transcript/{fields['logPath']}",
        project=project,
        payload={**fields, "path": fields["logPath"], "format": "chorus"},
        created_at=now,
        due_at=now,
    )
    return Changes(jobs=(job,), events=(Event(name=TASK_COMPLETED, at=at, project=project, data=fields),))


def _moment(unix_ms: float) -> datetime:
    return datetime.fromtimestamp(unix_ms / 1000, UTC)
