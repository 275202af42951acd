"""How LangGraph's store is used in memory: a dictionary that ends with its process."""

from contextlib import ExitStack
from pathlib import Path

from bench.peers.subject import Lookup
from bench.peers.subjects.langgraph_sqlite import Namespaces, index

PACKAGES = ("langgraph",)


def open_subject(folder: Path, *, lookup: Lookup) -> Namespaces:
    from langgraph.store.memory import InMemoryStore

    return Namespaces(InMemoryStore(index=index(lookup)), ExitStack())
