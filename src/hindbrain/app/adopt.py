"""What the files of another system bring into a project: every line is accounted for, and none counts twice."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from hindbrain.app.admission import admitted_body, kinds_removed, tidy
from hindbrain.app.compose import MAX_CHARACTERS, Draft, compose
from hindbrain.app.keep import EVENTS, Newcomer, keep
from hindbrain.app.revise import revised
from hindbrain.app.settle import settled
from hindbrain.app.tools import Tools
from hindbrain.core import trust
from hindbrain.core.door import Passed, admit
from hindbrain.core.model import (
    TYPES,
    Actor,
    ActorType,
    Event,
    Kind,
    Link,
    Memory,
    Provenance,
    Receipt,
    Relation,
    Source,
    Verdict,
)
from hindbrain.core.model.bodies import faults
from hindbrain.core.model.foreign import Fate, Item, Reading, Told
from hindbrain.core.model.paper import Paper, Sort
from hindbrain.core.model.record import fingerprint
from hindbrain.core.same import wording
from hindbrain.core.shape import CATEGORIES, title_of
from hindbrain.core.value import dataclass, field, replace
from hindbrain.errors import BadValue, TooLong
from hindbrain.ports import Changes, Dialect, Reader, Saying, Transaction

_MOST_CONFIDENT = 0.7  # of what a stranger is sure of
_LONGEST_BODY = 200_000  # characters of an episode's log, or of a paper; nobody reads them at once
_BATCH = 500  # memories of one transaction: others wait no longer than for that
_BY = Actor(type=ActorType.HUMAN)  # files do not import themselves


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopted:
    items: tuple[Item, ...]  # every line or file, once
    created: int
    known: int  # their text was here already: counted as evidence, or nothing at all
    changed: int  # they reworded or replaced what was here
    waiting: int  # for a person
    removed: tuple[str, ...]  # kinds that the door took out
    receipts: tuple[Receipt, ...] = ()
    papers: int = 0  # that were new or newer

    def count(self, fate: Fate) -> int:
        return sum(item.fate is fate for item in self.items)


def adopt(tree: Mapping[str, bytes], *, dialect: Dialect, project: str, tools: Tools) -> Adopted:
    """Read `tree` in `dialect` and keep what it tells. The same files a second time change nothing."""
    return taken_in(dialect.read(tree), dialect=dialect.name, project=project, tools=tools)


def taken_in(reading: Reading, *, dialect: str, project: str, tools: Tools) -> Adopted:
    """Keep what was read from the files of `dialect`."""
    desk = _Desk(dialect=dialect, project=project, now=tools.clock.now(), tools=tools)
    arrivals, refused = _sorted(desk, reading)
    if any(one.memory.kind in _CONTINUED and one.told.id for one in arrivals):
        desk = replace(desk, named=_named(project, dialect, reader=tools.store))
    receipts: list[Receipt] = []
    ids: dict[str, str] = {}  # what the files call a memory -> what it is called here
    for batch in _batches(arrivals):
        placed = tools.store.write(lambda tx, batch=batch: [desk.placed(one, tx) for one in batch])  # type: ignore[misc]
        receipts += placed
        ids |= {
            name: receipt.memory_id
            for one, receipt in zip(batch, placed, strict=True)
            for name in one.names
            if receipt.memory_id
        }
    fresh = {receipt.memory_id for receipt in receipts if not receipt.is_replay}
    told = [one for one in arrivals if ids.get(one.name) in fresh]
    tools.store.write(lambda tx: desk.tied(told, ids=ids, tx=tx))
    papers, unfit = _filed(reading.papers, project=project, now=desk.now)
    filed = tools.store.write(lambda tx: _put_away(papers, tx)) if papers else 0
    report = _report(reading, refused | unfit, receipts=receipts, arrivals=arrivals)
    return replace(report, papers=filed)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Arrival:
    told: Told
    memory: Memory
    receipt: Receipt  # a rejection until it is placed
    reason: str  # for the trust that it has

    @property
    def names(self) -> Iterator[str]:
        """What other lines of the files may call it."""
        yield from filter(None, (self.told.id, self.memory.chorus_hash, self.memory.content_hash))

    @property
    def name(self) -> str:
        return self.told.id or self.memory.content_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    """One import: the same moment, project and dialect for every line."""

    dialect: str
    project: str
    now: datetime
    tools: Tools
    named: Mapping[str, str] = field(
        default_factory=dict
    )  # what the files called an event before this import -> the memory

    def arrival(self, told: Told, number: int) -> _Arrival:
        """What `told` becomes. BadValue or TooLong with the reason why it cannot."""
        passed = _admitted(told.content)
        body = admitted_body(told.body, most=_LONGEST_BODY if told.kind is Kind.EPISODE else MAX_CHARACTERS)
        if wrong := faults(told.kind, body):
            raise BadValue("; ".join(wrong), fix="correct the file")
        receipt_id = self.tools.chance.id("rcp", self.now)
        draft = Draft(
            text=passed.text.strip(),
            project=self.project,
            provenance=self._provenance(told, receipt_id),
            type=told.type if told.type in TYPES else "learned",
            kind=told.kind,
            persona=tidy(told.persona) if told.persona else None,
            said_at=min(told.learned_at, self.now) if told.learned_at else None,
            body=body,
        )
        memory_id = self.tools.chance.id("mem", self.now)
        memory, judged = compose(draft, memory_id=memory_id, now=self.now, settings=self.tools.settings)
        memory = _as_told(memory, told, now=self.now)
        return _Arrival(
            told=told,
            memory=memory,
            receipt=self._receipt(told, memory, number=number, passed=passed),
            reason=judged.reason,
        )

    def placed(self, arrival: _Arrival, tx: Transaction) -> Receipt:
        if known := tx.receipts_for(arrival.receipt.key):
            return replace(known, is_replay=True)
        memory, receipt = arrival.memory, arrival.receipt
        own = tx.memory(arrival.told.id) or tx.memory(
            tx.cursor(called(self.project, self.dialect, name=arrival.told.id))
        )
        if own and own.project == self.project and _says_the_same(own, memory):  # what we had written ourselves
            return replace(receipt, memory_id=own.id, verdict=Verdict.EVIDENCE, is_replay=True)
        if older := self._older(arrival, tx):
            return self._continued(older, arrival, tx=tx)
        saying = Saying(
            memory_id=memory.id,
            receipt=receipt.id,
            session=memory.provenance.session,
            speaker=memory.provenance.actor.voice,
            at=memory.learned_at,
        )
        newcomer = Newcomer(memory=memory, saying=saying, trust_reason=arrival.reason)
        kept = keep(newcomer, tx, chance=self.tools.chance, settings=self.tools.settings)
        receipt = replace(
            receipt, verdict=kept.verdict, memory_id=kept.memory_id, reason=kept.reason, supersedes=kept.supersedes
        )
        tx.apply(Changes(receipts=(receipt,)))
        if arrival.told.is_archived and kept.memory_id == memory.id:
            self._put_away(memory.id, tx)
        return receipt

    def _put_away(self, memory_id: str, tx: Transaction) -> None:
        memory = tx.memory(memory_id)
        if memory and memory.archived_at is None:
            reason = f"archived in {self.dialect}"
            gone = revised(memory, at=self.now, archived_at=self.now, archive_reason=reason)
            tx.apply(Changes(memories=(gone,), by=_BY, change="archived"))

    def _older(self, arrival: _Arrival, tx: Transaction) -> Memory | None:
        """The same event or entry as the files told it before. Two machines may give one name to two of them; and what
        a person vouched for is not theirs to change."""
        new = arrival.memory
        known = tx.memory(self.named.get(arrival.told.id, "")) if new.kind in _CONTINUED else None
        if known is None or (known.project, known.kind) != (new.project, new.kind) or known.trust > new.trust:
            return None
        if new.kind in EVENTS:
            is_one = known.learned_at == new.learned_at or known.provenance.task == new.provenance.task
        else:
            is_one = wording(known.content, new.content) >= _SAME_ENTRY
        return known if is_one else None

    def _continued(self, known: Memory, arrival: _Arrival, *, tx: Transaction) -> Receipt:
        """Its next version, unless it says what is known."""
        changed = {name: getattr(arrival.memory, name) for name in _RETOLD}
        verdict, reason = Verdict.EVIDENCE, "known already"
        is_news = known.content != arrival.memory.content or _told(known.body) != _told(arrival.memory.body)
        if is_news:
            verdict, reason = Verdict.VERSION, f"it was changed in {self.dialect}"
            newer = revised(known, at=self.now, **changed, provenance=arrival.memory.provenance)
            data = {"memory_id": known.id, "fields": ["content", "body"]}
            event = Event(name="memory_edited", at=self.now, project=known.project, memory_id=known.id, data=data)
            tx.apply(Changes(memories=(newer,), events=(event,), by=_BY, change="changed upstream"))
        receipt = replace(arrival.receipt, verdict=verdict, memory_id=known.id, reason=reason)
        tx.apply(Changes(receipts=(receipt,)))
        return receipt

    def tied(self, arrivals: Sequence[_Arrival], *, ids: Mapping[str, str], tx: Transaction) -> None:
        """What the files say about two of their memories, once both are here."""
        for one in arrivals:
            memory = tx.memory(ids.get(one.name, ""))
            if memory is None:
                continue
            memory = self._superseded(memory, one.told, newer=ids.get(one.told.superseded_by, ""), tx=tx)
            if one.told.is_archived:
                self._put_away(memory.id, tx)
            others = [(relation, ids[name]) for relation, name in one.told.links if name in ids]
            tx.apply(Changes(links=tuple(self._links(memory.id, others))))

    def _superseded(self, memory: Memory, told: Told, *, newer: str, tx: Transaction) -> Memory:
        if not newer or newer == memory.id or memory.superseded_by is not None:
            return memory
        at = told.superseded_at or self.now
        memory = revised(memory, at=self.now, superseded_by=newer, superseded_at=at)
        links = tuple(self._links(newer, [(Relation.SUPERSEDES, memory.id)]))
        closed = settled(memory, tx, decision="superseded", at=self.now)
        tx.apply(Changes(memories=(memory,), links=links, reviews=closed, by=_BY, change="superseded"))
        return memory

    def _links(self, source: str, others: Sequence[tuple[Relation, str]]) -> Iterator[Link]:
        for relation, target in others:
            if target != source:
                yield Link(source=source, target=target, relation=relation, at=self.now, reason="as imported")

    def _provenance(self, told: Told, receipt_id: str) -> Provenance:
        return Provenance(
            actor=Actor(persona=tidy(told.persona or ""), hat=tidy(told.hat), instance=tidy(told.instance)),
            session=tidy(told.session),
            task=tidy(told.task),
            source=Source.IMPORTED,
            adapter=self.dialect,
            receipt=receipt_id,
        )

    def _receipt(self, told: Told, memory: Memory, *, number: int, passed: Passed) -> Receipt:
        path, _, line = told.where.rpartition(":")
        log = (
            [_told(told.body) | {"links": told.body.get("links")}] if memory.kind in _CONTINUED else []
        )  # it may change without a word of its prose
        return Receipt(
            id=memory.provenance.receipt,
            key=fingerprint([self.project, "import", self.dialect, told.id, told.content, number, *log]),
            at=self.now,
            project=self.project,
            verdict=Verdict.REJECTED,
            text=memory.content,
            reason="",
            said_at=told.learned_at,
            session=memory.provenance.session,
            task=memory.provenance.task,
            adapter=self.dialect,
            origin=tidy(path if line.isdigit() else told.where),
            line=int(line) if line.isdigit() else 0,
            ref=tidy(told.id),
            removed=kinds_removed(passed),
        )


_CONTINUED = (*EVENTS, Kind.PATTERN, Kind.ANTI_PATTERN, Kind.FACT, Kind.SKILL)  # have a name and fields of their own
_SAME_ENTRY = 0.5  # of the wording; under one name, less is another entry
_RETOLD = (
    *("content", "title", "body", "tags", "file_refs", "error_signature", "key", "legacy_key"),
    *("content_hash", "chorus_hash", "learned_at"),
)
_FARES = frozenset(("category", "confidence", "importance", "usage_count", "last_used"))  # files of ours say it, too
_APART = frozenset(("links",))  # are kept beside the memory


def _told(body: Mapping[str, object]) -> dict[str, object]:
    """What a body says of its subject, not how the memory of it fares."""
    return {name: value for name, value in body.items() if name not in _FARES | _APART}


def _named(project: str, dialect: str, *, reader: Reader) -> dict[str, str]:
    """The last memory that each name stood for, whether they gave it or we did."""
    start = called(project, dialect, name="")
    ours = {name.removeprefix(start): memory for name, memory in reader.cursors(start).items()}
    theirs = (r for r in reversed(reader.receipts(project)) if r.adapter == dialect)
    return ours | {r.ref: r.memory_id for r in theirs if r.ref and r.memory_id}


def _says_the_same(own: Memory, memory: Memory) -> bool:
    """A skill's file says more than the skill's own text may."""
    is_skill = own.kind is memory.kind is Kind.SKILL
    return own.content == memory.content or (is_skill and own.body.get("steps") == memory.body.get("steps"))


def called(project: str, dialect: str, *, name: str) -> str:
    """The cursor that holds which memory we have given that name in the dialect's files."""
    return f"called/{project}/{dialect}/{name}"


def _filed(papers: Mapping[str, Paper], *, project: str, now: datetime) -> tuple[list[Paper], dict[str, str]]:
    """Ledgers and handoffs, every text through the door; and why others cannot be kept."""
    fit: list[Paper] = []
    refused: dict[str, str] = {}
    for where, paper in papers.items():
        try:
            data = admitted_body(paper.data, most=_LONGEST_BODY)
        except (BadValue, TooLong) as error:
            refused[where] = str(error)
            continue
        paper = replace(paper, id=tidy(paper.id), agent=tidy(paper.agent), to=tidy(paper.to))
        fit.append(replace(paper, project=project, data=data, at=min(paper.at, now)))
    return fit, refused


def _put_away(papers: Sequence[Paper], tx: Transaction) -> int:
    """Keep those that are new, or newer than what is known; how many those were."""
    known = {(paper.sort, paper.id): paper for project in {p.project for p in papers} for paper in tx.papers(project)}
    fresh = [paper for paper in papers if _is_news(paper, known.get((paper.sort, paper.id)))]
    tx.apply(Changes(papers=tuple(fresh)))
    return len(fresh)


def _is_news(paper: Paper, known: Paper | None) -> bool:
    if known is None:
        return True
    is_undated = paper.sort is Sort.METRIC and paper.at == known.at  # a file of figures is the newest that there is
    return (is_undated or paper.at > known.at) and (paper.data, paper.taken_at) != (known.data, known.taken_at)


def _sorted(desk: _Desk, reading: Reading) -> tuple[list[_Arrival], dict[str, str]]:
    """Those that can be kept, and for each place of the others the reason why not."""
    arrivals: list[_Arrival] = []
    refused: dict[str, str] = {}
    seen: dict[str, int] = {}
    for told in reading.told:
        mark = fingerprint([told.id, told.content])
        seen[mark] = seen.get(mark, 0) + 1
        try:
            arrivals.append(desk.arrival(told, seen[mark]))
        except (BadValue, TooLong) as error:
            refused[told.where] = str(error)
    arrivals.sort(key=lambda one: not one.told.is_archived)  # put away before others are compared with what lives
    return arrivals, refused


def _batches(arrivals: Sequence[_Arrival]) -> Iterator[Sequence[_Arrival]]:
    for start in range(0, len(arrivals), _BATCH):
        yield arrivals[start : start + _BATCH]


def _admitted(text: str) -> Passed:
    """Cut before the door, which would read megabytes only to have them cut afterwards."""
    if len(text) > MAX_CHARACTERS:
        raise TooLong(f"it has {len(text):,} characters, a memory at most {MAX_CHARACTERS:,}", fix="split it")
    passed = admit(text)
    if not any(character.isalnum() for character in passed.text):
        raise BadValue("it says nothing", fix="leave it out")
    return passed


def _as_told(memory: Memory, told: Told, *, now: datetime) -> Memory:
    """What the file says of the memory, over what the text alone suggests; its certainty only up to a point."""
    confidence = memory.confidence if told.confidence is None else min(max(told.confidence, 0.0), _MOST_CONFIDENT)
    title = title_of(admit(told.title).text.strip()) if told.title.strip() else memory.title
    is_risky = bool(trust.risky_command(title))
    return replace(
        memory,
        title=title,
        category=told.category if told.category in CATEGORIES else memory.category,
        category_is_fixed=told.category in CATEGORIES,
        tags=memory.tags if told.tags is None else tuple(dict.fromkeys(map(tidy, told.tags))),
        file_refs=memory.file_refs if told.file_refs is None else tuple(dict.fromkeys(map(tidy, told.file_refs))),
        confidence=confidence,
        importance=memory.importance if told.importance is None else min(max(told.importance, 0), 10),
        counters=replace(memory.counters, evidence=max(told.evidence, 1), injected=max(told.used, 0)),
        last_used_at=told.last_used_at,
        trust=trust.QUARANTINED if is_risky else memory.trust,
        decayed_at=now,  # before it came, nobody here could have used it
    )


def _report(
    reading: Reading, refused: Mapping[str, str], *, receipts: Sequence[Receipt], arrivals: Sequence[_Arrival]
) -> Adopted:
    items = tuple(
        replace(item, fate=Fate.REJECTED, reason=refused[item.where]) if item.where in refused else item
        for item in reading.items
    )
    fresh = [receipt.verdict for receipt in receipts if not receipt.is_replay]
    waiting = sum(verdict is Verdict.REVIEW for verdict in fresh)
    changed = sum(verdict in (Verdict.VERSION, Verdict.SUPERSEDED) for verdict in fresh)
    created = sum(verdict is Verdict.STORED for verdict in fresh) + waiting
    return Adopted(
        items=items,
        created=created,
        known=len(receipts) - created - changed,
        changed=changed,
        waiting=waiting,
        removed=tuple(sorted({kind for one in arrivals for kind in one.receipt.removed})),
        receipts=tuple(receipts),
    )
