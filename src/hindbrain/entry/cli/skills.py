"""How learned skills are looked at and decided about on the command line."""

from collections.abc import Iterator, Sequence

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.model import Memory
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.grammar import family
from hindbrain.entry.cli.output import block, bold, coloured, dim, line, many, table
from hindbrain.entry.cli.records import memory_record
from hindbrain.entry.cli.verb import argument, command, option

if TYPE_CHECKING:
    from hindbrain.app.promote import Approved

_ID = argument("memory_id", metavar="ID")


@command(
    name="skills",
    examples="""
hindbrain skills
hindbrain skills show mem-01k2x6d0q3v8r5w7y9z1b3d5f7
hindbrain skills approve mem-01k2x6d0q3v8r5w7y9z1b3d5f7
""",
)
def _listed(call: Call) -> None:
    """List skills that were learned, and decide about them.

    What three tasks did the same way with success becomes a candidate. No agent is told of a candidate, and
    it is written nowhere, until a person approves it. Then clients can call it by its name.
    """
    with call.open() as hindbrain:
        found = hindbrain.skills()
    call.tell(lambda: {"skills": [memory_record(one) for one in found]}, _table(found))


@command(
    name="list",
    examples="""
hindbrain skills list --json
""",
)
def _list(call: Call) -> None:
    """List skills, the newest first."""
    _listed.run(call)


@command(
    name="show",
    examples="""
hindbrain skills show mem-01k2x6d0q3v8r5w7y9z1b3d5f7
""",
)
@_ID
def _shown(call: Call, memory_id: str) -> None:
    """Print a skill as it would stand in its SKILL.md."""
    with call.open() as hindbrain:
        memory = hindbrain.show(memory_id)
    call.tell(lambda: memory_record(memory), block(memory.content))


@command(
    name="approve",
    examples="""
hindbrain skills approve mem-01k2x6d0q3v8r5w7y9z1b3d5f7
""",
)
@_ID
@option("--by", default="", metavar="NAME", help="Who decides.")
def _approved(call: Call, memory_id: str, by: str) -> None:
    """Let agents be told of a skill, and call it.

    It is written to the project's `.claude/skills`, logged, and can be undone like any rule.
    """
    with call.open() as hindbrain:
        approved = hindbrain.approve_skill(memory_id, by=by)
    rule = approved.rule
    record = {"rule": rule.id if rule else "", "status": str(rule.status) if rule else "", "reason": approved.reason}
    call.tell(lambda: {**memory_record(approved.memory), **record}, _approved_lines(approved))


@command(
    name="refuse",
    examples="""
hindbrain skills refuse mem-01k2x6d0q3v8r5w7y9z1b3d5f7
""",
)
@_ID
def _refused(call: Call, memory_id: str) -> None:
    """Put a skill away; the same steps do not bring it back."""
    with call.open() as hindbrain:
        memory = hindbrain.refuse_skill(memory_id)
    call.tell(lambda: memory_record(memory), [f"Refused: {bold(line(memory.title))}"])


skills = family(_listed, _list, _shown, _approved, _refused)


def _approved_lines(approved: "Approved") -> Iterator[str]:
    yield f"Approved: {bold(line(approved.memory.title))}"
    rule = approved.rule
    if rule is None:
        yield dim(f"  written nowhere: {line(approved.reason)}")
    elif rule.is_standing:
        yield dim(f"  {line(rule.edits[0].path)}; `hindbrain undo {rule.id}` takes it out")
    else:
        yield f"  {line(approved.reason)}: look at it with `hindbrain feed`, then `hindbrain apply {rule.id}`"


def _table(found: Sequence[Memory]) -> Iterator[str]:
    if not found:
        yield "No skill was learned yet: it takes three tasks that did the same with success."
        return
    rows = [[one.id, "approved" if "approved" in one.tags else "candidate", one.title] for one in found]
    styles = {0: dim, 1: coloured({"approved": "green", "candidate": "yellow"})}
    yield from table(["ID", "STATE", "SKILL"], rows, styles=styles)
    yield ""
    yield dim(many(len(found), "skill"))
