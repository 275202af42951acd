"""How all that one source taught is taken out on the command line: counted and asked about first."""

import sys
from collections.abc import Iterator
from contextlib import closing

from hindbrain.core.hints import TYPE_CHECKING, Any
from hindbrain.entry.cli.bar import Bar
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.forget import is_confirmed
from hindbrain.entry.cli.output import dim, echo, line, many, table
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.verb import Misuse, command, option

if TYPE_CHECKING:
    from hindbrain.app.purge import Purged

_TOLD = 50  # rows that a person reads; --json has all
_FATES = {
    "archived": "put away",
    "erased": "erased",
    "away": "put away before",
    "reverted": "back to the words of others",
    "weakened": "kept: others taught it, too",
    "kept": "kept: made of other memories as well",
    "returned": "back: what had replaced it is gone",
}


@command(
    examples="""
hindbrain purge --session 6f1c2a9e --dry-run
hindbrain purge --agent ed --adapter claude
hindbrain purge --file "*.beads/knowledge.jsonl" --yes --json
hindbrain purge --login @build-3 --all-projects --hard
"""
)
@option("--session", default="", metavar="S", help="What was taught in this session.")
@option("--agent", default="", metavar="NAME", help="What this persona or instance taught; `human` for people.")
@option("--login", default="", metavar="USER@MACHINE", help="What came from there; `ada@` or `@build-3` for one half.")
@option(
    "--adapter", default="", metavar="NAME", help="What this client, dialect or surface brought: claude, beads, cli."
)
@option("--file", "origin", default="", metavar="F", help="What was read from this file; `*` stands for anything.")
@option("--task", default="", metavar="T", help="What was taught in this task.")
@option("--tainted", is_flag=True, help="Only what was said near text from elsewhere: web pages, foreign tools.")
@option("--all-projects", is_flag=True, help="In every project, not only in this one.")
@option("--dry-run", is_flag=True, help="Say what would happen; change nothing.")
@option("--hard", is_flag=True, help="Erase it for good, and prove it: nothing brings it back.")
@option("--yes", is_flag=True, help="Do not ask, on a terminal either.")
def purge(call: Call, all_projects: bool, dry_run: bool, hard: bool, yes: bool, tainted: bool, **source: str) -> int:
    """Take out all that one source taught: a session, agent, file.

    What nobody else taught is put away, and what was made of it alone. What others taught as well stays, without this
    source's word for it; what it had replaced comes back. `hindbrain maintenance undo` takes it back for 30 days.
    Several options narrow: all of them must be true.
    """
    wanted: dict[str, Any] = {**source, "is_tainted": tainted}
    if not any(wanted.values()):
        raise Misuse("Name a source: --session, --agent, --login, --adapter, --file, --task or --tainted.")
    with call.open() as hindbrain:
        if dry_run or (sys.stdin.isatty() and not yes):  # else nobody would hear of it
            foretold = hindbrain.purge(is_dry_run=True, is_everywhere=all_projects, **wanted)
            is_idle = not any(foretold.count(what) for what in ("archived", "away", "reverted", "weakened"))
            if dry_run or is_idle:
                call.tell(lambda: plain(foretold), _lines(foretold))
                return 0
            if not is_confirmed(_question(foretold, is_hard=hard)):
                echo("Nothing was changed.", err=True)
                return 1
        with closing(Bar("purging")) as bar:
            purged = hindbrain.purge(is_hard=hard, is_everywhere=all_projects, tell=bar.tell, **wanted)
    call.tell(lambda: plain(purged), _lines(purged))
    return 0


def _question(foretold: "Purged", *, is_hard: bool) -> str:
    gone = foretold.count("archived") + (foretold.count("away") if is_hard else 0)
    verb = "Erase" if is_hard else "Put away"
    rest = foretold.count("reverted") + foretold.count("weakened") + foretold.count("returned")
    more = f", change {rest:,} more" if rest else ""
    end = " for good" if is_hard else ""
    return f"{verb} {many(gone, 'memory', plural='memories')} of {line(foretold.source)}{end}{more}?"


def _lines(purged: "Purged") -> Iterator[str]:
    would = "would be " if purged.is_dry_run else ""
    count = len(purged.memories)
    yield f"{line(purged.source)}: {many(count, 'memory', plural='memories')} concerned"
    for what, words in _FATES.items():
        if purged.count(what):
            yield f"  {purged.count(what):,} {would}{words}"
    if purged.memories:
        yield ""
        rows = [[one.id, one.what, one.title, one.why] for one in purged.memories[:_TOLD]]
        yield from table(["ID", "FATE", "TITLE", "WHY"], rows, styles={0: dim})
    if count > _TOLD:
        yield f"… and {count - _TOLD:,} more: --json lists them all"
    yield from _after(purged)


def _after(purged: "Purged") -> Iterator[str]:
    """What else a person should know, and how it is taken back."""
    if purged.shown:
        yield f"It was put into prompts {many(purged.shown, 'time')}."
    for rule in purged.rules:
        yield f"A rule was made of it, and stands in your files: `hindbrain undo {line(rule)}` takes it back"
    for path in purged.files:
        yield f"  written anew: {line(path)}"
    for backup in purged.backups:
        yield f"  also taken out of {line(backup)}"
    if purged.erased:
        yield f"{many(purged.erased, 'row')} erased; its text is in no file any more."
        return
    for one in purged.runs:
        yield dim(f"`hindbrain maintenance undo {one.run} --project {line(one.project)}` takes it back")
