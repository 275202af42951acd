"""How the episodes of a day become patterns, anti-patterns and skills: once, however often it is done.

Everything is decided from what the store holds and written in one transaction. What comes out is trusted as little as
the least trusted episode that it came from, and carries all their origins: consolidation must not launder anything.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from hindbrain.app.compose import MAX_CHARACTERS, Draft, compose
from hindbrain.app.episodes import trace
from hindbrain.app.revise import revised
from hindbrain.app.skills import Lore, learn
from hindbrain.app.tools import Tools
from hindbrain.core import trust
from hindbrain.core.consolidate import anti_patterns, merge
from hindbrain.core.consolidate.anti_patterns import AntiPattern
from hindbrain.core.consolidate.cluster import Pair, candidates, clusters, pair_of
from hindbrain.core.consolidate.generalise import GATE, NOTHING_SHARED, Pattern, generalise
from hindbrain.core.consolidate.past import Past, gist, past
from hindbrain.core.consolidate.shelf import Shelf
from hindbrain.core.consolidate.when import reason_to
from hindbrain.core.model import (
    Actor,
    ActorType,
    Event,
    Kind,
    Link,
    Memory,
    Provenance,
    Relation,
    Review,
    ReviewKind,
    Source,
    State,
)
from hindbrain.core.model.job import Job, JobState
from hindbrain.core.value import dataclass, field, replace
from hindbrain.errors import EmbedderMissing
from hindbrain.ports import Changes, Reader, Transaction, Where

WINDOW = timedelta(hours=24)  # LK-058
_ALL_PAIRS = 120  # episodes of which each is compared with each; of more, only those that share a word
_MOST = 400  # episodes whose meaning is compared
_DEEP = 500  # latest episodes that skills are learned from: three tasks rarely fall on one day
_NEIGHBOURS = 20
_BY = Actor(type=ActorType.AUTOMATE, persona="consolidation")


@dataclass(frozen=True, slots=True, kw_only=True)
class Barren:
    """A cluster that gave nothing, and why."""

    episodes: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidated:
    episodes: int  # in the window
    clusters: int
    patterns: tuple[Lore, ...]
    anti_patterns: tuple[Lore, ...]
    skills: tuple[Lore, ...]
    barren: tuple[Barren, ...]
    notices: tuple[str, ...] = ()
    is_dry_run: bool = False


def consolidate_job(job: Job, tools: Tools) -> Changes:
    """The handler of `consolidate` jobs; the cursor says up to where the log has been consolidated.

    What was done since then is written down first: not every session says goodbye.
    """
    log = tools.store.activities(job.project, after=_seen(job.project, tools))
    for session in dict.fromkeys(one.session for one in log):
        trace(job.project, session, tools=tools)
    consolidate(job.project, tools=tools)
    return Changes(cursors={cursor_name(job.project): str(log[-1].seq)} if log else {})


def due(project: str, *, tools: Tools) -> Job | None:
    """The job to queue now, where something was done since the last time and one of the three occasions is there.

    One that is queued already will see all of it: to read the log once more for each of many sessions that wait to be
    written down would take longer with every one of them.
    """
    if any(job.project == project for job in tools.store.jobs(states=(JobState.QUEUED,), kind="consolidate")):
        return None
    now = tools.clock.now()
    reason = reason_to(tools.store.activities(project, after=_seen(project, tools)), now=now)
    if not reason:
        return None
    return Job(
        id=tools.chance.id("job", now),
        kind="consolidate",
        key=f"consolidate/{project}",
        project=project,
        payload={"reason": reason},
        created_at=now,
        due_at=now,
    )


def queue_due(tools: Tools) -> int:
    """Queue it for every project whose time has come, as when nothing has happened for a while; for how many."""
    jobs = [job for project in tools.store.projects() if (job := due(project.id, tools=tools))]
    if jobs:
        tools.store.write(lambda tx: tx.apply(Changes(jobs=tuple(jobs))))
    return len(jobs)


def cursor_name(project: str) -> str:
    return f"consolidated/{project}"


def _seen(project: str, tools: Tools) -> int:
    told = tools.store.cursor(cursor_name(project))
    return int(told) if told.isdigit() else 0


def consolidate(project: str, *, tools: Tools, since: timedelta = WINDOW, is_dry_run: bool = False) -> Consolidated:
    """Learn from the episodes that ended within `since`. A second time changes nothing (LK-072)."""
    now = tools.clock.now()
    recent, older = _episodes(project, after=now - since, tools=tools)
    near, notices = _near(recent, tools)
    groups = clusters(recent, near=near)
    desk = _Desk(project=project, now=now, tools=tools, pasts={one.id: one for one in (*recent, *older)})

    def work(tx: Reader, write: Transaction | None) -> Consolidated:
        desk.begin(tx)
        found = [(group, generalise(group)) for group in groups]
        patterns = [desk.pattern(one) for _, made in found for one in made]
        warnings = [desk.warning(one) for one in anti_patterns.anti_patterns(recent)]
        desk.elaborate()
        skills = [
            desk.noted(lore, change) for lore, change in learn((*recent, *older), tx, project=project, tools=tools)
        ]
        if write is not None:
            for change in desk.changes:
                write.apply(change)
        barren = [
            Barren(episodes=tuple(one.id for one in group), reason=NOTHING_SHARED) for group, made in found if not made
        ]
        return Consolidated(
            episodes=len(recent),
            clusters=len(groups),
            patterns=tuple(patterns),
            anti_patterns=tuple(warnings),
            skills=tuple(skills),
            barren=tuple(barren),
            notices=notices,
            is_dry_run=is_dry_run,
        )

    return work(tools.store, None) if is_dry_run else tools.store.write(lambda tx: work(tx, tx))


def _episodes(project: str, *, after: datetime, tools: Tools) -> tuple[list[Past], list[Past]]:
    """Those of the window, oldest first, and older ones for skills. What is newer was also kept later."""
    where = Where(project=project, kinds=(Kind.EPISODE,), with_everywhere=False)
    windowed = tools.store.select(replace(where, after=after), order="newest")
    recent = [past(one) for one in reversed(windowed) if one.learned_at >= after]
    names = {one.id for one in recent}
    latest = tools.store.select(where, order="newest", limit=_DEEP)
    return recent, [past(one) for one in reversed(latest) if one.id not in names]


def _near(pasts: Sequence[Past], tools: Tools) -> tuple[Mapping[Pair, float], tuple[str, ...]]:
    """How alike episodes are by meaning, where a model can tell; by words otherwise, which is the cluster's own."""
    texts = {one.id: text for one in pasts[-_MOST:] if (text := gist(one.episode))}
    if tools.embedder is None or len(texts) < 2:
        return {}, ()
    try:
        points = dict(zip(texts, tools.embedder.embed(list(texts.values())), strict=True))
    except EmbedderMissing as error:
        return {}, (f"meaning is not compared: {error.what}; {error.fix}",)
    ids = list(texts)
    if len(ids) <= _ALL_PAIRS:
        pairs: Iterator[Pair] = (pair_of(one, other) for at, one in enumerate(ids) for other in ids[at + 1 :])
    else:
        pairs = (pair for pair in dict.fromkeys(candidates(pasts)) if pair[0] in points and pair[1] in points)
    return {pair: sum(a * b for a, b in zip(points[pair[0]], points[pair[1]], strict=True)) for pair in pairs}, ()


@dataclass(slots=True, kw_only=True)
class _Desk:
    """One run: what it has decided so far, and what is to be written in the end."""

    project: str
    now: datetime
    tools: Tools
    pasts: Mapping[str, Past]
    reader: Reader | None = None
    changes: list[Changes] = field(default_factory=list)
    made: dict[str, Memory] = field(default_factory=dict)  # new or changed in this run
    known: dict[str, Memory] = field(default_factory=dict)  # all patterns and anti-patterns of the project
    shelves: dict[Kind, Shelf] = field(default_factory=dict)  # the same, to be found by their words

    def begin(self, reader: Reader) -> None:
        """A write may be tried again: what an earlier try decided does not count. What a person put away is known, too:
        it is not to come back by itself."""
        self.reader, self.changes, self.made, self.known = reader, [], {}, {}
        kinds = (Kind.PATTERN, Kind.ANTI_PATTERN)
        self.shelves = {kind: Shelf() for kind in kinds}
        where = Where(project=self.project, kinds=kinds, states=frozenset(State), with_everywhere=False)
        for memory in reader.select(where, order="newest"):
            self._shelve(memory)

    def noted(self, lore: Lore, change: Changes | None) -> Lore:
        if change is not None:
            self.changes.append(change)
        return lore

    def pattern(self, pattern: Pattern) -> Lore:
        told = Lore(text=pattern.text, confidence=pattern.confidence, sources=pattern.sources)
        if pattern.confidence < GATE:
            reason = (
                f"confidence {pattern.confidence:.2f} is below {GATE}: the episodes agree by {pattern.cohesion:.2f}"
            )
            return replace(told, fate="unsure", reason=reason)
        near = [merge.read(one) for one in self._neighbours(pattern.text, Kind.PATTERN)]
        known = merge.find_similar(pattern, near)
        if known is None:
            return self._new_pattern(pattern, near, told=told)
        memory = self.known[known.memory_id]
        if put_away := _put_away(memory):
            return replace(told, fate="known", memory_id=memory.id, reason=put_away)
        better = merge.strengthened(known.pattern, pattern)
        if better is known.pattern:
            return replace(told, fate="known", memory_id=memory.id, reason="nothing new about it")
        fresh = better.sources[len(known.pattern.sources) :]
        body = {**memory.body, **merge.body_of(better), "origins": self._origins(better.sources)}
        self._revise(
            memory,
            fresh=fresh,
            body=body,
            confidence=merge.recalculated(better, memory.confidence),
            content=memory.content,
        )
        return replace(told, fate="evidence", memory_id=memory.id, reason=f"{len(fresh)} more episodes say so")

    def _new_pattern(self, pattern: Pattern, near: Sequence[merge.Known], *, told: Lore) -> Lore:
        body = {**merge.body_of(pattern), "origins": self._origins(pattern.sources)}
        memory = self._composed(Kind.PATTERN, pattern.text, body=body, sources=pattern.sources)
        memory = replace(
            memory,
            type="fix" if pattern.signature else "pattern",
            confidence=pattern.confidence,
            file_refs=pattern.files,
            error_signature=pattern.signature or None,
        )
        others = [one for one in near if _put_away(self.known[one.memory_id]) == ""]
        ties = [self._link(memory.id, target, relation=relation) for target, relation in merge.ties(pattern, others)]
        self._create(memory, sources=pattern.sources, links=ties)
        doubts = [link.target for link in ties if link.relation is Relation.CONTRADICTS]
        if doubts:
            reviews = tuple(self._contradiction(memory, self.known[other]) for other in doubts)
            self.changes.append(Changes(reviews=reviews))
        return replace(told, fate="new", memory_id=memory.id, reason=f"{len(pattern.sources)} episodes agree")

    def warning(self, new: AntiPattern) -> Lore:
        told = Lore(text=new.text, confidence=_sure(new), sources=new.sources)
        near = self._neighbours(f"{new.what_fails} {new.why}", Kind.ANTI_PATTERN)
        known = [(one, anti_patterns.read(one.body, signature=one.error_signature or "")) for one in near]
        same = [(one, its) for one, its in known if anti_patterns.is_same(its, new)]
        if not same:
            return self._new_warning(new, told=told)
        memory, its = next((pair for pair in same if pair[1].text == new.text), same[0])
        if put_away := _put_away(memory):
            return replace(told, fate="known", memory_id=memory.id, reason=put_away)
        better = anti_patterns.joined(its, new)
        if better.body() == its.body():
            return replace(told, fate="known", memory_id=memory.id, reason="nothing new about it")
        fresh = tuple(one for one in better.sources if one not in its.sources)
        body = {**memory.body, **better.body(), "origins": self._origins(better.sources)}
        sure = max(memory.confidence, _sure(better))
        self._revise(memory, fresh=fresh, body=body, confidence=sure, content=better.text)
        return replace(told, fate="evidence", memory_id=memory.id, reason="met again")

    def _new_warning(self, new: AntiPattern, *, told: Lore) -> Lore:
        body = {**new.body(), "origins": self._origins(new.sources)}
        memory = self._composed(Kind.ANTI_PATTERN, new.text, body=body, sources=new.sources)
        memory = replace(
            memory,
            type="pitfall",
            confidence=told.confidence,
            file_refs=new.files or memory.file_refs,
            error_signature=new.signature or None,
        )
        self._create(memory, sources=new.sources)
        return replace(told, fate="new", memory_id=memory.id, reason="an error that was not known")

    def elaborate(self) -> None:
        """A new pattern says more about what an anti-pattern only warns of, where both are about one error."""
        warned: dict[str, list[str]] = {}
        for one in self.made.values():
            if one.kind is Kind.ANTI_PATTERN and one.error_signature:
                warned.setdefault(one.error_signature, []).append(one.id)
        for one in list(self.made.values()):
            if one.kind is Kind.PATTERN and one.version == 1 and one.error_signature:
                known = self._reader.cured(self.project, one.error_signature)
                about = {*warned.get(one.error_signature, ()), *(m.id for m in known if m.kind is Kind.ANTI_PATTERN)}
                links = [self._link(one.id, target, relation=Relation.ELABORATES) for target in sorted(about)]
                self.changes += [Changes(links=tuple(links))] if links else []

    @property
    def _reader(self) -> Reader:
        return self.reader or self.tools.store

    def _neighbours(self, text: str, kind: Kind) -> list[Memory]:
        return [self.known[key] for key in self.shelves[kind].near(text, limit=_NEIGHBOURS)]

    def _put(self, memory: Memory) -> None:
        self.made[memory.id] = memory
        self._shelve(memory)

    def _shelve(self, memory: Memory) -> None:
        self.known[memory.id] = memory
        self.shelves[memory.kind].put(memory.id, memory.content)

    def _composed(self, kind: Kind, text: str, *, body: Mapping[str, object], sources: Sequence[str]) -> Memory:
        provenance = Provenance(actor=_BY, source=Source.AUTOMATIC, adapter="consolidate")
        draft = Draft(text=text[:MAX_CHARACTERS], project=self.project, provenance=provenance, kind=kind, body=body)
        memory_id = self.tools.chance.id("mem", self.now)
        memory, judged = compose(draft, memory_id=memory_id, now=self.now, settings=self.tools.settings)
        return replace(memory, trust=min([judged.level, *self._trusts(sources)]))

    def _trusts(self, sources: Sequence[str]) -> list[int]:
        """Of episodes; what is not there any more says nothing."""
        return [self.pasts[one].trust for one in sources if one in self.pasts]

    def _origins(self, sources: Sequence[str]) -> list[dict[str, str]]:
        """Where all of it came from, one for each episode that is still there."""
        known = [self.pasts[one] for one in sources if one in self.pasts]
        return [
            {"episode": one.id, "session": one.episode.session, "task": one.episode.task, "agent": one.episode.agent}
            for one in known
        ]

    def _create(self, memory: Memory, *, sources: Sequence[str], links: Sequence[Link] = ()) -> None:
        data = {"memory_id": memory.id, "type": memory.type, "title": memory.title, "source": "consolidation"}
        created = Event(name="memory_created", at=self.now, project=self.project, memory_id=memory.id, data=data)
        told = "it tells the reader to run something"
        reviews = (self._question(memory, told),) if memory.trust == trust.QUARANTINED else ()
        memory = replace(memory, counters=replace(memory.counters, evidence=len(sources)))
        self._put(memory)
        self.changes.append(
            Changes(
                memories=(memory,),
                links=(*self._derived(memory, sources), *links),
                reviews=reviews,
                events=(created,),
                by=_BY,
                change="consolidated",
            )
        )

    def _revise(
        self, memory: Memory, *, fresh: Sequence[str], body: Mapping[str, object], confidence: float, content: str
    ) -> None:
        trusted = memory.trust if memory.trust == trust.HUMAN else min([memory.trust, *self._trusts(fresh)])
        evidence = replace(memory.counters, evidence=memory.counters.evidence + len(fresh))
        changed: dict[str, object] = {"body": body, "confidence": confidence, "counters": evidence, "trust": trusted}
        if content != memory.content:
            shaped = self._composed(memory.kind, content, body=body, sources=())
            names = ("content", "title", "tags", "key", "legacy_key", "content_hash", "chorus_hash")
            changed |= {name: getattr(shaped, name) for name in names} | {"trust": min(trusted, shaped.trust)}
        better = revised(memory, at=self.now, **changed)
        self._put(better)
        links = tuple(self._derived(better, fresh))
        self.changes.append(Changes(memories=(better,), links=links, by=_BY, change="strengthened"))

    def _derived(self, memory: Memory, sources: Sequence[str]) -> Iterator[Link]:
        for source in sources:
            if source in self.pasts:
                yield self._link(memory.id, source, relation=Relation.DERIVED_FROM)
                yield self._link(source, memory.id, relation=Relation.EXAMPLE_OF)

    def _link(self, source: str, target: str, *, relation: Relation) -> Link:
        return Link(source=source, target=target, relation=relation, at=self.now, reason="consolidated")

    def _contradiction(self, memory: Memory, other: Memory) -> Review:
        cure = other.body.get("correct_approach")
        return self._question(memory, f"the same error was cured in another way: {cure}", other=other.id)

    def _question(self, memory: Memory, reason: str, *, other: str | None = None) -> Review:
        return Review(
            id=self.tools.chance.id("rev", self.now),
            project=self.project,
            kind=ReviewKind.CONTRADICTION if other else ReviewKind.QUARANTINE,
            memory_id=memory.id,
            other_id=other,
            reason=reason,
            opened_at=self.now,
        )


_SURE, _UNSURE = 0.7, 0.5  # of an anti-pattern whose cure is known, and of one that only warns


def _sure(one: AntiPattern) -> float:
    return _SURE if one.prevention else _UNSURE


def _put_away(memory: Memory) -> str:
    """Why a memory takes no more evidence; empty where it does."""
    if memory.state is State.ARCHIVED:
        return f"known, and put away: {memory.archive_reason or 'archived'}"
    return f"known, and replaced by {memory.superseded_by}" if memory.state is State.SUPERSEDED else ""
