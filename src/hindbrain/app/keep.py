"""Whether a new statement becomes a memory, a new version, one more piece of evidence, or a question for a person."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from hindbrain.app.revise import revised
from hindbrain.app.settle import settled
from hindbrain.core import same, supersede, trust
from hindbrain.core.model import (
    ActorType,
    Event,
    Kind,
    Link,
    Memory,
    Pulse,
    Relation,
    Review,
    ReviewKind,
    State,
    Vector,
    Verdict,
)
from hindbrain.core.supersede import Finding
from hindbrain.core.supersede import Verdict as Ruled
from hindbrain.core.value import dataclass, field, replace
from hindbrain.core.words import query_terms, telling_set
from hindbrain.ports import Chance, Changes, Reader, Saying, Transaction, Where
from hindbrain.settings import Settings

_FEW = 12  # words of a text that are all looked up; of a longer one the rarer half, which a near text must share
_LOOKED_UP = 24  # words whose rarity is asked for; the longest, because short ones are rarely rare
_NEAR = 0.4  # overlap below which two texts are about different things; spares most of the close comparison
EVENTS = (Kind.EPISODE, Kind.ITERATION)  # what happened twice happened twice
_NEIGHBOURS = 12  # memories with the most words in common that a new one is compared with
_PAIRS = 256  # of texts that were compared lately


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    verdict: Verdict
    memory_id: str
    reason: str
    supersedes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Newcomer:
    """A memory that is not in the store yet, and what is known of the moment it was said."""

    memory: Memory
    saying: Saying
    trust_reason: str = ""
    vectors: tuple[Vector, ...] = ()  # none: they are made later


def keep(new: Newcomer, tx: Transaction, *, chance: Chance, settings: Settings) -> Kept:
    """Put `new` where it belongs, in layers: the same text, the same key, the same lesson, the same topic (X-05)."""
    keeper = _Keeper(new=new, tx=tx, chance=chance, settings=settings)
    if new.memory.kind in EVENTS:
        return keeper.stored(_Neighbourhood())
    if settings.deduplication:
        if known := tx.same_text(new.memory):
            return keeper.repeated(known)
        known = tx.same_key(new.memory)
        if known and keeper.says_the_same(known):
            return keeper.reworded(known, why="same key, other words")
    return keeper.compared()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """What is known of a statement before it is a memory, and decides with whom that is compared."""

    content: str
    project: str
    persona: str | None


def wordings(*memories: Memory) -> Iterator[Wording]:
    """Of those that are compared with others at all."""
    for memory in memories:
        if memory.kind not in EVENTS:
            yield Wording(content=memory.content, project=memory.project, persona=memory.persona)


def foresee(said: Iterable[Wording], reader: Reader, *, settings: Settings) -> None:
    """Compare before the gate what `keep` will compare behind it, where others would wait for that.

    Only what one text means for another is remembered, and no writer changes that. Who the neighbours are, and what
    becomes of the newcomer, is found out behind the gate all the same.
    """
    for one in said:
        for old in _neighbours(one, reader):
            if not (settings.deduplication and is_same_lesson(one.content, old.content)):
                ruled(one.content, old.content)


@lru_cache(maxsize=_PAIRS)
def is_same_lesson(new: str, old: str) -> bool:
    return same.is_same(new, old)


@lru_cache(maxsize=_PAIRS)
def ruled(new: str, old: str) -> Finding:
    return supersede.decide(new, old)


def _neighbours(new: Wording, reader: Reader) -> Iterator[Memory]:
    voices = (new.persona,) if new.persona else ()
    where = Where(project=new.project, with_everywhere=False, voices=voices)
    words = query_terms(new.content)
    longest = sorted(words, key=len, reverse=True)[:_LOOKED_UP]
    rare = words if len(words) <= _FEW else reader.rarest(longest, limit=max(_FEW, len(words) // 2 + 1))
    found = [match.memory_id for match in reader.matches(rare, where, limit=_NEIGHBOURS)]
    near = _near(found, frozenset(words), reader=reader)
    known = reader.memories(near) if near else {}
    olds = (known[key] for key in near if key in known)
    return (old for old in olds if old.persona == new.persona and old.kind not in EVENTS)


def _near(ids: Sequence[str], words: frozenset[str], *, reader: Reader) -> list[str]:
    """Those of `ids` that may be about the same. By their words: few are, and only those are worth reading."""
    held = reader.content_terms(ids) if ids else {}
    return [key for key in ids if key in held and _overlap(words, telling_set(held[key])) >= _NEAR]


def _may_replace(new: Memory, old: Memory) -> bool:
    """A newcomer never overrules something that is trusted more, that was learned later, or that a person pinned.

    One in quarantine overrules nothing: a person has not read it yet.
    """
    return new.trust >= max(old.trust, trust.TAINTED) and new.learned_at >= old.learned_at and not old.is_pinned


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Share of the shorter text's words that the other has too."""
    return len(one & other) / (min(len(one), len(other)) or 1)


@dataclass(slots=True)
class _Neighbourhood:
    """What the comparison with older memories found."""

    replaced: list[tuple[Memory, str]] = field(default_factory=list)  # with the reason
    doubtful: list[tuple[Memory, str]] = field(default_factory=list)
    inherited: int = 0  # evidence of those that said the same

    @property
    def replaced_ids(self) -> tuple[str, ...]:
        return tuple(old.id for old, _ in self.replaced)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Keeper:
    """One newcomer at one store."""

    new: Newcomer
    tx: Transaction
    chance: Chance
    settings: Settings

    def says_the_same(self, known: Memory) -> bool:
        """Whether the newcomer is `known` in other words, and may speak in its place.

        A key leaves out signs, so `C++` and `C#` share one: the words themselves must agree.
        """
        new = self.new.memory
        is_same = new.content.split() == known.content.split() or is_same_lesson(new.content, known.content)
        return _may_replace(new, known) and (is_same or ruled(new.content, known.content).verdict is Ruled.REFINES)

    def repeated(self, known: Memory) -> Kept:
        """The same text once more: evidence, perhaps a second witness, perhaps a return of what was put away."""
        if known.state is State.ARCHIVED:
            return self._returned(known)
        memory = self.new.memory
        data = {"content": memory.content, "existingHash": known.chorus_hash}
        skipped = self._event("learning_duplicate_skipped", known, data=data)
        if memory.trust < trust.AGENT:
            self.tx.apply(Changes(events=(skipped,)))
            reason = f"known already, and not counted: {self.new.trust_reason}"
            return Kept(verdict=Verdict.EVIDENCE, memory_id=known.id, reason=reason)
        self.tx.apply(
            Changes(
                pulses=(Pulse(memory_id=known.id, evidence=1),),
                sayings=(replace(self.new.saying, memory_id=known.id),),
                events=(skipped,),
            )
        )
        if known.state is State.SUPERSEDED:
            return self._contested(known)
        raised = self._raised_trust(known)
        if raised <= known.trust:
            return Kept(verdict=Verdict.EVIDENCE, memory_id=known.id, reason="known already: the same text")
        self._lift(known, raised)
        return Kept(verdict=Verdict.EVIDENCE, memory_id=known.id, reason=f"known already; trust is now {raised}")

    def _contested(self, known: Memory) -> Kept:
        """Replaced, and said again: a person chooses between the two, as long as there are two."""
        if self.tx.memory(known.superseded_by or "") is None:
            reason = f"what had replaced it was forgotten; `hindbrain restore {known.id}` brings it back"
            return Kept(verdict=Verdict.EVIDENCE, memory_id=known.id, reason=reason)
        reason = f"said again after {known.superseded_by} had replaced it"
        self._ask_once(known, reason)
        return Kept(verdict=Verdict.REVIEW, memory_id=known.id, reason=reason)

    def _lift(self, known: Memory, level: int) -> None:
        at = self.new.memory.created_at
        better = revised(self.tx.memory(known.id) or known, at=at, trust=level)
        answered = (ReviewKind.QUARANTINE,) if level == trust.HUMAN else ()
        closed = settled(known, self.tx, decision="released", at=at, kinds=answered)
        actor = self.new.memory.provenance.actor
        self.tx.apply(Changes(memories=(better,), reviews=closed, by=actor, change="corroborated"))

    def _returned(self, known: Memory) -> Kept:
        """What was archived is said again. What faded away comes back; what a person put away is theirs to restore."""
        memory = self.new.memory
        last = self.tx.history(known.id)[-1]
        is_person = memory.provenance.actor.type is ActorType.HUMAN
        if last.changed_by.type is ActorType.HUMAN and not is_person:
            reason = f"a person put it away ({known.archive_reason}); `hindbrain restore {known.id}` brings it back"
            return Kept(verdict=Verdict.REJECTED, memory_id=known.id, reason=reason)
        counters = replace(known.counters, evidence=known.counters.evidence + 1)
        back = revised(known, at=memory.created_at, archived_at=None, archive_reason="", counters=counters)
        restored = self._event("memory_restored", back, data={"memory_id": back.id})
        self.tx.apply(Changes(memories=(back,), events=(restored,), by=memory.provenance.actor, change="restored"))
        return Kept(verdict=Verdict.EVIDENCE, memory_id=known.id, reason="known from before; it is back")

    def _ask_once(self, known: Memory, reason: str) -> None:
        pair = (known.id, known.superseded_by)
        if not any((r.memory_id, r.other_id) == pair for r in self.tx.reviews(known.project, about=(known.id,))):
            self.tx.apply(Changes(reviews=(self._question(known, reason, other=known.superseded_by),)))

    def reworded(self, known: Memory, *, why: str) -> Kept:
        """The same memory in other words: a new version, with the history of the old."""
        fresh = self.new.memory
        version = revised(
            known,
            at=fresh.updated_at,
            content=fresh.content,
            title=fresh.title,
            tags=tuple(dict.fromkeys((*known.tags, *fresh.tags))),
            file_refs=tuple(dict.fromkeys((*fresh.file_refs, *known.file_refs))),
            category=known.category if known.category_is_fixed else fresh.category,
            error_signature=fresh.error_signature or known.error_signature,
            key=fresh.key,
            legacy_key=fresh.legacy_key,
            content_hash=fresh.content_hash,
            chorus_hash=fresh.chorus_hash,
            trust=max(fresh.trust, known.trust),
            provenance=fresh.provenance,
            learned_at=fresh.learned_at,
            counters=replace(known.counters, evidence=known.counters.evidence + 1),
        )
        edited = self._event("memory_edited", version, data={"memory_id": known.id, "fields": ["content"]})
        self.tx.apply(
            Changes(
                memories=(version,),
                vectors=tuple(replace(vector, memory_id=known.id) for vector in self.new.vectors),
                sayings=(replace(self.new.saying, memory_id=known.id),),
                events=(edited,),
                by=fresh.provenance.actor,
                change="reworded",
            )
        )
        return Kept(verdict=Verdict.VERSION, memory_id=known.id, reason=why)

    def compared(self) -> Kept:
        """Against its neighbours: what it replaces, what it says more exactly, what it may contradict.

        A quarantined newcomer is compared with none: it may not touch anything until a person has read it.
        """
        new = self.new.memory
        around = _Neighbourhood()
        for old in self._neighbours() if new.trust else ():
            if self.settings.deduplication and is_same_lesson(new.content, old.content):
                if not _may_replace(new, old):
                    return self.repeated(old)
                around.replaced.append((old, "the same lesson in other words"))
                around.inherited += old.counters.evidence
                continue
            ruling = ruled(new.content, old.content)
            if ruling.verdict is Ruled.REFINES and self.settings.deduplication and _may_replace(new, old):
                return self.reworded(old, why=ruling.reason)
            self._weigh(old, ruling, around=around)
        return self.stored(around)

    def _neighbours(self) -> Iterator[Memory]:
        for wording in wordings(self.new.memory):
            yield from _neighbours(wording, self.tx)

    def _weigh(self, old: Memory, ruling: Finding, *, around: _Neighbourhood) -> None:
        """A certain update retires the old; an uncertain one, or one against higher trust, is a person's to decide."""
        is_update = ruling.verdict is Ruled.SUPERSEDES and self.settings.track_superseded
        if is_update and _may_replace(self.new.memory, old):
            around.replaced.append((old, ruling.reason))
        elif is_update or ruling.verdict is Ruled.REVIEW:
            around.doubtful.append((old, ruling.reason))

    def stored(self, around: _Neighbourhood) -> Kept:
        """As a memory of its own, in the place of those that it replaces."""
        memory = self.new.memory
        evidence = memory.counters.evidence + around.inherited
        memory = replace(memory, counters=replace(memory.counters, evidence=evidence))
        reviews = [
            self._question(memory, f"may contradict {old.id}: {why}", other=old.id) for old, why in around.doubtful
        ]
        if memory.trust <= trust.TAINTED:
            reviews.append(self._question(memory, self.new.trust_reason, other=None))
        self.tx.apply(
            Changes(
                memories=(memory,),
                vectors=self.new.vectors,
                sayings=(self.new.saying,) if memory.trust >= trust.AGENT else (),
                reviews=tuple(reviews),
                events=self._birth(memory),
                by=memory.provenance.actor,
            )
        )
        self._retire(memory, around)
        links = (self._link(old, Relation.CONTRADICTS, why=why) for old, why in around.doubtful)
        self.tx.apply(Changes(links=tuple(links)))
        return self._verdict(around)

    def _retire(self, memory: Memory, around: _Neighbourhood) -> None:
        at = memory.created_at
        for old, why in around.replaced:
            gone = revised(old, at=at, superseded_by=memory.id, superseded_at=at)
            data = {"oldHash": old.chorus_hash, "newHash": memory.chorus_hash, "reason": why}
            self.tx.apply(
                Changes(
                    memories=(gone,),
                    links=(self._link(old, Relation.SUPERSEDES, why=why),),
                    events=(self._event("learning_superseded", old, data=data),),
                    by=memory.provenance.actor,
                    change="superseded",
                )
            )

    def _verdict(self, around: _Neighbourhood) -> Kept:
        new = self.new
        ids = around.replaced_ids
        if new.memory.trust <= trust.TAINTED:
            verdict, reason = Verdict.REVIEW, f"waits for a person: {new.trust_reason}"
        elif around.doubtful:
            parts = "; ".join(f"may contradict {old.id}: {why}" for old, why in around.doubtful)
            verdict, reason = Verdict.REVIEW, f"{parts}; both are kept"
        elif around.replaced:
            verdict = Verdict.SUPERSEDED
            reason = "; ".join(f"replaces {old.id}: {why}" for old, why in around.replaced)
        else:
            verdict, reason = Verdict.STORED, new.trust_reason or "new"
        return Kept(verdict=verdict, memory_id=new.memory.id, reason=reason, supersedes=ids)

    def _raised_trust(self, known: Memory) -> int:
        """A person's word lifts anything. Two independent witnesses lift an agent's; nothing else lifts what is
        tainted or in quarantine (S3)."""
        if self.new.memory.trust == trust.HUMAN:
            return trust.HUMAN
        witnesses = [(saying.session, saying.speaker) for saying in self.tx.sayings(known.id)]
        is_lifted = known.trust == trust.AGENT and trust.corroborated(witnesses)
        return trust.CORROBORATED if is_lifted else known.trust

    def _question(self, memory: Memory, reason: str, *, other: str | None) -> Review:
        at = self.new.memory.created_at
        return Review(
            id=self.chance.id("rev", at),
            project=memory.project,
            kind=ReviewKind.CONTRADICTION if other else ReviewKind.QUARANTINE,
            memory_id=memory.id,
            other_id=other,
            reason=reason,
            opened_at=at,
        )

    def _link(self, old: Memory, relation: Relation, *, why: str) -> Link:
        memory = self.new.memory
        return Link(source=memory.id, target=old.id, relation=relation, at=memory.created_at, reason=why)

    def _birth(self, memory: Memory) -> tuple[Event, ...]:
        folder = f".chorus/agents/{memory.persona}/" if memory.persona else ".chorus/"
        name = "LEARNING_LOCAL" if memory.persona else "LEARNING_GLOBAL"
        stored = {"type": name, "content": memory.content, "destination": f"{folder}learnings.md"}
        source = str(memory.provenance.source)
        created = {"memory_id": memory.id, "type": memory.type, "title": memory.title, "source": source}
        return (
            self._event("learning_stored", memory, data=stored),
            self._event("memory_created", memory, data=created),
        )

    def _event(self, name: str, memory: Memory, *, data: Mapping[str, object]) -> Event:
        at = self.new.memory.created_at
        return Event(name=name, at=at, project=memory.project, memory_id=memory.id, data=data)
