"""What in a review is a finding, and what is praise, advice or a report of work done."""

import re
from collections.abc import Iterator
from functools import cache

from hindbrain.core.learn.reading import Form, Part, parts, plain, sentences
from hindbrain.core.shape.title import title_of
from hindbrain.core.value import dataclass

MOST = 12  # of one review; a flood teaches nobody
_LONGEST = 600  # characters of a description
_FEWEST = 4  # words that say something


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    title: str
    description: str


def findings(review: str) -> tuple[Finding, ...]:
    """Each finding once, in the order of the review: items under a heading that says so, items and lines with a label
    or a severity, and numbered headings. Other items count only if they name something that is wrong."""
    found: dict[str, Finding] = {}
    for head, body in _grouped(parts(review)):
        finding = _finding(head, body)
        if finding:
            found.setdefault(finding.description, finding)
    return tuple(found.values())[:MOST]


def _grouped(pieces: tuple[Part, ...]) -> Iterator[tuple[str, list[str]]]:
    """(first words, what hangs below) of everything that may be a finding."""
    mode = ""
    head: Part | None = None
    body: list[str] = []
    for part in pieces:
        if head and _is_below(part, head):
            body.append(part.text)
            continue
        if head:
            yield head.text, body
        is_head = _is_titled(part.text, mode) if part.form is Form.HEADING else _counts(part, mode)
        head, body = part if is_head else None, []
        if part.form is Form.HEADING and not is_head:
            mode = _mode(part.text)
    if head:
        yield head.text, body


def _is_below(part: Part, head: Part) -> bool:
    """Whether it belongs to the finding that `head` began: to a heading all up to the next, to an item what is
    indented further. A label of its own makes it another finding."""
    is_within = head.form is Form.HEADING or part.indent > head.indent
    return part.form is not Form.HEADING and is_within and not _label().match(plain(part.text))


def _is_titled(heading: str, mode: str) -> bool:
    """A heading that is itself a finding: `Issue 2: no timeout`, `[HIGH] …`, or a number among issues."""
    if mode == "skip" or _skipped().search(heading):
        return False
    if _label().match(heading) or _severity().match(heading):
        return len(_bare(heading).split()) >= 2
    return mode == "issues" and bool(_number().match(heading)) and len(_bare(heading).split()) >= 2


def _mode(heading: str) -> str:
    if _skipped().search(heading):
        return "skip"
    return "issues" if _issues().search(heading) else ""


def _counts(part: Part, mode: str) -> bool:
    text = plain(part.text)
    if _label().match(text) or _severity().match(text):
        return True
    if part.form is not Form.ITEM or mode == "skip" or _done().match(text):
        return False
    return bool(_wrong().search(text)) or (mode == "issues" and bool(_verb().search(text)))


def _finding(head: str, body: list[str]) -> Finding | None:
    text = _bare(plain(head))
    title, lead = _split(head, text)
    below = " ".join(map(plain, body))
    whole = f"{lead.rstrip('.')}. {below}" if below else lead
    is_slight = _nit().match(plain(head)) or _soft().search(text)
    if is_slight or _praise().match(text) or len(whole.split()) < _FEWEST:
        return None
    return Finding(title=title_of(title), description=_cut(whole))


def _split(head: str, text: str) -> tuple[str, str]:
    """A title, and the sentence with it: the bold words at the start, or what stands before a colon or a dash."""
    bold = _bold().match(_marks().sub("", head, count=1))
    title = _bare(plain(bold[1])).rstrip(":. ") if bold else ""
    if bold and title:
        rest = plain(head[head.index(bold[0]) + len(bold[0]) :]).lstrip(":—– -")
        return title, f"{title}: {rest}" if rest else title
    text = text.lstrip(":—– -")
    before, mark, after = _colon().split(text, maxsplit=1) if _colon().search(text) else (text, "", "")
    if mark and 2 <= len(before.split()) <= 12 and after.strip():
        return before.strip(), text
    return text, text


def _bare(text: str) -> str:
    """Without number, label and severity at its start."""
    for pattern in (_number(), _severity(), _label(), _severity()):
        mark = pattern.match(text)
        text = text[mark.end() :].strip() if mark else text
    return text


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    kept = ""
    for sentence in sentences(text):
        if len(kept) + len(sentence) >= _LONGEST:
            break
        kept = f"{kept} {sentence}".strip()
    return kept or text[: _LONGEST - 1].rsplit(" ", 1)[0] + "…"


@cache
def _label() -> re.Pattern[str]:
    return re.compile(
        r"\W{0,4}(?:Issue|Finding|Problem|Bug|Concern|Defect|Vulnerability)\b\s*#?\d{0,3}\s*[:—–-]\s*", re.I
    )


@cache
def _severity() -> re.Pattern[str]:
    return re.compile(
        r"[\W\d]{0,6}(?:critical|high|major|medium|moderate|minor|low|blocker|blocking|severe|P[0-4]|S[1-4])"
        r"(?:\s(?:severity|priority|issue))?\s*(?:\]\s*[:—–-]?|\)\s*[:—–-]?|[:—–]|\s-\s)\s*|[🔴🟠🟡❌⚠]\ufe0f?\s*",
        re.I,
    )


@cache
def _number() -> re.Pattern[str]:
    return re.compile(r"#?\d{1,2}[a-z]?[.):]\s*")


@cache
def _marks() -> re.Pattern[str]:
    return re.compile(r"^[^*\w]*(?=\*\*)")


@cache
def _bold() -> re.Pattern[str]:
    return re.compile(r"\*\*([^*]{3,120})\*\*:?")


@cache
def _colon() -> re.Pattern[str]:
    return re.compile(r"(:|\s[—–-])\s")


@cache
def _skipped() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:good|great|positive|strengths?|praise|well|works?|working|correct|verified|verification|passes|verdict"
        r"|summary|conclusion|suggestions?|optional|nits?|style|next steps?|recommendations?|questions?|scope|reviewed"
        r"|checked|what i|looks|ok|no (?:issues|problems|findings)|resolved|fixed|done)\b",
        re.I,
    )


@cache
def _issues() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:issues?|findings?|problems?|bugs?|concerns?|defects?|vulnerabilit\w+|risks?|must[- ]fix|block\w*"
        r"|critical"
        r"|high|major|medium|errors?|weakness\w*|regressions?|pitfalls?|gaps?)\b",
        re.I,
    )


@cache
def _wrong() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:missing|never|fails?|wrong|incorrect|race|leaks?|unhandled|unbounded|deadlocks?|overwrites?|swallow\w*"
        r"|bug|broken|breaks|crash\w*|insecure|injection|not (?:closed|checked|handled|validated|escaped|released"
        r"|awaited)"
        r"|does not|doesn't|off[- ]by[- ]one|overflow|ignored|stale|lost|regress\w*|vulnerable|hard-?coded)\b",
        re.I,
    )


@cache
def _done() -> re.Pattern[str]:
    return re.compile(
        r"(?:I|We|Read|Ran|Run|Check(?:ed)?|Review(?:ed)?|Verif(?:y|ied)|Test|Fix(?:ed)?|Add(?:ed)?|Removed?"
        r"|Updated?|Confirm(?:ed)?|No|Could|Consider|Would|Maybe|Optionally|Suggest|Next)\b",
        re.I,
    )


@cache
def _soft() -> re.Pattern[str]:
    return re.compile(
        r"\((?:optional|minor|nit)\)|\b(?:slightly|not a (?:blocker|bug|problem)|is (?:adequate|acceptable|fine)"
        r"|by design|optional)\b",
        re.I,
    )


@cache
def _verb() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:is|are|was|were|has|have|can|cannot|could|may|must|should|will|does|do|not|no|\w+n't|\w{3,}s)\b", re.I
    )


@cache
def _praise() -> re.Pattern[str]:
    return re.compile(
        r"(?:none\b|n/a\b|no (?:issues?|problems?|findings?|concerns?|bugs?|blocking)\b|nothing\b|lgtm\b"
        r"|looks good\b|good\b"
        r"|all (?:good|tests pass)|well\b|nice\b|clean\b|solid\b)",
        re.I,
    )


@cache
def _nit() -> re.Pattern[str]:
    return re.compile(r"\W{0,4}(?:nit(?:pick)?|style|typo|optional|minor|low)\b", re.I)
