"""How the ties between memories are looked at, made and drawn on the command line."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.model import Relation
from hindbrain.core.model.moment import stamp
from hindbrain.entry.cli import options
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.output import bold, dim, echo, escaped, line, many
from hindbrain.entry.cli.values import OneOf, Whole
from hindbrain.entry.cli.verb import argument, command, option

if TYPE_CHECKING:
    from hindbrain.app.link import Tie
    from hindbrain.core.graph import Web
    from hindbrain.core.model import Memory

_MOST = 500  # points of one picture


@command(
    examples="""
hindbrain links mem-01k2x6d0q3v8r5w7y9z1b3d5f7
hindbrain links mem-01k2x6d0q3v8r5w7y9z1b3d5f7 --depth 3 --json
hindbrain links mem-01k2x6d0q3v8r5w7y9z1b3d5f7 --add elaborates mem-01k2x6d0q3v8r5w7y9z1b3d5f8
hindbrain links mem-01k2x6d0q3v8r5w7y9z1b3d5f7 --remove elaborates mem-01k2x6d0q3v8r5w7y9z1b3d5f8
"""
)
@argument("memory_id", metavar="ID")
@option("--add", nargs=2, metavar="RELATION OTHER", help=f"Link it to another. One of: {', '.join(Relation)}.")
@option("--remove", nargs=2, metavar="RELATION OTHER", help="Take the link to another away; what it hid is shown.")
@option("--reason", default="", metavar="TEXT", help="Why they belong together; kept with the link.")
@option("--depth", type=Whole(1, 10), default=1, show_default=True, metavar="N", help="Steps to follow.")
def links(
    call: Call,
    memory_id: str,
    add: tuple[str, str] | None,
    remove: tuple[str, str] | None,
    reason: str,
    depth: int,
) -> None:
    """Show what a memory is linked to, or link it.

    A link is seen from both ends. What you say is superseded is hidden from recall; `restore` brings it back, and so
    does taking the link away.
    """
    with call.open() as hindbrain:
        memory = hindbrain.show(memory_id)
        if remove:
            hindbrain.unlink(memory.id, remove[0], other=remove[1])
        if add:
            hindbrain.link(memory.id, add[0], other=add[1], reason=reason)
        ties = hindbrain.links(memory.id, depth=depth)
    record = {"memory_id": memory.id, "links": [_record(tie) for tie in ties]}
    call.tell(lambda: record, _lines(memory, ties))


@command(
    examples="""
hindbrain graph > memories.dot
hindbrain graph --format svg --output memories.svg
hindbrain graph --format json --kind pattern --relation derived_from
"""
)
@option(
    "--format",
    "form",
    type=OneOf("format", ("dot", "json", "svg")),
    default="dot",
    show_default=True,
    metavar="F",
    help="dot, json or svg.",
)
@options.kinds
@option(
    "--relation",
    "relations",
    multiple=True,
    type=OneOf("relation", tuple(Relation)),
    metavar="R",
    help=f"Only this relation; repeatable. One of: {', '.join(Relation)}.",
)
@options.limit(
    type=Whole(1, _MOST), default=200, show_default=True, help="Most memories to draw, the most linked first."
)
@option("--output", "target", metavar="FILE", help="Write here.  [default: stdout]")
def graph(
    call: Call, form: str, kinds: Sequence[str], relations: Sequence[str], limit: int, target: str | None
) -> None:
    """Draw the memories of the project that are linked to each other."""
    from hindbrain.core.graph import as_dot, as_svg

    with call.open() as hindbrain:
        web = hindbrain.graph(kinds=kinds, relations=relations, limit=limit)
    if web.left_out:
        call.note([f"{web.left_out:,} more are linked; --limit shows up to {_MOST}"])
    if call.is_json and target is None:
        call.tell(lambda: _web_record(web), [])
        return
    text = as_svg(web) if form == "svg" else as_dot(web) if form == "dot" else _json(web)
    if target is None or target == "-":
        echo(escaped(text), is_line=False)
        return
    Path(target).write_text(text, "utf-8")
    said = (
        f"{many(len(web.memories), 'memory', plural='memories')} and {many(len(web.links), 'link')} in {line(target)}"
    )
    call.tell(lambda: {"written": target, "memories": len(web.memories), "links": len(web.links)}, [said])


def _json(web: "Web") -> str:
    return json.dumps(_web_record(web), ensure_ascii=False, indent=2) + "\n"


def _web_record(web: "Web") -> dict[str, object]:
    return {
        "memories": [
            {"id": memory.id, "title": memory.title, "kind": str(memory.kind), "state": str(memory.state)}
            for memory in web.memories
        ],
        "links": [
            {
                "source": link.source,
                "target": link.target,
                "relation": str(link.relation),
                "reason": link.reason,
                "at": stamp(link.at),
            }
            for link in web.links
        ],
        "left_out": web.left_out,
    }


def _record(tie: "Tie") -> dict[str, object]:
    return {
        "from": tie.near,
        "relation": tie.seen_as if tie.is_outward or tie.relation.inverse else str(tie.relation),
        "is_outward": tie.is_outward,
        "to": tie.far.id,
        "title": tie.far.title,
        "kind": str(tie.far.kind),
        "state": str(tie.far.state),
        "steps": tie.steps,
        "reason": tie.reason,
    }


def _lines(memory: "Memory", ties: "Sequence[Tie]") -> Iterator[str]:
    yield f"{bold(line(memory.title))}  {dim(line(memory.id))}"
    if not ties:
        yield "  no links"
    for tie in ties:
        arrow = "→" if tie.is_outward else "←"
        state = "" if tie.far.state == "live" else f" [{tie.far.state}]"
        yield f"{'  ' * tie.steps}{arrow} {tie.seen_as} {line(tie.far.title)}{state}  {dim(line(tie.far.id))}"
        if tie.reason:
            yield f"{'  ' * tie.steps}    {dim(line(tie.reason))}"
