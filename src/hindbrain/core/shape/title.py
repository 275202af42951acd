"""Where the title of a lesson ends: at its first sentence or line, or after 100 characters."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from hindbrain.core.words import listed

_LONGEST = 100  # characters (code points), before the dots
_READ = 4 * _LONGEST  # an end further away than this cannot change the title

_NEVER_END = frozenset(listed("e.g i.e eg ie vs cf approx resp incl excl ca viz al dr mr mrs ms prof st dept"))
_END_BEFORE_CAPITAL = frozenset(listed("etc inc ltd corp co a.m p.m u.s jr sr"))
_ABBREVIATE_NUMBER = frozenset(listed("no nr fig sec ch p pp vol ver v eq ref"))


def title_of(text: str) -> str:
    """The first sentence, without its full stop; longer than 100 characters, its start and `...`."""
    line = _first_line(text)
    title = line[: _sentence_end(line)].rstrip() or line
    return title if len(title) <= _LONGEST else title[: _boundary(title, _LONGEST)] + "..."


def _first_line(text: str) -> str:
    start = text.lstrip()[:_READ]
    return start.splitlines()[0].rstrip() if start else ""


@cache
def _stops() -> re.Pattern[str]:
    # A span of code is stepped over whole: what it holds is not prose.
    return re.compile(r"`[^`]*`|[。！？]|(?<!\s)(?P<mark>[.!?]+)[\"'”’)\]*_]*(?=\s|$)")


def _sentence_end(line: str) -> int:
    for stop in _stops().finditer(line):
        if stop[0].startswith("`"):
            continue
        mark = stop["mark"]
        if mark is None:
            return stop.start() if stop[0] == "。" else stop.end()
        if mark == "." and _is_abbreviation(line, stop.start()):
            continue
        rest = line[stop.end() :].lstrip()
        if mark.startswith("..") and rest[:1].islower():
            continue
        return stop.start() if set(mark) == {"."} else stop.end()
    return len(line)


def _is_abbreviation(line: str, dot: int) -> bool:
    word = re.split(r"[\s(\[\"'“‘]", line[:dot])[-1].lower()
    rest = line[dot + 1 :].lstrip()
    if word in _NEVER_END:
        return bool(rest)
    if word in _END_BEFORE_CAPITAL:
        return bool(rest) and not rest[0].isupper()
    if word in _ABBREVIATE_NUMBER:
        return rest[:1].isdigit()
    return word.isdigit() and not line[:dot].strip().strip("0123456789")  # "1. Do this" is a list, not a sentence


def _boundary(text: str, at: int) -> int:
    """The last place at or before `at` where a reader would see a gap between two characters."""
    cut = at
    while cut > 0 and _is_joined(text, cut):
        cut -= 1
    return cut or at  # one endless character is cut all the same


def _is_joined(text: str, cut: int) -> bool:
    before, after = text[cut - 1], text[cut]
    if _extends(after) or before == "\u200d":
        return True
    if _is_flag_letter(before) and _is_flag_letter(after):
        run = cut
        while run > 0 and _is_flag_letter(text[run - 1]):
            run -= 1
        return (cut - run) % 2 == 1
    return "\u1100" <= before <= "\u11ff" and "\u1160" <= after <= "\u11ff"  # the letters of one Hangul syllable


def _extends(c: str) -> bool:
    return (
        unicodedata.category(c)[0] == "M"  # combining marks and variation selectors
        or c == "\u200d"
        or "\U0001f3fb" <= c <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= c <= "\U000e007f"  # the letters of a regional flag
    )


def _is_flag_letter(c: str) -> bool:
    return "\U0001f1e6" <= c <= "\U0001f1ff"
