"""How memories leave and enter on the command line: whole files, never half ones."""

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.intake import notify, take
from hindbrain.entry.cli.output import echo, escaped, line, many
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.verb import argument, command, option

if TYPE_CHECKING:
    from hindbrain.app.portable import Imported


@command(
    examples="""
hindbrain export > memories.json
hindbrain export --project api --output api.json
"""
)
@option("--output", "target", metavar="FILE", help="Write here.  [default: stdout]")
def export(call: Call, target: str | None) -> None:
    """Write the memories of a project as JSON.

    The format is that of Dex; `hindbrain import` reads it again, in this project or in another one.
    """
    with call.open() as hindbrain:
        text = hindbrain.export()
    if target is None or target == "-":
        echo(escaped(text), is_line=not text.endswith("\n"))
        return
    _write(Path(target), text)
    call.tell(lambda: {"written": target, "bytes": len(text.encode())}, [f"Written to {line(target)}"])


@command(
    name="import",
    examples="""
hindbrain import memories.json
hindbrain import --foreign < from-a-colleague.json
""",
)
@argument("file", required=False, metavar="[FILE|-]")
@option(
    "--restore/--foreign",
    "is_own",
    default=None,
    help="Take confidence and counters as they stand, or cap them.  [default: restore what this store wrote]",
)
def import_(call: Call, file: str | None, is_own: bool | None) -> None:
    """Read memories that `export` wrote.

    Importing a file twice changes nothing. What comes from elsewhere is believed a little less.
    """
    taken = take(file)
    with call.open(is_new=True) as hindbrain:
        imported = hindbrain.import_(taken.text, is_own=is_own)
    notices = notify(taken, is_json=call.is_json)
    call.tell(lambda: plain(imported) | notices, _lines(imported))


def _write(path: Path, text: str) -> None:
    """Whole or not at all: an export that fails must not cost the one before it."""
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        path.write_text(text, "utf-8")  # /dev/stdout, a pipe: nothing to replace
        return
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def _lines(imported: "Imported") -> Iterator[str]:
    total = imported.created + imported.updated + imported.unchanged + imported.merged
    yield (
        f"{many(total, 'memory', plural='memories')} read: {imported.created} created, {imported.updated} updated,"
        f" {imported.unchanged} unchanged, {imported.merged} merged"
    )
    if imported.quarantined:
        yield f"  {imported.quarantined:,} of them wait for you: hindbrain review"
    if imported.ignored_keys:
        yield f"  not understood and left out: {line(', '.join(imported.ignored_keys))}"
    if imported.removed:
        yield f"  taken out: {line(', '.join(imported.removed))}"
