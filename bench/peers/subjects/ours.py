"""How Hindbrain is used: the public API with its defaults, each memory added as a person would add it.

It is opened with an embedder that knows the vectors of the run, so an add writes row, words and vector in one
transaction, and a search weighs words and meaning.

A recall is always that of one project. So all memories are in one project for the search of everything, and a second
store, which no figure of size or adding counts, has them in their projects for the search within one.
"""

from collections.abc import Sequence
from pathlib import Path

import hindbrain
from bench.fill import fill
from bench.peers.spread import Given
from bench.peers.subject import ANSWERS, Ask, Item, Lookup
from hindbrain.facade import Hindbrain

PACKAGES = ("hindbrain",)
_ALL = "bench"


def open_subject(folder: Path, *, lookup: Lookup) -> "Ours":
    return Ours(folder, lookup)


class Ours:
    def __init__(self, folder: Path, lookup: Lookup) -> None:
        self._embedder = Given(lookup)
        self._whole = self._open(folder / "hindbrain.db", _ALL)
        self._aside = folder.with_name("aside") / "hindbrain.db"
        self._aside.parent.mkdir(exist_ok=True)
        self._narrow: dict[str, Hindbrain] = {}

    def fill(self, items: Sequence[Item]) -> None:
        fill(self._whole, [item.text for item in items], label="ours")
        for project in sorted({item.project for item in items}):
            fill(self._project(project), [i.text for i in items if i.project == project], label="ours")

    def settle(self) -> None:
        for memory in (self._whole, *list(self._narrow.values())[:1]):  # of all projects of its store
            memory.embed()

    def add(self, item: Item) -> None:
        self._whole.add(item.text)

    def search(self, ask: Ask) -> Sequence[str]:
        memory = self._project(ask.project) if ask.project else self._whole
        return [found.memory.content for found in memory.recall(ask.text, limit=ANSWERS).memories]

    def close(self) -> None:
        for memory in (self._whole, *self._narrow.values()):
            memory.close()

    def _project(self, name: str) -> Hindbrain:
        if name not in self._narrow:
            self._narrow[name] = self._open(self._aside, name)
        return self._narrow[name]

    def _open(self, store: Path, project: str) -> Hindbrain:
        return hindbrain.open(store, project, embedder=self._embedder)
