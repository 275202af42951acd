"""What is done unasked to keep a project's memories in order: what fades, what is put away, what becomes one.

Each job looks first, which takes no lock, and then works in batches: what it is about to change is read again in the
transaction that changes it, because somebody may have been faster.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from hindbrain.app.refer import References
from hindbrain.app.revise import revised
from hindbrain.app.settle import settled
from hindbrain.app.tools import Tools
from hindbrain.app.upkeep import Log, Step, alone, batches, kept_apart
from hindbrain.core.confidence import decay
from hindbrain.core.duplicates import Alike, Cluster, clusters, may_stand_for, united
from hindbrain.core.growth import Growth
from hindbrain.core.hints import NamedTuple
from hindbrain.core.model import Actor, ActorType, Event, Link, Memory, Pulse, Relation, State
from hindbrain.core.retention import RETENTION, archive_reason, expiry_reason, is_to_summarise
from hindbrain.core.same import is_same, means_same
from hindbrain.core.shape import shape
from hindbrain.core.summary import summarised
from hindbrain.core.value import dataclass, replace
from hindbrain.ports import Changes, Reader, Transaction, Where

Tell = Callable[[int, int], None]  # how many more are done, of how many

_US = Actor(type=ActorType.AUTOMATE)


class Faded(NamedTuple):
    id: str
    title: str
    before: float
    after: float


class PutAway(NamedTuple):
    id: str
    title: str
    reason: str


class Shortened(NamedTuple):
    id: str
    title: str


class Merged(NamedTuple):
    id: str  # the one that stays
    title: str
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    decayed: tuple[Faded, ...]
    archived: tuple[PutAway, ...]
    is_dry_run: bool
    run: str = ""  # to take it back by; "" when nothing was done


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    summarised: tuple[Shortened, ...]
    archived: tuple[PutAway, ...]
    is_dry_run: bool
    run: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidied:
    merged: tuple[Merged, ...]
    compared: int  # memories that were looked at
    is_dry_run: bool
    run: str = ""


def cleanup(project: str, *, is_dry_run: bool = False, tools: Tools, tell: Tell = lambda *_: None) -> Cleaned:
    """Let the unused memories of this project fade, archive those that faded away. Repeating it changes nothing.

    A dry run tells the same and writes nothing.
    """
    job = _Cleanup(project=project, now=tools.clock.now(), growth=tools.settings.growth, tools=tools)
    if is_dry_run:
        return job.report(tuple(job.looked(tools.store)), is_dry_run=True)
    with alone(project, tools=tools):
        return job.done(tell)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """What is to happen to one memory."""

    memory: Memory  # as it is
    faded: Faded
    pulse: Pulse | None
    put_away: PutAway | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cleanup:
    project: str
    now: datetime
    growth: Growth
    tools: Tools

    def looked(self, reader: Reader) -> Iterator[_Step]:
        """Over live memories of the project itself: what came from another one is cleaned there (F-34)."""
        references = References(self.project, reader)
        kinds = tuple(kind for kind, rule in RETENTION.items() if rule.fades or rule.unrecalled_after)
        for memory in reader.select(Where(project=self.project, with_everywhere=False, kinds=kinds)):
            if step := self._step(memory, references):
                yield step

    def done(self, tell: Tell) -> Cleaned:
        log = Log("cleanup", project=self.project, tools=self.tools)
        ids = [step.memory.id for step in self.looked(self.tools.store)]
        known = References(self.project, self.tools.store)
        taken: list[_Step] = []
        for batch in batches(ids):

            def work(tx: Transaction, batch: Sequence[str] = batch) -> list[Step]:
                references = known.seen_by(tx)
                found = (self._step(memory, references) for memory in tx.memories(batch).values())
                steps = [step for step in found if step is not None]
                taken.extend(steps)
                return self._taken(steps, tx)

            log.batch(work)
            tell(len(batch), len(ids))
        log.close()
        return replace(self.report(tuple(taken), is_dry_run=False), run=log.id)

    def report(self, steps: tuple[_Step, ...], *, is_dry_run: bool) -> Cleaned:
        return Cleaned(
            decayed=tuple(step.faded for step in steps if step.faded.after != step.faded.before),
            archived=tuple(step.put_away for step in steps if step.put_away),
            is_dry_run=is_dry_run,
        )

    def _step(self, memory: Memory, references: References) -> _Step | None:
        if memory.state is not State.LIVE:
            return None
        pulse = self._fading(memory) if RETENTION[memory.kind].fades else None
        after = pulse.applied_to(memory) if pulse else memory
        reason = archive_reason(after, now=self.now)
        if reason and references.has(memory):
            reason = None
        if not pulse and not reason:
            return None
        faded = Faded(memory.id, memory.title, memory.confidence, after.confidence)
        put_away = PutAway(memory.id, memory.title, reason) if reason else None
        return _Step(memory=memory, faded=faded, pulse=pulse, put_away=put_away)

    def _fading(self, memory: Memory) -> Pulse | None:
        decayed = decay(memory, now=self.now, growth=self.growth)
        if decayed is None:
            return None
        return Pulse(memory_id=memory.id, confidence=decayed.confidence, decayed_at=decayed.decayed_at)

    def _taken(self, steps: Sequence[_Step], tx: Transaction) -> list[Step]:
        tx.apply(
            Changes(
                pulses=tuple(step.pulse for step in steps if step.pulse),
                events=tuple(self._decayed(step) for step in steps if step.faded.after != step.faded.before),
            )
        )
        noted = [
            Step(step.memory.id, step.memory.version, step.memory.version, (step.faded.before, step.faded.after))
            for step in steps
            if step.faded.after != step.faded.before
        ]
        for step in steps:
            if step.put_away:
                memory = step.pulse.applied_to(step.memory) if step.pulse else step.memory
                noted.append(_archive(memory, step.put_away.reason, tx=tx, at=self.now))
        return noted

    def _decayed(self, step: _Step) -> Event:
        memory, faded = step.memory, step.faded
        data = {"memory_id": memory.id, "before": faded.before, "after": faded.after}
        return Event(name="memory_decayed", at=self.now, project=memory.project, memory_id=memory.id, data=data)


def prune(project: str, *, is_dry_run: bool = False, tools: Tools, tell: Tell = lambda *_: None) -> Pruned:
    """Summarise what is older than its details are worth, archive what is older still and nobody needs."""
    job = _Prune(project=project, now=tools.clock.now(), tools=tools)
    if is_dry_run:
        return job.report(tuple(job.looked(tools.store)), is_dry_run=True)
    with alone(project, tools=tools):
        return job.done(tell)


class _Age(NamedTuple):
    memory: Memory
    reason: str  # why it is archived; "": it is summarised


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prune:
    project: str
    now: datetime
    tools: Tools

    def looked(self, reader: Reader) -> Iterator[_Age]:
        references = References(self.project, reader)
        kinds = tuple(kind for kind, rule in RETENTION.items() if rule.archived_after or rule.summarised_after)
        for memory in reader.select(Where(project=self.project, with_everywhere=False, kinds=kinds), order="newest"):
            if age := self._age(memory, references):
                yield age

    def done(self, tell: Tell) -> Pruned:
        log = Log("prune", project=self.project, tools=self.tools)
        ids = [age.memory.id for age in self.looked(self.tools.store)]
        known = References(self.project, self.tools.store)
        taken: list[_Age] = []
        for batch in batches(ids):

            def work(tx: Transaction, batch: Sequence[str] = batch) -> list[Step]:
                references = known.seen_by(tx)
                found = (self._age(memory, references) for memory in tx.memories(batch).values())
                ages = [age for age in found if age is not None]
                taken.extend(ages)
                return [self._taken(age, tx) for age in ages]

            log.batch(work)
            tell(len(batch), len(ids))
        log.close()
        return replace(self.report(tuple(taken), is_dry_run=False), run=log.id)

    def report(self, ages: tuple[_Age, ...], *, is_dry_run: bool) -> Pruned:
        return Pruned(
            summarised=tuple(Shortened(age.memory.id, age.memory.title) for age in ages if not age.reason),
            archived=tuple(PutAway(age.memory.id, age.memory.title, age.reason) for age in ages if age.reason),
            is_dry_run=is_dry_run,
        )

    def _age(self, memory: Memory, references: References) -> _Age | None:
        reason = expiry_reason(memory, now=self.now, is_referenced=False)
        if reason and not references.has(memory):
            return _Age(memory, reason)
        return _Age(memory, "") if is_to_summarise(memory, now=self.now) else None

    def _taken(self, age: _Age, tx: Transaction) -> Step:
        if age.reason:
            return _archive(age.memory, age.reason, tx=tx, at=self.now)
        memory = age.memory
        text, body = summarised(memory, at=self.now)
        known = shape(text, type=memory.type)
        words = {"content_hash": known.content_hash, "chorus_hash": known.chorus_hash} if text != memory.content else {}
        after = revised(memory, at=self.now, content=text, body=body, **words)
        data = {"memory_id": memory.id}
        event = Event(name="memory_summarised", at=self.now, project=memory.project, memory_id=memory.id, data=data)
        tx.apply(Changes(memories=(after,), events=(event,), by=_US, change="summarised"))
        return Step(memory.id, memory.version, after.version)


def merge(project: str, *, is_dry_run: bool = False, tools: Tools, tell: Tell = lambda *_: None) -> Tidied:
    """Let memories that say the same become one. What is hidden stays linked to what stands for it, and comes back."""
    job = _Merge(project=project, now=tools.clock.now(), tools=tools)
    if is_dry_run:
        found, compared = job.looked(tell)
        merged = tuple(_merged(cluster.primary, cluster.others) for cluster in found)
        return Tidied(merged=merged, compared=compared, is_dry_run=True)
    with alone(project, tools=tools):
        return job.done(tell)


def _merged(primary: Memory, others: Sequence[Memory]) -> Merged:
    return Merged(primary.id, primary.title, tuple(other.id for other in others))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Merge:
    project: str
    now: datetime
    tools: Tools

    def looked(self, tell: Tell) -> tuple[list[Cluster], int]:
        store = self.tools.store
        kinds = tuple(kind for kind, rule in RETENTION.items() if rule.merges)
        known = store.select(Where(project=self.project, with_everywhere=False, kinds=kinds))
        apart = kept_apart(self.project, reader=store)
        alike = self._alike(known, apart)
        return list(clusters(known, alike=alike, tell=lambda: tell(1, len(known)))), len(known)

    def done(self, tell: Tell) -> Tidied:
        found, compared = self.looked(tell)
        log = Log("merge", project=self.project, tools=self.tools)
        merged: list[Merged] = []
        for start in range(0, len(found), _CLUSTERS):
            batch = found[start : start + _CLUSTERS]

            def work(tx: Transaction, batch: Sequence[Cluster] = batch) -> list[Step]:
                return [step for cluster in batch for step in self._taken(cluster, tx, merged=merged)]

            log.batch(work)
        log.close()
        return Tidied(merged=tuple(merged), compared=compared, is_dry_run=False, run=log.id)

    def _alike(self, known: Sequence[Memory], apart: frozenset[tuple[str, str]]) -> Alike:
        """By meaning where both have a vector, else by words; never what a person took apart (LK-125)."""
        store, embedder = self.tools.store, self.tools.embedder
        where = Where(project=self.project)
        space = embedder.space if embedder and store.has_vectors(embedder.space, where) else None

        def alike(one: Memory, other: Memory) -> bool:
            if (min(one.id, other.id), max(one.id, other.id)) in apart:
                return False
            points = store.points((one.id, other.id), space) if space else {}
            if len(points) < 2:
                return is_same(one.content, other.content)
            similarity = sum(x * y for x, y in zip(points[one.id], points[other.id], strict=True))
            return means_same(one.content, other.content, similarity=similarity)

        return alike

    def _taken(self, cluster: Cluster, tx: Transaction, *, merged: list[Merged]) -> Iterator[Step]:
        """Both ends are written, and the hidden ones are gone from recall: a second run finds nothing (F-19)."""
        now = tx.memories([cluster.primary.id, *(other.id for other in cluster.others)])
        primary = now.get(cluster.primary.id)
        if primary is None or primary.state is not State.LIVE or primary.content != cluster.primary.content:
            return
        seen = ((other, now.get(other.id)) for other in cluster.others)
        others = [
            one
            for before, one in seen
            if one and one.state is State.LIVE and one.content == before.content and may_stand_for(primary, one)
        ]
        if not others:
            return
        whole = united(primary, others)
        fields = {name: getattr(whole, name) for name in ("counters", "tags", "file_refs", "body", "last_used_at")}
        after = revised(primary, at=self.now, **fields)
        tx.apply(Changes(memories=(after,), by=_US, change="merged"))
        names = primary.counters.__slots__
        added = {name: getattr(after.counters, name) - getattr(primary.counters, name) for name in names}
        ids = tuple(other.id for other in others)
        yield Step(primary.id, primary.version, after.version, None, added, ids)
        for other in others:
            yield self._hidden(other, primary, tx=tx)
        merged.append(_merged(primary, others))

    def _hidden(self, other: Memory, primary: Memory, *, tx: Transaction) -> Step:
        after = revised(other, at=self.now, superseded_by=primary.id, superseded_at=self.now)
        why = "it says the same"
        link = Link(source=primary.id, target=other.id, relation=Relation.SUPERSEDES, at=self.now, reason=why)
        data = {"oldHash": other.chorus_hash, "newHash": primary.chorus_hash, "reason": why}
        event = Event(name="learning_superseded", at=self.now, project=other.project, memory_id=other.id, data=data)
        reviews = settled(other, tx, decision="superseded", at=self.now)
        tx.apply(
            Changes(memories=(after,), links=(link,), reviews=reviews, events=(event,), by=_US, change="superseded")
        )
        return Step(other.id, other.version, after.version)


_CLUSTERS = 50  # of one transaction


def _archive(memory: Memory, reason: str, *, tx: Transaction, at: datetime) -> Step:
    data = {"memory_id": memory.id, "reason": reason}
    event = Event(name="memory_archived", at=at, project=memory.project, memory_id=memory.id, data=data)
    gone = revised(memory, at=at, archived_at=at, archive_reason=reason)
    reviews = settled(memory, tx, decision="archived", at=at)
    tx.apply(Changes(memories=(gone,), reviews=reviews, events=(event,), by=_US, change="archived"))
    return Step(memory.id, memory.version, gone.version)
