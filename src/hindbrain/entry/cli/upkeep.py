"""How old, doubled and finished things are put in order on the command line, and how that is taken back."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime
from itertools import chain

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.model.moment import stamp
from hindbrain.entry.cli.bar import Bar
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.grammar import family
from hindbrain.entry.cli.output import bold, dim, line, many, table
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.verb import Misuse, argument, command, option

if TYPE_CHECKING:
    from hindbrain.app.maintain import Pruned, Tidied
    from hindbrain.app.upkeep import Run, Undone
    from hindbrain.facade import Hindbrain

_DAYS = 7  # between two turns of the worker
_TOLD = 50  # rows that a person reads; --json has all


@command(
    examples="""
hindbrain prune --dry-run
hindbrain prune --project api --json
"""
)
@option("--dry-run", is_flag=True, help="Say what would happen; change nothing.")
def prune(call: Call, dry_run: bool) -> None:
    """Shorten episodes after a week, archive them after a month.

    What is pinned, was ever recalled, or is what a pattern was learned from is never archived. Details that were left
    out stay in the history: `hindbrain show ID --history`.
    """
    with call.open() as hindbrain, closing(Bar("pruning")) as bar:
        pruned = hindbrain.prune(is_dry_run=dry_run, tell=bar.tell)
    call.tell(lambda: plain(pruned), _pruned_lines(pruned))


@command(
    examples="""
hindbrain merge --dry-run
hindbrain merge --project api --json
hindbrain merge mem-01k2x6d0q3v8r5w7y9z1b3d5f7 mem-01k2x6d0q3v8r5w7y9z1b3d5f8 --content "Both, in a sentence"
"""
)
@argument("ids", nargs=-1, metavar="[ID OTHER]")
@option("--content", default="", metavar="TEXT", help="What it says from then on; with two ids.")
@option("--dry-run", is_flag=True, help="Say what would happen; change nothing.")
def merge(call: Call, ids: Sequence[str], content: str, dry_run: bool) -> None:
    """Let memories that say the same become one.

    Alike means nine parts in ten, and numbers, paths, names and every "not" must agree. The surest one stays, with
    the evidence of all; the others are hidden behind it and stay in its links. With two ids these two become one,
    alike or not: the first stays, and `hindbrain restore OTHER` brings the second back.
    """
    if len(ids) not in (0, 2) or (content and not ids) or (dry_run and ids):
        raise Misuse("Name two memories, with --content if you like, or none.")
    with call.open() as hindbrain, closing(Bar("comparing")) as bar:
        if ids:
            tidied = _one_of_two(hindbrain, ids, content=content)
        else:
            tidied = hindbrain.merge(is_dry_run=dry_run, tell=bar.tell)
    call.tell(lambda: plain(tidied), _tidied_lines(tidied))


def _one_of_two(hindbrain: "Hindbrain", ids: Sequence[str], *, content: str) -> "Tidied":
    from hindbrain.app.maintain import Merged, Tidied

    gone = hindbrain.show(ids[1]).id
    stays = hindbrain.unite(ids[0], gone, content=content)
    return Tidied(merged=(Merged(stays.id, stays.title, (gone,)),), compared=2, is_dry_run=False)


@command(
    name="maintenance",
    examples="""
hindbrain maintenance
hindbrain maintenance undo run-01k2x6d0q3v8r5w7y9z1b3d5f7
""",
)
def _list(call: Call) -> None:
    """List what was put in order, or take it back.

    Runs of cleanup, prune, merge and purge in the last month.
    """
    with call.open() as hindbrain:
        runs, due = hindbrain.upkeep(), hindbrain.next_upkeep()
    record = {"runs": [_record(run) for run in runs], "every_days": _DAYS, "next": plain(due) if due else None}
    call.tell(lambda: record, chain(_runs_lines(runs), _turn(due)))


@command(name="undo", examples="hindbrain maintenance undo run-01k2x6d0q3v8r5w7y9z1b3d5f7")
@argument("run_id", metavar="RUN")
def _undo(call: Call, run_id: str) -> None:
    """Take back what one run did.

    What somebody changed since stays as it is. What comes back is not put away again by the next run.
    """
    with call.open() as hindbrain, closing(Bar("undoing")) as bar:
        undone = hindbrain.undo_upkeep(run_id, tell=bar.tell)
    record = {"run": _record(undone.run), "restored": list(undone.restored), "left": list(undone.left)}
    call.tell(lambda: record, _undone_lines(undone))


maintenance = family(_list, _undo)


def _way_back(run: str) -> Iterator[str]:
    if run:
        yield ""
        yield dim(f"`hindbrain maintenance undo {run}` takes it back")


def _record(run: "Run") -> dict[str, object]:
    found: dict[str, object] = plain(run)
    return found | {"until": stamp(run.until)}


def _pruned_lines(pruned: "Pruned") -> Iterator[str]:
    would = "would be " if pruned.is_dry_run else ""
    short, gone = len(pruned.summarised), len(pruned.archived)
    yield f"{many(short, 'memory', plural='memories')} {would}summarised, {gone:,} {would}archived"
    if pruned.summarised:
        yield ""
        rows = [[one.id, one.title] for one in pruned.summarised[:_TOLD]]
        yield from table(["ID", "SUMMARISED"], rows, styles={0: dim})
    if pruned.archived:
        yield ""
        rows = [[one.id, one.reason, one.title] for one in pruned.archived[:_TOLD]]
        yield from table(["ID", "ARCHIVED", "TITLE"], rows, styles={0: dim})
    yield from _more(max(short, gone))
    yield from _way_back(pruned.run)


def _tidied_lines(tidied: "Tidied") -> Iterator[str]:
    would = "would become" if tidied.is_dry_run else "became"
    hidden = sum(len(one.others) for one in tidied.merged)
    kept = len(tidied.merged)
    yield f"{many(tidied.compared, 'memory', plural='memories')} compared: {hidden + kept:,} {would} {kept:,}"
    for one in tidied.merged[:_TOLD]:
        yield ""
        yield f"{bold(line(one.title))}  {dim(line(one.id))}"
        yield from (f"  {'would hide' if tidied.is_dry_run else 'hides'} {line(other)}" for other in one.others)
    yield from _more(kept)
    yield from _way_back(tidied.run)


def _more(count: int) -> Iterator[str]:
    if count > _TOLD:
        yield f"… and {count - _TOLD:,} more: --json lists them all"


def _runs_lines(runs: "Sequence[Run]") -> Iterator[str]:
    if not runs:
        yield "Nothing was cleaned up, pruned, merged or purged in the last month."
        return
    rows = [[run.id, run.job, f"{run.at:%Y-%m-%d %H:%M}", f"{run.steps:,}", _state(run)] for run in runs]
    yield from table(["RUN", "JOB", "AT", "STEPS", "STATE"], rows, styles={0: dim})


def _turn(due: datetime | None) -> Iterator[str]:
    yield ""
    when = f"next on {due:%Y-%m-%d}" if due else f"{_DAYS} days after the worker first sees this project"
    yield dim(f"The worker cleans up, prunes and merges every {_DAYS} days: {when}")


def _state(run: "Run") -> str:
    if run.undone_at is not None:
        return f"taken back {run.undone_at:%Y-%m-%d}"
    cut = "" if run.is_over else "cut short; "
    return f"{cut}can be taken back until {run.until:%Y-%m-%d}"


def _undone_lines(undone: "Undone") -> Iterator[str]:
    yield f"{many(len(undone.restored), 'step')} of {line(undone.run.id)} taken back"
    if undone.left:
        yield f"  {len(undone.left):,} left as they are: somebody changed them since"
