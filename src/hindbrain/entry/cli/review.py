"""How a person decides on the command line what waits for one."""

from collections.abc import Iterator, Sequence

from hindbrain.core.hints import Any
from hindbrain.core.model import Memory, Review, ReviewKind
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.grammar import family
from hindbrain.entry.cli.output import block, bold, dim, line, many, moment, style
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.verb import Verb, argument, command, option

_DECISIONS = {
    "release": "Let agents see a quarantined memory",
    "refuse": "Archive the memory that waits",
    "supersede": "Let the newer of two replace the older",
    "keep": "Keep what waits: it contradicts nothing",
}
_FITTING = {
    ReviewKind.QUARANTINE: ("release", "refuse"),
    ReviewKind.CONTRADICTION: ("supersede", "keep", "refuse"),
}


@command(
    name="review",
    examples="""
hindbrain review
hindbrain review release rev-01k2x6d0q3v8r5w7y9z1b3d5f7
hindbrain review supersede rev-01k2x6d0q3v8r5w7y9z1b3d5f7 --by anna
""",
)
@option("--all", "with_closed", is_flag=True, help="Also what was decided.")
def _listed(call: Call, with_closed: bool) -> None:
    """Decide what waits for a person; without more, list it.

    A memory waits when it may come from somebody else than the agent (quarantine: no agent sees it), or when
    it may contradict another one.
    """
    with call.open() as hindbrain:
        reviews = hindbrain.reviews(with_closed=with_closed)
        ids = {found for r in reviews for found in (r.memory_id, r.other_id) if found}
        known = {memory.id: memory for memory in hindbrain.list(with_all=True) if memory.id in ids}
    call.tell(lambda: {"reviews": [_record(one, known) for one in reviews]}, _lines(reviews, known))


def _decided(name: str, help_: str) -> Verb:
    def decided(call: Call, *, review_id: str, by: str) -> None:
        with call.open() as hindbrain:
            closed = hindbrain.decide(review_id, name, by=by)
        call.tell(lambda: plain(closed), [f"Decided: {bold(line(closed.decision))}", f"  {dim(line(closed.id))}"])

    decided.__doc__ = f"{help_}."
    dressed = argument("review_id", metavar="ID")(
        option("--by", default="", metavar="NAME", help="Who decides; kept with the decision.")(decided)
    )
    return command(name=name, examples=f"hindbrain review {name} rev-01k2x6d0q3v8r5w7y9z1b3d5f7")(dressed)


review = family(_listed, *(_decided(name, help_) for name, help_ in _DECISIONS.items()))


def _record(one: Review, known: dict[str, Memory]) -> dict[str, Any]:
    texts = {"text": known.get(one.memory_id), "other_text": known.get(one.other_id or "")}
    return {**plain(one), **{name: memory.content if memory else None for name, memory in texts.items()}}


def _lines(reviews: Sequence[Review], known: dict[str, Memory]) -> Iterator[str]:
    if not reviews:
        yield "Nothing waits for you."
        return
    for one in reviews:
        yield f"{style(str(one.kind), fg='magenta', bold=True)}  {dim(f'{one.id}  {moment(one.opened_at)}')}"
        yield from _text(one.memory_id, known)
        if one.other_id:
            yield dim("  against")
            yield from _text(one.other_id, known)
        yield from (dim(part) for part in block(f"because: {line(one.reason)}", indent="  "))
        yield f"  {_step(one)}"
        yield ""
    yield dim(many(len(reviews), "review"))


def _text(memory_id: str, known: dict[str, Memory]) -> Iterator[str]:
    memory = known.get(memory_id)
    yield from block(memory.content if memory else f"{memory_id} (erased)", indent="  ")


def _step(one: Review) -> str:
    if one.closed_at:
        who = f" by {line(one.decided_by)}" if one.decided_by else ""
        return f"{bold(line(one.decision))}{who}, {moment(one.closed_at)}"
    is_by_person = one.kind is ReviewKind.CONTRADICTION and one.other_id is None
    fitting = ("keep", "refuse") if is_by_person else _FITTING[one.kind]
    return f"hindbrain review {'|'.join(fitting)} {line(one.id)}"
