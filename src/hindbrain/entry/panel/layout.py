"""Where each line of a list stands: what is a heading, what belongs to which learning, and where a text breaks."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len, chop_cells

from hindbrain.entry.panel.views import Section
from hindbrain.entry.panel.wording import Entry

MARGIN = 2  # columns left of everything; the mark of the selected learning stands there
_HANG = "  "  # below a bullet's text
_WIDEST = 100  # columns of text; longer lines are hard to read
_MOST_LINES = 12  # of one learning; an editor shows the rest
_LEAST = 8  # columns, however narrow the terminal


class Row(NamedTuple):
    """One line of the list. Thousands are made at once, hence a tuple."""

    text: str
    look: str  # rule, heading, text, struck, source, blank


class Placed(NamedTuple):
    """A list as it is drawn."""

    rows: list[Row]
    owners: list[int]  # for each row: which of the entries it belongs to; -1: none
    tops: list[int]  # the first row of each entry, its heading included where it is the first below one
    ends: list[int]  # the row behind each entry


class Layout:
    """What was broken into lines once is not broken again while the width stays."""

    def __init__(self, width: int = 0) -> None:
        self.width = width
        self._room = max(width - MARGIN, _LEAST)
        self._known: dict[Entry, tuple[Row, ...]] = {}

    def placed(self, sections: Iterable[Section], *, nothing: str = "") -> Placed:
        """`nothing` stands where a section has no entry. Before there is a width, nothing has a place."""
        done = Placed([], [], [], [])
        for section in sections if self.width else ():
            top = len(done.rows)
            _put(done, _heading_rows(section.heading, self._room))
            if not section.entries:
                _put(done, [Row(nothing, "source"), _BLANK])
            for entry in section.entries:
                done.tops.append(top)
                _put(done, self._rows(entry), owner=len(done.ends))
                done.ends.append(len(done.rows))
                _put(done, (_BLANK,))
                top = len(done.rows)
        return done

    def _rows(self, entry: Entry) -> tuple[Row, ...]:
        known = self._known.get(entry)
        if known is None:
            known = self._known[entry] = tuple(_entry_rows(entry, room=min(self._room, _WIDEST)))
        return known


def _put(done: Placed, rows: Sequence[Row], *, owner: int = -1) -> None:
    done.rows.extend(rows)
    done.owners.extend([owner] * len(rows))


_BLANK = Row("", "blank")


def _heading_rows(heading: str, room: int) -> list[Row]:
    rule = room - 1  # beside a scroll bar it would look like a part of it
    words = [Row(one, "heading") for one in wrapped(heading, room)]
    return [Row("═" * rule, "rule"), *words, Row("─" * rule, "rule"), _BLANK]


def _entry_rows(entry: Entry, *, room: int) -> Iterator[Row]:
    inner = room - len(_HANG)
    look = "struck" if entry.is_struck else "text"
    for at, one in enumerate(wrapped(entry.text, inner, most=_MOST_LINES)):
        yield Row(f"{_HANG if at else '• '}{one}", look)
    for below in entry.below:
        for one in wrapped(below, inner, most=_MOST_LINES):
            yield Row(f"{_HANG}{one}", "source")


def wrapped(text: str, width: int, *, most: int = 0) -> list[str]:
    """Lines of at most `width` columns, broken between words where one is; `most` of them, the last with an ellipsis
    where more would follow. Never empty."""
    limit = most * width if most else len(text)  # no character is narrower than nothing, and few are that
    cut = text[: limit + 1]
    size = len if cut.isascii() else cell_len
    lines = [cut] if size(cut) <= width else _filled(cut, width, size=size)
    is_cut = len(cut) < len(text) or bool(most and len(lines) > most)
    if not is_cut:
        return lines or [""]
    lines = lines[:most]
    last = lines[-1]
    while last and cell_len(last) > width - 1:
        last = last[:-1]
    return [*lines[:-1], f"{last.rstrip()}…"]


def _filled(text: str, width: int, *, size: Callable[[str], int]) -> list[str]:
    lines: list[str] = []
    now, used = "", 0
    for word in text.split(" "):
        long = size(word)
        if now and used + 1 + long <= width:
            now, used = f"{now} {word}", used + 1 + long
            continue
        if now:
            lines.append(now)
        *whole, now = [word] if long <= width else chop_cells(word, width)
        lines += whole
        used = size(now)
    return [*lines, now] if now else lines
