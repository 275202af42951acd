"""How memories are listed as they stand, by what they are or by what they literally say."""

from collections.abc import Iterator, Sequence

from hindbrain.app.gather import UNREAD
from hindbrain.core.hints import Unpack
from hindbrain.core.model import Memory
from hindbrain.entry.cli import options
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.cards import memory_table
from hindbrain.entry.cli.output import dim, line, many
from hindbrain.entry.cli.records import memory_record
from hindbrain.entry.cli.values import OneOf, Share, Whole
from hindbrain.entry.cli.verb import argument, command, option
from hindbrain.facade import Which


@command(
    name="list",
    examples="""
hindbrain list
hindbrain list --type pitfall --type fix --min-confidence 0.7
hindbrain list --all --as-of 2026-01-31 --json
""",
)
@options.types
@options.kinds
@option("--min-confidence", type=Share(), metavar="0..1", help="Only those at least this sure.")
@options.after
@options.before
@option("--persona", default="", metavar="P", help="Shared ones and this persona's own.")
@options.limit(type=Whole(0, options.MOST), default=0, help="Most memories to list; 0: all.  [default: 0]")
@option("--all", "with_all", is_flag=True, help="Also superseded, archived and quarantined ones.")
@options.as_of
@option(
    "--order",
    type=OneOf("order", ("confidence", "newest")),
    default="confidence",
    show_default=True,
    help="What comes first.",
)
def list_(call: Call, **which: Unpack[Which]) -> None:
    """List memories, the most certain first."""
    with call.open() as hindbrain, hindbrain.store.leaving_out() as unread:
        found = hindbrain.list(**which)
        name = hindbrain.project_name
    call.note(map(UNREAD.format, unread))
    call.tell(lambda: _record(found, unread), _lines(found, nothing=f"No memories in {name} match."))


@command(
    examples="""
hindbrain search "session token"
hindbrain search lock --type pitfall --after 2026-01-01
hindbrain search "50%" --before 2026-06-30 --json
"""
)
@argument("query")
@options.types
@options.after
@options.before
@options.limit(type=Whole(1, 100), default=50, show_default=True, help="Most memories to list, up to 100.")
@option("--all", "with_all", is_flag=True, help="Also superseded, archived and quarantined ones.")
@options.as_of
def search(call: Call, query: str, **which: Unpack[Which]) -> None:
    """Find memories that hold QUERY as it stands.

    Looks for QUERY in titles and contents, letter by letter; upper and lower case are the same. To find what
    bears on a question in other words, use `hindbrain recall`.
    """
    which["containing"] = query
    with call.open() as hindbrain, hindbrain.store.leaving_out() as unread:
        found = hindbrain.list(**which)
    call.note(map(UNREAD.format, unread))
    call.tell(lambda: _record(found, unread), _lines(found, nothing=f"No memory holds '{query[:200]}'."))


def _record(found: Sequence[Memory], unread: Sequence[str]) -> dict[str, object]:
    notices = {"notices": [UNREAD.format(key) for key in unread]} if unread else {}
    return {"memories": [memory_record(memory) for memory in found], **notices}


def _lines(found: Sequence[Memory], *, nothing: str) -> Iterator[str]:
    if not found:
        yield line(nothing)
        return
    yield from memory_table(found)
    yield ""
    yield dim(many(len(found), "memory", plural="memories"))
