"""What becomes of lessons that nobody spelled out: each gets a receipt, most of them a memory, none of them twice.

They come from the activity log alone: from what agents did, and from what they declared when they handed over.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from hindbrain.app.admission import kinds_removed, tidy
from hindbrain.app.compose import MAX_CHARACTERS, Draft, compose
from hindbrain.app.embed import vectors_now
from hindbrain.app.keep import Newcomer, keep
from hindbrain.app.tools import Tools
from hindbrain.core.door import admit
from hindbrain.core.learn.lesson import Lesson
from hindbrain.core.learn.lessons import lessons
from hindbrain.core.learn.taints import taints
from hindbrain.core.model import Actor, Memory, Provenance, Receipt, Source, Verdict
from hindbrain.core.model.activity import Activity
from hindbrain.core.model.record import fingerprint
from hindbrain.core.same import is_same
from hindbrain.core.shape import title_of
from hindbrain.core.trust import QUARANTINED, Circumstances
from hindbrain.core.value import dataclass, replace
from hindbrain.ports import Changes, Reader, Saying, Transaction

SIGNAL = "AUTO"  # what a receipt calls a lesson that nobody signalled


def extract(project: str, session: str, *, tools: Tools) -> tuple[Receipt, ...]:
    """Learn from what the session did since this was last asked. Receipts, cursor and memories are one transaction.

    Called twice it does nothing the second time; called by two at once, one of them does nothing.
    """
    name = cursor_name(project, session)
    seen = tools.store.cursor(name)
    log = tools.store.activities(project, session=session)
    after = int(seen) if seen.isdigit() else 0
    if not log or log[-1].seq <= after:
        return ()
    made = lessons(log, after=after)

    def work(tx: Transaction) -> tuple[Receipt, ...]:
        if tx.cursor(name) != seen:
            return ()
        desk = _Desk(project=project, now=tools.clock.now(), tools=tools, log=log)
        receipts = tuple(desk.receipts(made, tx))
        tx.apply(Changes(cursors={name: str(log[-1].seq)}))
        return receipts

    return tools.store.write(work)


def cursor_name(project: str, session: str) -> str:
    return f"extract/{project}/{session}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    """One extraction: the same moment and log for every lesson."""

    project: str
    now: datetime
    tools: Tools
    log: Sequence[Activity]

    def receipts(self, made: Sequence[Lesson], tx: Transaction) -> Iterator[Receipt]:
        shown = _shown(tx, self.project, session=made[0].session) if made else ()
        for lesson in made:
            receipt = self._receipt(lesson, tx, shown=shown)
            if receipt:
                yield receipt

    def _receipt(self, lesson: Lesson, tx: Transaction, *, shown: Sequence[Memory]) -> Receipt | None:
        cause = lesson.cause
        parts: list[object] = [
            "extract",
            self.project,
            cause.session,
            lesson.rule,
            cause.id,
            lesson.type,
            lesson.content,
        ]
        key = fingerprint(parts)
        if tx.receipts_for(key):
            return None
        passed = admit(lesson.content[:MAX_CHARACTERS])
        receipt = Receipt(
            id=self.tools.chance.id("rcp", self.now),
            key=key,
            at=self.now,
            project=self.project,
            verdict=Verdict.REJECTED,
            text=passed.text,
            reason="",
            signal=SIGNAL,
            said_at=min(cause.at, self.now),
            session=cause.session,
            task=cause.task,
            adapter="activity",
            origin=lesson.rule,
            ref=cause.id,
            removed=kinds_removed(passed),
        )
        told = next((memory for memory in shown if is_same(passed.text, memory.content)), None)
        if told:
            reason = f"{lesson.rule}: the session had been told so ({told.id})"
            receipt = replace(receipt, memory_id=told.id, reason=reason)
        else:
            receipt = self._kept(lesson, receipt, tx=tx)
        tx.apply(Changes(receipts=(receipt,)))
        return receipt

    def _kept(self, lesson: Lesson, receipt: Receipt, *, tx: Transaction) -> Receipt:
        memory, reason = self._memory(lesson, receipt)
        cap = self.tools.settings.session_cap
        if memory.trust and cap and lesson.session and tx.taught(self.project, session=lesson.session) >= cap:
            memory, reason = replace(memory, trust=QUARANTINED), f"more than {cap} learnings in one session"
        speaker = memory.provenance.actor.voice
        newcomer = Newcomer(
            memory=memory,
            saying=Saying(
                memory_id=memory.id,
                receipt=receipt.id,
                session=lesson.session,
                speaker=speaker,
                at=receipt.said_at or self.now,
            ),
            trust_reason=f"{lesson.rule}: {reason}",
            vectors=vectors_now(memory, self.tools.embedder),
        )
        kept = keep(newcomer, tx, chance=self.tools.chance, settings=self.tools.settings)
        return replace(
            receipt, verdict=kept.verdict, memory_id=kept.memory_id, reason=kept.reason, supersedes=kept.supersedes
        )

    def _memory(self, lesson: Lesson, receipt: Receipt) -> tuple[Memory, str]:
        provenance = Provenance(
            actor=Actor(hat=lesson.hat),  # no instance: two subagents that do the same are no two witnesses
            session=lesson.session,
            task=lesson.task,
            source=Source.AUTOMATIC,
            adapter=lesson.cause.client or "activity",
            receipt=receipt.id,
        )
        draft = Draft(
            text=receipt.text,
            project=self.project,
            provenance=provenance,
            type=lesson.type,
            said_at=receipt.said_at,
            circumstances=Circumstances(taints=taints(self.log, until=lesson.cause.seq)),
            body=lesson.body,
        )
        memory, judged = compose(
            draft, memory_id=self.tools.chance.id("mem", self.now), now=self.now, settings=self.tools.settings
        )
        refs = (tidy(ref) for ref in lesson.file_refs)
        memory = replace(
            memory,
            title=title_of(tidy(lesson.title)) or memory.title,
            tags=tuple(dict.fromkeys((*map(tidy, lesson.tags), *memory.tags))),
            file_refs=tuple(dict.fromkeys((*(ref for ref in refs if ref), *memory.file_refs))),
            error_signature=lesson.error_signature or memory.error_signature,
            confidence=memory.confidence if lesson.confidence is None else lesson.confidence,
        )
        return memory, judged.reason


def _shown(tx: Reader, project: str, *, session: str) -> Sequence[Memory]:
    """What the session was told: said or done again, it is no news, and no second witness either."""
    ids = {shown.memory_id for injection in tx.told(project, session=session) for shown in injection.shown}
    return tuple(tx.memories(sorted(ids)).values())
