"""How much it takes to erase something for good on the command line: a flag, and on a terminal a yes."""

import sys
from collections.abc import Iterator

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.output import echo, line, many
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.verb import Misuse, argument, command, option

if TYPE_CHECKING:
    from hindbrain.app.forget import Forgotten


@command(
    examples="""
hindbrain forget mem-01k2x6d0q3v8r5w7y9z1b3d5f7 --hard
hindbrain forget mem-01k2x6d0q3v8r5w7y9z1b3d5f7 --hard --yes --json
"""
)
@argument("memory_id", metavar="ID")
@option("--hard", is_flag=True, help="Yes, erase it: nothing brings it back.")
@option("--yes", is_flag=True, help="Do not ask, on a terminal either.")
def forget(call: Call, memory_id: str, hard: bool, yes: bool) -> int:
    """Erase a memory for good, and prove that it is gone.

    Removes its row, words and versions, also from backups, blanks its receipts, then searches the files for its text.
    """
    if not hard:
        raise Misuse("`hindbrain delete` archives a memory and can be undone; add --hard to erase it.")
    with call.open() as hindbrain:
        title = line(hindbrain.show(memory_id).title)
        is_asked = sys.stdin.isatty() and not yes  # a script has said --hard, and nobody is there to ask
        if is_asked and not is_confirmed(f"Erase '{title}' for good?"):
            echo("Nothing was erased.", err=True)
            return 1
        forgotten = hindbrain.forget(memory_id)
    call.tell(lambda: plain(forgotten), _lines(forgotten))
    return 0


def is_confirmed(question: str) -> bool:
    import click

    return click.confirm(question, err=True)


def _lines(forgotten: "Forgotten") -> Iterator[str]:
    yield f"Erased {line(forgotten.memory_id)}: {many(forgotten.rows, 'row')}; its text is in no file any more."
    for backup in forgotten.backups:
        yield f"  also taken out of {line(backup)}"
