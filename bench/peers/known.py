"""Which stores are compared, in which versions, and what each promises when an add returns."""

from dataclasses import dataclass

OURS = "ours"
LATER = "ours_later"
FLOOR = "floor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    name: str  # of its module in `subjects`
    title: str
    libraries: tuple[str, ...]  # what the first lines of a user's program import
    kept: str  # where a memory is when its add returns
    home: str = ""  # its virtual environment; empty: the one this runs in
    steps: tuple[tuple[str, ...], ...] = ()  # what pip installs, one call each, in order
    needs: str = "pass"  # a statement that a Python must survive to be of use
    is_vector_only: bool = True  # its best ten can be told right or wrong by comparing all vectors


_LANGGRAPH = (("langgraph==1.2.20", "langgraph-checkpoint-sqlite==3.1.2", "numpy"),)  # numpy as it recommends
_EXTENSIONS = "import sqlite3; sqlite3.Connection.enable_load_extension"

# Pinned, so that a figure can be measured again. Torch comes first where it must come at all: left to itself, pip
# may take a build with several gigabytes for graphics cards, and an index or a folder of wheels can offer a small one.
KNOWN = (
    Peer(name=OURS, title="Hindbrain", libraries=("hindbrain.wiring",), kept="disk, synced", is_vector_only=False),
    Peer(
        name=LATER,
        title="Hindbrain, add_later",
        libraries=("hindbrain.wiring",),
        kept="disk, synced, in the spool",
        is_vector_only=False,
    ),
    Peer(
        name=FLOOR,
        title="plain SQLite: row, FTS5, int8 vector",
        libraries=("apsw", "numpy"),
        kept="disk, synced",
        is_vector_only=False,
    ),
    Peer(
        name="chromadb",
        title="chromadb",
        libraries=("chromadb",),
        kept="disk, synced",
        home="chromadb",
        steps=(("chromadb==1.5.9",),),
    ),
    Peer(
        name="mem0",
        title="mem0, infer=False, Qdrant local",
        libraries=("mem0",),
        kept="disk, synced",
        home="mem0",
        steps=(("mem0ai==2.2.1",),),
    ),
    Peer(
        name="lancedb",
        title="LanceDB",
        libraries=("lancedb",),
        kept="disk, not synced",
        home="lancedb",
        steps=(("lancedb==0.40.0",),),
    ),
    Peer(
        name="txtai",
        title="txtai",
        libraries=("txtai",),
        kept="memory, until saved",
        home="txtai",
        steps=(("torch==2.13.0",), ("txtai==9.14.0",)),
    ),
    Peer(
        name="langgraph_sqlite",
        title="LangGraph store, SQLite",
        libraries=("langgraph.store.sqlite",),
        kept="disk, synced",
        home="langgraph",
        steps=_LANGGRAPH,
        needs=_EXTENSIONS,
    ),
    Peer(
        name="langgraph_memory",
        title="LangGraph store, in memory",
        libraries=("langgraph.store.memory",),
        kept="memory",
        home="langgraph",
        steps=_LANGGRAPH,
        needs=_EXTENSIONS,
    ),
)

ON_SERVER = "ours_postgres"
# How each stands when it is large. What ends with its process, and the floor, which is no store, stay away.
LARGE = (
    Peer(
        name="ours_sqlite",
        title="Hindbrain, SQLite",
        libraries=("hindbrain.wiring",),
        kept="disk, synced",
        is_vector_only=False,
    ),
    Peer(
        name=ON_SERVER,
        title="Hindbrain, PostgreSQL",
        libraries=("hindbrain.wiring", "hindbrain.adapters.postgres"),
        kept="disk of the server, synced",
        is_vector_only=False,
    ),
    *(peer for peer in KNOWN if peer.home and peer.name != "langgraph_memory"),
)
