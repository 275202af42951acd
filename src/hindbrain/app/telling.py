"""How chosen memories become a block that fits, and what is remembered of having shown it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from hindbrain.core.confidence import after_use
from hindbrain.core.door import admit
from hindbrain.core.growth import Growth
from hindbrain.core.hints import TypedDict, Unpack
from hindbrain.core.model import Event, Injection, Kind, Memory, Pulse, Shown
from hindbrain.core.recall import Recalled
from hindbrain.core.recall.frame import fenced
from hindbrain.core.recall.render import Sections
from hindbrain.core.value import dataclass, replace
from hindbrain.core.words import estimate_tokens
from hindbrain.ports import Changes, Reader, Transaction

FRAME_TOKENS = 100  # the fence, the frame's sentences and the headings
_LINE_TOKENS = 25  # id and provenance of a memory
_DOUBTS = {"suspect": "suspect: the code changed since", "gone": "gone: what it names is not there any more"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A block of text, and the memories in it."""

    text: str
    items: tuple[Recalled, ...]
    left_out: int

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.text)


def cost(item: Recalled) -> int:
    """What a memory's line costs: id, provenance, title and content."""
    return estimate_tokens(item.memory.title) + estimate_tokens(item.memory.content) + _LINE_TOKENS


def fitted(
    items: Sequence[Recalled], left_out: int, *, written: Callable[[Sequence[Recalled], int], str], budget: int
) -> Told:
    """As many of `items` as `written` puts into `budget` tokens; the last is the least, and goes first."""
    kept = tuple(items)
    text = written(kept, left_out)
    while kept and estimate_tokens(text) > budget:
        kept, left_out = kept[:-1], left_out + 1
        text = written(kept, left_out)
    return Told(text=text, items=kept, left_out=left_out)


def framed(sections: Sections, fence: str) -> str:
    return f"{sections.head}{fenced(sections.notes, fence=fence)}\n{sections.tail}"


def doubts(items: Iterable[Recalled], reader: Reader) -> Mapping[str, str]:
    """What a reader must know before believing some of them, by id: the code that they speak of has changed."""
    standings = reader.standings([item.id for item in items])
    return {key: _DOUBTS[standing.freshness] for key, standing in standings.items() if standing.freshness in _DOUBTS}


class Circumstances(TypedDict, total=False):
    """For whom, when and why: the fields of an Injection that the block does not tell."""

    id: str
    at: datetime
    project: str
    format: str
    strategy: str
    session: str
    task: str
    persona: str
    hat: str
    query: str
    moment: str
    agent: str
    is_withheld: bool


def record(told: Told, **circumstances: Unpack[Circumstances]) -> Injection:
    """`query` comes as it was asked; the door takes out what may not be kept."""
    circumstances["query"] = admit(circumstances.get("query", "")).text
    shown = tuple(Shown(memory_id=i.memory.id, version=i.memory.version, score=i.score) for i in told.items)
    return Injection(shown=shown, left_out=told.left_out, tokens=told.tokens, **circumstances)


def recorded(records: Iterable[Injection], *, tx: Transaction, growth: Growth) -> Changes:
    """All that is to be written about them. What has been forgotten since it was chosen is not recorded: there is
    nothing left to point to. What was withheld has not been used."""
    injections: list[Injection] = []
    pulses: list[Pulse] = []
    events: list[Event] = []
    for injection in records:
        known = tx.memories([shown.memory_id for shown in injection.shown])
        kept = replace(injection, shown=tuple(shown for shown in injection.shown if shown.memory_id in known))
        injections.append(kept)
        events.append(_event(kept))
        if not kept.is_withheld:
            pulses += [_pulse(memory, kept, tx=tx, growth=growth) for memory in known.values() if not _is_file(memory)]
    return Changes(injections=tuple(injections), pulses=tuple(pulses), events=tuple(events))


def _is_file(memory: Memory) -> bool:
    """A person's file that every session is told of: being told is no use of it, and it does not fade."""
    return memory.kind is Kind.REFLEX and "path" in memory.body


def _event(kept: Injection) -> Event:
    data = {"injection_id": kept.id, "session": kept.session, "memory_ids": [s.memory_id for s in kept.shown]}
    name = "memories_withheld" if kept.is_withheld else "memories_injected"
    return Event(name=name, at=kept.at, project=kept.project, data=data)


def _pulse(memory: Memory, kept: Injection, *, tx: Transaction, growth: Growth) -> Pulse:
    """Counted each time; worth more confidence once per session only, else being shown would prove itself (F-16)."""
    used = Pulse(memory_id=memory.id, injected=1, last_used_at=kept.at)
    if not kept.session or tx.was_shown(memory.id, kept.session):
        return used
    return replace(used, confidence=after_use(memory.confidence, growth=growth))
