"""Which function does which kind of job."""

from collections.abc import Mapping

from hindbrain.app.jobs import Handler
from hindbrain.app.tools import Tools
from hindbrain.core.model.job import Job


def handlers() -> Mapping[str, Handler]:
    """Loaded when there is a worker that needs them. Each may be repeated: what it did once it does not do twice."""
    from hindbrain.app.continuity import continuity_job
    from hindbrain.app.handoff import handoff_job
    from hindbrain.app.hear import hear
    from hindbrain.app.verify import handle as verify

    return {
        "transcript": hear,
        "extract": _extract,
        "judge": _judge,
        "verify": verify,
        "handoff": handoff_job,
        "continuity": continuity_job,
    }


def _extract(job: Job, tools: Tools) -> None:
    from hindbrain.app.extract import extract

    extract(job.project, _session(job), tools=tools)


def _judge(job: Job, tools: Tools) -> None:
    from hindbrain.app.judge import judge

    judge(job.project, _session(job), tools=tools)


def _session(job: Job) -> str:
    return str(job.payload.get("session") or "")
