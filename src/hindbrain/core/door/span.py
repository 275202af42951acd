"""How overlapping finds become replacements: longest reach wins, the more telling kind names it."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from hindbrain.core.hints import NamedTuple


class Run(NamedTuple):
    """A stretch of characters that keys are made of: `text[start:end]`."""

    start: int
    end: int


class Span(NamedTuple):
    """Part of a text that must not be stored: `text[start:end]`."""

    start: int
    end: int
    kind: str
    rank: int  # a vendor's shape (3) names a secret better than a form (2), a variable's name (1) or chance (0)


def settle(text: str, spans: Iterable[Span]) -> list[Span]:
    """Disjoint spans in order, clear of marks that an earlier pass left in `text`.

    Marks are cut out of a span, never replaced again: this is what makes admitting a text twice harmless.
    """
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            best = max(last, span, key=lambda s: s.rank)
            merged[-1] = Span(last.start, max(last.end, span.end), best.kind, best.rank)
        elif span.start < span.end:
            merged.append(span)
    if "[secret:" not in text and "[personal:" not in text:
        return merged
    return [piece for span in merged for piece in _outside_marks(text, span)]


def _outside_marks(text: str, span: Span) -> Iterator[Span]:
    """The pieces of `span` that hold a letter or digit and no mark.

    A mark that straddles an edge of the span pulls the edge in. 64 characters are longer than any mark.
    """
    at = span.start
    for mark in _mark().finditer(text, max(0, span.start - 64), span.end + 64):
        if mark.end() <= span.start or mark.start() >= span.end:
            continue
        yield from _piece(text, span._replace(start=at, end=max(at, mark.start())))
        at = mark.end()
    yield from _piece(text, span._replace(start=at))


def _piece(text: str, span: Span) -> Iterator[Span]:
    if any(c.isalnum() for c in text[span.start : span.end]):
        yield span


@cache
def _mark() -> re.Pattern[str]:
    """A kind is a few short words, so that a key in brackets does not pass for a mark."""
    return re.compile(r"\[(?:secret|personal):[a-z0-9]{1,14}(?:-[a-z0-9]{1,14}){0,3}\]")
