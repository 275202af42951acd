"""What a store must do to be measured. Runs in the virtual environment of a peer: standard library and numpy only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

DIMENSIONS = 384
ANSWERS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One memory to keep."""

    number: int
    text: str
    project: str
    vector: list[float]  # of unit length


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question."""

    text: str
    vector: list[float]  # of unit length
    project: str = ""  # empty: all that the store holds


class Subject(Protocol):
    """A store of memories, opened in a folder of its own with all of its defaults; one that is there is opened again.

    It may also have `nearest` and `worded`, which search by vectors and by words alone; `outside`, which tells what
    other processes that work for it have spent and hold; `disk`, how many bytes they keep there; and `owed`, which does
    what adding put off, and tells what that took for each add.
    """

    def fill(self, items: Sequence[Item]) -> None:
        """Keep all of `items`, by the fastest way that the store offers."""
        ...

    def settle(self) -> None:
        """Nothing more is filled in: whatever the store puts off until then is done."""
        ...

    def add(self, item: Item) -> None:
        """Keep one, by the way that a user would; as durable as the store makes it when it returns."""
        ...

    def search(self, ask: Ask) -> Sequence[str]:
        """The texts of the ten best, best first."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What a server has spent, and what it holds in memory."""

    cpu_ms: float
    memory: int  # bytes


class Opener(Protocol):
    def __call__(self, folder: Path, *, lookup: "Lookup") -> Subject: ...


class Lookup:
    """The embedder for stores that insist on embedding by themselves: it knows the vector of every text of the run."""

    def __init__(self, known: Mapping[str, list[float]]) -> None:
        self._known = known

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """KeyError for a text that is none of the run's: a store that makes up texts would be measured wrongly."""
        return [self._known[text] for text in texts]
