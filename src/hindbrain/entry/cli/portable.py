"""How memories leave and enter on the command line: whole files, never half ones."""

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.model.foreign import Fate
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.intake import notify, take
from hindbrain.entry.cli.output import echo, escaped, line, many
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.values import OneOf
from hindbrain.entry.cli.verb import Misuse, argument, command, option

if TYPE_CHECKING:
    from hindbrain.app.adopt import Adopted
    from hindbrain.app.portable import Imported

DIALECTS = ("beads", "chorus", "claude", "cursor", "dex", "loki", "mem0", "rules", "server-memory")
_TOLD = 20  # lines of a report that a person reads


@command(
    examples="""
hindbrain export > memories.json
hindbrain export --project api --output api.json
hindbrain export beads .
"""
)
@argument("dialect", required=False, metavar="[DIALECT]", type=OneOf("dialect", DIALECTS))
@argument("folder", required=False, metavar="[FOLDER]")
@option("--output", "target", metavar="FILE", help="Write here.  [default: stdout]")
def export(call: Call, dialect: str | None, folder: str | None, target: str | None) -> None:
    """Write the memories as JSON, or as the files of another system.

    Without a DIALECT the format is that of Dex; `hindbrain import` reads it again, in this project or in another
    one. With one, its files are written below FOLDER, where that system looks for them.
    """
    if dialect is not None:
        _hand_out(call, dialect, folder=folder, target=target)
        return
    with call.open() as hindbrain:
        text = hindbrain.export()
    if target is None or target == "-":
        echo(escaped(text), is_line=not text.endswith("\n"))
        return
    _write(Path(target), text)
    call.tell(lambda: {"written": target, "bytes": len(text.encode())}, [f"Written to {line(target)}"])


def _hand_out(call: Call, dialect: str, *, folder: str | None, target: str | None) -> None:
    if folder is None or target is not None:
        raise Misuse("A dialect has several files: name the FOLDER to write them to, without --output.")
    with call.open() as hindbrain:
        changed = hindbrain.hand_out(dialect, folder)
    lines = [f"{many(len(changed), 'file')} written to {line(folder)}", *(f"  {line(name)}" for name in changed)]
    call.tell(lambda: {"folder": folder, "written": list(changed)}, lines)


@command(
    name="import",
    examples="""
hindbrain import memories.json
hindbrain import --foreign < from-a-colleague.json
hindbrain import beads .
hindbrain import claude ~/.claude/projects/-home-me-api/memory
""",
)
@argument("source", required=False, metavar="[DIALECT|FILE|-]")
@argument("path", required=False, metavar="[PATH]")
@option(
    "--restore/--foreign",
    "is_own",
    default=None,
    help="Take confidence and counters as they stand, or cap them.  [default: restore what this store wrote]",
)
def import_(call: Call, source: str | None, path: str | None, is_own: bool | None) -> None:
    """Read what `export` wrote, or the files of another system.

    With a DIALECT (beads, chorus, claude, cursor, dex, loki, mem0, rules, server-memory) PATH is a file or a folder,
    and every line is reported as read, repaired or rejected. Importing twice changes nothing. What comes from
    elsewhere is believed a little less.
    """
    if path is not None:
        _adopt(call, source or "", path=path)
        return
    if source in DIALECTS:
        raise Misuse(f"Name the file or folder to read: hindbrain import {source} PATH")
    taken = take(source)
    with call.open(is_new=True) as hindbrain:
        imported = hindbrain.import_(taken.text, is_own=is_own)
    notices = notify(taken, is_json=call.is_json)
    call.tell(lambda: plain(imported) | notices, _lines(imported))


def _adopt(call: Call, dialect: str, *, path: str) -> None:
    with call.open(is_new=True) as hindbrain:
        adopted = hindbrain.adopt(dialect, path)
    call.tell(lambda: _adopted_record(adopted), _adopted_lines(adopted))


def _adopted_record(adopted: "Adopted") -> dict[str, object]:
    items = [{"where": item.where, "fate": str(item.fate), "reason": item.reason} for item in adopted.items]
    report = {str(fate): adopted.count(fate) for fate in Fate}
    kept = {name: getattr(adopted, name) for name in ("created", "known", "changed", "waiting")}
    return {"report": {**report, "items": items}, **kept, "removed": list(adopted.removed)}


def _adopted_lines(adopted: "Adopted") -> Iterator[str]:
    told = ", ".join(f"{adopted.count(fate):,} {fate}" for fate in Fate)
    yield f"{many(len(adopted.items), 'line or file', plural='lines and files')}: {told}"
    yield f"  {adopted.created:,} created, {adopted.known:,} known already, {adopted.changed:,} changed what was here"
    if adopted.waiting:
        yield f"  {adopted.waiting:,} of them wait for you: hindbrain review"
    if adopted.removed:
        yield f"  taken out: {line(', '.join(adopted.removed))}"
    odd = [item for item in adopted.items if item.fate is not Fate.READ]
    for item in odd[:_TOLD]:
        yield f"  {item.fate} {line(item.where)}: {line(item.reason)}"
    if len(odd) > _TOLD:
        yield f"  … and {len(odd) - _TOLD:,} more: --json lists them all"


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
