"""How a failure or a victory is engraved: once for each lesson, found by recall at once, and heavier each time."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from hindbrain.app.admission import admitted, kinds_removed, tidy
from hindbrain.app.compose import MAX_CHARACTERS, Draft, compose
from hindbrain.app.embed import vectors_now
from hindbrain.app.revise import revised
from hindbrain.app.tools import Tools
from hindbrain.core.door import admit
from hindbrain.core.learn.taints import taints
from hindbrain.core.learning.importance import BY_PERSON, BY_RULES, USUAL, WEIGHED_BY, clamped
from hindbrain.core.learning.scars import OUTCOMES, Scar, key_of, lesson_of, scars_from, scars_of_outcomes
from hindbrain.core.model import (
    Actor,
    ActorType,
    Event,
    Kind,
    Link,
    Memory,
    Provenance,
    Receipt,
    Relation,
    Review,
    ReviewKind,
    Source,
    State,
    Verdict,
)
from hindbrain.core.model.activity import Activity
from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.core.model.record import fingerprint
from hindbrain.core.same import is_same
from hindbrain.core.shape import title_of
from hindbrain.core.trust import Circumstances, judge
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import BadValue
from hindbrain.ports import Changes, Reader, Saying, Transaction, Where

_TYPES = {"failure": "pitfall", "victory": "pattern"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A scar that a person tells of."""

    kind: str  # failure or victory
    title: str
    lesson: str
    importance: int | None = None  # what lies outside of 0..10 is taken for the nearest; None: nobody said (HB-094)
    is_learnable: bool = True
    signature: str = ""  # the error, as it is printed


def engrave(told: Told, *, project: str, tools: Tools) -> Receipt:
    """Keep what a person tells of. BadValue before anything is written."""
    if told.kind not in OUTCOMES:
        raise BadValue(f"there is no kind of scar {told.kind!r:.40}", fix=f"use one of: {', '.join(OUTCOMES)}")
    title, lesson = (
        admitted(text, name=name).text.strip()
        for text, name in ((told.title, "the title"), (told.lesson, "the lesson"))
    )
    if not lesson or not title:
        raise BadValue(f"the {'title' if lesson else 'lesson'} is empty", fix="say what happened, and what was learned")
    scar = Scar(
        outcome=told.kind,
        title=title,
        lesson=lesson,
        importance=USUAL if told.importance is None else clamped(told.importance),
        is_learnable=told.is_learnable,
        signature=admitted(told.signature, name="the error").text.strip(),
    )
    desk = _Desk(
        project=project,
        now=tools.clock.now(),
        tools=tools,
        actor=Actor(type=ActorType.HUMAN),
        weighed_by=BY_RULES if told.importance is None else BY_PERSON,
    )
    return tools.store.write(lambda tx: desk.receipt(scar, tx))


def gather(project: str, *, tools: Tools) -> tuple[Receipt, ...]:
    """Engrave what was put right, or went wrong although it was known, since this was last asked."""
    log, outcome = f"scars/{project}", f"scars-told/{project}"
    seen, heard = tools.store.cursor(log), tools.store.cursor(outcome)
    activities = _around(project, after=int(seen) if seen.isdigit() else 0, reader=tools.store)
    since = read_stamp(heard) if heard else None
    outcomes = [one for one in tools.store.outcomes(project) if since is None or one.at > since]
    if not activities and not outcomes:
        return ()
    made = scars_from(activities, after=int(seen) if seen.isdigit() else 0)
    known = tools.store.memories(sorted({one.memory_id for one in outcomes}))
    lessons = {key: memory for key, memory in known.items() if memory.kind is not Kind.SCAR}
    made += scars_of_outcomes(outcomes, lessons)
    last = max((one.seq for one in activities), default=0)

    def work(tx: Transaction) -> tuple[Receipt, ...]:
        if (tx.cursor(log), tx.cursor(outcome)) != (seen, heard):
            return ()
        desk = _Desk(
            project=project, now=tools.clock.now(), tools=tools, actor=Actor(type=ActorType.AUTOMATE), log=activities
        )
        receipts = tuple(desk.receipt(scar, tx) for scar in made)
        moved = {outcome: stamp(max(one.at for one in outcomes))} if outcomes else {}
        tx.apply(Changes(cursors={**moved, **({log: str(last)} if last else {})}))
        return receipts

    return tools.store.write(work)


def scars(project: str, *, store: Reader, kind: str = "") -> Sequence[Memory]:
    """Live scars of the project, most important first."""
    where = Where(project=project, kinds=(Kind.SCAR,), with_everywhere=False)
    found = [one for one in store.select(where) if not kind or one.body.get("outcome") == kind]
    return sorted(found, key=lambda one: (-one.importance, one.created_at, one.id))


def _around(project: str, *, after: int, reader: Reader) -> Sequence[Activity]:
    """Whole sessions, of those that did something since."""
    fresh = dict.fromkeys(one.session for one in reader.activities(project, after=after))
    return [one for session in fresh for one in reader.activities(project, session=session)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    project: str
    now: datetime
    tools: Tools
    actor: Actor
    log: Sequence[Activity] = ()
    weighed_by: str = BY_RULES

    def receipt(self, scar: Scar, tx: Transaction) -> Receipt:
        """A new scar, or one that is known and hurts more."""
        draft = self._receipt(scar)
        if before := tx.receipts_for(draft.key):
            return replace(before, is_replay=True)
        known = _same(scar, scars(self.project, store=tx, kind=scar.outcome))
        receipt = self._again(known, scar, receipt=draft, tx=tx) if known else self._new(scar, draft, tx=tx)
        tx.apply(Changes(receipts=(receipt,)))
        return receipt

    def _receipt(self, scar: Scar) -> Receipt:
        passed = admit(f"{scar.title}\n\n{scar.lesson}"[:MAX_CHARACTERS])
        is_person = self.actor.type is ActorType.HUMAN
        receipt_id = self.tools.chance.id("rcp", self.now)
        parts: list[object] = [
            "scar",
            self.project,
            scar.outcome,
            scar.lesson,
            scar.activities,
            scar.sources,
            scar.session,
        ]
        return Receipt(
            id=receipt_id,
            key=fingerprint([receipt_id] if is_person else parts),
            at=self.now,
            project=self.project,
            verdict=Verdict.STORED,
            text=passed.text,
            reason="a person tells of it" if is_person else f"seen in what agents did: {scar.outcome}",
            signal="SCAR",
            session=scar.session,
            adapter="cli" if is_person else "activity",
            origin="scar",
            ref=scar.activities[-1] if scar.activities else "",
            removed=kinds_removed(passed),
        )

    def _new(self, scar: Scar, receipt: Receipt, *, tx: Transaction) -> Receipt:
        memory = self._memory(scar, receipt)
        saying = Saying(
            memory_id=memory.id,
            receipt=receipt.id,
            session=scar.session,
            speaker="human" if self.actor.type is ActorType.HUMAN else memory.provenance.actor.voice,
            at=self.now,
        )
        links = tuple(
            Link(source=memory.id, target=source, relation=Relation.DERIVED_FROM, at=self.now, reason="a scar of it")
            for source in self._sources(scar, tx)
        )
        engraved = Event(
            name="scar_engraved",
            at=self.now,
            project=self.project,
            memory_id=memory.id,
            data={"outcome": scar.outcome, "importance": scar.importance},
        )
        tx.apply(
            Changes(
                memories=(memory,),
                reviews=self._reviews(memory),
                vectors=vectors_now(memory, self.tools.embedder),  # found by the next recall (HB-061)
                sayings=(saying,),
                links=links,
                events=(engraved,),
                by=self.actor,
            )
        )
        verdict = Verdict.STORED if memory.trust else Verdict.REVIEW
        return replace(receipt, memory_id=memory.id, verdict=verdict)

    def _reviews(self, memory: Memory) -> tuple[Review, ...]:
        """What may come from somebody else than the agent waits for a person."""
        if memory.trust:
            return ()
        review = Review(
            id=self.tools.chance.id("rev", self.now),
            project=self.project,
            kind=ReviewKind.QUARANTINE,
            memory_id=memory.id,
            reason=judge(memory.content, memory.provenance, circumstances=Circumstances()).reason,
            opened_at=self.now,
        )
        return (review,)

    def _sources(self, scar: Scar, tx: Transaction) -> Iterable[str]:
        """Memories that it comes from: those it speaks of, and lessons about the same error."""
        about = (memory.id for memory in tx.cured(self.project, scar.signature) if memory.kind is not Kind.SCAR)
        return tx.memories(list(dict.fromkeys((*scar.sources, *about))))

    def _again(self, known: Memory, scar: Scar, *, receipt: Receipt, tx: Transaction) -> Receipt:
        """It weighs as much as it ever did, and a little more for having come back."""
        importance = clamped(max(known.importance + 1, scar.importance))
        body = {
            **known.body,
            "activities": _joined(known.body.get("activities"), scar.activities),
            "is_learnable": bool(known.body.get("is_learnable") or scar.is_learnable),
            **({WEIGHED_BY: BY_PERSON} if self.weighed_by == BY_PERSON else {}),
        }
        counters = replace(known.counters, evidence=known.counters.evidence + 1)
        heavier = revised(known, at=self.now, importance=importance, body=body, counters=counters)
        saying = Saying(memory_id=known.id, receipt=receipt.id, session=scar.session, speaker="scar", at=self.now)
        tx.apply(Changes(memories=(heavier,), sayings=(saying,), by=self.actor, change="came back"))
        return replace(receipt, verdict=Verdict.EVIDENCE, memory_id=known.id, reason="known already: it came back")

    def _taints(self, scar: Scar) -> tuple[str, ...]:
        return taints([one for one in self.log if one.session == scar.session], until=scar.seq) if scar.seq else ()

    def _memory(self, scar: Scar, receipt: Receipt) -> Memory:
        is_person = self.actor.type is ActorType.HUMAN
        provenance = Provenance(
            actor=self.actor if is_person else Actor(),
            session=scar.session,
            source=Source.MANUAL if is_person else Source.AUTOMATIC,
            adapter=receipt.adapter,
            receipt=receipt.id,
        )
        draft = Draft(
            text=receipt.text,
            project=self.project,
            provenance=provenance,
            type=_TYPES[scar.outcome],
            kind=Kind.SCAR,
            circumstances=Circumstances(taints=self._taints(scar)),
            body={
                "outcome": scar.outcome,
                "check_added": admit(scar.lesson[:MAX_CHARACTERS]).text,
                "is_learnable": scar.is_learnable,
                "activities": list(scar.activities),
                WEIGHED_BY: self.weighed_by,
            },
        )
        memory, _ = compose(
            draft, memory_id=self.tools.chance.id("mem", self.now), now=self.now, settings=self.tools.settings
        )
        refs = (tidy(ref) for ref in scar.file_refs)
        return replace(
            memory,
            title=title_of(admit(scar.title).text) or memory.title,
            importance=scar.importance,
            file_refs=tuple(dict.fromkeys((*(ref for ref in refs if ref), *memory.file_refs))),
            error_signature=scar.signature or memory.error_signature,
        )


def _same(scar: Scar, known: Sequence[Memory]) -> Memory | None:
    """The scar that has the same lesson already."""
    for memory in known:
        if memory.state is State.LIVE and (key_of(memory) == scar.key or is_same(lesson_of(memory), scar.lesson)):
            return memory
    return None


def _joined(known: object, new: Sequence[str]) -> list[str]:
    before = [str(one) for one in known] if isinstance(known, list) else []
    return list(dict.fromkeys((*before, *new)))[-_MOST:]


_MOST = 100  # activities that a scar remembers
