"""Which notes and which links the picture shows, and which of them carry their names."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from hindbrain.core.model import Kind, Link, Memory, Relation, State
from hindbrain.core.value import dataclass
from hindbrain.entry.hub.layout import Point, lay
from hindbrain.entry.hub.turn import Page, Turn
from hindbrain.facade import Hindbrain

_NAMED = 40  # notes whose titles are written beside them, at most
_MOST = 4_000  # notes of a picture
_EDGE = 60.0  # around the picture; titles need room
_LEAST = (900.0, 500.0)  # of the picture: a few notes are not blown up
_LETTERS, _LINES = 90, 48  # of titles that would fit into the picture's width and height
_LARGEST = 14.0  # a note: neighbours stand about thirty apart
TITLE = 28  # letters of a title in the picture


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    memory: Memory
    x: float
    y: float
    degree: int
    is_named: bool
    radius: float


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
    places = _places(shown, links)
    box = _box(places.values())
    letter = max(box[2] / _LETTERS, box[3] / _LINES)
    nodes = _placed(shown, places, degrees=degrees, letter=letter)
    by_id = {node.memory.id: node for node in nodes}
    edges = [_edge(link, by_id) for link in links if link.source in by_id and link.target in by_id]
    about = {
        "nodes": nodes,
        "edges": edges,
        "box": " ".join(f"{side:.0f}" for side in box),
        "letter": f"{letter:.1f}",
        "most": TITLE,
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


def _places(memories: Sequence[Memory], links: Sequence[Link]) -> Mapping[str, Point]:
    ids = {one.id for one in memories}
    ends = sorted({(link.source, link.target) for link in links if link.source in ids and link.target in ids})
    return lay(tuple(sorted(ids)), tuple(ends))


def _placed(
    memories: Sequence[Memory], places: Mapping[str, Point], *, degrees: Mapping[str, int], letter: float
) -> list[Node]:
    by_degree = sorted(memories, key=lambda one: (-degrees[one.id], one.id))
    named = _named(by_degree, places, letter=letter)
    return [
        Node(
            memory=one,
            x=places[one.id][0],
            y=places[one.id][1],
            degree=degrees[one.id],
            is_named=one.id in named,
            radius=min(max(0.18 * letter, 4.0) * (0.7 + 0.3 * degrees[one.id] ** 0.5), _LARGEST),
        )
        for one in sorted(memories, key=lambda one: one.id in named)  # names are drawn over the others
    ]


def _named(memories: Sequence[Memory], places: Mapping[str, Point], *, letter: float) -> set[str]:
    """Those whose titles do not stand in each other's way, the best connected first."""
    taken: dict[str, tuple[float, float, float]] = {}
    for one in memories:
        x, y = places[one.id]
        half = letter * 0.3 * min(len(one.title), TITLE) + letter
        if len(taken) < _NAMED and not any(
            abs(x - ox) < half + other and abs(y - oy) < letter * 1.4 for ox, oy, other in taken.values()
        ):
            taken[one.id] = (x, y, half)
    return set(taken)


def _edge(link: Link, nodes: Mapping[str, Node]) -> Edge:
    source, target = nodes[link.source], nodes[link.target]
    return Edge(relation=link.relation, ends=(source.x, source.y, target.x, target.y))


def _box(places: Collection[Point]) -> tuple[float, float, float, float]:
    """Left, top, width and height of what holds all of them."""
    xs, ys = [x for x, _ in places] or [0.0], [y for _, y in places] or [0.0]
    wide = max(max(xs) - min(xs) + 2 * _EDGE, _LEAST[0])
    high = max(max(ys) - min(ys) + 2 * _EDGE, _LEAST[1])
    return (min(xs) + max(xs) - wide) / 2, (min(ys) + max(ys) - high) / 2, wide, high
