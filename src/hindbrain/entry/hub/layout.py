"""Where notes stand in the picture of their links: near to what they are tied to, and apart from the rest.

Every connected piece is laid out by itself, with springs along its links and a push between near notes, then the
pieces are set in rows, the largest first. Nothing is drawn by lot: the same notes stand in the same places.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

Point = tuple[float, float]

_APART = 30.0  # between neighbours, in the picture's own units
_FAR = 2.2 * _APART  # beyond it nobody pushes
_ROUNDS = 80
_LARGE = 600  # notes of a piece beyond which fewer rounds have to do


@lru_cache(maxsize=8)
def lay(notes: tuple[str, ...], links: tuple[tuple[str, str], ...]) -> Mapping[str, Point]:
    """A place for each of `notes`; both ends of every link are among them."""
    near: dict[str, list[str]] = {note: [] for note in notes}
    for one, other in links:
        if one != other:
            near[one].append(other)
            near[other].append(one)
    pieces = sorted(_pieces(near), key=lambda piece: (-len(piece), piece[0]))
    return _in_rows([_relaxed(piece, near) for piece in pieces])


def _pieces(near: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Connected notes, each piece from its best connected one outwards."""
    seen: set[str] = set()
    found = []
    for start in sorted(near, key=lambda note: (-len(near[note]), note)):
        if start in seen:
            continue
        piece = [start]
        seen.add(start)
        for note in piece:  # grows while it is read
            fresh = [other for other in dict.fromkeys(near[note]) if other not in seen]
            seen.update(fresh)
            piece.extend(fresh)
        found.append(piece)
    return found


def _relaxed(piece: Sequence[str], near: Mapping[str, Sequence[str]]) -> dict[str, Point]:
    places = _fanned(piece, near)
    at = {note: n for n, note in enumerate(piece)}
    springs = sorted({(min(at[a], at[b]), max(at[a], at[b])) for a in piece for b in near[a]})
    weights = [1 / max(1, len(near[note])) for note in piece]
    rounds = _ROUNDS if len(piece) < _LARGE else _ROUNDS // 3
    for turn in range(rounds if len(piece) > 2 else 0):
        most = _APART * 2 * (1 - turn / rounds)  # a step gets shorter, so that it comes to rest
        moves = _pushed(places)
        for a, b in springs:
            _pull(places, moves, ends=(a, b), weights=weights)
        for place, move in zip(places, moves, strict=True):
            length = math.hypot(move[0], move[1]) or 1.0
            scale = min(length, most) / length
            place[0] += move[0] * scale
            place[1] += move[1] * scale
    return {note: (places[n][0], places[n][1]) for note, n in at.items()}


def _fanned(piece: Sequence[str], near: Mapping[str, Sequence[str]]) -> list[list[float]]:
    """Rings around the first note: each branch has as much of the circle as it has ends, and rings are as full as
    their distance allows."""
    above: dict[str, str] = {piece[0]: ""}
    depths = {piece[0]: 0}
    for note in piece:
        for other in near[note]:
            if other not in above:
                above[other], depths[other] = note, depths[note] + 1
    below: dict[str, list[str]] = {note: [] for note in piece}
    ends = dict.fromkeys(piece, 0)
    for note in reversed(piece):
        ends[note] = ends[note] or 1
        if above[note]:
            below[above[note]].append(note)
            ends[above[note]] += ends[note]
    within = Counter(depths.values())
    spans = {piece[0]: (0.0, 2 * math.pi)}
    places = []
    for note in piece:
        start, width = spans[note]
        for other in reversed(below[note]):
            share = width * ends[other] / ends[note]
            spans[other] = (start, share)
            start += share
        angle = spans[note][0] + spans[note][1] / 2
        radius = _APART * math.sqrt(sum(within[depth] for depth in range(depths[note])))
        places.append([radius * math.cos(angle), radius * math.sin(angle)])
    return places


def _pushed(places: Sequence[Sequence[float]]) -> list[list[float]]:
    """How near notes push each other; only those in neighbouring cells of a grid are compared."""
    cells: dict[tuple[int, int], list[int]] = {}
    for n, (x, y) in enumerate(places):
        cells.setdefault((int(x // _FAR), int(y // _FAR)), []).append(n)
    moves = [[0.0, 0.0] for _ in places]
    for (column, row), own in cells.items():
        around = [*own]
        for step in ((1, -1), (1, 0), (1, 1), (0, 1)):
            around += cells.get((column + step[0], row + step[1]), ())
        for k, n in enumerate(own):
            _push(places, moves, n=n, others=around[k + 1 :])
    return moves


def _push(places: Sequence[Sequence[float]], moves: list[list[float]], *, n: int, others: Sequence[int]) -> None:
    x, y = places[n]
    for m in others:
        dx, dy = x - places[m][0], y - places[m][1]
        square = dx * dx + dy * dy
        if square < 0.01:
            dx, dy, square = 0.1 * (n - m), 0.1, 0.02
        if square > _FAR * _FAR:
            continue
        force = 0.6 * (_APART * _APART / square - _APART * _APART / (_FAR * _FAR))  # fades to nothing: no edge is seen
        dx, dy = dx * force, dy * force
        moves[n][0] += dx
        moves[n][1] += dy
        moves[m][0] -= dx
        moves[m][1] -= dy


def _pull(
    places: Sequence[Sequence[float]], moves: list[list[float]], *, ends: tuple[int, int], weights: Sequence[float]
) -> None:
    a, b = ends
    dx, dy = places[b][0] - places[a][0], places[b][1] - places[a][1]
    length = math.hypot(dx, dy) or 0.1
    force = 0.25 * (length - _APART) / length
    for n, sign in ((a, 1), (b, -1)):
        share = sign * force * (0.3 + 0.7 * weights[n])
        moves[n][0] += dx * share
        moves[n][1] += dy * share


def _in_rows(pieces: Sequence[Mapping[str, Point]]) -> dict[str, Point]:
    boxes = [_box(piece) for piece in pieces]
    area = sum((box[2] + _APART) * (box[3] + _APART) for box in boxes)
    width = max([math.sqrt(area) * 1.25, *(box[2] for box in boxes)], default=0.0)
    found: dict[str, Point] = {}
    x = y = tall = 0.0
    for piece, (left, top, wide, high) in zip(pieces, boxes, strict=True):
        if x and x + wide > width:
            x, y, tall = 0.0, y + tall + _APART, 0.0
        found |= {note: (px - left + x, py - top + y) for note, (px, py) in piece.items()}
        x += wide + _APART
        tall = max(tall, high)
    return found


def _box(piece: Mapping[str, Point]) -> tuple[float, float, float, float]:
    xs, ys = [x for x, _ in piece.values()], [y for _, y in piece.values()]
    return min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)
