"""What an agent's words teach: every line that looks like a signal gets a receipt, most of them a memory."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from hindbrain.app.admission import kinds_removed, tidy
from hindbrain.app.compose import Draft, compose
from hindbrain.app.embed import vectors_now
from hindbrain.app.keep import Kept, Newcomer, Wording, foresee, keep
from hindbrain.app.tools import Tools
from hindbrain.core.door import Passed, admit
from hindbrain.core.hints import Any
from hindbrain.core.model import Actor, Event, Provenance, Receipt, Source, State, Verdict
from hindbrain.core.model.receipt import FORGOTTEN
from hindbrain.core.model.record import fingerprint
from hindbrain.core.shape import shape
from hindbrain.core.signals import Reach, Signal
from hindbrain.core.transcripts import FORMATS, Heard, Skipped, Unheard, Utterance, hear, read
from hindbrain.core.trust import QUARANTINED, Circumstances
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import BadValue
from hindbrain.ports import Changes, Reader, Saying, Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A text in which an agent may have taught something."""

    text: str
    format: str = "text"
    session: str = ""
    task: str = ""
    persona: str = ""
    hat: str = ""
    instance: str = ""
    origin: str = ""
    heard: tuple[str, ...] = ()  # what the agent had read, beside what stands in the text
    taints: tuple[str, ...] = ()  # tools that had brought foreign text by then, beside those in the text
    is_proposal: bool = False  # nobody is told of it before a person agrees


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    receipts: tuple[Receipt, ...]
    skipped: tuple[Skipped, ...]  # lines of a transcript that could not be read


def capture(said: Said, *, project: str, tools: Tools) -> Captured:
    """Read `said`, keep what it teaches, in one transaction. The same text a second time changes nothing."""
    if said.format not in FORMATS:
        raise BadValue(f"there is no format {said.format!r}", fix=f"use one of: {', '.join(FORMATS)}")
    said = _placed(said)
    transcript = read(said.text, said.format)
    heard = hear(transcript)
    if not heard:
        return Captured(receipts=(), skipped=transcript.skipped)
    if said.format == "text":
        heard = tuple(sorted(heard, key=lambda item: _line(item, is_plain=True)))

    passed: dict[str, Passed] = {}

    def meanwhile(reader: Reader) -> None:
        foresee(_wordings(heard, said, project=project, passed=passed), reader, settings=tools.settings)

    def work(tx: Transaction) -> tuple[Receipt, ...]:
        # The clock is asked under the gate: whoever writes later has the later time.
        desk = _Desk(said=said, project=project, now=tools.clock.now(), tools=tools, passed=passed)
        return tuple(desk.receipts(heard, tx))

    receipts = tools.store.write(work, meanwhile=meanwhile)
    return Captured(receipts=receipts, skipped=transcript.skipped)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    """One capture: the same moment, project and speaker for every line."""

    said: Said
    project: str
    now: datetime
    tools: Tools
    passed: Mapping[str, Passed]  # texts that went through the door before the gate

    def receipts(self, heard: tuple[Heard | Unheard, ...], tx: Transaction) -> Iterator[Receipt]:
        seen: Counter[str] = Counter()
        local = shared = 0
        for item in heard:
            receipt = self._receipt(item, tx, seen=seen)
            yield receipt
            if isinstance(item, Heard) and not receipt.is_replay:
                local += item.signal.reach is Reach.LOCAL
                shared += item.signal.reach is Reach.SHARED
        if local or shared:
            tx.apply(Changes(events=(self._extracted(local, shared),)))

    def _receipt(self, item: Heard | Unheard, tx: Transaction, *, seen: Counter[str]) -> Receipt:
        text = item.signal.text if isinstance(item, Heard) else item.refusal.text
        name = item.signal.name if isinstance(item, Heard) else item.refusal.reason
        whole = fingerprint([self.project, *self._speaker(item), name, text])
        seen[whole] += 1
        key, known = self._key([whole, seen[whole]], tx)
        if known:
            return _replayed(known)
        passed = self.passed.get(text) or admit(text)
        receipt = self._blank(item, passed, key=key)
        if isinstance(item, Unheard):
            receipt = replace(receipt, reason=f"{item.refusal.reason}: {item.refusal.detail}")
        elif not _says_something(passed):
            receipt = replace(receipt, reason="nothing is left of it but what the door took out")
        else:
            receipt = self._kept(item, receipt, passed=passed, tx=tx)
        tx.apply(Changes(receipts=(receipt,)))
        return receipt

    def _speaker(self, item: Heard | Unheard) -> tuple[str, ...]:
        """What makes two equal sentences two sayings: not where they were read, but who said them, when."""
        signal = item.signal if isinstance(item, Heard) else None
        voice = self._actor(item.utterance).voice if signal and signal.reach is Reach.LOCAL else ""
        kind = signal.type if signal else ""
        return (self._session(item.utterance), self._task(item.utterance, signal), voice, kind)

    def _key(self, parts: list[object], tx: Transaction) -> tuple[str, Receipt | None]:
        """The idempotency key, and the receipt that has it already.

        Without a session two sayings cannot be told apart. What was replaced or deleted since is then taken as
        said anew: that can be undone, a lesson that is never heard again cannot.
        """
        key = fingerprint(parts)
        known = tx.receipts_for(key)
        is_sure = known is None or known.session or known.text == FORGOTTEN or not known.memory_id
        if is_sure or _is_live(known, tx):
            return key, known
        anew = fingerprint([key, "anew"])  # once: a third time is the second one read again
        return anew, tx.receipts_for(anew)

    def _blank(self, item: Heard | Unheard, passed: Passed, *, key: str) -> Receipt:
        """A rejection, until something better is known."""
        utterance = item.utterance
        signal = item.signal if isinstance(item, Heard) else None
        return Receipt(
            id=self.tools.chance.id("rcp", self.now),
            key=key,
            at=self.now,
            project=self.project,
            verdict=Verdict.REJECTED,
            text=passed.text,
            reason="",
            signal=signal.name if signal else "",
            said_at=utterance.at,
            session=self._session(utterance),
            task=self._task(utterance, signal),
            adapter=self.said.format,
            origin=self.said.origin,
            line=_line(item, is_plain=self.said.format == "text"),
            ref=tidy(utterance.ref),
            removed=kinds_removed(passed),
        )

    def _kept(self, item: Heard, receipt: Receipt, *, passed: Passed, tx: Transaction) -> Receipt:
        provenance = self._provenance(item, receipt)
        is_local = item.signal.reach is Reach.LOCAL
        draft = Draft(
            text=passed.text,
            project=self.project,
            provenance=provenance,
            type=_type(item),
            persona=provenance.actor.voice if is_local else None,
            said_at=min(item.utterance.at, self.now) if item.utterance.at else None,
            circumstances=self._circumstances(item),
            body=_beads_source(item),
        )
        memory, judged = compose(
            draft, memory_id=self.tools.chance.id("mem", self.now), now=self.now, settings=self.tools.settings
        )
        reason = judged.reason
        if memory.trust and (overflow := self._overflow(provenance.session, tx)):
            memory, reason = replace(memory, trust=QUARANTINED), overflow
        tx.apply(Changes(events=(self._detected(item, receipt, text=passed.text),)))
        saying = Saying(
            memory_id=memory.id,
            receipt=receipt.id,
            session=provenance.session,
            speaker=provenance.actor.voice,
            at=receipt.said_at or self.now,
        )
        vectors = vectors_now(memory, self.tools.embedder)
        newcomer = Newcomer(memory=memory, saying=saying, trust_reason=reason, vectors=vectors)
        kept = keep(newcomer, tx, chance=self.tools.chance, settings=self.tools.settings)
        return _filled(receipt, kept)

    def _circumstances(self, item: Heard) -> Circumstances:
        return Circumstances(
            is_echo=item.is_echo or self._is_echo(item),
            taints=tuple(dict.fromkeys((*item.taints, *self.said.taints))),
            is_proposal=self.said.is_proposal,
        )

    def _is_echo(self, item: Heard) -> bool:
        if not self.said.heard:
            return False
        from hindbrain.core.signals.echo import Echoes  # most texts tell by themselves what was read

        echoes = Echoes([item.signal.text])
        return any(map(echoes.heard_in, self.said.heard))

    def _overflow(self, session: str, tx: Transaction) -> str:
        """Why a flood of learnings from one session is not believed any more (RELIABILITY §2.3)."""
        cap = self.tools.settings.session_cap
        if session and cap and tx.taught(self.project, session=session) >= cap:
            return f"more than {cap} learnings in one session"
        return ""

    def _provenance(self, item: Heard, receipt: Receipt) -> Provenance:
        utterance = item.utterance
        return Provenance(
            actor=self._actor(utterance),
            session=receipt.session,
            task=receipt.task,
            source=Source.EXPLICIT,
            adapter=self.said.format,
            receipt=receipt.id,
        )

    def _actor(self, utterance: Utterance) -> Actor:
        return _actor(self.said, utterance)

    def _session(self, utterance: Utterance) -> str:
        return self.said.session or tidy(utterance.session)

    def _task(self, utterance: Utterance, signal: Signal | None) -> str:
        return tidy(signal.task if signal else "") or self.said.task or tidy(utterance.task)

    def _agent(self, utterance: Utterance) -> str:
        actor = self._actor(utterance)
        return actor.instance or actor.persona

    def _detected(self, item: Heard, receipt: Receipt, *, text: str) -> Event:
        data = {
            "taskId": receipt.task,
            "agentId": self._agent(item.utterance),
            "type": item.signal.name,
            "content": text,
        }
        return Event(name="learning_signal_detected", at=self.now, project=self.project, data=data)

    def _extracted(self, local: int, shared: int) -> Event:
        agent = self.said.instance or self.said.persona
        data = {"taskId": self.said.task, "agentId": agent, "localCount": local, "globalCount": shared}
        return Event(name="learning_extracted", at=self.now, project=self.project, data=data)


def _wordings(
    heard: Sequence[Heard | Unheard], said: Said, *, project: str, passed: dict[str, Passed]
) -> Iterator[Wording]:
    """Of the first few: of a whole transcript most was captured before. What the door left of each is put into
    `passed`."""
    for item in heard[:_FORESEEN]:
        if isinstance(item, Heard):
            admitted = passed[item.signal.text] = admit(item.signal.text)
            shape(admitted.text, type=_type(item))
            voice = _actor(said, item.utterance).voice if item.signal.reach is Reach.LOCAL else None
            yield Wording(content=admitted.text, project=project, persona=voice)


_FORESEEN = 8


def _type(item: Heard) -> str:
    return item.signal.type or "learned"


def _actor(said: Said, utterance: Utterance) -> Actor:
    return Actor(
        persona=said.persona or tidy(utterance.persona),
        hat=said.hat,
        instance=said.instance or tidy(utterance.instance),
    )


def _placed(said: Said) -> Said:
    """What is said about the text, through the door as well.

    A Chorus log lies where its persona and task are named: `.chorus/agents/ed/logs/ch-7.jsonl` (CH-059).
    """
    place = _CHORUS_LOG.search(said.origin) if said.format == "chorus" else None
    if place:
        said = replace(said, persona=said.persona or place["persona"], task=said.task or place["task"])
    words: dict[str, Any] = {name: tidy(getattr(said, name)) for name in _WORDS}
    return replace(said, **words)


_WORDS = ("session", "task", "persona", "hat", "instance", "origin")


_CHORUS_LOG = re.compile(r"(?:^|/)agents/(?P<persona>[^/]{1,100})/logs/(?P<task>[^/]{1,200})\.jsonl$")


def _line(item: Heard | Unheard, *, is_plain: bool) -> int:
    """Where a person finds the sentence: the line of the text, or of the transcript's record."""
    inner = item.signal.line if isinstance(item, Heard) else item.refusal.line
    return item.utterance.line + inner - 1 if is_plain else item.utterance.line


def _is_live(known: Receipt | None, tx: Transaction) -> bool:
    memory = tx.memory(known.memory_id) if known and known.memory_id else None
    return memory is not None and memory.state in (State.LIVE, State.QUARANTINED)


def _replayed(known: Receipt) -> Receipt:
    """The line was captured before. What was stored then is known now; a rejection stays one."""
    if known.text == FORGOTTEN:
        return replace(known, verdict=Verdict.REJECTED, memory_id=None, is_replay=True)
    if known.verdict in (Verdict.REJECTED, Verdict.REVIEW):
        return replace(known, is_replay=True)
    reason = f"captured before ({known.verdict} then, {known.id}); nothing changed"
    return replace(known, verdict=Verdict.EVIDENCE, reason=reason, is_replay=True)


def _filled(receipt: Receipt, kept: Kept) -> Receipt:
    return replace(
        receipt, verdict=kept.verdict, memory_id=kept.memory_id, reason=kept.reason, supersedes=kept.supersedes
    )


def _says_something(passed: Passed) -> bool:
    """Whether words are left beside the places that the door has emptied."""
    rest = passed.text
    for finding in passed.findings:
        rest = rest.replace(f"[{finding.family}:{finding.kind}]", " ")
    return any(character.isalnum() for character in rest)


def _beads_source(item: Heard) -> dict[str, object]:
    """Beads tells a supervisor from the orchestrator by the folder that the command ran in (BD-018)."""
    if item.signal.form != "comment":
        return {}
    return {"beads_source": "supervisor" if ".worktrees/" in item.utterance.cwd else "orchestrator"}
