"""How learnings read in the panel: every word, mark and date that a row of Chorus' document prescribes.

Stored text is made safe here, and nowhere later: no character of a memory may steer a terminal.
"""

from datetime import datetime

from hindbrain.core.model import ActorType, Memory
from hindbrain.core.value import dataclass
from hindbrain.entry.cli.output import line, many

LAMP = "💡"
CLOSE = "ESC close"
SUPERSEDED = "SUPERSEDED (Hidden by default)"

_FACES = {
    "ed": "⚙️",
    "ace": "🔍",
    "pat": "📊",
    "finn": "🔧",
    "dan": "😎",
    "will": "👁️",
    "carl": "📈",
    "lou": "💡",
}
_STRANGER = "👤"
_UNKNOWN = "unknown"
_LONGEST = 4_000  # characters of one text that are looked at; a screen holds no more
_SESSION = 12  # characters of a session's id


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One learning on the screen."""

    id: str
    text: str  # behind the bullet
    below: tuple[str, ...]  # one line each
    is_struck: bool = False


def persona(name: str) -> str:
    """`⚙️ ed`."""
    return f"{_FACES.get(name, _STRANGER)} {line(name)}"


def count(learnings: int) -> str:
    return many(learnings, "learning")


def shared(memory: Memory, *, also: str = "") -> Entry:
    """As all see it: where it was learned, when, and by whom."""
    return Entry(id=memory.id, text=_flat(memory.content), below=(f"Source: {origin(memory, also=also)}",))


def local(memory: Memory) -> Entry:
    """As its own persona sees it: when it was learned, and where."""
    text = f"[{_day(memory.learned_at)}] {_flat(memory.content)}"
    return Entry(id=memory.id, text=text, below=(f"Source: {_task(memory)}",))


def struck(memory: Memory, *, by: str) -> Entry:
    """As history: what it said, what says so instead, where it came from, and since when it is over."""
    below = (
        f'Superseded by: "{_flat(by) or _UNKNOWN}"',
        f"Original: {origin(memory)}",
        f"Superseded: {_day(memory.superseded_at)}",
    )
    return Entry(id=memory.id, text=f"~~{_flat(memory.content)}~~", below=below, is_struck=True)


def origin(memory: Memory, *, also: str = "") -> str:
    """`ch-015 (2026-01-10, ⚙️ ed-001)`."""
    inside = ", ".join(filter(None, (_day(memory.learned_at), _who(memory), also)))
    return f"{_task(memory)} ({inside})"


def toast(memory: Memory, *, more: int = 0) -> tuple[str, str, str, str]:
    """The four lines that tell of a new learning, and of how many others came with it."""
    who = _who(memory)
    others = f" (+{more:,})" if more else ""
    return (
        f"{LAMP} New Learning Extracted",
        f'"{_flat(memory.content)}"',
        f"From: {_task(memory)}" + (f" ({who})" if who else ""),
        f"Press 'L' to view all{others}",
    )


def _task(memory: Memory) -> str:
    source = memory.provenance
    if source.task:
        return line(source.task)
    if source.actor.type is ActorType.HUMAN:
        return "by hand"
    return f"session {line(source.session)[:_SESSION]}" if source.session else _UNKNOWN


def _who(memory: Memory) -> str:
    """A person needs no name here: it is the reader, or a colleague."""
    actor = memory.provenance.actor
    if actor.type is ActorType.HUMAN and not actor.instance and not actor.persona:
        return ""
    return f"{_FACES.get(actor.voice, _STRANGER)} {line(actor.instance or actor.voice)}"


def _day(at: datetime | None) -> str:
    return f"{at.date()}" if at else _UNKNOWN


def _flat(text: str) -> str:
    return line(text[:_LONGEST])
