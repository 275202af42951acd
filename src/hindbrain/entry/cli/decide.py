"""How a person decides on the command line what becomes a rule, and what does not."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from hindbrain.core.hints import TYPE_CHECKING, TypedDict, Unpack
from hindbrain.core.model.suggestion import Destination, Suggestion
from hindbrain.entry.cli import proposal
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.intake import take
from hindbrain.entry.cli.output import bold, dim, line
from hindbrain.entry.cli.values import Day, OneOf
from hindbrain.entry.cli.verb import Misuse, argument, command, option

if TYPE_CHECKING:
    from hindbrain.facade import Hindbrain


class _Wish(TypedDict):
    text: str | None
    path: str | None
    destination: str | None
    is_applying: bool
    by: str


@command(
    examples="""
hindbrain apply sug-01k2x6d0q3v8r5w7y9z1b3d5f7
hindbrain apply sug-01k2x6d0q3v8r5w7y9z1b3d5f7 --rebase --by anna
hindbrain apply --all-safe
"""
)
@argument("ids", metavar="[ID]...", nargs=-1)
@option("--rebase", is_flag=True, help="Make the diff anew where the file has changed since.")
@option("--all-safe", is_flag=True, help="All that waits, but for settings, removals and files that changed since.")
@option("--by", default="", metavar="NAME", help="Who decides; kept in the audit log.")
def apply(call: Call, ids: Sequence[str], rebase: bool, all_safe: bool, by: str) -> None:
    """Make suggestions rules: change the files, and log it.

    Each file is changed in one step and in its own style. One that is not as the diff has it is left alone. `undo`
    gives it back byte by byte.
    """
    if bool(ids) == all_safe:
        raise Misuse("Name suggestions, or give --all-safe.")
    if all_safe:
        with call.open() as hindbrain:
            done = hindbrain.apply_safe(by=by)
        _told(call, done)
        return
    _each(call, ids, decide=lambda hindbrain, one: hindbrain.apply(one, is_rebasing=rebase, by=by))


@command(
    examples="""
hindbrain patch sug-01k2x6d0q3v8r5w7y9z1b3d5f7 --text "Map what the code reads before you remove a layer"
hindbrain patch sug-01k2x6d0q3v8r5w7y9z1b3d5f7 --file rule.txt --apply
"""
)
@argument("suggestion_id", metavar="ID")
@option("--text", metavar="TEXT", help="How the rule should read.")
@option("--file", "path", metavar="F", help="The same, from a file; - is stdin.")
@option("--destination", type=OneOf("destination", tuple(Destination)), metavar="D", help="Where it should stand.")
@option("--apply", "is_applying", is_flag=True, help="Apply it at once.")
@option("--by", default="", metavar="NAME", help="Who decides; kept in the audit log.")
def patch(call: Call, suggestion_id: str, **wish: Unpack[_Wish]) -> None:
    """Put a suggestion in your own words before it is applied."""
    text, path, destination = wish["text"], wish["path"], wish["destination"]
    if text is not None and path is not None:
        raise Misuse("Give --text or --file, not both.")
    if text is None and path is None and destination is None:
        raise Misuse("Say how it should read: --text, --file or --destination.")
    said = take(path).text if path is not None else text or ""
    with call.open() as hindbrain:
        changed = hindbrain.patch(suggestion_id, said, destination=destination or "", by=wish["by"])
        if wish["is_applying"]:
            changed = hindbrain.apply(changed.id, by=wish["by"])
    call.tell(lambda: proposal.record(changed), _patched_lines(changed))


@command(
    examples="""
hindbrain refuse sug-01k2x6d0q3v8r5w7y9z1b3d5f7 --reason "we want raw entities there"
"""
)
@argument("ids", metavar="ID...", nargs=-1, required=True)
@option("--reason", default="", metavar="TEXT", help="Why; kept with the decision.")
@option("--by", default="", metavar="NAME", help="Who decides; kept in the audit log.")
def refuse(call: Call, ids: Sequence[str], reason: str, by: str) -> None:
    """Refuse suggestions; their lessons are never proposed again."""
    _each(call, ids, decide=lambda hindbrain, one: hindbrain.refuse(one, reason=reason, by=by))


@command(
    examples="""
hindbrain snooze sug-01k2x6d0q3v8r5w7y9z1b3d5f7 --until 2030-01-31
"""
)
@argument("suggestion_id", metavar="ID")
@option("--until", type=Day(is_end=False), required=True, metavar="DATE", help="When it comes back.")
@option("--by", default="", metavar="NAME", help="Who decides; kept in the audit log.")
def snooze(call: Call, suggestion_id: str, until: datetime, by: str) -> None:
    """Keep a suggestion out of the feed for a while."""
    with call.open() as hindbrain:
        asleep = hindbrain.snooze(suggestion_id, until=until, by=by)
    _told(call, [asleep])


@command(
    examples="""
hindbrain undo sug-01k2x6d0q3v8r5w7y9z1b3d5f7
hindbrain undo sug-01k2x6d0q3v8r5w7y9z1b3d5f7 --merge
"""
)
@argument("ids", metavar="ID...", nargs=-1, required=True)
@option("--merge", is_flag=True, help="Where somebody changed the file since: take out only the rule.")
@option("--by", default="", metavar="NAME", help="Who decides; kept in the audit log.")
def undo(call: Call, ids: Sequence[str], merge: bool, by: str) -> None:
    """Take rules back: the files are as they were.

    Rules that were applied later stay. A file that somebody else changed since is left alone, unless with --merge.
    """
    _each(call, ids, decide=lambda hindbrain, one: hindbrain.undo(one, is_merging=merge, by=by))


def _each(call: Call, ids: Sequence[str], *, decide: "Callable[[Hindbrain, str], Suggestion]") -> None:
    """One after the other; the first that fails ends it, and those before it stand."""
    with call.open() as hindbrain:
        done = [decide(hindbrain, one) for one in ids]
    _told(call, done)


def _told(call: Call, done: Sequence[Suggestion]) -> None:
    call.tell(lambda: {"suggestions": [proposal.record(one) for one in done]}, _lines(done))


def _lines(done: Sequence[Suggestion]) -> Iterator[str]:
    if not done:
        yield "Nothing was done."
    for one in done:
        files = ", ".join(edit.path for edit in one.edits)
        yield f"{bold(str(one.status))}: {line(one.title)}"
        yield f"  {dim(line(f'{one.id}  {files}'))}"


def _patched_lines(changed: Suggestion) -> Iterator[str]:
    yield from proposal.lines(changed)
    if not changed.is_standing:
        yield f"  hindbrain apply {line(changed.id)}"
