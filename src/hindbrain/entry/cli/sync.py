"""How a person lets files follow the memories: which, where, and what came of it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.value import names_of
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.grammar import family
from hindbrain.entry.cli.output import line, many
from hindbrain.entry.cli.values import OneOf
from hindbrain.entry.cli.verb import argument, command, option

if TYPE_CHECKING:
    from hindbrain.app.sync import Synced

_DIALECT = OneOf("dialect", ("beads", "chorus", "claude", "loki"))
_SETTLE_S = 2.0  # how long an editor may take to save into a file that was replaced under it


@command(
    name="sync",
    examples="""
hindbrain sync on beads
hindbrain sync
hindbrain sync off beads
""",
)
@option("--quick", "is_quick", is_flag=True, help="Do not wait for editors that may have a file open.")
def _run(call: Call, is_quick: bool) -> None:
    """Let files follow the memories; without more, write them anew.

    No file follows until you say so. What somebody changed in a file by hand becomes part of the memory first.
    """
    with call.open() as hindbrain:
        synced = hindbrain.sync(settle_s=0.0 if is_quick else _SETTLE_S)
    call.tell(lambda: {"synced": [_record(one) for one in synced]}, _lines(synced))


@command(
    name="on",
    examples="""
hindbrain sync on beads
hindbrain sync on claude --folder ~/.claude/projects/-home-me-api/memory
""",
)
@argument("dialect", metavar="DIALECT", type=_DIALECT)
@option("--folder", metavar="F", help="Where its files are.  [default: the top of the project]")
@option("--with-scripts", is_flag=True, help="Also what stands in the places of its hooks (beads: .claude/hooks/*.sh).")
def _on(call: Call, dialect: str, folder: str | None, with_scripts: bool) -> None:
    """Let the files of a system follow this project's memories."""
    where = str(Path(folder).expanduser().resolve()) if folder else None
    with call.open(is_new=True) as hindbrain:
        where = hindbrain.follow(dialect, where, has_scripts=with_scripts)
        synced = hindbrain.sync()
    call.tell(lambda: {"folder": where, "synced": [_record(one) for one in synced]}, _lines(synced))


@command(name="off", examples="hindbrain sync off beads")
@argument("dialect", metavar="DIALECT", type=_DIALECT)
def _off(call: Call, dialect: str) -> None:
    """Let them follow no longer; the files stay as they are."""
    with call.open() as hindbrain:
        was_on = hindbrain.unfollow(dialect)
    said = f"{dialect} follows no longer" if was_on else f"{dialect} did not follow"
    call.tell(lambda: {"dialect": dialect, "was_on": was_on}, [said])


sync = family(_run, _on, _off)


@command(examples="hindbrain rebuild")
def rebuild(call: Call) -> None:
    """Write all files that follow the memories anew.

    The same memories give the same bytes, however often; what somebody wrote into them by hand is taken in first.
    """
    with call.open() as hindbrain:
        synced = hindbrain.sync()
    call.tell(lambda: {"synced": [_record(one) for one in synced]}, _lines(synced))


def _record(synced: "Synced") -> dict[str, object]:
    found = {name: getattr(synced, name) for name in names_of(synced)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}


def _lines(synced: "Sequence[Synced]") -> Iterator[str]:
    if not synced:
        yield "No file follows. `hindbrain sync on beads` (or chorus, claude, loki) begins."
    for one in synced:
        yield f"{one.dialect} in {line(one.folder)}: {many(len(one.written), 'file')} written"
        if one.added or one.reworded or one.removed:
            yield f"  by hand: {one.added:,} added, {one.reworded:,} reworded, {one.removed:,} removed"
        for path in one.withheld:
            yield f"  not written, it would hold a secret: {line(path)}"
        for path in one.busy:
            yield f"  somebody keeps saving {line(path)}; run `hindbrain sync` again"
