"""Which function does which kind of job."""

from collections.abc import Mapping

from hindbrain.app.jobs import Handler
from hindbrain.app.tools import Tools
from hindbrain.core.model.job import Job
from hindbrain.ports import Changes


def handlers() -> Mapping[str, Handler]:
    """Loaded when there is a worker that needs them. Each may be repeated: what it did once it does not do twice."""
    from hindbrain.app.continuity import continuity_job
    from hindbrain.app.handoff import handoff_job
    from hindbrain.app.hear import hear
    from hindbrain.app.later import add_job
    from hindbrain.app.verify import handle as verify
    from hindbrain.app.weekly import upkeep_job

    return {
        "add": add_job,
        "transcript": hear,
        "extract": _extract,
        "judge": _judge,
        "verify": verify,
        "handoff": handoff_job,
        "continuity": continuity_job,
        "episode": _episode,
        "consolidate": _consolidate,
        "upkeep": upkeep_job,
    }


def _extract(job: Job, tools: Tools) -> None:
    from hindbrain.app.extract import extract

    extract(job.project, _session(job), tools=tools)


def _judge(job: Job, tools: Tools) -> None:
    from hindbrain.app.judge import judge

    judge(job.project, _session(job), tools=tools)


def _episode(job: Job, tools: Tools) -> Changes:
    from hindbrain.app.consolidate import due
    from hindbrain.app.episodes import trace

    trace(job.project, _session(job), tools=tools)
    next_job = due(job.project, tools=tools)
    return Changes(jobs=(next_job,) if next_job else ())


def _consolidate(job: Job, tools: Tools) -> Changes:
    from hindbrain.app.consolidate import consolidate_job

    return consolidate_job(job, tools)


def _session(job: Job) -> str:
    return str(job.payload.get("session") or "")
