"""How a person writes a memory down on the command line."""

from hindbrain.core.hints import TYPE_CHECKING, Unpack
from hindbrain.core.model import TYPES, Kind
from hindbrain.core.model.moment import stamp
from hindbrain.entry.cli import cards, choices, options
from hindbrain.entry.cli.call import Call, given
from hindbrain.entry.cli.intake import STREAM, Taken, notify, take
from hindbrain.entry.cli.output import bold, dim
from hindbrain.entry.cli.records import receipt_record
from hindbrain.entry.cli.values import Day, Share, Whole
from hindbrain.entry.cli.verb import Misuse, argument, command, option
from hindbrain.facade import New
from hindbrain.settings import Settings

if TYPE_CHECKING:
    from hindbrain.app.add import Promise


@command(
    examples="""
hindbrain add "Run migrations before the worker starts"
hindbrain add --type pitfall --file src/jobs/lock.py "Locks expire after 30 s"
git log -1 --format=%B | hindbrain add --type decision --title "Why we left v1"
hindbrain add --learned 2026-01-31 "The payment API allows 100 requests per minute"
hindbrain add --later "The nightly build needs 8 GB"
"""
)
@argument("words", metavar="[CONTENT]", nargs=-1)
@options.type_(default="learned", show_default=True, help=f"One of: {', '.join(TYPES)}.")
@option("--title", default="", metavar="TEXT", help="Headline.  [default: the first sentence]")
@option("--content", metavar="TEXT", help="The text, instead of CONTENT; `-` reads it from a pipe.")
@option("--tag", "tags", multiple=True, metavar="T", help="A tag; repeatable.")
@option("--file", "file_refs", multiple=True, metavar="P", help="A path or glob it is about; repeatable.")
@options.kind(default="lesson", show_default=True, help=f"One of: {', '.join(Kind)}.")
@choices.category
@option(
    "--importance",
    type=Whole(0, 10),
    default=5,
    show_default=True,
    metavar="0..10",
    help="How much it would be missed.",
)
@option("--confidence", type=Share(), metavar="0..1", help="How sure you are.  [default: 0.8]")
@option("--persona", default="", metavar="P", help="For this persona alone.")
@option("--hat", default="", metavar="H", help="The role in which you say it.")
@option(
    "--learned",
    "learned_at",
    type=Day(is_end=False),
    metavar="DATE",
    help="When it was learned, as 2026-01-31 or 2026-01-31T09:30Z: of two on one topic the newer comes first."
    "  [default: now]",
)
@option("--everywhere", is_flag=True, help="For every project, not only this one.")
@option("--pin", "pinned", is_flag=True, help="Never fades, never archived.")
@option(
    "--later", is_flag=True, help="Write it down safely and return; the worker keeps it, and its receipt tells how."
)
def add(call: Call, words: tuple[str, ...], content: str | None, later: bool, **new: Unpack[New]) -> None:
    """Write down one memory yourself.

    CONTENT is the text itself. Without it, the text is read from a pipe. A memory that a person adds is
    trusted at once; secrets and hidden characters are taken out all the same.
    """
    if words and content is not None:
        raise Misuse("Give the text once: as CONTENT or with --content.")
    said = " ".join(words) or content
    taken = take(said) if said in (None, STREAM) else Taken(text=said or "", origin="")
    notices = notify(taken, is_json=call.is_json)
    with call.open(is_new=True) as hindbrain:
        if later:
            promised = hindbrain.add_later(taken.text, **given(new))
            record = {"promised": promised.id, "at": stamp(promised.at)}
            call.tell(lambda: record | notices, _promised_lines(promised, hindbrain.settings))
            return
        receipt = hindbrain.add(taken.text, **given(new))
    call.tell(lambda: receipt_record(receipt) | notices, cards.receipt_lines(receipt))


def _promised_lines(promised: "Promise", settings: Settings) -> list[str]:
    from hindbrain.wiring import worker_of

    is_served = worker_of(settings).ask({"do": "ping"}) is not None
    step = "the worker keeps it" if is_served else "no worker answers; `hindbrain worker --once` keeps it"
    return [f"{bold('promised')}    safe on disk: {step}", f"            {dim(promised.id)}"]
