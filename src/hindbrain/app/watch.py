"""How a window hears of what any process did: it asks for what stands behind its place in the log of events.

The log is the truth, so nothing is missed between two looks. The store remembers the place of a follower with a
name, so that it hears of what happened while it was closed; a place that could not be written down means at most
that the same is heard twice.
"""

import contextlib
from collections.abc import Callable
from datetime import datetime

from hindbrain.app.tools import Tools
from hindbrain.core.model import Event
from hindbrain.errors import DiskFull, ReadOnly, StoreLocked
from hindbrain.ports import Changes, Reader

_AT_ONCE = 1_000  # events read in one look; the rest waits for the next
_PATIENCE_S = 0.2  # for other writers: nobody may wait because somebody looks on


class Watch:
    """One follower's place. Nothing runs in the background: whoever stops asking hears nothing."""

    def __init__(self, project: Callable[[], str], follower: str = "", *, tools: Tools) -> None:
        """`project` gives the id, or "" while nothing has been kept for it: from then on all is news."""
        self._project, self._follower, self._store = project, follower, tools.store
        known = project()
        self._seq = self._beginning(known) if known else 0

    def news(self) -> tuple[Event, ...]:
        """What happened in the project since the last call, oldest first."""
        project = self._project()
        if not project:
            return ()
        events = tuple(self._store.events(after=self._seq, project=project, limit=_AT_ONCE))
        if events:
            self._seq = events[-1].seq
            self._remember(project)
        return events

    def _beginning(self, project: str) -> int:
        if not self._follower:
            return last(self._store, project, since=None)
        kept = self._store.cursor(self._name(project))
        if kept.isdigit():
            return int(kept)
        self._seq = last(self._store, project, since=None)
        self._remember(project)
        return self._seq

    def _remember(self, project: str) -> None:
        """Best effort."""
        if not self._follower:
            return
        changes = Changes(cursors={self._name(project): str(self._seq)})
        with contextlib.suppress(StoreLocked, ReadOnly, DiskFull):
            self._store.write(lambda tx: tx.apply(changes), is_durable=False, patience_s=_PATIENCE_S)

    def _name(self, project: str) -> str:
        return f"watch/{project}/{self._follower}"


def last(reader: Reader, project: str, *, since: datetime | None) -> int:
    """The last event before `since`, or of all; found by halving, since a store may hold a million of them."""

    def is_before(seq: int) -> bool:
        following = reader.events(after=seq, project=project, limit=1)
        return bool(following) and (since is None or following[0].at < since)

    low, high = 0, 1
    if not is_before(0):
        return 0
    while is_before(high):
        low, high = high, 2 * high
    while high - low > 1:  # an event before `since` follows `low`, and none follows `high`
        middle = (low + high) // 2
        low, high = (middle, high) if is_before(middle) else (low, middle)
    return high
