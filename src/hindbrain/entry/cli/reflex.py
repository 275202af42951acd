"""How a person sees and approves on the command line what every session is told."""

from collections.abc import Iterator

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.grammar import family
from hindbrain.entry.cli.output import bold, coloured, dim, line, many, table
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.verb import Misuse, argument, command, option

if TYPE_CHECKING:
    from hindbrain.app.reflex import Entry, Reflexes


@command(
    name="reflex",
    examples="""
hindbrain reflex
hindbrain reflex approve feedback_tests.md
hindbrain reflex approve --all
""",
)
@option("--all", "is_all", is_flag=True, help="Read every file again, also where its times did not change.")
def _listed(call: Call, is_all: bool) -> None:
    """List the files that every session is told of, and approve them.

    The files are Markdown in the folder `memory` at the top of the project, or where the setting `reflex_folder` says.
    Of those in a repository no agent hears until you have read and approved them; a change asks again.
    """
    with call.open(is_new=True) as hindbrain:
        found = hindbrain.reflexes(is_all=is_all)
    call.tell(lambda: plain(found), _lines(found))


@command(name="sync", examples="hindbrain reflex sync")
def _sync(call: Call) -> None:
    """Read every file of the folder again."""
    with call.open(is_new=True) as hindbrain:
        found = hindbrain.reflexes(is_all=True)
    call.tell(lambda: plain(found), _lines(found))


@command(
    name="approve",
    examples="""
hindbrain reflex approve feedback_tests.md user_editor.md
hindbrain reflex approve --all --by anna
""",
)
@argument("names", nargs=-1, metavar="[FILE]...")
@option("--all", "is_all", is_flag=True, help="All files that are there.")
@option("--by", default="", metavar="NAME", help="Who approves; kept with the approval.")
def _approve(call: Call, names: tuple[str, ...], is_all: bool, by: str) -> None:
    """Say that you have read these files: from now on every session is told of them."""
    if bool(names) == is_all:
        raise Misuse("Which files? Name them, or say --all.")
    with call.open(is_new=True) as hindbrain:
        approved = hindbrain.approve(names, by=by)
    call.tell(lambda: {"approved": list(approved)}, [f"Approved: {many(len(approved), 'file')}"])


@command(
    name="index",
    examples="""
hindbrain reflex index
hindbrain reflex index --write
""",
)
@option("--write", "is_written", is_flag=True, help="Write it into the folder as MEMORY.md, on your order.")
def _index(call: Call, is_written: bool) -> None:
    """Print the master index: one line for each file."""
    with call.open() as hindbrain:
        text = hindbrain.master_index(is_written=is_written)
    call.tell(lambda: {"index": text, "is_written": is_written}, map(line, text.rstrip("\n").split("\n")))


reflex = family(_listed, _sync, _approve, _index)


def _lines(found: "Reflexes") -> Iterator[str]:
    if not found.entries:
        yield f"There is no file in {line(found.folder)}." if found.folder else "This project has no folder here."
        return
    rows = [[_state(entry), entry.name, entry.title] for entry in found.entries]
    yield from table(
        ["STATE", "FILE", "TITLE"],
        rows,
        styles={0: coloured({"told": "green", "approved": "green", "waits": "magenta"})},
    )
    yield ""
    yield dim(many(len(found.entries), "file") + f" in {line(found.folder)}")
    if found.waiting:
        yield f"{bold(many(len(found.waiting), 'file waits', plural='files wait'))} for you: read, then approve"


def _state(entry: "Entry") -> str:
    return ("approved" if entry.is_approved else "told") if entry.is_told else "waits"
