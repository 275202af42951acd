"""How a line comes into a Markdown file that a person wrote: in the file's own style, and nothing else moves.

Files are handled as text that came from their bytes and gives the same bytes back, whatever they hold. The line end,
the list marker, the blank lines between items, the last line without an end: all as the file has it.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from hindbrain.core.value import dataclass

_MARKERS = "-*+"


def text_of(content: bytes) -> str:
    """The text of a file; `bytes_of` gives the same bytes back, also where they are no UTF-8."""
    return content.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def with_item(text: str, item: str, *, section: str) -> str:
    """The page with `item` as the last one of the list below the heading `section`, which is made where it is missing.

    Unchanged when the section holds the item already.
    """
    lines, page = _lines(text), _Page(text)
    found = _section(lines, section)
    if found is None:
        return page.joined(_appended(lines, [f"## {section}", "", f"{_marker(lines)} {item}"]))
    start, end = found
    items = [at for at in range(start, end) if _item().match(lines[at])]
    marker = lines[items[-1]].lstrip()[0] if items else _marker(lines)
    if any(_said(lines[at]) == item for at in items):
        return text
    last = max((at for at in range(start, end) if lines[at].strip()), default=start - 1)
    new = [f"{_indent(lines, items)}{marker} {item}"]
    if not items or _is_loose(lines, items):
        new.insert(0, "")
    return page.joined([*lines[: last + 1], *new, *lines[last + 1 :]])


def without_item(text: str, item: str, *, section: str) -> str:
    """The page without the item, and without the section where nothing else stands in it."""
    lines, page = _lines(text), _Page(text)
    found = _section(lines, section)
    if found is None:
        return text
    start, end = found
    at = next((at for at in range(start, end) if _item().match(lines[at]) and _said(lines[at]) == item), None)
    if at is None:
        return text
    rest = [line for other, line in enumerate(lines[start:end], start) if other != at and line.strip()]
    if rest:
        is_loose = not lines[at - 1].strip() and (at + 1 == len(lines) or not lines[at + 1].strip())
        return page.joined([*lines[: at - is_loose], *lines[at + 1 :]])
    head = start - 1
    while head and not lines[head - 1].strip():
        head -= 1
    tail = lines[end:]
    return page.joined([*lines[:head], *([""] if head and tail else []), *tail])


def with_line(text: str, line: str, *, key: str) -> str:
    """The page with `line` among the list items that point to files: in its place where they are sorted by `key`'s
    kind, the file's name, and behind the last of them where they are not."""
    lines, page = _lines(text), _Page(text)
    pointers = [(at, match[1]) for at, one in enumerate(lines) if (match := _pointer().search(one))]
    if any(name == key for _, name in pointers):
        return text
    if not pointers:
        return page.joined(_appended(lines, [f"{_marker(lines)} {line}"]))
    names = [name for _, name in pointers]
    later = [at for at, name in pointers if name > key] if names == sorted(names) else []
    at = later[0] if later else pointers[-1][0] + 1
    beside = lines[pointers[0][0]]
    marker = beside.lstrip()[:1] if beside.lstrip()[:1] in tuple(_MARKERS) else _marker(lines)
    return page.joined([*lines[:at], f"{marker} {line}", *lines[at:]])


def without_line(text: str, *, key: str) -> str:
    """The page without the item that points to the file `key`."""
    lines, page = _lines(text), _Page(text)
    kept = [one for one in lines if not ((match := _pointer().search(one)) and match[1] == key)]
    return page.joined(kept) if len(kept) < len(lines) else text


@dataclass(frozen=True, slots=True)
class _Page:
    """What must be as it was, once the lines are together again."""

    text: str

    def joined(self, lines: Sequence[str]) -> str:
        newline = "\r\n" if "\r\n" in self.text else "\n"
        # Lines that were there carry their own carriage return; new ones get the usual one of the file.
        known = set(self.text.split("\n"))
        ends = "\r" if newline == "\r\n" else ""
        whole = [line if not ends or line in known or line.endswith("\r") else line + ends for line in lines]
        if not whole:
            return ""
        is_ended = not self.text or self.text.endswith("\n")
        joined = "\n".join(whole)
        return joined + (ends if is_ended and not joined.endswith(ends) else "") + "\n" if is_ended else _bare(joined)


def _bare(text: str) -> str:
    return text.removesuffix("\r")


def _lines(text: str) -> list[str]:
    """Without the empty one behind the last line end."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _appended(lines: list[str], new: Sequence[str]) -> list[str]:
    kept = len(lines)
    while kept and not lines[kept - 1].strip("\ufeff \t\r"):
        kept -= 1
    is_bare = not any(line.strip("\ufeff \t\r") for line in lines)
    gap = [] if is_bare or (len(lines) > kept) else [""]
    return [*lines, *gap, *new]


def _section(lines: Sequence[str], name: str) -> tuple[int, int] | None:
    """The lines below the heading of that name, up to the next one that is not below it."""
    headings = list(_headings(lines))
    for number, (at, depth, title) in enumerate(headings):
        if title.casefold() == name.casefold():
            end = next((other for other, level, _ in headings[number + 1 :] if level <= depth), len(lines))
            return at + 1, end
    return None


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """(line, depth, title), without what stands in a fence."""
    fence = ""
    for at, line in enumerate(lines):
        bare = line.strip()
        mark = bare[:3] if bare[:3] in ("```", "~~~") else ""
        if mark and (not fence or mark == fence):
            fence = "" if fence else mark
        elif not fence and (match := _heading().match(line.removeprefix("\ufeff"))):
            yield at, len(match[1]), match[2].strip().rstrip("#").strip()


def _marker(lines: Sequence[str]) -> str:
    """The list marker that the file uses most."""
    used = [match[1] for line in lines if (match := _item().match(line))]
    return max(_MARKERS, key=lambda marker: (used.count(marker), -_MARKERS.index(marker)))


def _indent(lines: Sequence[str], items: Sequence[int]) -> str:
    if not items:
        return ""
    return min((line[: len(line) - len(line.lstrip())] for line in (lines[at] for at in items)), key=len)


def _is_loose(lines: Sequence[str], items: Sequence[int]) -> bool:
    """Whether blank lines stand between the items."""
    return len(items) > 1 and all(not lines[at - 1].strip() for at in items[1:])


def _said(line: str) -> str:
    return line.strip()[1:].strip()


@cache
def _item() -> re.Pattern[str]:
    return re.compile(r"[ \t]{0,8}([-*+])[ \t]+\S")


@cache
def _heading() -> re.Pattern[str]:
    return re.compile(r"(#{1,6})[ \t]+(\S.*)")


@cache
def _pointer() -> re.Pattern[str]:
    return re.compile(r"\]\(([^()\s]{1,300}\.md)\)")
