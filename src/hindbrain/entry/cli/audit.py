"""How the log of decisions is listed and checked on the command line."""

from collections.abc import Iterator, Sequence

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.grammar import family
from hindbrain.entry.cli.output import dim, line, many, moment, style, table
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.values import Whole
from hindbrain.entry.cli.verb import Verb, command, option

if TYPE_CHECKING:
    from hindbrain.app.log import Audited
    from hindbrain.core.learning.audit import Entry

_LIMIT = Whole(0, 1_000_000)


def _entries(name: str, help_: str, *, examples: str) -> Verb:
    def listed(call: Call, limit: int) -> None:
        with call.open() as hindbrain:
            entries = hindbrain.audits(limit=limit)
        call.tell(lambda: {"entries": plain(entries)}, _lines(entries))

    listed.__doc__ = help_
    dressed = option("--limit", type=_LIMIT, default=50, metavar="N", help="Only the latest N; 0: all.")(listed)
    return command(name=name, examples=examples)(dressed)


@command(
    name="verify",
    examples="""
hindbrain audit verify
hindbrain audit verify --json
""",
)
def _verify(call: Call) -> int:
    """Check that the log is as it was written.

    Exits with 1 and names the first entry that was changed, moved or removed.
    """
    with call.open() as hindbrain:
        audited = hindbrain.audit()
    call.tell(lambda: {**plain(audited), "is_intact": audited.fault is None}, _verified(audited))
    return int(audited.fault is not None)


audit = family(
    _entries(
        "audit",
        "List who decided what; `audit verify` checks the log.",
        examples="hindbrain audit\nhindbrain audit --limit 0 --json\nhindbrain audit verify",
    ),
    _entries("list", "List who decided what, oldest first.", examples="hindbrain audit list --limit 10"),
    _verify,
)


def _lines(entries: "Sequence[Entry]") -> Iterator[str]:
    if not entries:
        yield "Nothing was decided yet."
        return
    rows = [[str(one.seq), moment(one.at), one.actor, one.action, one.subject, one.hash[:12]] for one in entries]
    yield from table(["NO", "AT", "WHO", "DID", "SUGGESTION", "HASH"], rows, styles={1: dim, 5: dim})
    yield ""
    yield dim(many(len(entries), "entry", plural="entries"))


def _verified(audited: "Audited") -> Iterator[str]:
    if audited.fault is None:
        yield f"{style('intact', fg='green', bold=True)}: {many(audited.entries, 'entry', plural='entries')}"
        return
    yield f"{style('broken', fg='red', bold=True)} at entry {audited.fault.seq}: {line(audited.fault.what)}"
