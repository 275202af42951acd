"""How memories are tied to each other by a person, and what can be reached from one of them."""

from collections.abc import Sequence
from datetime import datetime

from hindbrain.app.archive import refuse_twin
from hindbrain.app.revise import revised
from hindbrain.app.settle import settled
from hindbrain.app.show import show
from hindbrain.app.tools import Tools
from hindbrain.core.door import admit
from hindbrain.core.graph import Web
from hindbrain.core.model import Actor, ActorType, Event, Kind, Link, Memory, Relation, State
from hindbrain.core.value import dataclass
from hindbrain.errors import BadValue, Conflict, UnknownMemory
from hindbrain.ports import Changes, Reader, Transaction, Where

MOST_STEPS = 10
_SHOWN = frozenset({State.LIVE, State.SUPERSEDED})
_REPLACING = (Relation.SUPERSEDES, Relation.SUPERSEDED_BY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """A link as it is seen from one of its ends."""

    near: str  # memory id; the end that it is seen from
    far: Memory
    relation: Relation  # as it was written down
    seen_as: str  # the word for it from here: the inverse one at the other end
    is_outward: bool  # it was written from `near` to `far`
    steps: int  # links between the memory that was asked about and `far`
    reason: str = ""


def around(memory_id: str, *, depth: int = 1, reader: Reader) -> tuple[Tie, ...]:
    """Every link within `depth` steps, nearest first, each once. Circles end where they began."""
    if not 1 <= depth <= MOST_STEPS:
        raise BadValue(f"{depth} steps are not between 1 and {MOST_STEPS}", fix=f"use 1 to {MOST_STEPS}")
    start = show(memory_id, store=reader)
    ties: list[Tie] = []
    reached = {start.id: start}
    told: set[tuple[str, str, Relation]] = set()
    edge = [start.id]
    for steps in range(1, depth + 1):
        found = [(near, link) for near in edge for link in reader.links(near)]
        fresh = {end for _, link in found for end in (link.source, link.target) if end not in reached}
        reached |= reader.memories(sorted(fresh))
        for near, link in found:
            far = reached.get(_far(link, near))
            mark = _mark(link)
            if far is None or mark in told:  # a memory that was erased leaves its links behind for a moment
                continue
            told.add(mark)
            ties.append(_tie(link, near, far=far, steps=steps))
        edge = sorted(fresh & reached.keys())
    return tuple(ties)


def link(memory_id: str, relation: str, *, other: str, reason: str = "", tools: Tools) -> Tie:
    """Tie two memories together. What is said to be superseded is hidden from then on, and `restore` brings it back."""
    wanted = Relation(_checked(relation, tuple(Relation), noun="relation"))
    one, there = show(memory_id, store=tools.store), show(other, store=tools.store)
    if one.id == there.id:
        raise BadValue("a memory cannot be linked to itself", fix="name two memories")
    now = tools.clock.now()
    source, target = (there, one) if wanted is Relation.SUPERSEDED_BY else (one, there)
    kept = Relation.SUPERSEDES if wanted in _REPLACING else wanted
    made = Link(source=source.id, target=target.id, relation=kept, at=now, reason=admit(reason).text.strip())

    def work(tx: Transaction) -> None:
        data = {"source": made.source, "target": made.target, "relation": str(kept)}
        event = Event(name="memory_linked", at=now, project=one.project, memory_id=one.id, data=data)
        known = {_mark(known) for known in tx.links(one.id)}
        if _mark(made) not in known:
            tx.apply(Changes(links=(made,), events=(event,)))
        if kept is Relation.SUPERSEDES:
            hide(show(target.id, store=tx), show(source.id, store=tx), tx=tx, made=made)

    tools.store.write(work)
    return _tie(made, one.id, far=show(there.id, store=tools.store), steps=1)


def unlink(memory_id: str, relation: str, *, other: str, tools: Tools) -> Tie:
    """Take a link away, whichever end it was written from; the tie that was. What it hid is shown again."""
    wanted = Relation(_checked(relation, tuple(Relation), noun="relation"))
    one, there = show(memory_id, store=tools.store), show(other, store=tools.store)
    now = tools.clock.now()
    mark = _mark(Link(source=one.id, target=there.id, relation=wanted, at=now))

    def work(tx: Transaction) -> Link:
        known = tx.links(one.id)
        gone = tuple(link for link in known if _mark(link) == mark)
        if not gone:
            raise _no_link(one, wanted, there=there, known=known)
        data = {"source": gone[0].source, "target": gone[0].target, "relation": str(gone[0].relation)}
        event = Event(name="memory_unlinked", at=now, project=one.project, memory_id=one.id, data=data)
        tx.apply(Changes(unlinked=gone, events=(event,)))
        if wanted in _REPLACING:
            _reveal(show(mark[1], store=tx), by=mark[0], tx=tx, at=now)
        return gone[0]

    gone = tools.store.write(work)
    return _tie(gone, one.id, far=show(there.id, store=tools.store), steps=1)


def graph(
    project: str, *, kinds: Sequence[str] = (), relations: Sequence[str] = (), limit: int = 200, reader: Reader
) -> Web:
    """Memories of the project that are linked, the most linked first, and the links between them."""
    drawn = tuple(Kind(_checked(word, tuple(Kind), noun="kind")) for word in kinds)
    wanted = frozenset(Relation(_checked(word, tuple(Relation), noun="relation")) for word in relations or Relation)
    where = Where(project=project, with_everywhere=False, states=_SHOWN, kinds=drawn)
    known = {memory.id: memory for memory in reader.select(where)}
    links = {_mark(link): link for key in known for link in reader.links(key) if _is_wanted(link, wanted)}
    inside = [link for link in links.values() if link.source in known and link.target in known]
    count = dict.fromkeys(known, 0)
    for one in inside:
        count[one.source] += 1
        count[one.target] += 1
    best = sorted((key for key in known if count[key]), key=lambda key: (-count[key], key))
    shown = frozenset(best[:limit])
    kept = [link for link in inside if link.source in shown and link.target in shown]
    return Web(
        memories=tuple(known[key] for key in best[:limit]),
        links=tuple(sorted(kept, key=_mark)),
        left_out=max(len(best) - limit, 0),
    )


def _is_wanted(link: Link, wanted: frozenset[Relation]) -> bool:
    return link.relation in wanted or link.relation.inverse in wanted


def _checked(word: str, words: Sequence[str], *, noun: str) -> str:
    if word not in words:
        raise BadValue(f"there is no {noun} {word!r}", fix=f"use one of: {', '.join(words)}")
    return word


def hide(old: Memory, new: Memory, *, tx: Transaction, made: Link) -> None:
    """Let `new` stand in the place of `old`, as the link says. Conflict unless both are live."""
    if old.superseded_by == new.id:
        return
    if old.state is not State.LIVE or new.state is not State.LIVE:
        raise Conflict(f"{old.id} is {old.state}, {new.id} is {new.state}", fix="both must be live: see `restore`")
    gone = revised(old, at=made.at, superseded_by=new.id, superseded_at=made.at)
    data = {"oldHash": old.chorus_hash, "newHash": new.chorus_hash, "reason": made.reason}
    event = Event(name="learning_superseded", at=made.at, project=old.project, memory_id=old.id, data=data)
    reviews = settled(old, tx, decision="superseded", at=made.at)
    by = Actor(type=ActorType.HUMAN)
    tx.apply(Changes(memories=(gone,), reviews=reviews, events=(event,), by=by, change="superseded"))


def _reveal(old: Memory, *, by: str, tx: Transaction, at: datetime) -> None:
    """Show a memory again that the link alone has hidden; one that was archived since stays where it is."""
    if old.superseded_by != by:
        return
    back = revised(old, at=at, superseded_by=None, superseded_at=None)
    if back.state is State.LIVE:
        refuse_twin(back, tx)
    event = Event(name="memory_restored", at=at, project=old.project, memory_id=old.id, data={"memory_id": old.id})
    tx.apply(Changes(memories=(back,), events=(event,), by=Actor(type=ActorType.HUMAN), change="restored"))


def _no_link(one: Memory, relation: Relation, *, there: Memory, known: Sequence[Link]) -> UnknownMemory:
    turned = any((link.source, link.target, link.relation) == (there.id, one.id, relation) for link in known)
    back = f"it goes the other way: `hindbrain links {there.id} --remove {relation} {one.id}`"
    fix = back if turned else f"`hindbrain links {one.id}` shows what there is"
    return UnknownMemory(f"no link {relation} leads from {one.id} to {there.id}", fix=fix)


def _mark(link: Link) -> tuple[str, str, Relation]:
    """The same for a link that goes both ways, whichever way it was written."""
    ends = (link.source, link.target)
    if link.relation.inverse is link.relation:
        ends = (min(ends), max(ends))
    if link.relation is Relation.SUPERSEDED_BY:
        return link.target, link.source, Relation.SUPERSEDES
    return *ends, link.relation


def _far(link: Link, near: str) -> str:
    return link.target if link.source == near else link.source


def _tie(link: Link, near: str, *, far: Memory, steps: int) -> Tie:
    is_outward = link.source == near
    inverse = link.relation.inverse
    seen_as = str(link.relation) if is_outward else str(inverse) if inverse else f"{link.relation} (from there)"
    return Tie(
        near=near,
        far=far,
        relation=link.relation,
        seen_as=seen_as,
        is_outward=is_outward,
        steps=steps,
        reason=link.reason,
    )
