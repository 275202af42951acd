"""What becomes of two memories that a person makes one: which stays, what it takes over, and how it can be undone."""

from hindbrain.app.admission import admitted
from hindbrain.app.archive import refuse_twin
from hindbrain.app.edit import reshaped
from hindbrain.app.link import hide
from hindbrain.app.revise import refuse_changed, revised
from hindbrain.app.show import show
from hindbrain.app.tools import Tools
from hindbrain.core.duplicates import united
from hindbrain.core.model import Actor, ActorType, Event, Link, Memory, Relation, State
from hindbrain.core.trust import HUMAN
from hindbrain.errors import BadValue, Conflict
from hindbrain.ports import Changes, Transaction

_REASON = "a person made one of both"


def unite(memory_id: str, other: str, *, content: str = "", version: int | None = None, tools: Tools) -> Memory:
    """The first one, with the evidence, tags and files of both; the second is hidden behind it, until it is restored.

    `content` is what it says from then on; empty: what it said. A person's hand: it is trusted from then on.
    """
    text = admitted(content, name="the content").text.strip()
    one, there = show(memory_id, store=tools.store), show(other, store=tools.store)
    if one.id == there.id:
        raise BadValue("a memory cannot be merged with itself", fix="name two memories")
    if one.project != there.project:
        raise BadValue("they belong to two projects", fix="merge memories of one project")
    now = tools.clock.now()

    def work(tx: Transaction) -> Memory:
        first, second = show(one.id, store=tx), show(there.id, store=tx)
        refuse_changed(first, version)
        for memory in (first, second):
            if memory.state is not State.LIVE:
                raise Conflict(f"{memory.id} is {memory.state}", fix="both must be live: see `restore` and `review`")
        link = Link(source=first.id, target=second.id, relation=Relation.SUPERSEDES, at=now, reason=_REASON)
        tx.apply(Changes(links=(link,)))
        hide(second, first, tx=tx, made=link)
        whole = united(first, [second])
        if text and text != first.content:
            whole = reshaped(whole, content=text, type_=whole.type, wishes={})
            refuse_twin(whole, tx)
        whole = revised(whole, at=now, trust=HUMAN)
        data = {"memory_id": whole.id, "other": second.id}
        event = Event(name="memory_merged", at=now, project=whole.project, memory_id=whole.id, data=data)
        by = Actor(type=ActorType.HUMAN)
        tx.apply(Changes(memories=(whole,), events=(event,), by=by, change="merged"))
        return whole

    return tools.store.write(work)
