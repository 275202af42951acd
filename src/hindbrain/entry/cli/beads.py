"""How scripts that were made for Beads get the answers that they expect."""

from collections.abc import Sequence

from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.grammar import family
from hindbrain.entry.cli.output import echo
from hindbrain.entry.cli.verb import argument, command, option

_FOLDER = option("--folder", metavar="F", help="Where `.beads` is.  [default: the top of the project]")


@command(name="beads", examples="hindbrain beads --folder .")
@_FOLDER
def _start(call: Call, folder: str | None) -> None:
    """Answer as the scripts of Beads do.

    Prints what a new session is told; `recall` searches. Reads `.beads/memory` as it lies there, and
    `hindbrain sync on beads` keeps it.
    """
    _print(call, None, folder=folder)


@command(
    name="recall",
    examples="""
hindbrain beads recall "redis lock"
hindbrain beads recall --folder ../api token
""",
)
@_FOLDER
@argument("words", nargs=-1, required=False, metavar="[--] [QUERY] [OPTION]...")
def _recall(call: Call, folder: str | None, words: Sequence[str]) -> int:
    """Answer as recall.sh does.

    Behind `--` come its own options: [query] [--type T] [--all] [--recent N] [--stats] [--regex].
    """
    return _print(call, words, folder=folder)


beads = family(_start, _recall)


def _print(call: Call, words: Sequence[str] | None, *, folder: str | None) -> int:
    from hindbrain.wiring import as_beads

    with call.open() as hindbrain:
        found = hindbrain.files("beads", folder)
    files = {path.rpartition("/")[2]: content for path, content in found.items() if ".beads/memory/" in f"/{path}"}
    text, code = as_beads(words, files)
    if call.is_json:
        call.tell(lambda: {"text": text}, [])
    else:
        echo(text, is_line=False)
    return code
