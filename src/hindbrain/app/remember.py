"""What an agent hands over in so many words: as much its own as a line that it says, and believed no more.

A tool is called out of sight of a transcript. What the session had read by then is known from its log and from what
memory itself has told it: whoever repeats a note has not learned it anew.
"""

from collections.abc import Iterable, Sequence

from hindbrain.app.capture import Captured, Said, capture
from hindbrain.app.tools import Tools
from hindbrain.core.learn.taints import taints
from hindbrain.core.model.memory import DEX_TYPES
from hindbrain.core.value import dataclass
from hindbrain.errors import BadValue
from hindbrain.ports import Reader

_END = 1 << 62  # behind every line of a log


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    content: str
    type: str = "pattern"
    session: str = ""
    task: str = ""
    origin: str = ""
    read: Sequence[str] = ()  # ids of memories that the agent has been given
    is_proposal: bool = False  # of a rule


def remember(lesson: Lesson, *, project: str, tools: Tools) -> Captured:
    """Keep what an agent says it learned, by the path of everything that agents say. BadValue for another type."""
    if lesson.type not in DEX_TYPES:
        raise BadValue(f"there is no type {lesson.type!r:.40}", fix=f"use one of: {', '.join(DEX_TYPES)}")
    said = Said(
        text=f"MEMORY:{lesson.type}:{' '.join(lesson.content.split())}",  # one line is one memory
        session=lesson.session,
        task=lesson.task,
        origin=lesson.origin,
        heard=tuple(_heard(lesson, project, store=tools.store)),
        is_proposal=lesson.is_proposal,
        taints=_taints(lesson.session, project, store=tools.store),
    )
    return capture(said, project=project, tools=tools)


def _heard(lesson: Lesson, project: str, *, store: Reader) -> Iterable[str]:
    """The words of memories that this session was shown."""
    told = store.told(project, session=lesson.session) if lesson.session else ()
    ids = [*lesson.read, *(shown.memory_id for one in told if not one.is_withheld for shown in one.shown)]
    return (memory.content for memory in store.memories(list(dict.fromkeys(ids))).values())


def _taints(session: str, project: str, *, store: Reader) -> tuple[str, ...]:
    return taints(store.activities(project, session=session), until=_END) if session else ()
