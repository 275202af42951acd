"""How a line comes into a Markdown file that a person wrote: in the file's own style, and nothing else moves.

Files are handled as text that came from their bytes and gives the same bytes back, whatever they hold. The line end,
the list marker, the blank lines between items, the last line without an end: all as the file has it.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

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
    lines = _bare(text)
    found = _section(lines, section)
    if found is None:
        return _appended(text, [f"## {section}", "", f"{_marker(lines)} {item}"])
    start, end = found
    items = [at for at in range(start, end) if _item().match(lines[at])]
    if any(_said(lines[at]) == item for at in items):
        return text
    marker = lines[items[-1]].lstrip()[0] if items else _marker(lines)
    last = max((at for at in range(start, end) if lines[at].strip()), default=start - 1)
    gap = [""] if not items or _is_loose(lines, items) else []
    return _spliced(text, (last + 1, last + 1), new=[*gap, f"{_indent(lines, items)}{marker} {item}"])


def without_item(text: str, item: str, *, section: str) -> str:
    """The page without the item, and without the section where nothing else stands in it."""
    lines = _bare(text)
    start, end = _section(lines, section) or (0, 0)
    at = next((at for at in range(start, end) if _item().match(lines[at]) and _said(lines[at]) == item), None)
    if at is None:
        return text
    if any(other != at and lines[other].strip() for other in range(start, end)):
        is_loose = not lines[at - 1].strip() and not "".join(lines[at + 1 : at + 2]).strip()
        return _spliced(text, (at - is_loose, at + 1), new=[])
    return _without_section(text, start - 1, end=end)


def _without_section(text: str, head: int, *, end: int) -> str:
    """Without the blank lines above it, too."""
    lines = _bare(text)
    while head and not lines[head - 1].strip():
        head -= 1
    return _spliced(text, (head, end), new=[""] if head and end < len(lines) else [])


def with_line(text: str, line: str, *, key: str) -> str:
    """The page with `line`, which points to the file `key`, among the items that point to files: in its place where
    they are sorted by the files' names, and behind the last of them where they are not."""
    lines = _bare(text)
    pointers = [(at, match[1]) for at, one in enumerate(lines) if (match := _pointer().search(one))]
    names = [name for _, name in pointers]
    if key in names:
        return text
    if not pointers:
        return _appended(text, [f"{_marker(lines)} {line}"])
    later = [at for at, name in pointers if name > key] if names == sorted(names) else []
    at = later[0] if later else pointers[-1][0] + 1
    beside = lines[pointers[0][0]].lstrip()[:1]
    marker = beside if beside and beside in _MARKERS else _marker(lines)
    return _spliced(text, (at, at), new=[f"{marker} {line}"])


def without_line(text: str, *, key: str) -> str:
    """The page without the first item that points to the file `key`."""
    found = (at for at, one in enumerate(_bare(text)) if (match := _pointer().search(one)) and match[1] == key)
    at = next(found, None)
    return text if at is None else _spliced(text, (at, at + 1), new=[])


def _spliced(text: str, span: tuple[int, int], *, new: Sequence[str]) -> str:
    """The page with `new` in the place of some of its lines. All others keep their ends; the last has one if it had."""
    lines = _cut(text)
    is_ended = not lines or lines[-1].endswith("\n")
    newline = "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"
    whole = [*lines[: span[0]], *(f"{one}{newline}" for one in new), *lines[span[1] :]]
    whole = [one if one.endswith("\n") else f"{one}{newline}" for one in whole]
    if whole and not is_ended:
        whole[-1] = whole[-1].removesuffix("\n").removesuffix("\r")
    return "".join(whole)


def _appended(text: str, new: Sequence[str]) -> str:
    """Behind everything, and a blank line apart."""
    lines = _bare(text)
    is_apart = not any(one.strip("\ufeff \t") for one in lines) or not lines[-1].strip()
    return _spliced(text, (len(lines), len(lines)), new=[*([] if is_apart else [""]), *new])


def _cut(text: str) -> list[str]:
    """Lines with their ends."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _bare(text: str) -> list[str]:
    """Lines without their ends."""
    return [one.removesuffix("\n").removesuffix("\r") for one in _cut(text)]


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
    fenced = _fenced(lines)
    for at, line in enumerate(lines):
        if at not in fenced and (match := _heading().match(line.removeprefix("\ufeff"))):
            yield at, len(match[1]), match[2].strip().rstrip("#").strip()


def _fenced(lines: Sequence[str]) -> set[int]:
    """Lines inside of fences. One that is never closed is none: the rest of the page is meant to be read."""
    found: set[int] = set()
    fence, start = "", 0
    for at, line in enumerate(lines):
        mark = line.strip()[:3]
        if not fence and mark in ("```", "~~~"):
            fence, start = mark, at
        elif fence and mark == fence:
            found.update(range(start, at + 1))
            fence = ""
    return found


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
