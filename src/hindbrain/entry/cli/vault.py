"""How the Obsidian vault is looked at and written to from the command line."""

import sys
from collections.abc import Iterator

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.grammar import family
from hindbrain.entry.cli.output import bold, dim, line, many
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.verb import argument, command, option

if TYPE_CHECKING:
    from hindbrain.app.shelf import Indexed
    from hindbrain.app.vault import Checked, Status


@command(
    name="vault",
    examples="""
hindbrain vault
hindbrain vault sync
hindbrain vault check
hindbrain vault note "Locks need a fencing token: two workers met."
""",
)
def _status(call: Call) -> None:
    """Find, check and write notes of your Obsidian vault.

    Its folder is the setting `vault`; notes lie in permanent/, inbox/, moc/, daily/ and fleeting/. Without more, tell
    what the index has of it. `hindbrain recall --scope brain` searches it. No note of yours is ever changed.
    """
    with call.open() as hindbrain:
        found = hindbrain.vault()
    call.tell(lambda: plain(found), _status_lines(found))


@command(
    name="sync",
    examples="""
hindbrain vault sync
hindbrain vault sync --all
""",
)
@option("--all", "is_all", is_flag=True, help="Read every note again, also where its times did not change.")
def _sync(call: Call, is_all: bool) -> None:
    """Take in what changed in the vault."""
    with call.open() as hindbrain:
        done = hindbrain.sync_vault(is_all=is_all)
    call.tell(lambda: plain(done), _sync_lines(done))


@command(name="check", examples="hindbrain vault check")
def _check(call: Call) -> int:
    """Tell of links that lead nowhere, and of heads that cannot be read.

    Exits with 1 when a link is broken.
    """
    with call.open() as hindbrain:
        found = hindbrain.check_vault()
    call.tell(lambda: plain(found), _check_lines(found))
    return 1 if found.broken else 0


@command(
    name="note",
    examples="""
hindbrain vault note "Locks need a fencing token: two workers met."
hindbrain vault note --title "Fencing tokens" --permanent "Every lock carries one."
""",
)
@argument("text", metavar="TEXT")
@option("--title", default="", metavar="T", help="Its title.  [default: how the text begins]")
@option("--permanent", "is_permanent", is_flag=True, help="Into permanent/: only by a person's order.")
@option("--yes", is_flag=True, help="You are a person, and this is your order: do not ask.")
def _note(call: Call, text: str, title: str, is_permanent: bool, yes: bool) -> None:
    """Write a new note into inbox/, as agents may."""
    is_ordered = is_permanent and (yes or _is_confirmed())
    with call.open(is_new=True) as hindbrain:
        path = hindbrain.note(text, title=title, is_permanent=is_permanent, is_ordered=is_ordered)
    call.tell(lambda: {"path": path}, [f"Written: {bold(line(path))}"])


vault = family(_status, _sync, _check, _note)


def _is_confirmed() -> bool:
    """Only a person at a terminal can say yes."""
    if not (sys.stdin and sys.stdin.isatty()):
        return False
    import click

    return click.confirm("Write into permanent/?", err=True)


def _status_lines(found: "Status") -> Iterator[str]:
    if not found.folder:
        yield 'There is no vault. Name its folder in config.toml: vault = "~/brain"'
        return
    total = sum(found.by_folder.values())
    yield f"{bold(many(total, 'note'))} of {line(found.folder)} in the index"
    yield from (f"  {name:<12}{count:>6,}" for name, count in found.by_folder.items())
    if not found.is_there:
        yield "The folder is not there."


def _sync_lines(done: "Indexed") -> Iterator[str]:
    new, changed, gone = map(len, (done.added, done.changed, done.removed))
    yield f"{many(done.files, 'note')}: {new:,} new, {changed:,} changed, {gone:,} gone"
    yield dim(f"{many(done.read, 'file')} read")


def _check_lines(found: "Checked") -> Iterator[str]:
    yield from (f"{line(one.path)}:{one.line}  {line(one.link)}  {line(one.why)}" for one in found.broken)
    yield from (f"{line(one.path)}  {line(one.why)}" for one in found.heads)
    links, heads = many(len(found.broken), "broken link"), many(len(found.heads), "head")
    yield dim(f"{many(found.notes, 'note')}, {links}, {heads} missing or not understood")
