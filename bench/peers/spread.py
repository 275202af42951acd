"""How ours is used when it is large: one store with a thousand projects, and one with all in a single project.

What is filled in has its row, words, vector and history, as it comes to lie in the store; receipts and events are left
out. A question to all goes to the store with a single project, as Hindbrain never searches several.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from math import inf
from typing import Protocol

import hindbrain
from bench.peers.subject import ANSWERS, DIMENSIONS, Ask, Item, Lookup
from hindbrain.core.model import Memory, Space, Vector
from hindbrain.core.model.vector import quantised
from hindbrain.core.recall.meaningful import digest, meaningful
from hindbrain.core.words import query_terms
from hindbrain.facade import Hindbrain
from hindbrain.ports import Where

SPACE = Space(provider="bench", model="given", version="1", dimension=DIMENSIONS)
AT = datetime(2026, 1, 1, tzinfo=UTC)
ONE = "everything"  # the project that holds all
_PROJECT = "project-3"  # whose agent adds
MOST_IN_ONE = 100_000  # memories of a single project on a server: the graph of more would take an hour to build


class Place(Protocol):
    """Where a store lies, and how it is filled fast."""

    def pour(self, memories: Sequence[Memory], vectors: Sequence[Vector]) -> None: ...

    def settle(self) -> None: ...

    def close(self) -> None: ...


class Spread:
    """`make` opens the numbered of the two places: 0 for many projects, 1 for one, which takes `most` memories."""

    def __init__(
        self, stores: Sequence[str], *, make: Callable[[str], Place], lookup: Lookup, most: float = inf
    ) -> None:
        self._stores = stores
        self._most = most
        self._make = make
        self._embedder = Given(lookup)
        self._places: list[Place] = []
        self._open: dict[str, Hindbrain] = {}
        self._filled = 0

    def fill(self, items: Sequence[Item]) -> None:
        if not self._places:
            self._places = [self._make(store) for store in self._stores]
        memories = [memory_of(item) for item in items]
        vectors = [vector_of(memory, item.vector) for memory, item in zip(memories, items, strict=True)]
        self._places[0].pour(memories, vectors)
        if items[-1].number < self._most:
            self._places[1].pour([memory_of(item, project=ONE) for item in items], vectors)

    def settle(self) -> None:
        for place in self._places:
            place.settle()
            place.close()
        self._places = []

    def add(self, item: Item) -> None:
        self._memory(_PROJECT).add(item.text)

    def search(self, ask: Ask) -> Sequence[str]:
        found = self._memory(ask.project or ONE).recall(ask.text, limit=ANSWERS)
        return [one.memory.content for one in found.memories]

    def nearest(self, ask: Ask) -> Sequence[str]:
        memory = self._memory(ask.project or ONE)
        where = Where(project=memory.project.id if memory.project else "")
        found = memory.store.nearest(ask.vector, SPACE, where=where, limit=ANSWERS)
        kept = memory.store.memories([near.memory_id for near in found])
        return [one.content for one in kept.values()]

    def worded(self, ask: Ask) -> Sequence[str]:
        """The ten best by words alone. Sums that were added up in another order differ in the last digits, so those
        that are as good as each other are put in order here."""
        memory = self._memory(ask.project or ONE)
        where = Where(project=memory.project.id if memory.project else "")
        found = memory.store.matches(query_terms(ask.text), where, limit=4 * ANSWERS)
        kept = memory.store.memories([match.memory_id for match in found])
        ranked = sorted((-round(match.score, 9), kept[match.memory_id].content) for match in found)
        return [content for _, content in ranked[:ANSWERS]]

    def close(self) -> None:
        for memory in self._open.values():
            memory.close()

    def _memory(self, project: str) -> Hindbrain:
        if project not in self._open:
            store = self._stores[project == ONE]
            self._open[project] = hindbrain.open(store, project, embedder=self._embedder)
        return self._open[project]


class Given:
    """A model that is running already, and costs nothing."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup

    @property
    def space(self) -> Space:
        return SPACE

    @property
    def is_warm(self) -> bool:
        return True

    def check(self) -> str:
        return "vectors that were given"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return self._lookup.embed(texts)


def memory_of(item: Item, *, project: str = "") -> Memory:
    return Memory(
        id=f"mem-{item.number:09}",
        project=project or item.project,
        content=item.text,
        title=item.text[:60],
        type="pitfall",
        learned_at=AT,
        created_at=AT,
        updated_at=AT,
    )


def vector_of(memory: Memory, point: Sequence[float]) -> Vector:
    code, scale = quantised(point)
    text = meaningful(memory)
    return Vector(
        memory_id=memory.id,
        space=SPACE,
        piece=0,
        start=0,
        end=len(text),
        digest=digest(text),
        code=code,
        scale=scale,
    )
