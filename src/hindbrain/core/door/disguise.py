"""In which disguises a text is read again: broken over lines, glued from strings, URL-encoded, base64.

A disguise is another reading of the text that remembers where each piece came from, so that what is found in it
can be cut out of the original.
"""

import binascii
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache
from itertools import accumulate

from hindbrain.core.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Disguise:
    """A second reading of a text, and the way back from it."""

    text: str
    origin: Callable[[int, int], tuple[int, int]]  # from a span of this text to the span it was read from


def disguises(text: str) -> Iterator[Disguise]:
    """The readings worth a second look; most texts have none."""
    if "\\\n" in text or any(_seam(quote).search(text) for quote in "\"'" if quote in text):
        yield from _rewritten(text, _break(), change=lambda match: "", size=0)
    if "%" in text:
        yield from _rewritten(text, _percent(), change=lambda match: chr(int(match[1], 16)), size=1)
    yield from _decoded(text)


def _rewritten(
    text: str, pattern: re.Pattern[str], *, change: Callable[[re.Match[str]], str], size: int
) -> Iterator[Disguise]:
    """`text` with each match changed to a string of `size` characters, if there is a match."""
    spans = [match.span() for match in pattern.finditer(text)]
    if not spans:
        return
    lost = accumulate(end - start - size for start, end in spans)
    ends = [0, *(end for _, end in spans)]  # of the edits, in `text`
    places = [0, *(end - gone for (_, end), gone in zip(spans, lost, strict=True))]  # the same, in the reading

    def origin(start: int, end: int) -> tuple[int, int]:
        first = bisect_right(places, start) - 1
        last = bisect_right(places, end - 1) - 1
        stop = ends[last] + end - places[last]
        if size and last + 1 < len(places) and places[last + 1] == end:
            stop = ends[last + 1]  # the last character is itself an edit
        return ends[first] + start - places[first], stop

    yield Disguise(text=pattern.sub(change, text), origin=origin)


def _decoded(text: str) -> Iterator[Disguise]:
    """What the base64 strings of `text` say, one a line. A string that holds a secret goes as a whole."""
    pieces: list[str] = []
    starts: list[int] = []
    spans: list[tuple[int, int]] = []
    length = 0
    for match in _base64().finditer(text):
        plain = _plain(match[0])
        if plain:
            pieces.append(plain)
            starts.append(length)
            spans.append(match.span())
            length += len(plain) + 1

    def origin(start: int, end: int) -> tuple[int, int]:
        return spans[bisect_right(starts, start) - 1][0], spans[bisect_right(starts, end - 1) - 1][1]

    if pieces:
        yield Disguise(text="\n".join(pieces), origin=origin)


def _plain(encoded: str) -> str:
    """The text that `encoded` holds, or nothing: most long words are no base64, and most base64 is no text."""
    body = encoded.rstrip("=").replace("-", "+").replace("_", "/")
    if len(body) % 4 == 1:
        return ""
    if not _is_text(binascii.a2b_base64(body[:16])):
        return ""
    raw = binascii.a2b_base64(body + "=" * (-len(body) % 4))
    return raw.decode("latin-1") if _is_text(raw) else ""


def _is_text(raw: bytes) -> bool:
    """Printable ASCII with line ends; checked by taking every such byte away."""
    return not raw.translate(None, _PRINTABLE)


_PRINTABLE = bytes(range(32, 127)) + b"\n\r\t"


@cache
def _seam(quote: str) -> re.Pattern[str]:
    """Between two string literals side by side, with or without a plus."""
    blank = r"[ \t]{0,8}(?:\\?\n[ \t]{0,40})?"
    return re.compile(rf"{quote}(?<=\w{quote}){blank}[+.]?{blank}{quote}(?=\w)")


@cache
def _break() -> re.Pattern[str]:
    """Where one value was broken: a continued line or a seam."""
    return re.compile("|".join((r"\\\n[ \t]{0,40}", _seam('"').pattern, _seam("'").pattern)))


@cache
def _percent() -> re.Pattern[str]:
    return re.compile(r"%([2-7][0-9A-Fa-f])")


@cache
def _base64() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9+/_\-]{20,}={0,2}")
