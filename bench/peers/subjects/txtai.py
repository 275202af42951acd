"""How txtai is used: an index with content, vectors from outside, the project as a column of its database.

An upsert changes the index in memory, and the disk has it once somebody saves the whole index. What is timed as an add
is the upsert alone; what is timed as the size is a saved index.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.peers.subject import ANSWERS, Ask, Item, Lookup

PACKAGES = ("txtai", "faiss-cpu")


def open_subject(folder: Path, *, lookup: Lookup) -> "Txtai":
    import numpy as np
    from txtai import Embeddings

    def transform(texts: Sequence[str]) -> Any:
        return np.array(lookup.embed(texts), dtype=np.float32)

    embeddings = Embeddings(method="external", transform=transform, content=True)
    if (folder / "index").exists():
        embeddings.load(str(folder / "index"), config={"transform": transform})  # a function is not saved
    return Txtai(embeddings, folder)


class Txtai:
    def __init__(self, embeddings: Any, folder: Path) -> None:
        self._embeddings = embeddings
        self._folder = folder

    def fill(self, items: Sequence[Item]) -> None:
        self._upsert(items)

    def settle(self) -> None:
        self._embeddings.save(str(self._folder / "index"))

    def add(self, item: Item) -> None:
        self._upsert([item])

    def search(self, ask: Ask) -> Sequence[str]:
        narrowed = " and project = :project" if ask.project else ""
        sql = f"select text from txtai where similar(:words){narrowed}"
        found = self._embeddings.search(sql, ANSWERS, parameters={"words": ask.text, "project": ask.project})
        return [one["text"] for one in found]

    def close(self) -> None:
        self._embeddings.close()

    def _upsert(self, items: Sequence[Item]) -> None:
        self._embeddings.upsert((item.number, {"text": item.text, "project": item.project}) for item in items)
