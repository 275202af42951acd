"""How one memory is looked at and changed on the command line."""

import sys
from collections.abc import Iterator, Sequence
from itertools import chain

from hindbrain.core.hints import TYPE_CHECKING, Any, Unpack
from hindbrain.core.model import TYPES, Memory
from hindbrain.entry.cli import cards, choices, options
from hindbrain.entry.cli.call import Call, given
from hindbrain.entry.cli.intake import STREAM, take
from hindbrain.entry.cli.output import bold, dim, line
from hindbrain.entry.cli.records import memory_record, plain, version_record
from hindbrain.entry.cli.values import Share, Whole
from hindbrain.entry.cli.verb import Misuse, argument, command, option
from hindbrain.facade import Edit

if TYPE_CHECKING:
    from hindbrain.facade import Hindbrain

_ID = argument("memory_id", metavar="ID")


@command(
    examples="""
hindbrain show mem-01k2x6d0q3v8r5w7y9z1b3d5f7
hindbrain show mem-01k2x6d0q3v8r5w7y9z1b3d5f7 --history
hindbrain show mem-01k2x6d0q3v8r5w7y9z1b3d5f7 mem-01k2x6d0q3v8r5w7y9z1b3d5f8 --json
"""
)
@argument("memory_ids", nargs=-1, required=True, metavar="ID...")
@option("--history", is_flag=True, help="Also every version it had.")
def show(call: Call, memory_ids: Sequence[str], history: bool) -> None:
    """Print memories and all that is known about them.

    `hindbrain recall --index` gives one line for each memory; this gives the rest of those that matter.
    """
    with call.open() as hindbrain:
        found = [_whole(hindbrain, one, has_history=history) for one in memory_ids]
    records, lines = [record for record, _ in found], [text for _, text in found]
    parted = (row for at, rows in enumerate(lines) for row in chain([""] if at else [], rows))
    call.tell(lambda: records[0] if len(records) == 1 else {"memories": records}, parted)


def _whole(hindbrain: "Hindbrain", memory_id: str, *, has_history: bool) -> tuple[dict[str, Any], Iterator[str]]:
    memory = hindbrain.show(memory_id)
    standing = hindbrain.standing(memory.id)
    anchors = hindbrain.anchors(memory.id)
    versions = hindbrain.history(memory.id) if has_history else ()
    past = {"history": [version_record(version) for version in versions]} if has_history else {}
    lines = chain(
        cards.memory_card(memory),
        cards.standing_lines(standing),
        chain([""], cards.anchor_lines(anchors)) if anchors else [],
        [""] if has_history else [],
        cards.history_lines(versions),
    )
    fared = {"standing": plain(standing), "anchors": plain(anchors)}
    return memory_record(memory) | fared | past, lines


@command(
    examples="""
hindbrain edit mem-01k2x6d0q3v8r5w7y9z1b3d5f7
hindbrain edit mem-01k2x6d0q3v8r5w7y9z1b3d5f7 --type pitfall --importance 8
hindbrain edit mem-01k2x6d0q3v8r5w7y9z1b3d5f7 --content - < better.txt
"""
)
@_ID
@option("--content", metavar="TEXT", help="What it says; `-` reads it from a pipe.")
@option("--title", metavar="TEXT", help="Its headline.")
@options.type_(help=f"One of: {', '.join(TYPES)}.")
@choices.category
@option("--tag", "tags", multiple=True, metavar="T", help="Its tags, instead of those it has; repeatable.")
@option("--no-tags", is_flag=True, help="Take all tags away.")
@option("--file", "file_refs", multiple=True, metavar="P", help="Its files, instead of those it has; repeatable.")
@option("--no-files", is_flag=True, help="Take all files away.")
@option("--importance", type=Whole(0, 10), metavar="0..10", help="How much it would be missed.")
@option("--confidence", type=Share(), metavar="0..1", help="How sure you are.")
@option("--pin/--unpin", "pinned", default=None, help="Whether it may fade.")
@option("--everywhere/--here", "everywhere", default=None, help="Whether it is for every project.")
def edit(call: Call, memory_id: str, no_tags: bool, no_files: bool, **wishes: Unpack[Edit]) -> None:
    """Change a memory; what it said before stays in its history.

    Without any option, its text opens in your editor.
    """
    changes = _changes(given(wishes), no_tags=no_tags, no_files=no_files)
    with call.open() as hindbrain:
        if not changes:
            changes = _by_hand(hindbrain.show(memory_id))
        memory = hindbrain.edit(memory_id, **changes) if changes else hindbrain.show(memory_id)
    done = "Changed" if changes else "Nothing changed in"
    call.tell(lambda: memory_record(memory), _done(done, memory))


@command(
    examples="""
hindbrain delete mem-01k2x6d0q3v8r5w7y9z1b3d5f7
hindbrain delete mem-01k2x6d0q3v8r5w7y9z1b3d5f7 --reason "the API is gone"
"""
)
@_ID
@option("--reason", default="deleted", metavar="TEXT", help="Why; kept with it.")
def delete(call: Call, memory_id: str, reason: str) -> None:
    """Archive a memory; `restore` brings it back.

    It is gone from recall and prompts at once. To erase it for good, use `hindbrain forget --hard`.
    """
    with call.open() as hindbrain:
        memory = hindbrain.delete(memory_id, reason=reason)
    undo = f"`hindbrain restore {memory.id}` brings it back"
    call.tell(lambda: memory_record(memory), _done("Archived", memory, then=undo))


@command(
    examples="""
hindbrain restore mem-01k2x6d0q3v8r5w7y9z1b3d5f7
hindbrain restore --drill
hindbrain restore newest --yes
"""
)
@argument("wanted", metavar="ID|BACKUP", required=False)
@option(
    "--drill", is_flag=True, help="Restore a backup (the newest, if none is named) on trial; nothing is left of it."
)
@option("--yes", is_flag=True, help="Let the backup take the place of the store.")
def restore(call: Call, wanted: str | None, drill: bool, yes: bool) -> int:
    """Bring back a memory, or the whole store from a backup.

    A memory by its id: what was deleted, faded or superseded. A backup by its name in `hindbrain backup --list`, by its
    path, or as `newest`: the store becomes what it was then, what it held is kept aside, and what hooks have told since
    the backup is taken up again.
    """
    if drill or (wanted and _is_backup(wanted)):
        from hindbrain.entry.cli.backup import restore_store

        return restore_store(call, wanted or "newest", is_drill=drill, is_sure=yes)
    if not wanted:
        raise Misuse("Name a memory by its id, or a backup.")
    with call.open() as hindbrain:
        memory = hindbrain.restore(wanted)
    call.tell(lambda: memory_record(memory), _done("Restored", memory))
    return 0


def _is_backup(wanted: str) -> bool:
    """No id of a memory looks like that."""
    return wanted == "newest" or wanted.endswith(".db") or "/" in wanted


@command(
    examples="""
hindbrain split mem-01k2x6d0q3v8r5w7y9z1b3d5f7 --into "Locks expire after 30 s" --into "Jobs are named by date"
"""
)
@_ID
@option("--into", "parts", multiple=True, required=True, metavar="TEXT", help="One of the things it says; repeatable.")
def split(call: Call, memory_id: str, parts: Sequence[str]) -> None:
    """Make several memories of one that says several things.

    The whole is hidden behind them and stays in their links; `restore` brings it back.
    """
    with call.open() as hindbrain:
        whole = hindbrain.show(memory_id)
        found = hindbrain.split(whole.id, parts)
    undo = f"`hindbrain restore {whole.id}` brings the whole back"
    lines = chain.from_iterable(_done("Kept", part) for part in found)
    record = {"whole": whole.id, "parts": [memory_record(part) for part in found]}
    call.tell(lambda: record, chain(lines, [f"  {dim(undo)}"]))


def _changes(wishes: Edit, *, no_tags: bool, no_files: bool) -> Edit:
    """A repeatable option that was left out is an empty list, which must not empty anything."""
    if wishes.get("content") == STREAM:
        wishes["content"] = take(STREAM).text.rstrip("\n")
    if not (wishes["tags"] or no_tags):
        del wishes["tags"]
    if not (wishes["file_refs"] or no_files):
        del wishes["file_refs"]
    return wishes


def _by_hand(memory: Memory) -> Edit:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Misuse("Nothing to change: name a field, such as --content TEXT.")
    import click

    text = click.edit(memory.content, extension=".md")
    wanted = (text or "").strip()
    return {"content": wanted} if wanted and wanted != memory.content.strip() else {}


def _done(what: str, memory: Memory, *, then: str = "") -> Iterator[str]:
    yield f"{what} {bold(line(memory.title))}"
    yield f"  {dim(line(memory.id))}"
    if then:
        yield f"  {dim(then)}"
