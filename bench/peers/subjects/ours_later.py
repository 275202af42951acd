"""The same store, added to by promise: written down safely, and kept by a worker in its own time."""

import time
from pathlib import Path

from bench.peers.spread import Given
from bench.peers.subject import Item, Lookup
from bench.peers.subjects.ours import PACKAGES, Ours
from hindbrain.core.value import replace
from hindbrain.entry.worker import caught_up
from hindbrain.settings import Settings
from hindbrain.wiring import open_hindbrain, open_tools

__all__ = ["PACKAGES", "open_subject"]


def open_subject(folder: Path, *, lookup: Lookup) -> "OursLater":
    return OursLater(folder, lookup)


class OursLater(Ours):
    def __init__(self, folder: Path, lookup: Lookup) -> None:
        super().__init__(folder, lookup)
        self._settings = Settings(home=str(folder), store=str(folder / "hindbrain.db"))
        self._promising = open_hindbrain(project="bench", settings=self._settings, embedder=Given(lookup))
        self._lookup = lookup

    def add(self, item: Item) -> None:
        self._promising.add_later(item.text)

    def owed(self) -> float:
        """CPU ms for each memory that was promised, of the process that keeps it."""
        tools = replace(open_tools(self._settings), embedder=Given(self._lookup))
        cpu = time.process_time()
        drained, ran = caught_up(tools)
        spent = time.process_time() - cpu
        tools.store.close()
        assert ran.done == drained.records
        return 1000 * spent / max(1, ran.done)

    def close(self) -> None:
        super().close()
        self._promising.close()
