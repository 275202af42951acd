"""How mem0 is used: raw memories without a model (`infer=False`), in its default store, Qdrant in a local folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.peers.subject import ANSWERS, DIMENSIONS, Ask, Item, Lookup

PACKAGES = ("mem0ai", "qdrant-client")
_USER = "bench"


def open_subject(folder: Path, *, lookup: Lookup) -> "Mem0":
    from mem0 import Memory

    keyed = {"config": {"api_key": "none", "openai_base_url": "http://127.0.0.1:9"}}  # its constructor asks; unused
    store = {"path": str(folder / "qdrant"), "embedding_model_dims": DIMENSIONS}
    memory = Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": store},
            "history_db_path": str(folder / "history.db"),
            "embedder": {"provider": "openai", **keyed},
            "llm": {"provider": "openai", **keyed},
        }
    )
    memory.embedding_model = _Embedder(lookup)
    return Mem0(memory)


class Mem0:
    def __init__(self, memory: Any) -> None:
        self._memory = memory

    def fill(self, items: Sequence[Item]) -> None:
        for item in items:  # it has no batch interface
            self.add(item)

    def settle(self) -> None:
        """Each is kept when its add returns."""

    def add(self, item: Item) -> None:
        self._memory.add(item.text, user_id=_USER, agent_id=item.project, infer=False)

    def search(self, ask: Ask) -> Sequence[str]:
        filters = {"user_id": _USER} | ({"agent_id": ask.project} if ask.project else {})
        # A threshold of 0 so that ten come back: the default, 0.1, is meant for the cosines of a model.
        found = self._memory.search(ask.text, filters=filters, top_k=ANSWERS, threshold=0.0)
        return [one["memory"] for one in found["results"]]

    def close(self) -> None:
        self._memory.close()


class _Embedder:
    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup

    def embed(self, text: str, memory_action: str = "") -> list[float]:
        return self._lookup.embed([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str = "") -> list[list[float]]:
        return self._lookup.embed(texts)
