"""How what agents leave in writing is looked at and written on the command line."""

import json
from collections.abc import Iterator, Sequence

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.model.paper import Paper
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.grammar import family
from hindbrain.entry.cli.intake import take
from hindbrain.entry.cli.output import block, bold, dim, line, many, moment, table
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.verb import argument, command, option
from hindbrain.errors import BadValue

if TYPE_CHECKING:
    from hindbrain.app.continuity import Renewed


@command(
    name="ledger",
    examples="""
hindbrain ledger
hindbrain ledger show eng-001-backend
hindbrain ledger save eng-001-backend --file state.json
""",
)
def _ledgers(call: Call) -> None:
    """Show where agents stand: their last checkpoints."""
    with call.open() as hindbrain:
        found = hindbrain.ledgers()
    call.tell(lambda: {"ledgers": [plain(one) for one in found]}, _ledger_lines(found))


@command(name="show", examples="hindbrain ledger show eng-001-backend --json")
@argument("agent", metavar="AGENT")
def _ledger(call: Call, agent: str) -> None:
    """Print one agent's ledger."""
    with call.open() as hindbrain:
        (found,) = hindbrain.ledgers(agent)
    call.tell(lambda: plain(found), _paper_lines(found))


@command(
    name="save",
    examples="""
hindbrain ledger save eng-001-backend --file state.json
hindbrain ledger save eng-001-backend < state.json
""",
)
@argument("agent", metavar="AGENT")
@option("--file", "source", metavar="FILE", help="A JSON object; `-` reads it from a pipe.  [default: a pipe]")
def _save(call: Call, agent: str, source: str | None) -> None:
    """Write an agent's checkpoint, in the place of its last one."""
    data = _object(take(source).text)
    with call.open(is_new=True) as hindbrain:
        saved = hindbrain.save_ledger(agent, data)
    call.tell(lambda: plain(saved), [f"Saved the ledger of {bold(line(saved.agent))}"])


ledger = family(_ledgers, _ledger, _save)


@command(
    name="handoff",
    examples="""
hindbrain handoff
hindbrain handoff write --from eng-001 --to qa-001 --done "POST /api/todos works" --needs "contract tests"
hindbrain handoff take handoff-001
""",
)
def _handoffs(call: Call) -> None:
    """Hand work from one agent to the next; without more, list it.

    An agent that begins is told what waits for it, once. A day later a handoff is stale, and nobody is told.
    """
    _tell_handoffs(call)


@command(name="list", examples="hindbrain handoff list")
def _list(call: Call) -> None:
    """List all handoffs, oldest first."""
    _tell_handoffs(call)


@command(name="show", examples="hindbrain handoff show handoff-001")
@argument("paper_id", metavar="ID")
def _shown(call: Call, paper_id: str) -> None:
    """Print one handoff."""
    with call.open() as hindbrain:
        found = hindbrain.handoff(paper_id)
    call.tell(lambda: plain(found), _paper_lines(found))


@command(
    name="write",
    examples="""
hindbrain handoff write --from eng-001 --to qa-001 --done "POST /api/todos works" --needs "contract tests"
hindbrain handoff write --from eng-001 --done "Parser split" --issue "lint fails" --artifact src/parse.py
""",
)
@option("--from", "agent", required=True, metavar="AGENT", help="Who hands over.")
@option("--to", default="", metavar="AGENT", help="To whom.  [default: whoever comes next]")
@option("--done", required=True, metavar="TEXT", help="What was done.")
@option("--needs", multiple=True, metavar="TEXT", help="What must be tested; repeatable.")
@option("--issue", "issues", multiple=True, metavar="TEXT", help="What is known to be wrong; repeatable.")
@option("--artifact", "artifacts", multiple=True, metavar="P", help="A file that was made or changed; repeatable.")
@option("--pattern", "patterns", multiple=True, metavar="ID", help="A memory that bears on it; repeatable.")
@option("--git", default="", metavar="TEXT", help="The state of the code, such as a commit.")
def _written(call: Call, **handed: object) -> None:
    """Leave a handoff for the next agent."""
    with call.open(is_new=True) as hindbrain:
        made = hindbrain.hand_over(**handed)  # type: ignore[arg-type]
    to = line(made.to) or "whoever comes next"
    call.tell(lambda: plain(made), [f"{bold(line(made.id))} waits for {to}"])


@command(name="take", examples="hindbrain handoff take handoff-001")
@argument("paper_id", metavar="ID")
def _taken(call: Call, paper_id: str) -> None:
    """Mark a handoff as taken: nobody else is told."""
    with call.open() as hindbrain:
        found = hindbrain.take_handoff(paper_id)
    call.tell(lambda: plain(found), [f"Taken: {bold(line(found.id))}", f"  {dim(moment(found.taken_at))}"])


handoff = family(_handoffs, _list, _shown, _written, _taken)


@command(
    examples="""
hindbrain continuity
hindbrain continuity --write
"""
)
@option(
    "--write", "is_written", is_flag=True, help="Write it; the project must follow loki (`hindbrain sync on loki`)."
)
@option("--session", default="", metavar="S", help="Whose work it tells of.  [default: the last session]")
def continuity(call: Call, is_written: bool, session: str) -> None:
    """Print CONTINUITY.md: what is being done right now.

    Only sections of ours are made anew; what a person wrote around them keeps every byte.
    """
    with call.open() as hindbrain:
        found = hindbrain.continuity(session=session, is_written=is_written)
    if is_written and not found.path:
        raise BadValue("no file follows loki here", fix="begin with `hindbrain sync on loki`")
    call.tell(lambda: plain(found), _continuity_lines(found, is_written=is_written))
    if found.is_busy:
        call.note([f"somebody keeps saving {found.path}; run it again"])


def _continuity_lines(found: "Renewed", *, is_written: bool) -> Iterator[str]:
    if not is_written:
        yield from block(found.text.rstrip("\n"))
        return
    yield f"Written to {line(found.path)}"
    if found.copy:
        yield f"  not in it, and kept: {line(found.copy)}"


def _object(text: str) -> dict[str, object]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadValue(f"that is no JSON: {error}", fix="give one JSON object") from None
    if not isinstance(found, dict):
        raise BadValue("that is no JSON object", fix='give something like {"current_task": "task-042"}')
    return found


def _tell_handoffs(call: Call) -> None:
    with call.open() as hindbrain:
        found = [(one, hindbrain.is_stale(one)) for one in hindbrain.handoffs()]
    records = [{**plain(one), "is_stale": is_stale} for one, is_stale in found]
    call.tell(lambda: {"handoffs": records}, _handoff_lines(found))


def _handoff_lines(found: Sequence[tuple[Paper, bool]]) -> Iterator[str]:
    if not found:
        yield "Nothing has been handed over yet."
        return
    rows = [[one.id, moment(one.at), _way(one), _state(one, is_stale), _said(one)] for one, is_stale in found]
    yield from table(["ID", "AT", "FROM", "STATE", "DONE"], rows, styles={1: dim})
    yield ""
    yield dim(many(len(found), "handoff"))


def _ledger_lines(found: Sequence[Paper]) -> Iterator[str]:
    if not found:
        yield "No agent has a ledger yet."
        return
    rows = [[one.agent, moment(one.at), str(one.data.get("current_task") or "")] for one in found]
    yield from table(["AGENT", "AT", "TASK"], rows, styles={1: dim})


def _paper_lines(paper: Paper) -> Iterator[str]:
    yield f"{bold(line(paper.id))}  {dim(moment(paper.at))}"
    yield from block(json.dumps(paper.data, ensure_ascii=False, indent=2), indent="  ")


def _way(paper: Paper) -> str:
    return f"{paper.agent or '?'} -> {paper.to or 'anyone'}"


def _state(paper: Paper, is_stale: bool) -> str:
    return "taken" if paper.taken_at else "stale" if is_stale else "waits"


def _said(paper: Paper) -> str:
    context = paper.data.get("context")
    said = context.get("what_was_done") if isinstance(context, dict) else paper.data.get("reason")
    return str(said or "")
