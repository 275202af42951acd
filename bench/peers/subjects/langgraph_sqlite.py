"""How LangGraph's store is used on the disk: SQLite with vectors, a namespace for each project."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.peers.subject import ANSWERS, DIMENSIONS, Ask, Item, Lookup

PACKAGES = ("langgraph", "langgraph-checkpoint-sqlite")
_ALL = "bench"


def open_subject(folder: Path, *, lookup: Lookup) -> "Namespaces":
    from langgraph.store.sqlite import SqliteStore

    closing = ExitStack()
    store = closing.enter_context(SqliteStore.from_conn_string(str(folder / "store.db"), index=index(lookup)))
    store.setup()
    return Namespaces(store, closing)


def index(lookup: Lookup) -> dict[str, object]:
    """Which field is embedded; the two stores read it under different names."""
    return {"dims": DIMENSIONS, "embed": lookup.embed, "fields": ["text"], "text_fields": ["text"]}


class Namespaces:
    """Any of LangGraph's stores: they share one interface."""

    def __init__(self, store: Any, closing: ExitStack) -> None:
        self._store = store
        self._closing = closing

    def fill(self, items: Sequence[Item]) -> None:
        from langgraph.store.base import PutOp

        self._store.batch(
            [PutOp(namespace=(_ALL, i.project), key=str(i.number), value={"text": i.text}) for i in items]
        )

    def settle(self) -> None:
        """Each batch is one transaction."""

    def add(self, item: Item) -> None:
        self._store.put((_ALL, item.project), str(item.number), {"text": item.text})

    def search(self, ask: Ask) -> Sequence[str]:
        namespace = (_ALL, ask.project) if ask.project else (_ALL,)
        return [one.value["text"] for one in self._store.search(namespace, query=ask.text, limit=ANSWERS)]

    def close(self) -> None:
        self._closing.close()
