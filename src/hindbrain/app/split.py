"""What becomes of a memory that says several things once a person has taken them apart."""

from collections.abc import Sequence

from hindbrain.app.admission import admitted
from hindbrain.app.edit import reshaped
from hindbrain.app.link import hide
from hindbrain.app.revise import refuse_changed
from hindbrain.app.show import show
from hindbrain.app.tools import Tools
from hindbrain.app.upkeep import apart
from hindbrain.core.model import Actor, ActorType, Counters, Event, Link, Memory, Relation, State
from hindbrain.core.shape import title_of
from hindbrain.core.trust import HUMAN
from hindbrain.core.value import replace
from hindbrain.errors import BadValue, Conflict
from hindbrain.ports import Changes, Transaction

MOST_PARTS = 20
_PERSON = Actor(type=ActorType.HUMAN)
_REASON = "a person took it apart"


def split(memory_id: str, parts: Sequence[str], *, version: int | None = None, tools: Tools) -> Sequence[Memory]:
    """A memory for each of `parts`, with what is known of the whole; the whole is hidden behind them, until restored.

    A part that is kept already stays as it is. What was told of the whole, and what came of it, stays with the whole.
    """
    texts = [admitted(part, name="the content").text.strip() for part in parts]
    wanted = show(memory_id, store=tools.store).id
    now = tools.clock.now()
    if not 2 <= len(texts) <= MOST_PARTS or len(set(texts)) < len(texts) or not all(texts):
        raise _nothing()

    def work(tx: Transaction) -> Sequence[Memory]:
        whole = show(wanted, store=tx)
        refuse_changed(whole, version)
        if whole.state is not State.LIVE:
            raise Conflict(f"{whole.id} is {whole.state}", fix="only a live one can be taken apart: see `restore`")
        found = [_part(whole, text, tx=tx, tools=tools) for text in texts]
        ids = [part.id for part in found]
        if whole.id in ids or len(set(ids)) < len(ids):
            raise _nothing()
        links = [
            Link(source=part.id, target=whole.id, relation=relation, at=now, reason=_REASON)
            for at, part in enumerate(found)
            for relation in (Relation.DERIVED_FROM, *((Relation.SUPERSEDES,) if at == 0 else ()))
        ]
        tx.apply(Changes(links=tuple(links), cursors=apart(whole.project, ids)))
        hide(whole, found[0], tx=tx, made=links[1])
        return found

    return tools.store.write(work)


def _nothing() -> BadValue:
    return BadValue("that takes nothing apart", fix=f"give 2 to {MOST_PARTS} texts, each says something else")


def _part(whole: Memory, text: str, *, tx: Transaction, tools: Tools) -> Memory:
    at = tools.clock.now()
    made = replace(
        reshaped(whole, content=text, type_=whole.type, wishes={"title": title_of(text)}),
        id=tools.chance.id("mem", at),
        version=1,
        trust=HUMAN,
        counters=Counters(),
        last_used_at=None,
        created_at=at,
        updated_at=at,
    )
    if (known := tx.same_text(made)) and known.state is State.LIVE:
        return known
    data = {"memory_id": made.id, "type": made.type, "title": made.title, "source": str(made.provenance.source)}
    event = Event(name="memory_created", at=at, project=made.project, memory_id=made.id, data=data)
    tx.apply(Changes(memories=(made,), events=(event,), by=_PERSON, change="taken apart"))
    return made
