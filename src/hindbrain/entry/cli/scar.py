"""How failures and victories are told of on the command line, and how they are listed."""

from collections.abc import Iterator, Sequence

from hindbrain.core.hints import TypedDict, Unpack
from hindbrain.core.learning.scars import OUTCOMES
from hindbrain.core.model import Memory, Receipt
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.grammar import family
from hindbrain.entry.cli.output import dim, line, many, table
from hindbrain.entry.cli.records import memory_record, plain
from hindbrain.entry.cli.values import OneOf, Whole
from hindbrain.entry.cli.verb import command, option


class _Told(TypedDict):
    kind: str
    title: str
    lesson: str
    importance: int | None
    signature: str
    not_learnable: bool


_KIND = OneOf("kind of scar", OUTCOMES)


@command(
    examples="""
hindbrain scars
hindbrain scars --kind victory --json
"""
)
@option("--kind", type=_KIND, metavar="failure|victory", help="Only these.")
def scars(call: Call, kind: str | None) -> None:
    """List failures and victories, the most important first."""
    _list(call, kind or "")


@command(
    name="scar",
    examples="""
hindbrain scar
hindbrain scar add --kind failure --title "Broken images" --lesson "Map what the code reads before removing a layer"
""",
)
@option("--kind", type=_KIND, metavar="failure|victory", help="Only these.")
def _listed(call: Call, kind: str | None) -> None:
    """Engrave a failure or a victory; without more, list them."""
    _list(call, kind or "")


@command(
    name="add",
    examples="""
hindbrain scar add --kind failure --title "The cron ran a script that was gone" --lesson "Remove its entry with it"
hindbrain scar add --kind victory --title "Batches of 500" --lesson "Import in batches of 500 rows" --importance 7
""",
)
@option("--kind", type=_KIND, required=True, metavar="failure|victory", help="What it was.")
@option("--title", required=True, metavar="TEXT", help="What happened.")
@option("--lesson", required=True, metavar="TEXT", help="What was added against it, or what to do again.")
@option(
    "--importance",
    type=Whole(-1_000, 1_000),
    metavar="N",
    help="0 to 10.  [default: 5, until a model that routing.yaml names has weighed it]",
)
@option("--error", "signature", default="", metavar="TEXT", help="The error as it is printed, to know it again.")
@option("--not-learnable", is_flag=True, help="Remember it, but never propose a rule because of it.")
def _add(call: Call, **told: Unpack[_Told]) -> None:
    """Engrave a failure or a victory, with what it taught."""
    with call.open(is_new=True) as hindbrain:
        receipt = hindbrain.scar(
            told["kind"],
            told["title"],
            lesson=told["lesson"],
            importance=told["importance"],
            signature=told["signature"],
            is_learnable=not told["not_learnable"],
        )
    call.tell(lambda: plain(receipt), _kept(receipt))


scar = family(_listed, _add)


def _list(call: Call, kind: str) -> None:
    with call.open() as hindbrain:
        found = hindbrain.scars(kind=kind)
    call.tell(lambda: {"scars": [memory_record(one) for one in found]}, _lines(found))


def _kept(receipt: Receipt) -> Iterator[str]:
    yield f"{receipt.verdict}: {line(receipt.text.partition(chr(10))[0])}"
    yield f"  {dim(f'{receipt.memory_id}; `hindbrain learn` proposes a rule')}"


def _lines(found: Sequence[Memory]) -> Iterator[str]:
    if not found:
        yield "No scars yet."
        return
    rows = [[one.id, str(one.body.get("outcome", "")), str(one.importance), one.title] for one in found]
    yield from table(["ID", "KIND", "WEIGHT", "WHAT HAPPENED"], rows, styles={0: dim})
    yield ""
    yield dim(many(len(found), "scar"))
