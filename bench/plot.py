"""What a chart looks like: one SVG file, readable on white and on black, with nothing in it that moves or loads.

A page shows the file as an image, so it cannot take the page's colours, and a reader's system may be dark while the
page is light. All tones are therefore of middle lightness: about 4.5 to 1 against either ground for text.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape

_WIDTH = 760
_FONT = "font-family='ui-sans-serif, system-ui, Segoe UI, Helvetica, Arial, sans-serif'"
_TEXT = "#7a7f87"
_GRID = "#8b949e"
_MOST_TICKS = 6


class Tone(StrEnum):
    OURS = "#d9622b"
    FLOOR = "#8b949e"
    OTHER = "#4a8fc7"


_LINES = (Tone.OURS, Tone.OTHER, "#4f9d69", "#a371c9", Tone.FLOOR, "#b08a1e", "#3a9a9a", "#c75a8a")
_ROW = 22  # of a legend


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    label: str
    value: float
    tone: Tone = Tone.OTHER


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    label: str
    points: Sequence[tuple[float, float]]  # in the order of x


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    """From a value to a place on the page."""

    low: float
    high: float
    start: float  # where `low` lies
    end: float
    is_log: bool

    def at(self, value: float) -> float:
        low, high, x = (math.log10(v) if self.is_log else v for v in (self.low, self.high, value))
        return self.start + (self.end - self.start) * (x - low) / (high - low)

    @property
    def ticks(self) -> list[float]:
        if not self.is_log:
            step = _round_step(self.high - self.low)
            return [self.low + n * step for n in range(int((self.high - self.low) / step + 1e-9) + 1)]
        marks = [mark for mark in _marks(self.low, self.high) if self.low <= mark <= self.high]
        tens = [mark for mark in marks if math.isclose(math.log10(mark) % 1, 0, abs_tol=1e-9)]
        return marks if len(marks) <= _MOST_TICKS else tens


def bars(title: str, rows: Sequence[Bar], *, is_log: bool = False) -> str:
    """Horizontal bars in the order of `rows`, each with its label and its value."""
    row, top, right = 28, 48, 64
    left = 32 + max((_wide(bar.label) for bar in rows), default=0)
    height = top + row * len(rows) + 30
    values = [bar.value for bar in rows]
    values += [value * 0.8 for value in values]  # on a logarithmic scale the least needs some length, too
    scale = _scale(values, start=left, end=_WIDTH - right, is_log=is_log)
    parts = [_gridline(scale, tick, top=top, bottom=height - 30) for tick in scale.ticks]
    for number, bar in enumerate(rows):
        y = top + row * number
        width = max(scale.at(max(bar.value, scale.low)) - left, 1.5)
        weight = "700" if bar.tone is Tone.OURS else "400"
        middle = y + row / 2 + 4
        parts += [
            _text(bar.label, left - 10, middle, anchor="end", weight=weight),
            f"<rect x='{left:.1f}' y='{y + 5}' width='{width:.1f}' height='{row - 10}' rx='3' fill='{bar.tone}'/>",
            _text(shown(bar.value), left + width + 7, middle, weight=weight),
        ]
    return _document(title, height, parts)


def lines(title: str, series: Sequence[Line], *, x_title: str, y_title: str, is_log_y: bool = False) -> str:
    """Lines over an x axis of powers of ten, with a legend at the top."""
    left, end = 64.0, _WIDTH - 40.0
    places = _legend([line.label for line in series], left=left, end=end)
    more = _ROW * max((row for _, row in places), default=0)
    top, height = 100.0 + more, 400 + more
    bottom = height - 52.0
    x = _scale([x for line in series for x, _ in line.points], start=left, end=end, is_log=True)
    y = _scale([y for line in series for _, y in line.points], start=bottom, end=top, is_log=is_log_y)
    parts = [_level(y, tick, left=left, right=end) for tick in y.ticks]
    parts += [_gridline(x, tick, top=top, bottom=bottom) for tick in x.ticks]
    parts += [
        _text(x_title, (left + end) / 2, height - 12, anchor="middle"),
        _text(y_title, 16, top - 14),
    ]
    for number, (line, (at, row)) in enumerate(zip(series, places, strict=True)):
        tone = _LINES[number % len(_LINES)]
        parts += _line(line, x, y, tone=tone)
        parts += [_dot(at + 4, 54 + _ROW * row, tone), _text(line.label, at + 14, 58 + _ROW * row)]
    return _document(title, height, parts)


def _legend(labels: Sequence[str], *, left: float, end: float) -> list[tuple[float, int]]:
    """Where each label begins, and in which row."""
    places: list[tuple[float, int]] = []
    at, row = left, 0
    for label in labels:
        width = 14 + _wide(label)
        if at + width > end and at > left:
            at, row = left, row + 1
        places.append((at, row))
        at += width + 20
    return places


def shown(value: float) -> str:
    """Three digits that matter, never as a power of ten: 0.0123, 1.23, 12.3, 1,230."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{round(value, digits):,.{digits}f}"


def _scale(values: Sequence[float], *, start: float, end: float, is_log: bool) -> _Scale:
    """Wide enough for all values: between round numbers, or from zero to one."""
    if not is_log:
        most = max(values, default=0.0) or 1.0
        step = _round_step(most)
        return _Scale(low=0.0, high=step * math.ceil(most / step), start=start, end=end, is_log=False)
    positive = [value for value in values if value > 0] or [1.0]
    least, most = min(positive), max(positive)
    marks = _marks(least, most)
    low = max(mark for mark in marks if mark <= least)
    high = min(mark for mark in marks if mark >= most and mark > low)
    return _Scale(low=low, high=high, start=start, end=end, is_log=True)


def _marks(least: float, most: float) -> list[float]:
    """1, 2 and 5 of every power of ten from below `least` to above `most`."""
    powers = range(math.floor(math.log10(least)) - 1, math.floor(math.log10(most)) + 3)
    return [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]


def _round_step(span: float) -> float:
    """1, 2 or 5 of some power of ten: between four and ten of them make up the span."""
    power = 10.0 ** math.floor(math.log10(span))
    return next(power * part for part in (0.1, 0.2, 0.5, 1.0) if span / (power * part) <= 10)


def _gridline(scale: _Scale, tick: float, *, top: float, bottom: float) -> str:
    x = scale.at(tick)
    return f"<line x1='{x:.1f}' y1='{top}' x2='{x:.1f}' y2='{bottom}' stroke='{_GRID}' stroke-opacity='.3'/>" + _text(
        _tick(tick), x, bottom + 18, anchor="middle"
    )


def _level(scale: _Scale, tick: float, *, left: float, right: float) -> str:
    y = scale.at(tick)
    return f"<line x1='{left}' y1='{y:.1f}' x2='{right}' y2='{y:.1f}' stroke='{_GRID}' stroke-opacity='.3'/>" + _text(
        _tick(tick), left - 8, y + 4, anchor="end"
    )


def _line(line: Line, x: _Scale, y: _Scale, *, tone: str) -> list[str]:
    places = [(x.at(a), y.at(max(b, y.low))) for a, b in line.points]
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    return [
        f"<polyline points='{path}' fill='none' stroke='{tone}' stroke-width='2.5' stroke-linejoin='round'/>",
        *(_dot(a, b, tone) for a, b in places),
    ]


def _dot(x: float, y: float, tone: str) -> str:
    return f"<circle cx='{x:.1f}' cy='{y:.1f}' r='4' fill='{tone}'/>"


def _text(words: str, x: float, y: float, *, anchor: str = "start", weight: str = "400") -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' font-weight='{weight}'>{escape(words)}</text>"


def _tick(value: float) -> str:
    return f"{value:,.10f}".rstrip("0").rstrip(".")


def _wide(words: str) -> float:
    """About how many units a label takes; there is no font here to ask."""
    return 7.0 * len(words)


def _document(title: str, height: float, parts: Sequence[str]) -> str:
    named = escape(title)
    opening = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {height}' width='{_WIDTH}' height='{height}' "
        f"role='img' aria-label='{escape(title, quote=True)}' {_FONT} font-size='13' fill='{_TEXT}'>"
    )
    heading = f"<text x='16' y='26' font-size='15' font-weight='600'>{named}</text>"
    return "\n".join([opening, f"<title>{named}</title>", heading, *parts, "</svg>"]) + "\n"
