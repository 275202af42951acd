"""Which places of a prose text show words instead of saying them: a signal that starts there does not count.

The rules are those of Markdown, as far as they decide between saying and showing, with two leanings. What is
opened and never closed runs to the end of the text. Text with more marks than prose ever has is covered
from there on. Both err towards a refusal, which a person can see.
"""

import re
from bisect import bisect_right
from functools import cache
from itertools import islice

from hindbrain.core.value import dataclass

_MAX_MARKS = 100_000  # block openings, and backtick runs, that are looked at in one text
_LOOK_BACK = 400  # characters before a signal in which an opening quotation mark is sought
_LOOK_UP = 200  # lines above an indented signal in which its list item is sought
_LIST_ITEM = r"(?:[-*+]|\d{1,9}[.)])[ \t]"

_PROMPT_SAMPLES = frozenset(  # the sample lines that agents are shown in their own instructions (DX-113)
    {
        ("pattern", "how this codebase does something specific"),
        ("pitfall", "something that doesn't work or is a gotcha"),
        ("decision", "why a choice was made"),
        ("fix", "solution to a problem"),
    }
)


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int
    reason: str


class Guard:
    """Answers for one text, for any number of positions in it."""

    def __init__(self, text: str) -> None:
        text = "\n" + text  # so that every line has a line break before it, which is quick to search for
        notes = _injected(text)
        self._text = _blanked(text, notes)
        self._notes = _Spans(notes)
        self._blocks = _Spans(_blocks(self._text))
        self._examples = _Spans(_examples(self._text))
        self._code: _Spans | None = None  # found when first asked for: most texts never ask
        self._line = (0, 0)  # a position, and the start of its line

    def reason(self, at: int) -> str:
        """Why a signal that starts `at` does not count, or "" when it does."""
        at += 1
        return (
            self._notes.reason(at)
            or self._blocks.reason(at)
            or self._examples.reason(at)
            or self._inline_code().reason(at)
            or ("quoted" if _is_in_quotation_marks(self._text, at) else "")
            or ("example" if _is_announced(self._text, at) else "")
            or ("fenced" if _is_indented_code(self._text, at, line_start=self._line_start(at)) else "")
        )

    def _line_start(self, at: int) -> int:
        """Asked for in ascending order, it looks at each character of a long line only once."""
        asked, start = self._line
        since = asked if asked <= at else 0
        found = self._text.rfind("\n", since, at) + 1
        self._line = (at, found or (start if since else 0))
        return self._line[1]

    def _inline_code(self) -> "_Spans":
        if self._code is None:
            self._code = _Spans(_code_spans(self._text, self._blocks))
        return self._code


def is_example(kind: str, text: str) -> bool:
    """Whether a signal repeats the wording of the instructions instead of a lesson (DX-113)."""
    if is_placeholder(text):
        return True
    plain = " ".join(text.replace("’", "'").casefold().split()).rstrip(".")
    return (kind, plain) in _PROMPT_SAMPLES


def is_placeholder(text: str) -> bool:
    """Whether a text is one of the stand-ins that instructions use: `content`, `…`, `<type>`."""
    return len(text) < 80 and _placeholder().fullmatch(text.strip()) is not None


class _Spans:
    """Disjoint spans in ascending order."""

    def __init__(self, spans: list[Span]) -> None:
        self._spans = spans
        self._starts = [span.start for span in spans]

    def reason(self, at: int) -> str:
        index = bisect_right(self._starts, at) - 1
        return self._spans[index].reason if index >= 0 and at < self._spans[index].end else ""


def _injected(text: str) -> list[Span]:
    """Our own notes coming back, from an opening tag to the closing tag with the same number."""
    spans: list[Span] = []
    at = 0
    while "<hindbrain-notes" in text and (opening := _notes_tag("").search(text, at)):
        closings = _notes_tag("/").finditer(text, opening.end())
        at = next((c.end() for c in closings if c[1] == opening[1]), len(text))
        spans.append(Span(opening.start(), at, "injected"))
    return spans


def _blanked(text: str, spans: list[Span]) -> str:
    """The text with spans replaced by spaces, so that no mark inside one opens anything outside."""
    if not spans:
        return text
    pieces: list[str] = []
    at = 0
    for start, end in ((span.start, span.end) for span in spans):
        pieces += [text[at:start], " " * (end - start)]
        at = end
    return "".join([*pieces, text[at:]])


def _blocks(text: str) -> list[Span]:
    """Fenced code, block quotes and HTML comments, in order."""
    spans: list[Span] = []
    at = 0
    comment_at, opening = text.find("<!--"), _block_opening().search(text)
    for _ in range(_MAX_MARKS):
        if 0 <= comment_at < at:
            comment_at = text.find("<!--", at)
        if opening and opening.start() < at:
            opening = _block_opening().search(text, at)
        if comment_at < 0 and opening is None:
            return spans
        if opening and not 0 <= comment_at < opening.start():
            span = _block(text, opening)
        else:
            span = _html_comment(text, comment_at)
        at = span.end
        if span.reason:
            spans.append(span)
    return [*spans, Span(at, len(text), "fenced")]


def _html_comment(text: str, start: int) -> Span:
    if _is_between_backticks(text, start):
        return Span(start, start + 4, "")
    end = text.find("-->", start + 4)
    return Span(start, end + 3 if end >= 0 else len(text), "html_comment")


def _block(text: str, opening: re.Match[str]) -> Span:
    start = opening.start("lead")
    if opening["quote"]:
        return Span(start, opening.end(), "quoted")
    if opening["fence"].startswith("`") and "`" in opening["info"]:
        return Span(start, opening.end("fence"), "")  # inline code with three backticks
    return Span(start, _fence_end(text, opening), "fenced")


def _fence_end(text: str, opening: re.Match[str]) -> int:
    deepest = _width(opening["lead"]) + 3  # a fence that stands deeper is content
    for closing in _fence_line().finditer(text, opening.end()):
        fits = closing["fence"].startswith(opening["fence"])
        if fits and _width(closing["lead"]) <= deepest:
            return closing.end()
    return len(text)


def _is_between_backticks(text: str, at: int) -> bool:
    before = text[max(0, at - _LOOK_BACK) : at].rpartition("\n")[2]
    after = text[at : at + _LOOK_BACK].partition("\n")[0]
    return before.count("`") % 2 == 1 and "`" in after


def _code_spans(text: str, blocks: _Spans) -> list[Span]:
    """Inline code: a run of backticks to the next run of that length in the same paragraph."""
    spans: list[Span] = []
    paragraph: list[tuple[int, int]] = []
    paragraph_end = 0
    runs = islice(_backticks().finditer(text), _MAX_MARKS + 1)
    for count, run in enumerate(runs, start=1):
        if count > _MAX_MARKS:
            rest = paragraph[0][0] if paragraph else run.start()
            return [*spans, Span(rest, len(text), "inline_code")]
        if blocks.reason(run.start()):
            continue
        if run.start() >= paragraph_end:
            spans += _paired(paragraph)
            paragraph = []
            boundary = _paragraph_end().search(text, run.end())
            paragraph_end = boundary.start() if boundary else len(text)
        paragraph.append(run.span())
    return spans + _paired(paragraph)


def _paired(runs: list[tuple[int, int]]) -> list[Span]:
    partner: dict[int, int] = {}  # index of a run -> index of the next one as long
    latest: dict[int, int] = {}
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        if length in latest:
            partner[index] = latest[length]
        latest[length] = index
    spans: list[Span] = []
    index = 0
    while index < len(runs):
        closing = partner.get(index)
        if closing is not None:
            spans.append(Span(runs[index][0], runs[closing][1], "inline_code"))
            index = closing
        index += 1
    return spans


def _is_in_quotation_marks(text: str, at: int) -> bool:
    """Whether a quotation is open at `at` and ends later in the line."""
    before = text[max(0, at - _LOOK_BACK) : at].rpartition("\n")[2]
    after = text[at : at + 3_000].partition("\n")[0]
    if before[-1:] in ("'", "‘", "«"):
        return any(mark in after for mark in "'’»")
    unpaired = _quotation().sub("", before)
    return _quotation_opening().search(unpaired) is not None and any(mark in after for mark in '"”')


def _is_announced(text: str, at: int) -> bool:
    """Whether the words right before say that an example follows."""
    return _announcement().search(text, max(0, at - 40), at) is not None


@cache
def _announcement() -> re.Pattern[str]:
    return re.compile(r"(?<![\w])(?:for example|for instance|e\.g\.|such as|example)[ \t]{0,3}[:,]?[ \t]{0,3}\Z", re.I)


def _examples(text: str) -> list[Span]:
    """From `<example>` to its closing tag, or to the end: how instructions to agents set examples apart."""
    spans: list[Span] = []
    lowered = text.lower() if "<" in text else ""
    at = lowered.find("<example")
    while at >= 0 and len(spans) < _MAX_MARKS:
        closing = lowered.find("</example", at)
        end = closing if closing >= 0 else len(text)
        spans.append(Span(at, end, "example"))
        at = lowered.find("<example", end)
    return spans


def _is_indented_code(text: str, at: int, *, line_start: int) -> bool:
    """Whether the line of `at` is code by its indent: four more than its list item, after a blank line."""
    indent = _indent(text[line_start : min(at, line_start + _LOOK_BACK)])
    if indent < 4:
        return False
    has_blank = False
    for line in _lines_above(text, line_start):
        stripped = line.lstrip(" \t")
        if not stripped:
            has_blank = True
            continue
        width = _indent(line)
        item = _list_item().match(stripped)
        if item and width + item.end() <= indent:
            return has_blank and indent >= width + item.end() + 4
        if not item and width == 0:
            return has_blank
    return True


def _lines_above(text: str, line_start: int) -> list[str]:
    lines: list[str] = []
    end = line_start - 1
    while end >= 0 and len(lines) < _LOOK_UP:
        farthest = max(0, end - 100_000)
        start = text.rfind("\n", farthest, end) + 1 or farthest
        lines.append(text[start : min(end, start + _LOOK_BACK)].rstrip("\r"))
        end = start - 1
    return lines


def _indent(line: str) -> int:
    head = line[:_LOOK_BACK].expandtabs(4)
    return len(head) - len(head.lstrip(" "))


def _width(lead: str) -> int:
    return len(lead.expandtabs(4))


@cache
def _notes_tag(slash: str) -> re.Pattern[str]:
    return re.compile(rf'<{slash}hindbrain-notes fence="([0-9a-f]{{32}})">')


@cache
def _block_opening() -> re.Pattern[str]:
    return re.compile(
        rf"\n(?P<lead>[ \t]*+(?:{_LIST_ITEM}[ \t]*+){{0,6}}+)"
        r"(?:(?P<fence>`{3,}+|~{3,}+)(?P<info>[^\n]*+)|(?P<quote>>)[^\n]*+)"
    )


@cache
def _fence_line() -> re.Pattern[str]:
    return re.compile(r"\n(?P<lead>[ \t]*+)(?P<fence>`{3,}+|~{3,}+)[ \t]*+\r?(?=\n|\Z)")


@cache
def _backticks() -> re.Pattern[str]:
    return re.compile("`++")


@cache
def _paragraph_end() -> re.Pattern[str]:
    return re.compile(rf"\n(?=[ \t]*+(?:\r?\n|>|#{{1,6}}[ \t]|{_LIST_ITEM}|`{{3}}|~{{3}}))")


@cache
def _quotation() -> re.Pattern[str]:
    return re.compile(r"\"[^\"]*\"|“[^“”]*”")


@cache
def _quotation_opening() -> re.Pattern[str]:
    return re.compile(r"(?:^|[\s(\[{=,:>—–-])[\"“](?=\S|\Z)")


@cache
def _list_item() -> re.Pattern[str]:
    return re.compile(rf"{_LIST_ITEM}[ \t]*+")


@cache
def _placeholder() -> re.Pattern[str]:
    return re.compile(r"(?:content|text|type|\.{2,}|…+|<[^<>\n]*>|\{[^{}\n]*\}|\[[^\[\]\n]*\])[.!]?", re.IGNORECASE)
