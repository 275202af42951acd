"""How stored text becomes HTML: everything is escaped, and what a reader could not see is named.

A right-to-left override, a zero-width letter or a tag character can make text read otherwise than an agent reads it.
Each is shown as its code point instead (RELIABILITY S8). Of Markdown, paragraphs, lists, headings, quotes and code are
drawn; addresses stay text, so that no stored byte ever becomes a link.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache

from markupsafe import Markup, escape

_LAYOUT = "\n\t"  # not printable, but seen
_ITEM = re.compile(r" {0,8}(?:[-*+]|\d{1,9}[.)])[ \t]")
_FENCE = ("```", "~~~")


def seen(text: str) -> Markup:
    """The text as HTML, with every character that leaves no trace replaced by its name."""
    if _is_plain(text):
        return escape(text)
    return Markup("".join(_parts(text)))  # every part is escaped


def finalised(value: object) -> object:
    """What a template shows: each string by way of `seen`, unless it is HTML already."""
    if value is None:
        return ""
    return seen(str(value)) if isinstance(value, str) and not isinstance(value, Markup) else value


def raw(text: object) -> Markup:
    """For addresses and form fields: escaped, but not a letter other than it is stored."""
    return escape(str(text).encode("utf-8", "replace").decode())


def told(text: str) -> Markup:
    """As `seen`, where no tags may stand: in titles, options and pictures."""
    if _is_plain(text):
        return escape(text)
    return Markup("").join(
        letter if _is_seen(letter) else f"[U+{ord(letter):04X}]" for letter in text if letter != "\r"
    )


def is_odd(text: str) -> bool:
    """Whether something in it would not be seen."""
    return not _is_plain(text)


def _is_plain(text: str) -> bool:
    return (text.isprintable() or _without_layout(text).isprintable()) and not _blank().search(text)


def _is_seen(letter: str) -> bool:
    return letter in _LAYOUT or (letter.isprintable() and not _blank().match(letter))


def _without_layout(text: str) -> str:
    return text.translate({ord(letter): None for letter in _LAYOUT})


@cache
def _blank() -> re.Pattern[str]:
    """Letters and marks that count as printable and show nothing, or change how their neighbour looks."""
    return re.compile(
        "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
    )


def _parts(text: str) -> Iterator[str]:
    for letter in text:
        if _is_seen(letter):
            yield str(escape(letter))
        elif letter != "\r":
            yield _named(letter)


@cache
def _named(letter: str) -> str:
    code = f"U+{ord(letter):04X}"
    name = unicodedata.name(letter, "a character without a name")
    return f'<span class="unseen" title="{code} {escape(name)}">{code}</span>'


def drawn(text: str) -> Markup:
    """Markdown, as far as notes need it."""
    return Markup("".join(_blocks(text.replace("\r\n", "\n").split("\n"))))


def _blocks(lines: list[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
            continue
        fence = line.lstrip()[:3]
        if fence in _FENCE:
            end = _until(lines, at + 1, is_end=lambda one, fence=fence: one.lstrip().startswith(fence))  # type: ignore[misc]
            yield f"<pre><code>{seen(chr(10).join(lines[at + 1 : end]))}</code></pre>"
            at = end + 1
        elif _ITEM.match(line):
            end = _until(lines, at, is_end=lambda one: not one.strip() or not (_ITEM.match(one) or one[0] in " \t"))
            yield _list(lines[at:end])
            at = end
        else:
            end = _until(lines, at + 1, is_end=lambda one: not one.strip() or _begins(one))
            yield _paragraph(lines[at:end])
            at = end


def _until(lines: list[str], start: int, *, is_end: Callable[[str], bool]) -> int:
    return next((n for n in range(start, len(lines)) if is_end(lines[n])), len(lines))


def _begins(line: str) -> bool:
    return line.lstrip()[:3] in _FENCE or bool(_ITEM.match(line)) or line.startswith("#")


def _list(lines: list[str]) -> str:
    """One level: what is deeper stands in it as it is written."""
    items: list[list[str]] = []
    for line in lines:
        found = _ITEM.match(line)
        if found or not items:
            items.append([line[found.end() :] if found else line])
        else:
            items[-1].append(line.strip())
    tag = "ol" if lines[0].lstrip()[:1].isdigit() else "ul"
    return f"<{tag}>" + "".join(f"<li>{_inline(chr(10).join(item))}</li>" for item in items) + f"</{tag}>"


def _paragraph(lines: list[str]) -> str:
    if lines[0].startswith("#"):
        rest = _paragraph(lines[1:]) if lines[1:] else ""
        return f'<p class="heading">{_inline(lines[0].lstrip("#").strip())}</p>{rest}'
    if all(line.startswith(">") for line in lines):
        return f"<blockquote>{_inline(chr(10).join(line[1:].strip() for line in lines))}</blockquote>"
    return f"<p>{_inline(chr(10).join(lines))}</p>"


def _inline(text: str) -> str:
    """Code between backticks; strong between double stars. An odd one out stays as it is."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        pieces[-2:] = ["`".join(pieces[-2:])]
    return "".join(f"<code>{seen(one)}</code>" if n % 2 else _strong(one) for n, one in enumerate(pieces))


def _strong(text: str) -> str:
    pieces = text.split("**")
    if len(pieces) % 2 == 0:
        pieces[-2:] = ["**".join(pieces[-2:])]
    return "".join(f"<strong>{seen(one)}</strong>" if n % 2 else str(seen(one)) for n, one in enumerate(pieces))
