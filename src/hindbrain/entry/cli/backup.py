"""How a person copies the store, puts a copy in its place, and has all of it looked at."""

from collections.abc import Iterator, Sequence
from contextlib import closing

from hindbrain.core.address import is_server, shown
from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.entry.cli.bar import Bar
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.care import findings_lines
from hindbrain.entry.cli.output import bold, dim, line, many, moment, style, table
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.verb import argument, command, option
from hindbrain.errors import StoreDamaged, Unconfirmed

if TYPE_CHECKING:
    from hindbrain.app.backup import Drilled, Restored, Saved
    from hindbrain.app.doctor import Finding
    from hindbrain.core.model.backup import Backup, Mended
    from hindbrain.settings import Settings

_TOLD = 20  # rows that a person reads; --json has all


@command(
    examples="""
hindbrain backup
hindbrain backup --list
hindbrain backup ~/usb/hindbrain.db
"""
)
@argument("path", metavar="PATH", required=False)
@option("--list", "is_list", is_flag=True, help="List the backups there are; make none.")
def backup(call: Call, path: str | None, is_list: bool) -> None:
    """Copy the store while it is in use, and look at the copy.

    The copy is read back row by row before it gets its name. Without PATH it goes to the backups folder, where the
    latest of each of 7 days and 4 weeks stay (backups_daily, backups_weekly). The worker makes one every night.
    """
    with call.open() as hindbrain:
        if is_list:
            found = hindbrain.backups()
            call.tell(lambda: {"backups": plain(found)}, _listed(found))
            return
        with closing(Bar("copying")) as bar:
            saved = hindbrain.backup(path or "", tell=bar.tell)
    call.tell(lambda: plain(saved), _saved(saved))


def restore_store(call: Call, name: str, *, is_drill: bool, is_sure: bool) -> int:
    """Put a backup in the place of the store, or try it out."""
    from hindbrain.app.backup import drill, found, restore
    from hindbrain.settings import load
    from hindbrain.wiring import backups_of, clock, spool_of

    settings = load()
    backups = backups_of(settings)
    if is_drill:
        drilled = drill(name, backups=backups)
        call.tell(lambda: plain(drilled) | {"is_ok": not drilled.damage}, _drilled(drilled))
        return 1 if drilled.damage else 0
    path = found(name, backups=backups)
    if not is_sure:
        raise _unconfirmed(path, settings)
    restored = restore(name, backups=backups, spool=spool_of(settings), at=clock().now())
    taken, undecided = _taken_up(settings)
    record = plain(restored) | {"records": taken, "decisions_lost": undecided}
    call.tell(lambda: record, _restored(restored, taken, undecided=undecided))
    return 0


def _unconfirmed(path: str, settings: "Settings") -> Unconfirmed:
    if is_server(settings.store):
        return Unconfirmed(
            f"{path} would go into {shown(settings.store)}, if that is empty",
            fix="add --yes; a database that holds memories is never written over",
        )
    return Unconfirmed(
        f"{path} would take the place of all that {settings.store} holds", fix="add --yes; what is there is kept aside"
    )


def _taken_up(settings: "Settings") -> tuple[int | None, int]:
    """Take up what hooks have told since, or leave it to a worker that runs (None); and how many decisions are lost."""
    from hindbrain.app.backup import reanchored
    from hindbrain.entry.worker import caught_up
    from hindbrain.errors import WorkerRunning
    from hindbrain.wiring import lease_of, open_tools

    tools = open_tools(settings)
    with closing(tools.store):
        undecided = reanchored(tools)
        try:
            with lease_of(settings).hold():
                return caught_up(tools)[0].records, undecided
        except WorkerRunning:
            return None, undecided


@command(
    examples="""
hindbrain fsck
hindbrain fsck --repair
"""
)
@option("--repair", is_flag=True, help="Make anew what can be, and take damaged rows from the newest sound backup.")
def fsck(call: Call, repair: bool) -> int:
    """Look at all that is kept, row by row, and mend it.

    Every row, index, vector, link, decision, file that follows, and record of the spool.

    Says what to do about each finding; exits with 1 when there is any. With --repair the damaged file is kept in the
    backups folder, and every row that could not be made exactly what it was is named.
    """
    try:
        with call.open() as hindbrain:
            checkup = hindbrain.fsck(is_repairing=repair)
        mended: Mended | None = checkup.mended
    except StoreDamaged as error:  # it cannot even be opened
        if not repair:
            _tell_broken(call, error)
            return 1
        mended = _rebuilt()
        with call.open() as hindbrain:
            checkup = hindbrain.fsck()
    record = {
        "is_ok": checkup.is_sound,
        "findings": plain(checkup.findings),
        "mended": plain(mended) if mended else None,
    }
    call.tell(lambda: record, _checked(checkup.findings, mended))
    return 0 if checkup.is_sound else 1


def _tell_broken(call: Call, error: StoreDamaged) -> None:
    from hindbrain.app.doctor import Finding

    finding = Finding(name="file", is_ok=False, what=error.what, fix="hindbrain fsck --repair")
    call.tell(lambda: {"is_ok": False, "findings": plain([finding]), "mended": None}, findings_lines([finding]))


def _rebuilt() -> "Mended":
    from hindbrain.settings import load
    from hindbrain.wiring import backups_of, clock

    return backups_of(load()).mend(clock().now())


def _listed(found: "Sequence[Backup]") -> Iterator[str]:
    if not found:
        yield "There is no backup yet: `hindbrain backup` makes one, and the worker one every night."
        return
    rows = [[one.name, moment(one.at), f"{one.size_bytes / 1_000_000:,.1f} MB", one.sort] for one in found]
    yield from table(["BACKUP", "AS OF", "SIZE", "SORT"], rows, styles={0: bold, 3: dim})


def _saved(saved: "Saved") -> Iterator[str]:
    yield f"{bold(line(saved.backup.path))}  {saved.backup.size_bytes / 1_000_000:,.1f} MB, read back and sound"
    if saved.removed:
        yield dim(f"{many(len(saved.removed), 'older one')} removed")


def _drilled(drilled: "Drilled") -> Iterator[str]:
    yield f"{bold(line(drilled.backup))}: {many(drilled.memories, 'memory', plural='memories')} restored on trial"
    for one in drilled.damage:
        yield f"{style('FAIL', fg='red', bold=True)}  {line(one.where)}: {line(one.what)}"
    yield dim("Nothing was left behind.") if not drilled.damage else "It could not be restored as it is."


def _restored(restored: "Restored", taken: int | None, *, undecided: int) -> Iterator[str]:
    yield f"The store is what it was in {bold(line(restored.backup))}."
    if restored.aside:
        yield f"What it held before is in {line(restored.aside)}"
    if undecided:
        yield f"{many(undecided, 'decision')} since then {'is' if undecided == 1 else 'are'} not in it"
    yield dim(
        "The worker takes up what hooks were told since." if taken is None else f"{many(taken, 'record')} taken up"
    )


def _checked(findings: "Sequence[Finding]", mended: "Mended | None") -> Iterator[str]:
    if mended is not None:
        yield f"Rebuilt from {line(mended.base) or 'its own sound rows'}"
        if mended.aside:
            yield f"The damaged file is kept as {line(mended.aside)}"
        parts = {
            "as they were": mended.restored,
            "older": mended.older,
            "as they read, unproven": mended.unsure,
            "lost": mended.lost,
        }
        for what, rows in parts.items():
            if rows:
                more = " …" if len(rows) > _TOLD else ""
                yield f"  {many(len(rows), 'row')} {what}: {line(', '.join(rows[:_TOLD]))}{more}"
        yield ""
    yield from findings_lines(findings)
