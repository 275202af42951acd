"""What becomes of a skill that was learned: a candidate that does nothing, until a person approves or refuses it.

A candidate is trusted as little as tainted text, so that nothing puts it into a prompt or into a file unasked. What
later episodes add to an approved one waits beside it until it is approved again.
"""

from collections.abc import Iterator, Sequence

from hindbrain.app.archive import delete
from hindbrain.app.compose import MAX_CHARACTERS, Draft, compose
from hindbrain.app.revise import revised
from hindbrain.app.settle import settled
from hindbrain.app.show import show
from hindbrain.app.tools import Tools
from hindbrain.core import trust
from hindbrain.core.consolidate.past import Past
from hindbrain.core.hints import Any
from hindbrain.core.learning.importance import BY_RULES
from hindbrain.core.model import Actor, ActorType, Event, Kind, Memory, Provenance, ReviewKind, Source, State
from hindbrain.core.model.record import fingerprint
from hindbrain.core.skills import Skill, body_of, improved, learned, read, render
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import BadValue
from hindbrain.ports import Changes, Reader, Transaction, Where

CANDIDATE, APPROVED = "candidate", "approved"
MADE_BY = "made_by"  # in the body: rules, or the model and the version of its prompt
_BY = Actor(type=ActorType.AUTOMATE, persona="consolidation")
_SURE = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Lore:
    """Something that episodes taught, and what became of it."""

    text: str
    confidence: float
    sources: tuple[str, ...]  # ids of episodes
    fate: str = ""  # new, evidence, known, unsure
    memory_id: str = ""
    reason: str = ""


def learn(
    pasts: Sequence[Past], reader: Reader, *, project: str, tools: Tools
) -> Iterator[tuple[Lore, Changes | None]]:
    """Skills of these episodes, each with what is to be written about it."""
    trusts = {one.id: one.trust for one in pasts}
    for skill in learned(pasts):
        cursor = f"skill/{project}/{fingerprint(list(skill.steps))[:16]}"
        known = reader.memory(reader.cursor(cursor)) if reader.cursor(cursor) else None
        told = Lore(text=skill.title, confidence=_SURE, sources=skill.sources)
        if known is None:
            least = min(trusts[one] for one in skill.sources)
            memory = _candidate(skill, project=project, least=least, tools=tools)
            yield replace(told, fate="new", memory_id=memory.id, reason="waits for a person"), _born(memory, cursor)
        else:
            yield _again(known, skill, told=told, tools=tools)


def skills(project: str, *, tools: Tools) -> Sequence[Memory]:
    """Candidates and approved ones, the newest first."""
    states = frozenset({State.LIVE, State.QUARANTINED})
    where = Where(project=project, kinds=(Kind.SKILL,), states=states)
    return tools.store.select(where, order="newest")


def approve(memory_id: str, *, by: str = "", tools: Tools) -> Memory:
    """A person has read it: from now on it is told to agents. `promote` also writes it where clients look for it."""
    memory = _skill(memory_id, tools)
    if memory.state is State.ARCHIVED:
        raise BadValue(f"{memory.id} was refused", fix=f"`hindbrain restore {memory.id}` first")
    proposed = memory.body.get("proposed")
    skill = read(proposed if isinstance(proposed, dict) else memory.body)
    tags = (*(tag for tag in memory.tags if tag not in (CANDIDATE, APPROVED)), APPROVED)
    body = {name: value for name, value in ({**memory.body, **body_of(skill)}).items() if name != "proposed"}
    person = Actor(type=ActorType.HUMAN, persona=by)
    if memory.trust == trust.HUMAN and APPROVED in memory.tags and dict(memory.body) == body:
        return memory
    better = _reshaped(memory, skill, tools=tools, body=body, tags=tags, trust=trust.HUMAN)
    event = _event("skill_approved", better)

    def work(tx: Transaction) -> None:
        reviews = settled(memory, tx, decision="released", at=better.updated_at, kinds=(ReviewKind.QUARANTINE,))
        tx.apply(Changes(memories=(better,), reviews=reviews, events=(event,), by=person, change=APPROVED))

    tools.store.write(work)
    return better


def reworded(memory: Memory, skill: Skill, *, made_by: str, tools: Tools) -> Memory:
    """The next version of a proposed skill, in other words."""
    return _reshaped(memory, skill, tools=tools, body={**memory.body, **body_of(skill), MADE_BY: made_by})


def refuse(memory_id: str, *, tools: Tools) -> Memory:
    """Put it away; the same steps do not bring it back."""
    memory = _skill(memory_id, tools)
    return delete(memory.id, reason="refused", store=tools.store, clock=tools.clock)


def _skill(memory_id: str, tools: Tools) -> Memory:
    memory = show(memory_id, store=tools.store)
    if memory.kind is not Kind.SKILL:
        raise BadValue(f"{memory.id} is no skill but a {memory.kind}", fix="`hindbrain skills` lists the skills")
    return memory


def _candidate(skill: Skill, *, project: str, least: int, tools: Tools) -> Memory:
    now = tools.clock.now()
    draft = Draft(
        text=render(skill)[:MAX_CHARACTERS],
        project=project,
        provenance=Provenance(actor=_BY, source=Source.AUTOMATIC, adapter="consolidate"),
        kind=Kind.SKILL,
        type="pattern",
        body={**body_of(skill), MADE_BY: BY_RULES},
    )
    memory, judged = compose(draft, memory_id=tools.chance.id("mem", now), now=now, settings=tools.settings)
    level = min(judged.level, least, trust.TAINTED)
    return replace(memory, title=skill.title, tags=("skill", CANDIDATE), confidence=_SURE, trust=level)


def _born(memory: Memory, cursor: str) -> Changes:
    event = _event("memory_created", memory)
    return Changes(memories=(memory,), cursors={cursor: memory.id}, events=(event,), by=_BY, change="learned")


def _again(known: Memory, skill: Skill, *, told: Lore, tools: Tools) -> tuple[Lore, Changes | None]:
    told = replace(told, fate="known", memory_id=known.id)
    if known.state is State.ARCHIVED:
        return replace(told, reason=f"known, and put away: {known.archive_reason}"), None
    is_approved = APPROVED in known.tags
    proposed = known.body.get("proposed")
    before = read(proposed if isinstance(proposed, dict) else known.body)
    after = improved(before, skill)
    if after == before:
        return replace(told, reason="nothing new about it"), None
    if is_approved:
        body: dict[str, object] = {**known.body, "proposed": body_of(after)}
        better = revised(known, at=tools.clock.now(), body=body)
    else:
        better = _reshaped(known, after, tools=tools, body={**known.body, **body_of(after)})
    reason = "improved; approve it again" if is_approved else "improved"
    return replace(told, fate="evidence", reason=reason), Changes(memories=(better,), by=_BY, change="improved")


def _reshaped(memory: Memory, skill: Skill, *, tools: Tools, **changed: Any) -> Memory:
    """The next version, with the text of `skill`."""
    shaped = _candidate(skill, project=memory.project, least=memory.trust, tools=tools)
    names = ("content", "title", "key", "legacy_key", "content_hash", "chorus_hash", "file_refs")
    return revised(memory, at=tools.clock.now(), **{name: getattr(shaped, name) for name in names}, **changed)


def _event(name: str, memory: Memory) -> Event:
    data = {"memory_id": memory.id, "title": memory.title, "source": "consolidation"}
    return Event(name=name, at=memory.updated_at, project=memory.project, memory_id=memory.id, data=data)
