"""What a file brings into a project: which of its memories are new, which are known, and how far they are believed."""

import re
from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from hindbrain.app.compose import Draft, compose
from hindbrain.app.document import Document, Entry, read
from hindbrain.app.revise import revised
from hindbrain.app.tools import Tools
from hindbrain.core.dex_export import written
from hindbrain.core.model import (
    Actor,
    ActorType,
    Event,
    Memory,
    Provenance,
    Pulse,
    Reach,
    Receipt,
    Review,
    ReviewKind,
    Source,
    Verdict,
)
from hindbrain.core.model.moment import stamp
from hindbrain.core.model.record import fingerprint
from hindbrain.core.trust import AGENT, HUMAN, QUARANTINED, risky_command
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import BadValue
from hindbrain.ports import Changes, Clock, Saying, Store, Transaction, Where

_OUR_ID = re.compile(r"mem-[0-9a-hjkmnp-tv-z]{26}")
_BY = Actor(type=ActorType.HUMAN)  # files do not import themselves


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    created: int
    updated: int  # known by id, with another text: a new version
    unchanged: int
    merged: int  # known by text: counted as evidence
    quarantined: int  # of those created: shown to no agent until a person decides
    ignored_keys: tuple[str, ...]
    removed: tuple[str, ...]  # kinds that the door took out


def export(project: str, *, name: str, store: Store, clock: Clock) -> str:
    """The live memories of the project itself, in Dex' export format.

    The time in it is that of the newest memory, so that the same memories always give the same bytes.
    """
    memories = sorted(store.select(Where(project=project, with_everywhere=False)), key=lambda memory: memory.id)
    at = max((memory.updated_at for memory in memories), default=clock.now())
    return written(memories, project=name, at=at)


def import_(text: str, *, is_own: bool | None, project: str, tools: Tools) -> Imported:
    """Read Dex' export format; all of it or, when anything in it is wrong, nothing.

    `is_own` None: a file whose ids all look like ours is taken for our own export. The memories of our own
    come back as they were; those of a stranger are believed less (X-30). A second import changes nothing.
    """
    document = read(text)
    is_ours = _looks_like_ours(document) if is_own is None else is_own
    if is_ours:
        _check_ours(document)
    batch = _Batch(
        document=document,
        is_ours=is_ours,
        is_ordered=is_own is True,
        project=project,
        tools=tools,
        now=tools.clock.now(),
        file=_identity(document),
    )
    arrivals = [batch.arrival(entry) for entry in document.entries]
    fates = Counter(tools.store.write(lambda tx: [batch.placed(arrival, tx) for arrival in arrivals]))
    return Imported(
        created=fates["created"] + fates["quarantined"],
        updated=fates["updated"],
        unchanged=fates["unchanged"],
        merged=fates["merged"],
        quarantined=fates["quarantined"],
        ignored_keys=document.ignored_keys,
        removed=tuple(sorted({kind for entry in document.entries for kind in entry.removed})),
    )


def _looks_like_ours(document: Document) -> bool:
    ids = [entry.id for entry in document.entries]
    return all(_OUR_ID.fullmatch(id_) for id_ in ids) and len(set(ids)) == len(ids)


def _check_ours(document: Document) -> None:
    first: dict[str, int] = {}
    for entry in document.entries:
        if entry.source and entry.source not in tuple(Source):
            raise BadValue(
                f"memory {entry.number}: there is no source {entry.source!r:.80}",
                fix=f"use one of: {', '.join(Source)}",
            )
        if entry.id and first.setdefault(entry.id, entry.number) != entry.number:
            raise BadValue(
                f"memory {entry.number} has the id of memory {first[entry.id]}",
                fix="take one of the two out of the file",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Arrival:
    """The memory that an entry would become, and the receipt of its arrival."""

    memory: Memory
    receipt: Receipt
    trust_reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    """One file on its way into one project."""

    document: Document
    is_ours: bool
    is_ordered: bool  # a person said that it is ours
    project: str
    tools: Tools
    now: datetime
    file: str  # the same for the same memories, however the file is laid out

    def arrival(self, entry: Entry) -> _Arrival:
        """Made before the store is locked: nobody should wait while texts are taken apart."""
        receipt_id = self.tools.chance.id("rcp", self.now)
        draft = Draft(
            text=entry.content,
            project=self.project,
            provenance=self._provenance(entry, receipt_id),
            type=entry.type,
            persona=entry.persona or None,
        )
        memory_id = entry.id or self.tools.chance.id("mem", self.now)
        memory, judged = compose(draft, memory_id=memory_id, now=self._told_at(), settings=self.tools.settings)
        memory = replace(
            memory,
            title=entry.title,
            confidence=self._confidence(entry, usual=memory.confidence),
            tags=memory.tags if entry.tags is None else entry.tags,
            file_refs=memory.file_refs if entry.file_refs is None else entry.file_refs,
            counters=replace(memory.counters, injected=entry.use_count),
            trust=min(AGENT, judged.level, QUARANTINED if risky_command(entry.title) else AGENT),
            decayed_at=self.now,  # before it came, nobody here could have used it
        )
        return _Arrival(memory=memory, receipt=self._receipt(entry, memory), trust_reason=judged.reason)

    def placed(self, arrival: _Arrival, tx: Transaction) -> str:
        """Put one memory where it belongs: created, quarantined, updated, merged or unchanged."""
        memory = arrival.memory
        known = tx.memory(memory.id)
        if known and known.project == self.project:
            if known.content == memory.content:
                return "unchanged"
            if self.is_ours:
                return self._updated(known, memory, tx=tx)
        if tx.receipts_for(arrival.receipt.key):
            return "unchanged"
        held = tx.same_text(memory) if self._merges else None
        if held:
            return self._merged(held, arrival, tx=tx)
        if self._is_taken(memory.id, tx):
            arrival = replace(arrival, memory=replace(memory, id=self.tools.chance.id("mem", self.now)))
        return self._created(arrival, tx)

    def _is_taken(self, memory_id: str, tx: Transaction) -> bool:
        """Whether another memory has the id; of a stranger's also whether it is only the beginning of others, since
        whoever asks for those would then get this one."""
        return bool(tx.memory(memory_id) if self.is_ours else tx.ids(memory_id, limit=1))

    @property
    def _merges(self) -> bool:
        return not self.is_ours and self.tools.settings.deduplication

    def _created(self, arrival: _Arrival, tx: Transaction) -> str:
        memory = arrival.memory
        is_quarantined = memory.trust == QUARANTINED
        verdict = Verdict.REVIEW if is_quarantined else Verdict.STORED
        receipt = replace(arrival.receipt, memory_id=memory.id, verdict=verdict, reason=arrival.trust_reason)
        source = str(memory.provenance.source)
        data = {"memory_id": memory.id, "type": memory.type, "title": memory.title, "source": source}
        tx.apply(
            Changes(
                memories=(memory,),
                receipts=(receipt,),
                sayings=(self._saying(receipt, memory.id),),
                reviews=(self._question(arrival),) if is_quarantined else (),
                events=(self._event("memory_created", memory, data=data),),
                by=_BY,
                change="imported",
            )
        )
        return "quarantined" if is_quarantined else "created"

    def _updated(self, known: Memory, told: Memory, *, tx: Transaction) -> str:
        """The file's words in place of ours. Nobody has agreed to them yet, so trust may fall, never rise.

        A person's own word gives way to a file only on a person's explicit order.
        """
        if not self.is_ordered and (known.is_pinned or known.trust == HUMAN):
            return "unchanged"
        memory = revised(
            known,
            at=self.now,
            **{name: getattr(told, name) for name in _TOLD},
            category=known.category if known.category_is_fixed else told.category,
            provenance=replace(told.provenance, receipt=known.provenance.receipt),
            counters=replace(known.counters, injected=told.counters.injected),
            trust=min(known.trust, told.trust),
            reach=Reach.PROJECT,  # beyond the project only a person may send it, and nobody has read this text
        )
        event = self._event("memory_edited", memory, data={"memory_id": memory.id, "fields": ["content"]})
        tx.apply(Changes(memories=(memory,), events=(event,), by=_BY, change="imported"))
        return "updated"

    def _merged(self, held: Memory, arrival: _Arrival, *, tx: Transaction) -> str:
        reason = "known already: the same text"
        receipt = replace(arrival.receipt, memory_id=held.id, verdict=Verdict.EVIDENCE, reason=reason)
        data = {"content": arrival.memory.content, "existingHash": held.chorus_hash}
        tx.apply(
            Changes(
                pulses=(Pulse(memory_id=held.id, evidence=1),),
                receipts=(receipt,),
                sayings=(self._saying(receipt, held.id),),
                events=(self._event("learning_duplicate_skipped", held, data=data),),
                by=_BY,
            )
        )
        return "merged"

    def _provenance(self, entry: Entry, receipt_id: str) -> Provenance:
        source = Source(entry.source or Source.AUTOMATIC) if self.is_ours else Source.IMPORTED
        is_human = source is Source.MANUAL
        actor = Actor(type=ActorType.HUMAN if is_human else ActorType.AGENT, hat=entry.hat)
        return Provenance(actor=actor, source=source, adapter="dex", receipt=receipt_id)

    def _confidence(self, entry: Entry, *, usual: float) -> float:
        if entry.confidence is None:
            return usual
        return entry.confidence if self.is_ours else min(entry.confidence, self.tools.settings.growth.imported)

    def _told_at(self) -> datetime:
        """When the file was written. Of a clock that runs ahead only the present is believed."""
        return min(self.document.exported_at or self.now, self.now)

    def _receipt(self, entry: Entry, memory: Memory) -> Receipt:
        """Its key is the same for the same text of the same file: evidence is counted once."""
        return Receipt(
            id=memory.provenance.receipt,
            key=fingerprint([self.project, self.file, memory.content_hash, entry.id if self.is_ours else ""]),
            at=self.now,
            project=self.project,
            verdict=Verdict.STORED,
            text=memory.content,
            reason="",
            said_at=memory.learned_at,
            adapter="dex",
            origin=f"memory {entry.number} of an export of {self.document.project}",
            ref=entry.id,
            removed=entry.removed,
        )

    def _saying(self, receipt: Receipt, memory_id: str) -> Saying:
        """Without session and speaker: a file is no independent witness."""
        return Saying(memory_id=memory_id, receipt=receipt.id, session="", speaker="", at=self.now)

    def _question(self, arrival: _Arrival) -> Review:
        return Review(
            id=self.tools.chance.id("rev", self.now),
            project=self.project,
            kind=ReviewKind.QUARANTINE,
            memory_id=arrival.memory.id,
            reason=arrival.trust_reason,
            opened_at=self.now,
        )

    def _event(self, name: str, memory: Memory, *, data: Mapping[str, object]) -> Event:
        return Event(name=name, at=self.now, project=self.project, memory_id=memory.id, data=data)


# Fields of a memory that follow from what a file says about it.
_TOLD = (
    *("content", "title", "type", "confidence", "tags", "file_refs", "error_signature"),
    *("key", "legacy_key", "content_hash", "chorus_hash"),
)


def _identity(document: Document) -> str:
    told = [[getattr(entry, name) for name in Entry.__slots__ if name != "removed"] for entry in document.entries]
    at = document.exported_at
    return fingerprint([document.project, stamp(at) if at else None, told])
