"""Which job runs when, and what came of it last. Every schedule has its code here, and every job its schedule.

A job that was missed while nothing ran is made up for once. What a job did is kept under `job/<name>`, whoever ran it:
the worker, cron, or a person.
"""

from collections.abc import Callable
from datetime import datetime, tzinfo

from hindbrain.app.detour import around
from hindbrain.app.report import alone
from hindbrain.app.tools import Tools
from hindbrain.core import notation
from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.core.schedule import Schedule, calendar, cron, daily, every, is_due, monthly, next_run, weekly
from hindbrain.core.value import dataclass
from hindbrain.errors import BadValue, HindbrainError, Locked, StoreDamaged
from hindbrain.ports import Changes

_LOCK = "jobs"
_SUNDAY = 6
_RUNNING = "running"


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    name: str
    does: str  # for a person
    schedule: Schedule
    run: Callable[[Tools], str]  # what came of it, in a few words


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A job as it stands."""

    name: str
    does: str
    schedule: str
    cron: str
    last_run: datetime | None
    next_run: datetime
    result: str  # of the last run; "": there was none


def rows(tools: Tools, *, zone: tzinfo | None = None) -> tuple[Row, ...]:
    """Every job; times of day are those of `zone`, by default the machine's own."""
    return tuple(_row(job, tools=tools, zone=zone) for job in JOBS)


def run(name: str, *, tools: Tools) -> Row:
    """Run a job now, due or not. Its error is kept as its result, and raised."""
    job = next((job for job in JOBS if job.name == name), None)
    if job is None:
        raise BadValue(f"there is no job {name!r}", fix=f"use one of: {', '.join(job.name for job in JOBS)}")
    with alone(_LOCK, tools=tools):
        _ran(job, tools=tools)
    return _row(job, tools=tools, zone=None)


def run_due(tools: Tools, *, zone: tzinfo | None = None) -> tuple[str, ...]:
    """Run what is due, each job once; the names of those that ran. A job that fails says so in its result, and does not
    keep the others from running. Nothing happens while another process is at it."""
    due = [job for job in JOBS if _is_due(job, tools=tools, zone=zone)]
    if not due:
        return ()
    try:
        with alone(_LOCK, tools=tools):
            return tuple(job.name for job in due if _is_due(job, tools=tools, zone=zone) and _tried(job, tools=tools))
    except Locked:
        return ()


def lines(kind: str, *, home: str, program: str) -> tuple[str, ...]:
    """What runs the jobs without a worker: lines for crontab, or units for systemd, to be put there by a person."""
    if kind == "cron":
        return tuple(f"{cron(job.schedule)} HINDBRAIN_HOME={home} {program} jobs run {job.name}" for job in JOBS)
    return tuple(line for job in JOBS for line in _unit(job, home=home, program=program))


def watch(tools: Tools) -> int:
    """Look whether a file of the vault or of a reflex folder was changed, and take it in; how many were."""
    counts = [
        around(lambda _: _vault_files(tools), store=tools.store),
        around(lambda _: _reflex_files(tools), store=tools.store),
    ]
    return sum(counts)


def _tried(job: Planned, *, tools: Tools) -> bool:
    try:
        _ran(job, tools=tools)
    except HindbrainError:  # its result says so
        return True
    return True


def _ran(job: Planned, *, tools: Tools) -> None:
    """Noted before it runs as well: a job that takes the process down is not begun again at once."""
    _note(job, result=_RUNNING, tools=tools)
    try:
        result = around(lambda left_out: _with(job.run(tools), left_out()), store=tools.store)
    except HindbrainError as error:
        _note(job, result=f"failed: {error.what}", tools=tools)
        raise
    _note(job, result=result, tools=tools)


def _with(result: str, left_out: str) -> str:
    return f"{result}; {left_out}" if left_out else result


def _note(job: Planned, *, result: str, tools: Tools) -> None:
    value = notation.write({"last": stamp(tools.clock.now()), "result": result})
    tools.store.write(lambda tx: tx.apply(Changes(cursors={_cursor(job.name): value})))


def _is_due(job: Planned, *, tools: Tools, zone: tzinfo | None) -> bool:
    """One that never ran begins to count when somebody first looks; what runs every few minutes is due at once."""
    last, _ = _known(job, tools=tools)
    now = tools.clock.now()
    if last is None:
        if job.schedule.every:
            return True
        last = _first_seen(job, tools=tools)
    return is_due(job.schedule, last=_local(last, zone), now=_local(now, zone))


def _first_seen(job: Planned, *, tools: Tools) -> datetime:
    name = f"seen/{_cursor(job.name)}"
    if seen := tools.store.cursor(name):
        return read_stamp(seen)
    now = tools.clock.now()
    tools.store.write(lambda tx: tx.apply(Changes(cursors={name: stamp(now)})))
    return now


def _row(job: Planned, *, tools: Tools, zone: tzinfo | None) -> Row:
    last, result = _known(job, tools=tools)
    seen = tools.store.cursor(f"seen/{_cursor(job.name)}")
    since = last or (read_stamp(seen) if seen else tools.clock.now())
    then = next_run(job.schedule, _local(since, zone))
    return Row(
        name=job.name,
        does=job.does,
        schedule=str(job.schedule),
        cron=cron(job.schedule),
        last_run=last,
        next_run=then.replace(tzinfo=zone) if zone else then.astimezone(),
        result=result,
    )


def _known(job: Planned, *, tools: Tools) -> tuple[datetime | None, str]:
    value = tools.store.cursor(_cursor(job.name))
    if not value:
        return None, ""
    record = notation.read(value)
    return read_stamp(record["last"]), record["result"]


def _local(moment: datetime, zone: tzinfo | None) -> datetime:
    """What a clock on the wall shows then."""
    return moment.astimezone(zone).replace(tzinfo=None)


def _cursor(name: str) -> str:
    return f"job/{name}"


def _unit(job: Planned, *, home: str, program: str) -> tuple[str, ...]:
    return (
        f"# hindbrain-{job.name}.service",
        "[Service]",
        "Type=oneshot",
        f"Environment=HINDBRAIN_HOME={home}",
        f"ExecStart={program} jobs run {job.name}",
        "",
        f"# hindbrain-{job.name}.timer",
        "[Timer]",
        f"OnCalendar={calendar(job.schedule)}",
        "Persistent=true",
        "[Install]",
        "WantedBy=timers.target",
        "",
    )


def _vault(tools: Tools) -> str:
    from hindbrain.app import vault

    if not tools.settings.vault:
        return "no vault"
    done = vault.sync(tools)
    return f"{done.files} notes, {len(done.added)} new, {len(done.changed)} changed, {len(done.removed)} gone"


def _vault_files(tools: Tools) -> int:
    from hindbrain.app import vault

    if not tools.settings.vault or tools.folders is None or not tools.folders.is_there(vault.folder_of(tools)):
        return 0
    done = vault.sync(tools)
    return len(done.added) + len(done.changed) + len(done.removed)


def _reflex_files(tools: Tools) -> int:
    from hindbrain.app import reflex

    tops = tools.store.cursors(reflex.ROOTS)
    done = [reflex.sync(name.removeprefix(reflex.ROOTS), top, tools=tools) for name, top in tops.items()]
    return sum(len(one.added) + len(one.changed) + len(one.removed) for one in done)


def _reflex(tools: Tools) -> str:
    return f"{_reflex_files(tools)} files changed"


def _cleanup(tools: Tools) -> str:
    from hindbrain.app.maintain import cleanup

    done = [cleanup(project.id, tools=tools) for project in tools.store.projects()]
    return f"{sum(len(one.decayed) for one in done)} faded, {sum(len(one.archived) for one in done)} archived"


def _verify(tools: Tools) -> str:
    from hindbrain.app.verify import verify

    done = [verify(project, top, tools=tools, code=tools.files.code()) for project, top in _tops(tools).items()]
    return f"{sum(len(one.checked) for one in done)} memories compared with their code"


def _learn(tools: Tools) -> str:
    from hindbrain.app.reflect import learn

    done = [learn(project, top, tools=tools) for project, top in _tops(tools).items()]
    return f"{sum(len(one.suggestions) for one in done)} rules proposed"


def _tops(tools: Tools) -> dict[str, str]:
    """Where the code of projects was last seen, and still is."""
    from hindbrain.app import reflex

    tops = {name.removeprefix(reflex.ROOTS): top for name, top in tools.store.cursors(reflex.ROOTS).items()}
    return {project: top for project, top in tops.items() if tools.files.is_folder(top)}


def _dream(tools: Tools) -> str:
    from hindbrain.app.dream import dream

    done = dream(is_applied=True, tools=tools)
    return f"{len(done.recurring)} recurring, {len(done.transcripts)} transcripts; {done.report}"


def _hygiene(tools: Tools) -> str:
    from hindbrain.app.hygiene import hygiene

    done = hygiene(is_applied=True, tools=tools)
    return f"{sum(one.found.count for one in done.folders) + len(done.broken)} found; {done.report}"


def _skills(tools: Tools) -> str:
    from hindbrain.app.phrase import phrase
    from hindbrain.app.propose import propose

    made = propose(tools)
    return f"{len(made)} proposed, {len(phrase(tools))} put in a model's words"


def _monitor(tools: Tools) -> str:
    from hindbrain.app.propose import monitor

    seen = monitor(tools)
    return f"{seen.pending} wait{', a person was told' if seen.is_alerted else ''}"


def _backup(tools: Tools) -> str:
    from hindbrain.app.backup import backup

    if tools.backups is None:
        return "no backups are made here"
    done = backup(tools)
    return f"{done.backup.name}, {len(done.removed)} old ones removed"


def _drill(tools: Tools) -> str:
    from hindbrain.app.backup import NEWEST, drill, last

    backups = tools.backups() if tools.backups else None
    if backups is None or last(backups) is None:
        return "no backup yet"
    done = drill(NEWEST, backups=backups)
    if done.damage:
        raise StoreDamaged(f"{done.backup}: {done.damage[0].where} {done.damage[0].what}", fix="hindbrain backup")
    return f"{done.memories} memories restored and looked at; {done.backup}"


def _embed(tools: Tools) -> str:
    from hindbrain.app.embed import embed_all

    if tools.embedder is None:
        return "meaning is switched off"
    return f"{embed_all(store=tools.store, embedder=tools.embedder).done} embedded"


JOBS: tuple[Planned, ...] = (
    Planned(name="vault", does="take in what changed in the vault", schedule=every(15), run=_vault),
    Planned(name="reflex", does="take in what changed in reflex folders", schedule=every(15), run=_reflex),
    Planned(name="monitor", does="tell you when too many proposals wait", schedule=every(60), run=_monitor),
    Planned(name="backup", does="copy the store, and look at the copy", schedule=daily(1, 30), run=_backup),
    Planned(name="embed", does="give vectors to all that has none", schedule=daily(2), run=_embed),
    Planned(name="verify", does="compare memories with their code", schedule=daily(2, 30), run=_verify),
    Planned(name="dream", does="draft what keeps recurring, compact transcripts", schedule=daily(3), run=_dream),
    Planned(name="learn", does="propose a rule for each scar without one", schedule=daily(3, 15), run=_learn),
    Planned(name="cleanup", does="let unused memories fade", schedule=weekly(_SUNDAY, 3, minute=30), run=_cleanup),
    Planned(name="drill", does="restore the newest backup, on trial", schedule=weekly(_SUNDAY, 4), run=_drill),
    Planned(name="skills", does="propose skills from what recurs", schedule=weekly(_SUNDAY, 4, minute=30), run=_skills),
    Planned(name="hygiene", does="tell what is amiss in folders", schedule=monthly(1, 4), run=_hygiene),
)
