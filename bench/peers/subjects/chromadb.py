"""How chromadb is used: one collection on the disk, the project as metadata."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.peers.subject import ANSWERS, Ask, Item, Lookup

PACKAGES = ("chromadb",)


def open_subject(folder: Path, *, lookup: Lookup) -> "Chroma":
    import chromadb

    client = chromadb.PersistentClient(path=str(folder))
    return Chroma(client.get_or_create_collection("bench", embedding_function=None))


class Chroma:
    def __init__(self, collection: Any) -> None:
        self._collection = collection

    def fill(self, items: Sequence[Item]) -> None:
        self._collection.add(
            ids=[str(item.number) for item in items],
            embeddings=[item.vector for item in items],
            documents=[item.text for item in items],
            metadatas=[{"project": item.project} for item in items],
        )

    def settle(self) -> None:
        """Its index grows with each batch."""

    def add(self, item: Item) -> None:
        self.fill([item])

    def search(self, ask: Ask) -> Sequence[str]:
        where = {"project": ask.project} if ask.project else None
        found = self._collection.query(query_embeddings=[ask.vector], n_results=ANSWERS, where=where)
        documents: Sequence[str] = found["documents"][0]
        return documents

    def close(self) -> None:
        """Its client writes as it goes, and has nothing to close."""
