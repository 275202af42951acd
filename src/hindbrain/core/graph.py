"""How memories and their links are drawn: as DOT, as JSON, and as a picture that is the same every time.

Points push each other away and links pull, from a beginning that the ids alone decide. For a few hundred points plain
Python is quick enough, and no drawing library has to be installed.
"""

import math
from collections.abc import Mapping, Sequence

from hindbrain.core.digest import sha256
from hindbrain.core.model.link import Link, Relation
from hindbrain.core.model.memory import Kind, Memory
from hindbrain.core.value import dataclass

_TITLE = 32  # characters beside a point
_ROUNDS = 120
_ROOM = 150.0  # pixels between points that are at ease
_MARGIN = 60.0
_LABEL, _LINE = 7.0 * _TITLE, 16.0  # pixels that a title takes
_WIDER = 1.6  # titles are written to the right
_FEW = 60  # points; more of them are moved less often, and each round costs their square
_COLOURS: Mapping[Kind, str] = {
    Kind.LESSON: "#2563eb",
    Kind.PATTERN: "#15803d",
    Kind.ANTI_PATTERN: "#b91c1c",
    Kind.FACT: "#7c3aed",
    Kind.EPISODE: "#b45309",
    Kind.SKILL: "#0f766e",
    Kind.SCAR: "#be185d",
    Kind.REFLEX: "#4338ca",
    Kind.NOTE: "#4b5563",
    Kind.ITERATION: "#92400e",
}
_DASHES: Mapping[Relation, str] = {
    Relation.CONTRADICTS: "2 4",
    Relation.SUPERSEDES: "8 4",
    Relation.SUPERSEDED_BY: "8 4",
    Relation.RELATED_TO: "1 3",
}

Place = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    memories: tuple[Memory, ...]
    links: tuple[Link, ...]  # both ends are among the memories
    left_out: int = 0  # memories beyond the limit


def as_dot(web: Web) -> str:
    """For Graphviz and its like."""
    lines = ["digraph memories {", "  rankdir=LR;", '  node [shape=box, style="rounded"];']
    lines += [
        f"  {_quoted(memory.id)} [label={_quoted(titled(memory))}, color={_quoted(_COLOURS[memory.kind])}];"
        for memory in web.memories
    ]
    lines += [f"  {_quoted(a.source)} -> {_quoted(a.target)} [label={_quoted(str(a.relation))}];" for a in web.links]
    return "\n".join([*lines, "}"]) + "\n"


def as_svg(web: Web) -> str:
    """A picture with a legend; the whole title of a point shows when a reader rests on it."""
    places = laid_out([memory.id for memory in web.memories], [(link.source, link.target) for link in web.links])
    width = max((x for x, _ in places.values()), default=0.0) + _MARGIN + 9.0 * _TITLE
    height = max((y for _, y in places.values()), default=0.0) + _MARGIN
    kinds = sorted({memory.kind for memory in web.memories})
    height = max(height, 40.0 + 18 * len(kinds))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" font-family="sans-serif" font-size="12" role="img">',
        f"<title>{len(web.memories)} memories and {len(web.links)} links</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        '<defs><marker id="end" viewBox="0 0 8 8" refX="14" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#6b7280"/></marker></defs>',
        *(_line(link, places) for link in web.links),
        *(_point(memory, places[memory.id]) for memory in web.memories),
        *(_legend(kind, number) for number, kind in enumerate(kinds)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def titled(memory: Memory) -> str:
    """As much of the title as can be read beside others."""
    bare = " ".join(memory.title.split())
    return bare if len(bare) <= _TITLE else bare[: _TITLE - 1].rstrip() + "…"


def laid_out(names: Sequence[str], pairs: Sequence[tuple[str, str]]) -> dict[str, Place]:
    """A place for each name, all of them positive, and the same for the same names and pairs."""
    if not names:
        return {}
    side = math.ceil(math.sqrt(len(names)))
    order = sorted(names, key=lambda name: sha256(name.encode()))
    points = {name: complex(number % side, number // side) * _ROOM for number, name in enumerate(order)}
    pulled = [(one, other) for one, other in sorted(set(pairs)) if one != other and one in points and other in points]
    rounds = _ROUNDS if len(names) <= _FEW else max(20, _ROUNDS * _FEW // len(names))
    for number in range(rounds):
        most = _ROOM * (1.0 - number / rounds)  # pixels that a point may move
        _moved(points, pulled, most=most)
    left, top = min(p.real for p in points.values()), min(p.imag for p in points.values())
    wide = {name: ((p.real - left) * _WIDER + _MARGIN, p.imag - top + _MARGIN) for name, p in points.items()}
    return _unstacked(wide)


def _unstacked(places: Mapping[str, Place]) -> dict[str, Place]:
    """Points from the top down, each below the titles that it would lie upon."""
    free: dict[str, Place] = {}
    for name, (x, y) in sorted(places.items(), key=lambda item: (item[1][1], item[1][0], item[0])):
        while any(abs(x - x2) < _LABEL and abs(y - y2) < _LINE for x2, y2 in free.values()):
            y += _LINE
        free[name] = (x, y)
    return free


def _moved(points: dict[str, complex], pulled: Sequence[tuple[str, str]], *, most: float) -> None:
    names = list(points)
    force = dict.fromkeys(names, 0j)
    for number, one in enumerate(names):
        here, pushed = points[one], 0j
        for other in names[number + 1 :]:
            apart = here - points[other]
            far = abs(apart)
            if far > 4 * _ROOM:
                continue
            push = apart / far * (_ROOM**2 / far) if far > 1e-6 else complex(1.0, number + 1.0)
            pushed += push
            force[other] -= push
        force[one] += pushed
    for one, other in pulled:
        apart = points[one] - points[other]
        pull = apart * (abs(apart) / _ROOM)
        force[one] -= pull
        force[other] += pull
    middle = sum(points.values()) / len(points)
    for name in names:
        step = force[name] - (points[name] - middle) * 0.05  # parts without links must not drift away
        size = abs(step)
        points[name] += step if size <= most else step / size * most


def _line(link: Link, places: Mapping[str, Place]) -> str:
    (x1, y1), (x2, y2) = places[link.source], places[link.target]
    dash = _DASHES.get(link.relation, "")
    style = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<g><line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#9ca3af" marker-end="url(#end)"'
        f'{style}/><text x="{(x1 + x2) / 2:.1f}" y="{(y1 + y2) / 2:.1f}" font-size="9" fill="#6b7280" '
        f'text-anchor="middle">{escaped(str(link.relation))}</text></g>'
    )


def _point(memory: Memory, place: Place) -> str:
    x, y = place
    return (
        f'<g><title>{escaped(memory.title)} ({escaped(memory.id)})</title><circle cx="{x:.1f}" cy="{y:.1f}" r="6" '
        f'fill="{_COLOURS[memory.kind]}"/><text x="{x + 10:.1f}" y="{y + 4:.1f}" paint-order="stroke" stroke="#ffffff" '
        f'stroke-width="3">{escaped(titled(memory))}</text></g>'
    )


def _legend(kind: Kind, number: int) -> str:
    y = 16 + 18 * number
    return (
        f'<circle cx="12" cy="{y}" r="5" fill="{_COLOURS[kind]}"/><text x="22" y="{y + 4}" font-size="11" '
        f'fill="#374151">{escaped(str(kind))}</text>'
    )


def escaped(text: str) -> str:
    """As text in XML, which cannot hold most control characters in any form."""
    plain = "".join(sign if sign.isprintable() else " " for sign in text)
    pairs = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;"))
    for sign, written in pairs:
        plain = plain.replace(sign, written)
    return plain


def _quoted(text: str) -> str:
    plain = "".join(sign if sign.isprintable() else " " for sign in text)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
