"""Which notes and which links the picture shows, and which of them carry their names."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from hindbrain.core.model import Kind, Link, Memory, Relation, State
from hindbrain.core.value import dataclass
from hindbrain.entry.hub.layout import lay
from hindbrain.entry.hub.turn import Page, Turn
from hindbrain.facade import Hindbrain

_NAMED = 40  # notes whose titles are written beside them
_MOST = 4_000  # notes of a picture
_EDGE = 60.0  # around the picture; titles need room


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    memory: Memory
    x: float
    y: float
    degree: int
    is_named: bool

    @property
    def radius(self) -> float:
        return min(4.0 + math.sqrt(self.degree) * 1.6, 16.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    relation: Relation
    ends: tuple[float, float, float, float]


def graph(turn: Turn) -> Page:
    hindbrain = turn.hindbrain()
    wanted = {name: turn.said.get(name, "") for name in ("kind", "relation", "lone")}
    memories = {one.id: one for one in _memories(hindbrain, wanted["kind"])}
    links = [link for link in _links(hindbrain, memories) if wanted["relation"] in ("", link.relation)]
    degrees = Counter(end for link in links for end in (link.source, link.target))
    shown = [one for one in memories.values() if wanted["lone"] or degrees[one.id]][:_MOST]
    nodes = _placed(shown, links, degrees)
    by_id = {node.memory.id: node for node in nodes}
    edges = [_edge(link, by_id) for link in links if link.source in by_id and link.target in by_id]
    about = {
        "nodes": nodes,
        "edges": edges,
        "box": _box(nodes),
        "lone": len(memories) - len([one for one in memories if degrees[one]]),
        "total": len(memories),
        "links": len(links),
        "wanted": wanted,
        "kinds": tuple(Kind),
        "relations": tuple(Relation),
        "top": sorted(nodes, key=lambda node: (-node.degree, node.memory.id))[:_NAMED],
    }
    return Page(template="graph.html", about=about)


def _memories(hindbrain: Hindbrain, kind: str) -> Sequence[Memory]:
    found = hindbrain.list(kinds=[kind] if kind else [], order="newest", with_all=True)
    return [one for one in found if one.state in (State.LIVE, State.SUPERSEDED)]


def _links(hindbrain: Hindbrain, memories: Mapping[str, Memory]) -> list[Link]:
    """Each once, between notes that are shown."""
    found: dict[tuple[str, str, str], Link] = {}
    for memory_id in memories:
        for link in hindbrain.store.links(memory_id):
            if link.source in memories and link.target in memories:
                found[link.source, link.target, link.relation] = link
    return list(found.values())


def _placed(memories: Sequence[Memory], links: Sequence[Link], degrees: Mapping[str, int]) -> list[Node]:
    ids = {one.id for one in memories}
    ends = sorted({(link.source, link.target) for link in links if link.source in ids and link.target in ids})
    places = lay(tuple(sorted(ids)), tuple(ends))
    named = set(sorted(ids, key=lambda one: (-degrees[one], one))[:_NAMED])
    return [
        Node(
            memory=one,
            x=places[one.id][0],
            y=places[one.id][1],
            degree=degrees[one.id],
            is_named=one.id in named,
        )
        for one in memories
    ]


def _edge(link: Link, nodes: Mapping[str, Node]) -> Edge:
    source, target = nodes[link.source], nodes[link.target]
    return Edge(relation=link.relation, ends=(source.x, source.y, target.x, target.y))


def _box(nodes: Sequence[Node]) -> str:
    """As `viewBox` wants it."""
    xs, ys = [node.x for node in nodes] or [0.0], [node.y for node in nodes] or [0.0]
    sides = (min(xs) - _EDGE, min(ys) - _EDGE, max(xs) - min(xs) + 2 * _EDGE, max(ys) - min(ys) + 2 * _EDGE)
    return " ".join(f"{side:.0f}" for side in sides)
