"""How a person moves a whole store from a file to a server, or back."""

from contextlib import closing

from hindbrain.core.address import shown
from hindbrain.entry.cli.bar import Bar
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.output import dim, many
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.verb import argument, command


@command(
    examples="""
hindbrain migrate ~/.local/share/hindbrain/hindbrain.db postgresql://hindbrain@db.example/hindbrain
hindbrain migrate postgresql://hindbrain@db.example/hindbrain hindbrain.db
"""
)
@argument("source", metavar="FROM")
@argument("target", metavar="TO")
def migrate(call: Call, source: str, target: str) -> None:
    """Carry a whole store to another: a file, or PostgreSQL.

    The target must be empty. Everything goes along: every version of every memory, receipts, outcomes, vectors, and
    the log of decisions. What was cut short goes on where it stopped when it is run again. In the end all rows of
    both are compared. Stop the worker before; of a server only this machine's queue is carried.
    """
    from hindbrain.app.migrate import left
    from hindbrain.app.migrate import migrate as moved
    from hindbrain.wiring import movable, readable

    with readable(source) as old, movable(target) as new, closing(Bar("migrating", left(old, new))) as bar:
        done = moved(old, new, tell=bar.tell)
    lines = [f"{part.name:12} {part.rows:>9}  {dim(part.digest[:16])}" for part in done.parts if part.rows]
    told = f"{many(done.rows, 'row')} carried to {shown(target)}, and compared"
    step = dim(f"Next, wherever it is to be used: export HINDBRAIN_STORE={shown(target)}")
    call.tell(lambda: {"rows": done.rows, "parts": plain(done.parts)}, [told, *lines, "", step])
