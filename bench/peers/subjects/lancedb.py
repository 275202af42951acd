"""How LanceDB is used: one table on the disk, searched as it is, without an index that somebody has to build."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.peers.subject import ANSWERS, DIMENSIONS, Ask, Item, Lookup

PACKAGES = ("lancedb",)


def open_subject(folder: Path, *, lookup: Lookup) -> "Lance":
    import lancedb
    import pyarrow as pa

    columns = {
        "id": pa.int64(),
        "project": pa.string(),
        "text": pa.string(),
        "vector": pa.list_(pa.float32(), DIMENSIONS),
    }
    database = lancedb.connect(str(folder))
    return Lance(database.create_table("bench", schema=pa.schema(list(columns.items())), exist_ok=True))


class Lance:
    def __init__(self, table: Any) -> None:
        self._table = table

    def fill(self, items: Sequence[Item]) -> None:
        self._table.add(
            [{"id": one.number, "project": one.project, "text": one.text, "vector": one.vector} for one in items]
        )

    def settle(self) -> None:
        """Each batch is written when it returns."""

    def add(self, item: Item) -> None:
        self.fill([item])

    def search(self, ask: Ask) -> Sequence[str]:
        query = self._table.search(ask.vector).distance_type("cosine").select(["text", "_distance"]).limit(ANSWERS)
        if ask.project:
            query = query.where(f"project = '{ask.project}'")
        return [one["text"] for one in query.to_list()]

    def close(self) -> None:
        """Each add is written when it returns."""
