"""How things look: safe for every terminal, coloured on one, plain in a pipe, JSON for scripts.

Stored text is data. Nothing of it may steer a terminal or pass for a line of ours: characters that hide or
steer show as �, a line break inside a cell becomes a space, and a block is indented line by line.
"""

import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from hindbrain.core.door.disarm import scan
from hindbrain.settings import colour

MARK = "\N{REPLACEMENT CHARACTER}"

_TAB = 4  # spaces
_NARROWEST = 40  # columns; what is narrower wraps by itself
_WIDEST_PROSE = 100  # columns; longer lines are hard to read
_GAP = "  "
_LEAST_LAST = 36  # columns; a last column with less room gets a line of its own
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # controls, formats, surrogates, line and paragraph separators

Style = Callable[[str], str]


def safe(text: str) -> str:
    """`text` with � for every run of characters that hide or steer. Line breaks stay; emoji stay whole."""
    clean, removed = scan(text)
    pieces: list[str] = []
    at = 0
    for gap in removed:
        pieces += [clean[at : gap.start], MARK]
        at = gap.start
    pieces.append(clean[at:])
    return "".join(pieces)


def line(text: str) -> str:
    """`safe`, on one line: nothing in it can end the line it stands in."""
    return " ".join(safe(text).split())


def block(text: str, *, indent: str = "") -> Iterator[str]:
    """`safe`, each line indented; wrapped on a terminal, whole in a pipe."""
    for part in safe(text).expandtabs(_TAB).split("\n"):
        lines = _wrapped(part, beside=len(indent)) if is_terminal() else [part.rstrip()]
        yield from (f"{indent}{one}".rstrip() for one in lines or [""])


def hanging(head: str, text: str, *, columns: int, indent: str = "") -> Iterator[str]:
    """`text` behind `head`, which takes `columns` columns; what does not fit stands below its own beginning, or, on a
    narrow terminal, below the head."""
    if is_terminal() and width() - columns < _LEAST_LAST and len(text) > width() - columns:
        yield head.rstrip()
        yield from map(dim, block(text, indent=f"{indent}{_GAP}"))
        return
    margin = " " * columns
    first, *rest = block(text, indent=margin)
    yield f"{head}{dim(first[columns:])}"
    yield from (f"{margin}{dim(line[columns:])}" for line in rest)


def _wrapped(text: str, *, beside: int) -> list[str]:
    import textwrap  # late, as all that only a terminal needs

    return textwrap.wrap(text, min(width(), _WIDEST_PROSE) - beside, break_on_hyphens=False)


def to_json(value: object) -> str:
    """Letters of every script as they are; what hides or steers only as an escape. Indented on a terminal."""
    import json

    return escaped(json.dumps(value, ensure_ascii=False, indent=2 if is_terminal() else None))


def escaped(document: str) -> str:
    """The same JSON document without one character that could steer a terminal."""
    if document.isascii() and "\x7f" not in document:
        return document
    return "".join(_escape(c) if unicodedata.category(c) in _UNSEEN and c != "\n" else c for c in document)


def _escape(character: str) -> str:
    if ord(character) <= 0xFFFF:
        return f"\\u{ord(character):04x}"
    import json

    return json.dumps(character)[1:-1]


def is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def width() -> int:
    """Columns of the terminal."""
    import shutil

    return max(shutil.get_terminal_size().columns, _NARROWEST)


def show(lines: Iterable[str]) -> None:
    """Print lines at once."""
    text = "\n".join(lines)
    if text:
        echo(text)


def aside(lines: Iterable[str]) -> None:
    """Print lines beside the answer: on stderr, in the colours and the width that are fit for that."""
    from contextlib import redirect_stdout

    with redirect_stdout(sys.stderr):
        show(lines)


def note(text: str) -> None:
    """Something a person should know that is no part of the answer: on stderr."""
    echo(f"{style('note:', fg='yellow', bold=True, err=True)} {line(text)}", err=True)


def echo(text: str, *, err: bool = False, is_line: bool = True) -> None:
    """Write, and see to it that it is written: what fails must fail here and not at the end of the process."""
    stream = sys.stderr if err else sys.stdout
    if stream is not None:  # a caller may have closed it
        stream.write(f"{text}\n" if is_line else text)
        stream.flush()


_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


def style(
    text: str, *, fg: str = "", bold: bool = False, dim: bool = False, italic: bool = False, err: bool = False
) -> str:
    """`text` in that colour and weight where it is going to a terminal that shows them; else as it is."""
    stream = sys.stderr if err else sys.stdout
    if stream is None or not stream.isatty() or colour() is False:
        return text
    codes = [(90 if fg.startswith("bright_") else 30) + _COLOURS.index(fg.removeprefix("bright_"))] if fg else []
    codes += [code for code, is_on in ((1, bold), (2, dim), (3, italic)) if is_on]
    return "".join(f"\x1b[{code}m" for code in codes) + f"{text}\x1b[0m" if codes else text


def bold(text: str) -> str:
    return style(text, bold=True)


def dim(text: str) -> str:
    return style(text, dim=True)


def coloured(colours: Mapping[str, str]) -> Style:
    """A style for cells that hold one of a few words."""

    def styled(cell: str) -> str:
        return style(cell, fg=colours.get(cell.strip(), ""))

    return styled


def moment(at: datetime | None) -> str:
    """`2026-01-10 09:30 UTC`, or nothing."""
    return f"{at:%Y-%m-%d %H:%M} UTC" if at else ""


def many(count: int, noun: str, *, plural: str = "") -> str:
    """`1 memory`, `3 memories`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, styles: Mapping[int, Style]) -> Iterator[str]:
    """Columns under their heads. On a terminal the last is cut to fit, or gets a line of its own below."""
    cells = [[line(cell) for cell in row] for row in rows]
    columns = list(zip(heads, *cells, strict=True))
    widths = [max(map(_columns, column)) for column in columns]
    room = width() - sum(widths[:-1]) - len(_GAP) * (len(widths) - 1)
    is_tight = is_terminal() and widths[-1] > room
    if is_tight and room < _LEAST_LAST:
        yield from _stacked(heads, cells, widths=widths[:-1], styles=styles)
        return
    last = room if is_tight else widths[-1]
    yield dim(_row(heads, [*widths[:-1], last], styles={}))
    for row in cells:
        yield _row([*row[:-1], _cut(row[-1], last)], widths, styles=styles)


def _stacked(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, widths: Sequence[int], styles: Mapping[int, Style]
) -> Iterator[str]:
    """A narrow terminal: the last cell on a line of its own, above the rest."""
    last = styles.get(len(widths), bold)
    yield dim(f"{heads[-1]}\n{_GAP}{_row(heads[:-1], widths, styles={})}")
    for row in rows:
        yield last(_cut(row[-1], width()))
        yield _GAP + _row(row[:-1], widths, styles=styles)


def _row(cells: Sequence[str], widths: Sequence[int], *, styles: Mapping[int, Style]) -> str:
    padded = [cell + " " * (wide - _columns(cell)) for cell, wide in zip(cells, widths, strict=True)]
    padded[-1] = padded[-1].rstrip()
    return _GAP.join(styles[at](cell) if at in styles else cell for at, cell in enumerate(padded))


def fit(text: str, *, beside: int) -> str:
    """A line cut to what a terminal has left beside other columns; whole in a pipe."""
    return _cut(text, width() - beside) if is_terminal() else text


def _cut(text: str, room: int) -> str:
    """As much of a line as fits into `room` columns, with … where something is missing."""
    if _columns(text) <= room:
        return text
    kept = 0
    for at, character in enumerate(text):
        kept += _columns(character)
        if kept > room - 1:
            return text[:at].rstrip() + "…"
    return text


def _columns(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(_wide(character) for character in text)


def _wide(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
