"""How ours is used on one machine when it is large: two files, filled through the store in large transactions."""

from collections.abc import Sequence
from pathlib import Path

from bench.peers.spread import AT, SPACE, Spread
from bench.peers.subject import Lookup
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.core.model import Memory, Vector
from hindbrain.ports import Changes

PACKAGES = ("hindbrain", "apsw")


def open_subject(folder: Path, *, lookup: Lookup) -> Spread:
    aside = folder.with_name("aside")  # what is asked for all lies outside of what is weighed
    aside.mkdir(exist_ok=True)
    return Spread([str(folder / "hindbrain.db"), str(aside / "hindbrain.db")], make=_File, lookup=lookup)


class _File:
    def __init__(self, path: str) -> None:
        self._store = SqliteStore(path)
        self._store.expect(SPACE)
        self._known: set[str] = {project.id for project in self._store.projects()}

    def pour(self, memories: Sequence[Memory], vectors: Sequence[Vector]) -> None:
        for name in sorted({memory.project for memory in memories} - self._known):
            self._store.adopt([f"name:{name}"], name=name, project_id=name, at=AT)
            self._known.add(name)
        changes = Changes(memories=tuple(memories), vectors=tuple(vectors))
        self._store.write(lambda tx: tx.apply(changes))

    def settle(self) -> None:
        """Each batch is one transaction."""

    def close(self) -> None:
        self._store.close()
