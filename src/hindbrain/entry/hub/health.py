"""What a person sees of the state of things: findings with their fixes, the queue, the spool, the log of decisions."""

from hindbrain.core.model.job import JobState
from hindbrain.entry.cli.commands import COMMANDS
from hindbrain.entry.hub.turn import Move, Page, Turn
from hindbrain.wiring import clients_of, kit_of

_LISTED = 50  # jobs of a state
_STATES = (JobState.DEAD, JobState.RUNNING, JobState.QUEUED)


def health(turn: Turn) -> Page:
    hindbrain = turn.hindbrain()
    settings, store = hindbrain.settings, hindbrain.store
    clients = clients_of(settings)
    kit = kit_of(settings, has_server="mcp" in COMMANDS)
    jobs = [job for job in store.jobs(states=_STATES) if turn.visit.caller.owns(job.project)]
    about = {
        "findings": sorted(hindbrain.doctor(), key=lambda one: one.is_ok),
        "wires": sorted(hindbrain.wires(kit, clients=clients), key=lambda one: one.is_ok),
        "spool": clients.spooled(),
        "counts": store.count_jobs(),
        "states": tuple(JobState),
        "dead": [job for job in jobs if job.state is JobState.DEAD][:_LISTED],
        "jobs": [job for job in jobs if job.state is not JobState.DEAD][:_LISTED],
        "schedule": hindbrain.jobs(),
        "vitals": store.vitals(),
        "backup": hindbrain.last_backup,
        "audit": hindbrain.audit(),
        "audits": hindbrain.audits(limit=10)[::-1],
        "routes": hindbrain.routes()[0],
        "done": turn.flag("done"),
    }
    return Page(template="health.html", about=about)


def retry(turn: Turn) -> Move:
    """One job that was given up, or all of them."""
    hindbrain = turn.hindbrain()
    dead = hindbrain.store.jobs(states=(JobState.DEAD,))
    wanted = turn.said.get("job", "")
    own = [job.id for job in dead if turn.visit.caller.owns(job.project) and wanted in ("", job.id)]
    if own:
        hindbrain.retry(own)
    return Move(to=turn.link("/health", done=1))
