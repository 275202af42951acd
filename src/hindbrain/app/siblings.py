"""When a running session hears of what others have learned: at its next turn, once, and never its own.

Memories are found by the events that made them, from a cursor that the store keeps for each session. So every session
hears of every memory, whoever else has heard of it, and a session that was asleep misses none (F-10, X-16).
"""

from collections.abc import Sequence
from datetime import datetime

from hindbrain.app.tools import Tools
from hindbrain.app.watch import last
from hindbrain.core import trust
from hindbrain.core.model import Event, Memory, State
from hindbrain.core.value import dataclass
from hindbrain.ports import Changes, Reader, Transaction

_AT_ONCE = 500  # events read in one look; the rest waits for the next
_CREATED = "memory_created"


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What to tell, and what to write down in the same transaction as the telling."""

    memories: tuple[Memory, ...]
    cursor: str  # the new value for `heard/<project>/<session>`
    events: tuple[Event, ...] = ()  # for the activity log: what was received


def news(project: str, session: str, *, tools: Tools) -> News:
    """What other sessions of the project have learned since this one last looked, oldest first.

    Nothing is written: it is news until the cursor is. What an agent may not be shown is not news either.
    """
    return _news(tools.store, project, session=session, now=tools.clock.now())


def last_event(project: str, *, tools: Tools) -> int:
    """The cursor of whoever wants to hear only of what is yet to come; `project` empty: of all projects."""
    return last(tools.store, project, since=None)


def cursor_name(project: str, session: str) -> str:
    return f"heard/{project}/{session}"


class Subscription:
    """One session's ear. Nothing runs in the background: whoever stops asking has unsubscribed."""

    def __init__(self, project: str, session: str, *, tools: Tools) -> None:
        self._project, self._session, self._tools = project, session, tools
        name = cursor_name(project, session)

        def begin(tx: Transaction) -> None:
            if not tx.cursor(name):
                tx.apply(Changes(cursors={name: str(last(tx, project, since=None))}))

        if not tools.store.cursor(name):
            tools.store.write(begin)

    def pending(self) -> tuple[Memory, ...]:
        """What came in since the last call. Asking takes it: the next call gives only what is newer."""
        now = self._tools.clock.now()

        def take(tx: Transaction) -> tuple[Memory, ...]:
            found = _news(tx, self._project, session=self._session, now=now)
            cursor = {cursor_name(self._project, self._session): found.cursor}
            tx.apply(Changes(cursors=cursor, events=found.events))
            return found.memories

        return self._tools.store.write(take)


def _news(reader: Reader, project: str, *, session: str, now: datetime) -> News:
    known = reader.cursor(cursor_name(project, session))
    after = int(known) if known.isdigit() else _beginning(reader, project, session=session)
    events = reader.events(after=after, project=project, limit=_AT_ONCE)
    if not events:
        return News(memories=(), cursor=str(after))
    memories = _worth_telling(reader, events, session=session)
    return News(
        memories=memories,
        cursor=str(events[-1].seq),
        events=tuple(_received(memory, session=session, now=now) for memory in memories),
    )


def _worth_telling(reader: Reader, events: Sequence[Event], *, session: str) -> tuple[Memory, ...]:
    ids = [event.memory_id for event in events if event.name == _CREATED and event.memory_id]
    found = reader.memories(ids)
    memories = (found[one] for one in dict.fromkeys(ids) if one in found)
    return tuple(
        memory
        for memory in memories
        if memory.state is State.LIVE
        and memory.trust >= trust.INJECTED_FROM
        and memory.provenance.session != session
        and memory.persona is None
    )


def _received(memory: Memory, *, session: str, now: datetime) -> Event:
    """The line of Dex' activity log (DX-138)."""
    message = f"received memory from sibling task: {memory.title}"
    data = {"level": "debug", "message": message, "session": session, "memory_id": memory.id}
    return Event(name="memory_received", at=now, project=memory.project, memory_id=memory.id, data=data)


def _beginning(reader: Reader, project: str, *, session: str) -> int:
    """Where a session begins to listen: at its own first activity; where it has none, now."""
    first = reader.activities(project, session=session, limit=1)
    return last(reader, project, since=first[0].at if first else None)
