"""How Chorus builds the prompt of a task: six parts in a fixed order, with a rule between them."""

from collections.abc import Callable, Iterable, Sequence

from hindbrain.core.hints import TypedDict, Unpack
from hindbrain.core.model.actor import DEFAULT_PERSONA
from hindbrain.core.model.memory import Memory
from hindbrain.core.recall.ask import Recalled
from hindbrain.core.recall.frame import inert
from hindbrain.core.recall.render.sections import more
from hindbrain.core.shape import CATEGORIES
from hindbrain.core.value import dataclass

_SEPARATOR = "\n\n---\n\n"
_UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChorusFiles:
    """What people wrote for the agents, as read; "" where a file is missing."""

    prompt: str = ""
    shared_rules: tuple[tuple[str, str], ...] = ()  # (name, text)
    agent_rules: str = ""


class Assignment(TypedDict):
    """For whom the prompt is, and what for."""

    persona: str
    files: ChorusFiles
    task_title: str
    task_description: str
    left_out: int
    frame: Callable[[str], str]  # makes learnings recognisable as data


def render_chorus(shared: Sequence[Recalled], own: Sequence[Recalled], **assignment: Unpack[Assignment]) -> str:
    """The whole prompt; a part that is missing or empty leaves no trace (CH-122)."""
    files, frame = assignment["files"], assignment["frame"]
    persona = inert(assignment["persona"]) or DEFAULT_PERSONA
    rules = [text for _, text in sorted(files.shared_rules)]
    pieces = [files.prompt, *rules, files.agent_rules]
    if shared:
        pieces += ["## Project Learnings", frame(_grouped((item.memory for item in shared), _shared_lines))]
    if own:
        pieces += [f"## {persona}'s Learnings", frame(_grouped((item.memory for item in own), _own_lines))]
    pieces.append(more(assignment["left_out"]))
    task = _joined((assignment["task_title"], assignment["task_description"]), "\n\n")
    if task:
        pieces += ["## Current Task", task]
    return _joined(pieces, _SEPARATOR)


def _joined(pieces: Iterable[str], separator: str) -> str:
    trimmed = (piece.strip("\r\n") for piece in pieces)
    return separator.join(piece for piece in trimmed if piece.strip())


def _grouped(memories: Iterable[Memory], lines: Callable[[Memory], str]) -> str:
    """`## Category` and its learnings; the known categories first, then others by name."""
    groups: dict[str, list[str]] = {category: [] for category in CATEGORIES}
    others: dict[str, list[str]] = {}
    for memory in memories:
        home = groups if memory.category in groups else others
        home.setdefault(memory.category, []).append(lines(memory))
    ordered = [*groups.items(), *sorted(others.items())]
    return "\n\n".join("\n".join((f"## {inert(name)}", *found)) for name, found in ordered if found)


def _shared_lines(memory: Memory) -> str:
    actor = memory.provenance.actor
    agent = inert(actor.instance or actor.voice)
    return f"- {inert(memory.content)}\n  Source: {_task(memory)} ({memory.learned_at.date()}, {agent})"


def _own_lines(memory: Memory) -> str:
    return f"- [{memory.learned_at.date()}] {inert(memory.content)}\n  Source: {_task(memory)}"


def _task(memory: Memory) -> str:
    return inert(memory.provenance.task) or _UNKNOWN
