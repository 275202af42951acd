"""Which lines of a Markdown file are statements of their own: the points of its lists, and under which heading."""

import re
from collections.abc import Iterator

_POINT = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•]|\d{1,3}[.)])[ \t]+(?P<said>\S.*)$")
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_HEADING = re.compile(r"(?P<level>#{1,6})[ \t]+(?P<said>.*?)[ \t#]*$")


def bullets(text: str) -> Iterator[tuple[int, str]]:
    """(line, statement) of each point, with its continuation lines; what is fenced is an example."""
    for number, said, _ in points(text):
        yield number, said


def points(text: str) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """(line, statement, headings above it from the top) of each point of a list."""
    headings: list[tuple[int, str]] = []
    at, said = 0, list[str]()
    for number, line in _open_lines(text):
        if said and line[:1] in (" ", "\t") and line.strip() and not _POINT.match(line):
            said.append(line.strip())
            continue
        if said:
            yield at, " ".join(said), tuple(name for _, name in headings)
            said = []
        if match := _POINT.match(line):
            at, said = number, [match["said"].strip()]
        elif heading := _HEADING.match(line):
            level = len(heading["level"])
            headings = [*((deep, name) for deep, name in headings if deep < level), (level, heading["said"])]


def _open_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines outside of fences, and an empty one behind each fence and behind the last."""
    is_fenced = False
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        if _FENCE.match(line):
            is_fenced = not is_fenced
            yield number, ""
        elif not is_fenced:
            yield number, line
    yield 0, ""
