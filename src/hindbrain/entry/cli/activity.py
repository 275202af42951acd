"""How the activity log is read and written on the command line, and how it is learned from by hand."""

from collections.abc import Iterator, Sequence

from hindbrain.core.hints import TYPE_CHECKING, Unpack
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.entry.cli import options
from hindbrain.entry.cli.call import Call, given
from hindbrain.entry.cli.grammar import family
from hindbrain.entry.cli.output import bold, coloured, dim, line, many, moment, table
from hindbrain.entry.cli.records import plain, receipt_record
from hindbrain.entry.cli.values import OneOf, Whole
from hindbrain.entry.cli.verb import command, option

if TYPE_CHECKING:
    from hindbrain.core.model import Receipt
    from hindbrain.facade import Done

_TOLD = 100  # characters of a subject in a list


@command(
    name="activity",
    examples="""
hindbrain activity --session 7f3c --limit 20
hindbrain activity --json
hindbrain activity add --session 7f3c --deed hat --subject "explorer->planner"
""",
)
@option("--session", default="", metavar="S", help="Only what that session did.")
@options.limit(type=Whole(1, options.MOST), default=50, show_default=True, help="Most lines to print, the latest ones.")
def _listed(call: Call, session: str, limit: int) -> None:
    """List what agents did, or note it down.

    Hooks fill this log. Quality gates, changes of hats, failures that were cured and completed tasks in it
    teach without anybody saying so.
    """
    with call.open() as hindbrain:
        found = hindbrain.activities(session=session, limit=limit)
    call.tell(lambda: {"activities": plain(tuple(found))}, _lines(found))


@command(
    name="add",
    examples="""
hindbrain activity add --session 7f3c --deed gate --subject tests --result failed --detail "ValueError: no rows"
hindbrain activity add --session 7f3c --deed edit --subject src/rows.py --detail "+ rows = rows or []"
hindbrain activity add --session 7f3c --deed gate --subject tests --result passed
""",
)
@option("--deed", type=OneOf("deed", tuple(Deed)), required=True, metavar="DEED", help=f"One of: {', '.join(Deed)}.")
@option("--session", required=True, metavar="S", help="The session in which it was done.")
@option("--subject", default="", metavar="TEXT", help="A file, a command, a gate, or FROM->TO for hats.")
@option(
    "--result",
    type=OneOf("result", tuple(result for result in Result if result)),
    metavar="R",
    help="passed or failed.",
)
@option("--detail", default="", metavar="TEXT", help="Output, answer, or the lines of an edit: `- gone`, `+ come`.")
@option("--hat", default="", metavar="H", help="As whom: explorer, planner, creator, critic.")
@option("--task", default="", metavar="T", help="The task that it belongs to.")
@option("--agent", default="", metavar="A", help="The subagent that did it.")
@option("--agent-type", default="", metavar="A", help="What kind of subagent that is.")
def _added(call: Call, deed: str, session: str, **done: "Unpack[Done]") -> None:
    """Note what an agent did; changes of hats, gates and completions are learned from at once."""
    with call.open(is_new=True) as hindbrain:
        recorded = hindbrain.record(deed, session=session, **given(done))
    noted = [f"Noted: {bold(line(one.deed))} {line(one.subject)[:_TOLD]}".rstrip() for one in recorded.activities]
    call.tell(
        lambda: {"activities": plain(recorded.activities), **_record(recorded.receipts)},
        [*noted, *_learned(recorded.receipts)],
    )


activity = family(_listed, _added)


@command(
    examples="""
hindbrain extract --session 7f3c
hindbrain extract --session 7f3c --json
"""
)
@option("--session", required=True, metavar="S", help="The session to learn from.")
def extract(call: Call, session: str) -> None:
    """Learn from what a session did, without being told.

    The worker does this by itself whenever a session rests. Asking again does nothing until more was done.
    """
    with call.open() as hindbrain:
        receipts = hindbrain.extract(session)
    call.tell(lambda: _record(receipts), _learned(receipts) or ["Nothing new to learn."])


def _record(receipts: "Sequence[Receipt]") -> dict[str, object]:
    return {"receipts": [receipt_record(one) for one in receipts]}


def _learned(receipts: "Sequence[Receipt]") -> list[str]:
    return [
        row
        for one in receipts
        for row in (
            f"{bold(line(one.verdict))}  {line(one.text)[:_TOLD]}",
            f"  {dim(line(one.memory_id or ''))}  {dim(line(one.reason))}",
        )
    ]


def _lines(found: Sequence[Activity]) -> Iterator[str]:
    if not found:
        yield "Nothing was noted yet. Hooks do that: hindbrain init"
        return
    rows = [
        [moment(one.at), one.session[:12], one.hat or one.agent_type, one.deed, one.result, line(one.subject)[:_TOLD]]
        for one in found
    ]
    styles = {0: dim, 1: dim, 4: coloured({"passed": "green", "failed": "red"})}
    yield from table(["AT", "SESSION", "AS", "DEED", "RESULT", "SUBJECT"], rows, styles=styles)
    yield ""
    yield dim(many(len(found), "activity", plural="activities"))
