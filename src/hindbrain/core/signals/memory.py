"""How Dex marks a memory: `MEMORY:<type>:<content>`, anywhere in a line, to the end of that line.

A second `MEMORY:<known type>:` after white space in the same line starts a second memory; an agent that
strings two together means two. With any other word in the place of the type it is content.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from hindbrain.core.model.memory import DEX_TYPES
from hindbrain.core.signals.guard import Guard, is_example, is_placeholder
from hindbrain.core.signals.signal import (
    MAX_CHARS,
    SHOWN_CHARS,
    Lines,
    Reach,
    Refusal,
    Signal,
    declined,
    refuse,
    refuse_declined,
)

_WINDOW = 2 * MAX_CHARS  # what does not end within it is too long, whatever follows


def find(text: str, guard: Guard, *, taken: Sequence[tuple[int, int]] = ()) -> Iterator[tuple[int, Signal | Refusal]]:
    """Every mark outside the `taken` ranges (ascending), as a memory or as the reason why it is none."""
    lines = Lines(text)
    ranges = iter(taken)
    start, end = next(ranges, (len(text), len(text)))
    for mark in _mark().finditer(text):
        while end <= mark.start() and end < len(text):
            start, end = next(ranges, (len(text), len(text)))
        if start <= mark.start() < end or _is_in_word(text, mark.start()):
            continue
        yield mark.start(), _judged(text, mark, guard=guard, line=lines.of(mark.start()))


def _is_in_word(text: str, at: int) -> bool:
    before = text[at - 1] if at else ""
    return before.isalnum() or before in ("_", "-")


def _judged(text: str, mark: re.Match[str], *, guard: Guard, line: int) -> Signal | Refusal:
    limit = min(len(text), mark.end() + _WINDOW)
    stop = _stop().search(text, mark.end(), limit)
    rest = text[mark.end() : stop.start() if stop else limit]
    shown = mark[0] + rest[:SHOWN_CHARS]
    reason = guard.reason(mark.start())
    if reason:
        return refuse(shown.partition("`")[0], line=line, reason=reason)
    if (why := declined(rest)) is not None:
        return refuse_declined(shown, why=why, line=line)
    kind, colon, content = rest.partition(":")
    kind = kind.strip()
    content = _without_emphasis(content.strip(), text[max(0, mark.start() - 3) : mark.start()]) if colon else ""
    if kind not in DEX_TYPES:
        return _unknown(shown, kind=kind, line=line)
    reason = _fault(kind, content)
    if reason:
        return refuse(shown, line=line, reason=reason)
    return Signal(form="memory", name="MEMORY", type=kind, text=content, reach=Reach.SHARED, line=line)


def _fault(kind: str, content: str) -> str:
    if not content:
        return "empty"
    if len(content) > MAX_CHARS:
        return "too_long"
    return "example" if is_example(kind, content) else ""


def _unknown(shown: str, *, kind: str, line: int) -> Refusal:
    if is_placeholder(kind):
        return refuse(shown, line=line, reason="example")
    named = f"`{kind[:40]}` is no type of memory" if kind else "The type is missing"
    detail = f"{named}; use one of {', '.join(DEX_TYPES)}."
    return refuse(shown, line=line, reason="unknown_type", detail=detail)


def _without_emphasis(content: str, before: str) -> str:
    """Takes off the asterisks that belong to the ones before the mark, as in `**MEMORY:fix:…**`."""
    stars = before[len(before.rstrip("*")) :]
    if not stars:
        return _without_bracket(content, before)
    return content.removesuffix(stars).removeprefix(stars).strip()


def _without_bracket(content: str, before: str) -> str:
    """Takes off the bracket that belongs to the one before the mark, as in `(MEMORY:fix:…)`."""
    for opening, closing in ("()", "[]"):
        if before.endswith(opening) and content.endswith(closing) and content.count(opening) < content.count(closing):
            return content[:-1].rstrip()
    return content


@cache
def _mark() -> re.Pattern[str]:
    return re.compile("MEMORY:")


@cache
def _stop() -> re.Pattern[str]:
    return re.compile(rf"[\r\n]|<chorus>|(?<=\s)MEMORY:[ \t]{{0,8}}(?:{'|'.join(DEX_TYPES)})[ \t]{{0,8}}:")
