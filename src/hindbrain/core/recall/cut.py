"""Where a long text is cut into pieces, each short enough to have one meaning.

A text that a small model can still tell apart as a whole is left whole. A longer one speaks of several things, and is
cut into pieces of two or three sentences: a fact that it mentions in passing would be lost in the vector of a larger
piece. A piece ends where a writer would pause: after a paragraph, else a line, a sentence, a word. One that begins in
the middle of a paragraph repeats the last words of the one before, so that a thought across the cut is whole somewhere.
"""

import re
from functools import cache
from typing import NamedTuple

WHOLE = 480  # characters: about the 128 tokens up to which a small model's vectors still tell texts apart
PIECE = 200  # characters of a piece of a longer text
MOST = 64  # pieces of one text; a text that would have more gets longer ones
_OVERLAP = 8  # a piece repeats at most one part in so many of the one before

_PARAGRAPH = ("\n\n", "\n\r\n")
_PAUSES = (_PARAGRAPH, ("\n",), (". ", "! ", "? ", "。", "！", "？"), (" ", "\t"))  # the best first


class Span(NamedTuple):
    """A piece of a text: `text[start:end]`."""

    start: int
    end: int


def cut(text: str) -> tuple[Span, ...]:
    """The pieces of `text` in order; none for a blank one. Together they hold all that is not white space."""
    size = WHOLE if len(text.strip()) <= WHOLE else max(PIECE, len(text) // MOST)
    while len(found := _cut(text, size)) > MOST:
        size *= 2
    return tuple(found)


def _cut(text: str, size: int) -> list[Span]:
    found: list[Span] = []
    finish = len(text.rstrip())
    at = _next_ink(text, 0)
    while at < finish:
        left = finish - at
        if left <= size:
            found.append(Span(at, finish))
            break
        # Near the end two pieces share what is left: a stump of three words would be near to everything.
        reach = size if 2 * left >= 3 * size else 2 * left // 3
        end = _pause(text, at + reach // 2, limit=at + reach)
        found.append(Span(at, at + len(text[at:end].rstrip())))
        at = _next_ink(text, _resumed(text, end, overlap=size // _OVERLAP))
    return found


def _pause(text: str, start: int, *, limit: int) -> int:
    """The last and best place to cut after `start`, at most at `limit`; `limit` itself within one long word."""
    for marks in _PAUSES:
        ends = [at + len(mark) for mark in marks if (at := text.rfind(mark, start, limit)) >= 0]
        if ends:
            return max(ends)
    return limit


def _resumed(text: str, end: int, *, overlap: int) -> int:
    """Where the piece after a cut at `end` begins: at the cut when a paragraph ended there, else a few words before."""
    start = end - overlap
    if any(text.endswith(mark, 0, end) for mark in _PARAGRAPH):
        return end
    broken = [at + len(mark) for mark in _PARAGRAPH if (at := text.rfind(mark, start, end)) >= 0]
    if broken:
        return max(broken)
    blank = _blank().search(text, start, end - 1)
    return blank.end() if blank else start


def _next_ink(text: str, at: int) -> int:
    found = _ink().search(text, at)
    return found.start() if found else len(text)


@cache
def _ink() -> re.Pattern[str]:
    return re.compile(r"\S")


@cache
def _blank() -> re.Pattern[str]:
    return re.compile(r"\s")
