"""How an agent's words come in on the command line, and how their receipts come out."""

from collections.abc import Iterator, Sequence

from hindbrain.core.hints import TYPE_CHECKING, Unpack
from hindbrain.core.model import Receipt, Verdict
from hindbrain.entry.cli import cards, options
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.intake import notify, take
from hindbrain.entry.cli.output import coloured, dim, many, moment, table
from hindbrain.entry.cli.records import receipt_record
from hindbrain.entry.cli.values import OneOf, Whole
from hindbrain.entry.cli.verb import argument, command, option
from hindbrain.facade import About

if TYPE_CHECKING:
    from hindbrain.app.capture import Captured

_SHOWN_SKIPS = 5


@command(
    examples="""
hindbrain capture transcript.jsonl --format claude
echo 'MEMORY:pitfall:Redis locks expire after 30 s' | hindbrain capture
hindbrain capture - --session s-42 --persona ed --json < answer.txt
"""
)
@argument("file", required=False, metavar="[FILE|-]")
@option(
    "--format",
    type=OneOf("format", options.FORMATS),
    default="text",
    show_default=True,
    metavar="F",
    help="What FILE is: `text` that an agent wrote, a transcript of `claude`, `codex` or `gemini`, or the task log"
    " of `chorus`.",
)
@option("--session", default="", metavar="S", help="The session it was said in.  [default: the transcript's]")
@option("--task", default="", metavar="T", help="The task it was said for.")
@option("--persona", default="", metavar="P", help="Who said it, as in `ed`.")
@option("--hat", default="", metavar="H", help="In which role, as in `critic`.")
@option("--instance", default="", metavar="I", help="Which running agent, as in `ed-001`.")
def capture(call: Call, file: str | None, **about: Unpack[About]) -> None:
    """Learn from what an agent said, with a receipt for each line.

    Reads FILE, or a pipe, and keeps every marked statement: MEMORY:type:…, LEARNED: and INVESTIGATION: in
    comments, `<chorus>LEARNING_LOCAL:…</chorus>`. Quoted or fenced ones, tool output and prompts teach nothing.
    Capturing the same text again changes nothing.
    """
    taken = take(file)
    about["origin"] = taken.origin
    with call.open(is_new=True) as hindbrain:
        captured = hindbrain.capture(taken.text, **about)
    notices = notify(taken, is_json=call.is_json)
    call.tell(lambda: captured_record(captured) | notices, captured_lines(captured))


@command(
    examples="""
hindbrain receipts --limit 10
hindbrain receipts --verdict rejected
hindbrain receipts --session s-42 --json
"""
)
@option("--session", default="", metavar="S", help="Only lines of this session.")
@option(
    "--verdict",
    type=OneOf("verdict", tuple(Verdict)),
    metavar="VERDICT",
    help=f"Only these. One of: {', '.join(Verdict)}.",
)
@options.limit(type=Whole(1, options.MOST), default=50, show_default=True, help="Most receipts to list.")
def receipts(call: Call, session: str, verdict: str | None, limit: int) -> None:
    """List what became of captured lines, newest first."""
    with call.open() as hindbrain:
        found = hindbrain.receipts(session=session, verdict=verdict or "", limit=limit)
    call.tell(lambda: {"receipts": [receipt_record(receipt) for receipt in found]}, _receipt_table(found))


def captured_record(captured: "Captured") -> dict[str, object]:
    return {
        "receipts": [receipt_record(receipt) for receipt in captured.receipts],
        "skipped": [{"line": skipped.line, "reason": skipped.reason} for skipped in captured.skipped],
    }


def captured_lines(captured: "Captured") -> Iterator[str]:
    for receipt in captured.receipts:
        yield from cards.receipt_lines(receipt)
    if captured.receipts:
        yield ""
        yield cards.receipts_summary(captured.receipts)
    else:
        yield "No line looked like a signal; nothing was kept."
    if captured.skipped:
        yield f"{many(len(captured.skipped), 'line')} could not be read, and taught nothing:"
        for skipped in captured.skipped[:_SHOWN_SKIPS]:
            yield from cards.numbered(skipped.line, skipped.reason)
        if len(captured.skipped) > _SHOWN_SKIPS:
            yield dim(f"  and {len(captured.skipped) - _SHOWN_SKIPS} more")


def _receipt_table(found: Sequence[Receipt]) -> Iterator[str]:
    if not found:
        yield "No receipts."
        return
    rows = [[moment(r.at), str(r.verdict), r.session, r.memory_id or "", f"{r.text}  ({r.reason})"] for r in found]
    verdicts = coloured({str(verdict): colour for verdict, colour in cards.VERDICTS.items()})
    yield from table(["AT", "VERDICT", "SESSION", "MEMORY", "TEXT"], rows, styles={0: dim, 1: verdicts, 3: dim})
