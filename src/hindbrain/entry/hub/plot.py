"""How figures are drawn: which marks stand for them, on which scale. Numbers go in, an SVG comes out; no other text."""

from collections.abc import Sequence

from markupsafe import Markup

from hindbrain.core.value import dataclass
from hindbrain.entry.hub.text import told

_Pair = tuple[float, float]
_WIDE, _HIGH, _LEFT, _BELOW = 640.0, 180.0, 34.0, 22.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """Counts of one span of time: above the line, and below it."""

    name: str
    up: int
    down: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """A value with the interval that it may lie in; None where too little is known."""

    name: str
    value: float | None
    low: float | None
    high: float | None


def bars(rows: Sequence[Bar], *, title: str) -> Markup:
    """Up and down from one line, in order."""
    up, down = max([1, *(row.up for row in rows)]), max([0, *(row.down for row in rows)])
    unit = (_HIGH - 2 * _BELOW) / (up + down)
    zero = _BELOW / 2 + up * unit
    width = (_WIDE - _LEFT) / max(len(rows), 1)
    parts = [_line((_LEFT, zero), (_WIDE, zero), sort="axis"), _text((_LEFT - 6, _BELOW / 2 + 4), str(up), is_end=True)]
    parts += [_text((_LEFT - 6, zero + 4), "0", is_end=True)]
    parts += [_text((_LEFT - 6, zero + down * unit + 4), str(down), is_end=True)] if down else []
    every = max(1, -(-len(rows) // 8))  # rows between two names
    for n, row in enumerate(rows):
        x = _LEFT + n * width
        tip = f"{row.name}: {row.up} helped, {row.down} hurt"
        parts.append(_bar((x, zero - row.up * unit), (width, row.up * unit), sort="good", tip=tip))
        parts.append(_bar((x, zero), (width, row.down * unit), sort="bad", tip=tip))
        if n % every == 0:
            parts.append(_text((x, _HIGH - 4), row.name))
    return _svg(parts, title=title, high=_HIGH)


def ranges(rows: Sequence[Range], *, title: str, is_share: bool) -> Markup:
    """One line for each: where it lies, and how sure that is."""
    most = max([x for row in rows for x in (row.value, row.high) if x is not None] or [1.0]) or 1.0
    least = min([0.0, *(x for row in rows for x in (row.value, row.low) if x is not None)])
    left, step = 150.0, 34.0
    high = step * len(rows) + 26.0

    def place(value: float) -> float:
        return left + (value - least) / ((most - least) or 1.0) * (_WIDE - left - 16)

    parts = [_line((place(0.0), 6), (place(0.0), high - 20), sort="axis"), _text((place(0.0), high - 4), "0")]
    parts.append(_text((_WIDE - 16, high - 4), f"{most:.0%}" if is_share else f"{most:.1f}", is_end=True))
    for n, row in enumerate(rows):
        y = 20 + n * step
        parts.append(_text((left - 12, y + 4), row.name, is_end=True))
        if row.low is not None and row.high is not None:
            parts.append(_line((place(row.low), y), (place(row.high), y), sort="whisker"))
            parts += [_line((place(end), y - 6), (place(end), y + 6), sort="whisker") for end in (row.low, row.high)]
        if row.value is not None:
            parts.append(Markup('<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="5"/>').format(place(row.value), y))
        else:
            parts.append(_text((place(0.0) + 8, y + 4), "no session yet"))
    return _svg(parts, title=title, high=high)


def amounts(rows: Sequence[tuple[str, float]], *, title: str, unit: str) -> Markup:
    """Lengths beside names."""
    most = max([value for _, value in rows] or [0.0]) or 1.0
    left, step = 150.0, 26.0
    parts = []
    for n, (name, value) in enumerate(rows):
        y = 6 + n * step
        parts.append(_text((left - 12, y + 14), name, is_end=True))
        length = value / most * (_WIDE - left - 110)
        parts.append(_bar((left, y), (max(length, 1.0), 16), sort="plain", tip=name))
        parts.append(_text((left + length + 6, y + 13), f"{value:.4g} {unit}".strip()))
    return _svg(parts, title=title, high=step * len(rows) + 10)


def _svg(parts: Sequence[Markup], *, title: str, high: float) -> Markup:
    return Markup('<svg class="plot" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}">{}</svg>').format(
        _WIDE, high, title, Markup("").join(parts)
    )


def _line(start: _Pair, end: _Pair, *, sort: str) -> Markup:
    shape = Markup('<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>')
    return shape.format(sort, *start, *end)


def _bar(at: _Pair, size: _Pair, *, sort: str, tip: str) -> Markup:
    """A little narrower than its size, so that bars stand apart."""
    (x, y), (width, height) = at, size
    shape = Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"><title>{}</title></rect>')
    return shape.format(sort, x + min(width * 0.1, 4), y, max(width - min(width * 0.2, 8), 0.5), height, told(tip))


def _text(at: _Pair, text: str, *, is_end: bool = False) -> Markup:
    anchor = "end" if is_end else "start"
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(*at, anchor, told(text))
