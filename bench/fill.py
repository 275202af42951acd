"""How a store gets large fast: all that a capture leaves behind, many in one transaction, compared with nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial

from bench.meter import told
from hindbrain.adapters.clock import SystemChance
from hindbrain.app.compose import Draft, compose
from hindbrain.core.model import Actor, Event, Memory, Provenance, Receipt, Source, Verdict
from hindbrain.core.model.record import fingerprint
from hindbrain.facade import Hindbrain
from hindbrain.ports import Changes, Saying, Transaction
from hindbrain.settings import Settings

_BATCH = 500  # memories in one transaction
_SPAN = timedelta(days=360)  # over which the lessons were learned
_PER_SESSION = 25
_PERSONAS = ("ed", "ada", "max", "kim")


def fill(memory: Hindbrain, texts: Sequence[str], *, label: str) -> None:
    """Keep all of `texts` in the project of `memory`. The first one is captured, which makes the project known."""
    if memory.project is None:
        memory.capture(signal(texts[0]), session="session-0")
        texts = texts[1:]
    project = memory.project
    if project is None:
        raise RuntimeError("a capture left no project behind")
    maker = _Maker(project=project.id, settings=memory.settings, count=len(texts), chance=SystemChance())
    numbered = list(enumerate(texts))
    batches = [numbered[start : start + _BATCH] for start in range(0, len(numbered), _BATCH)]
    for batch in told(batches, f"{label}, batches of {_BATCH}"):
        memory.store.write(partial(_apply, [maker.changes(number, text) for number, text in batch]))


def _apply(changes: Sequence[Changes], tx: Transaction) -> None:
    for one in changes:
        tx.apply(one)


def signal(text: str) -> str:
    """The line in which an agent would say it."""
    return f"MEMORY:pitfall:{text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Maker:
    project: str
    settings: Settings
    count: int
    chance: SystemChance

    def changes(self, number: int, text: str) -> Changes:
        at = self._moment(number)
        receipt = self._receipt(number, text, at=at)
        actor = Actor(persona=_PERSONAS[number % len(_PERSONAS)])
        provenance = Provenance(
            actor=actor, session=receipt.session, source=Source.EXPLICIT, adapter="text", receipt=receipt.id
        )
        draft = Draft(text=text, project=self.project, provenance=provenance, type="pitfall", said_at=at)
        memory, _ = compose(draft, memory_id=self.chance.id("mem", at), now=at, settings=self.settings)
        saying = Saying(memory_id=memory.id, receipt=receipt.id, session=receipt.session, speaker=actor.voice, at=at)
        return Changes(
            memories=(memory,),
            receipts=(_answered(receipt, memory),),
            sayings=(saying,),
            events=self._events(memory, at=at),
            by=actor,
        )

    def _moment(self, number: int) -> datetime:
        """The oldest first, so that ids and times rise together as they do in use."""
        return datetime.now(UTC).replace(microsecond=0) - _SPAN * (1 - number / self.count)

    def _receipt(self, number: int, text: str, *, at: datetime) -> Receipt:
        return Receipt(
            id=self.chance.id("rcp", at),
            key=fingerprint([self.project, number, text]),
            at=at,
            project=self.project,
            verdict=Verdict.STORED,
            text=text,
            reason="an agent's own words",
            signal="MEMORY",
            session=f"session-{number // _PER_SESSION}",
            adapter="text",
            line=1,
        )

    def _events(self, memory: Memory, *, at: datetime) -> tuple[Event, ...]:
        """As many as a capture writes, each about as long."""
        names = ("learning_signal_detected", "learning_stored", "memory_created", "learning_extracted")
        return tuple(
            Event(
                name=name,
                at=at,
                project=self.project,
                memory_id=memory.id,
                data={"type": memory.type, "content": memory.content} if number < 2 else {"title": memory.title},
            )
            for number, name in enumerate(names)
        )


def _answered(receipt: Receipt, memory: Memory) -> Receipt:
    return replace(receipt, memory_id=memory.id)
