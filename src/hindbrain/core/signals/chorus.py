"""How Chorus marks a learning: `<chorus>LEARNING_LOCAL:…</chorus>`, on one line or over several.

Line breaks inside are kept. A tag that opens before the last one closed leaves the last one unclosed: the
text between them belongs to nobody. Other Chorus signals (PROGRESS, COMPLETE …) are none of our business.
"""

import re
from collections.abc import Iterator
from functools import cache

from hindbrain.core.signals.guard import Guard, is_example
from hindbrain.core.signals.signal import MAX_CHARS, SHOWN_CHARS, Lines, Reach, Refusal, Signal, refuse
from hindbrain.core.value import dataclass

_FAR = 4 * MAX_CHARS  # room for white space around a text of full length
_REACH = {"LEARNING_LOCAL": Reach.LOCAL, "LEARNING_GLOBAL": Reach.SHARED}


@dataclass(frozen=True, slots=True)
class Tagged:
    start: int
    end: int
    item: Signal | Refusal


def find(text: str, guard: Guard) -> Iterator[Tagged]:
    """Every learning tag, in order, as a signal or as the reason why it is none."""
    lines = Lines(text)
    openings, closings = _Search(text, "<chorus>"), _Search(text, "</chorus>")
    for opened in _opening().finditer(text):
        line = lines.of(opened.start())
        reason = guard.reason(opened.start())
        end = openings.after(opened.end())
        closing = _closing(opened.end(), closings, guard=guard)
        if reason:
            yield _covered(text, opened, reason=reason, line=line)
        elif closing < min(end, len(text)):
            yield _judged(text, opened, closing=closing, line=line)
        else:
            yield _unclosed(text, opened, end=end, line=line)


class _Search:
    """Finds a tag from ascending positions on, looking at each character once."""

    def __init__(self, text: str, tag: str) -> None:
        self.end = len(text)
        self._text = text
        self._tag = tag
        self._at = -1

    def after(self, position: int) -> int:
        """Where the next tag starts; the end of the text when there is none."""
        if self._at < position:
            found = self._text.find(self._tag, position)
            self._at = found if found >= 0 else self.end
        return self._at


def _closing(position: int, closings: _Search, *, guard: Guard) -> int:
    """Where the tag is closed. A closing tag that is only shown does not count, unless it is far off."""
    closing = closings.after(position)
    while closing < min(position + _FAR, closings.end) and guard.reason(closing):
        closing = closings.after(closing + 1)
    return closing


def _judged(text: str, opened: re.Match[str], *, closing: int, line: int) -> Tagged:
    start, end = opened.start(), closing + len("</chorus>")
    shown = text[start : min(end, start + SHOWN_CHARS)]
    name = opened["name"]
    content = text[opened.end() : min(closing, opened.end() + _FAR)].strip()
    reason = _fault(name, content, has_colon=bool(opened["colon"]))
    if reason:
        return Tagged(start, end, refuse(shown, line=line, reason=reason))
    signal = Signal(
        form="chorus",
        name=name,
        type="",
        text=content.replace("\r\n", "\n"),
        reach=_REACH[name],
        line=line,
    )
    return Tagged(start, end, signal)


def _fault(name: str, content: str, *, has_colon: bool) -> str:
    if name not in _REACH:
        return "unknown_type"
    if not has_colon or not content:
        return "empty"
    if len(content) > MAX_CHARS:
        return "too_long"
    return "example" if is_example("", content) else ""


def _unclosed(text: str, opened: re.Match[str], *, end: int, line: int) -> Tagged:
    shown = text[opened.start() : min(end, opened.start() + SHOWN_CHARS)]
    return Tagged(opened.start(), opened.end(), refuse(shown, line=line, reason="unclosed"))


def _covered(text: str, tag: re.Match[str], *, reason: str, line: int) -> Tagged:
    window = text[tag.start() : tag.start() + SHOWN_CHARS]
    head, closing, _ = window.partition("</chorus>")
    shown = head + closing if closing else window.partition("\n")[0]
    return Tagged(tag.start(), tag.start() + len(shown), refuse(shown, line=line, reason=reason))


@cache
def _opening() -> re.Pattern[str]:
    return re.compile(
        r"<chorus>[\s>]{0,16}+(?P<name>[Ll][Ee][Aa][Rr][Nn][Ii][Nn][Gg]\w{0,32}+)[ \t]{0,8}+(?P<colon>:)?"
    )
