"""How an agent's answer is divided: headings, list items with what hangs below them, and plain lines.

Code, quotations, tables and lines that are signals are left out: the first three are not what the agent says, and the
last are heard elsewhere.
"""

import re
from collections.abc import Iterator
from functools import cache

from hindbrain.core.closed import StrEnum
from hindbrain.core.value import dataclass

_LONGEST = 60_000  # characters of an answer that are read
_LINE = 2_000


class Form(StrEnum):
    HEADING = "heading"
    ITEM = "item"
    LINE = "line"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    form: Form
    text: str  # without marks at its start
    indent: int = 0  # columns before an item's mark


def parts(answer: str) -> tuple[Part, ...]:
    """The parts of an answer in order. What a list item is continued with belongs to it."""
    found: list[Part] = []
    for line in _prose(answer[:_LONGEST]):
        part = _part(line)
        last = found[-1] if found else None
        is_more = part.form is Form.LINE and last is not None and last.form is Form.ITEM and line[:1].isspace()
        if is_more and last is not None and part.text:
            found[-1] = Part(form=Form.ITEM, text=f"{last.text} {part.text}", indent=last.indent)
        elif part.text:
            found.append(part)
    return tuple(found)


def plain(text: str) -> str:
    """Without the marks for bold and italics, on one line."""
    return " ".join(_emphasis().sub("", text).split())


def sentences(text: str) -> Iterator[str]:
    """Plain cuts: after a full stop, an exclamation or a question mark that a capital or a mark follows."""
    start = 0
    for stop in _stop().finditer(text):
        yield text[start : stop.end()].strip()
        start = stop.end()
    if rest := text[start:].strip():
        yield rest


def _prose(answer: str) -> Iterator[str]:
    fence = ""
    for line in answer.splitlines():
        bare = line.strip()
        mark = bare[:3]
        if fence:
            fence = "" if bare.startswith(fence) else fence
        elif mark in ("```", "~~~"):
            fence = mark
        elif not bare.startswith((">", "|", "<")) and not _signal().match(bare):
            yield line[:_LINE]


def _part(line: str) -> Part:
    bare = line.strip()
    if heading := _heading().match(bare):
        return Part(form=Form.HEADING, text=plain(heading[1] or heading[2] or "").rstrip(": "))
    if item := _item().match(line):
        return Part(form=Form.ITEM, text=item[2].strip(), indent=len(item[1].expandtabs(4)))
    if bare.endswith(":") and len(bare) <= 80 and len(bare.split()) <= 8 and bare[:1].isalpha():
        return Part(form=Form.HEADING, text=plain(bare).rstrip(": "))
    return Part(form=Form.LINE, text=bare)


@cache
def _heading() -> re.Pattern[str]:
    return re.compile(r"#{1,6}\s+(.*)$|\*\*([^*]{1,120})\*\*:?$")


@cache
def _item() -> re.Pattern[str]:
    return re.compile(r"([ \t]{0,40})(?:[-*•+]|\d{1,3}[.)])[ \t]+(?:\[[ xX~]\] )?(.*)$")


@cache
def _emphasis() -> re.Pattern[str]:
    return re.compile(r"\*\*|__|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])")


@cache
def _stop() -> re.Pattern[str]:
    return re.compile(r"(?<=[.!?])(?<!\b[A-Za-z]\.)(?<!e\.g\.)(?<!i\.e\.)\s+(?=[A-Z`\"'(\[])")


@cache
def _signal() -> re.Pattern[str]:
    return re.compile(r"(?:[-*]\s+)?(?:MEMORY:|LEARNED:|INVESTIGATION:|</?chorus>)")
