"""Which sentences of an answer state something about the code that will still hold tomorrow.

An answer declares by a heading (`## Architecture`), by a label (`Decision: …`) or by the verb of the sentence. Guesses,
plans of the moment, questions and reports of what was just done are not statements, wherever they stand.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from hindbrain.core.learn.reading import Form, parts, plain, sentences
from hindbrain.core.value import dataclass

MOST = 5  # of one transition
_LONGEST = 300  # characters
_FEWEST = 5  # words

EXPLORED = ("architecture", "dependency")
PLANNED = ("decision", "constraint")
COMPLETED = ("pattern", "convention")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    type: str
    text: str


def statements(answers: Sequence[str], types: Sequence[str]) -> tuple[Statement, ...]:
    """What `answers` state of these types, each once, at most five."""
    found: dict[str, Statement] = {}
    for answer in answers:
        for statement in _stated(answer, types):
            found.setdefault(statement.text.casefold(), statement)
    return tuple(found.values())[:MOST]


def _stated(answer: str, types: Sequence[str]) -> Iterator[Statement]:
    declared = ""
    for part in parts(answer):
        if part.form is Form.HEADING:
            declared = _declared(part.text, types)
            continue
        text = plain(part.text)
        label, text = _labelled(text, types)
        if label or (declared and part.form is Form.ITEM):
            whole = _short(text)
            if whole and _holds(whole):
                yield Statement(type=label or declared, text=whole)
            continue
        yield from _said(text, types)


def _declared(heading: str, types: Sequence[str]) -> str:
    return next((kind for kind in types if _headings()[kind].search(heading)), "")


def _labelled(text: str, types: Sequence[str]) -> tuple[str, str]:
    label, colon, rest = text.partition(":")
    kind = label.strip().lower().removesuffix("s")
    kind = {"dependencie": "dependency"}.get(kind, kind)
    return (kind, rest.strip()) if colon and kind in types and rest.strip() else ("", text)


def _said(text: str, types: Sequence[str]) -> Iterator[Statement]:
    for sentence in sentences(text):
        kind = next((kind for kind in types if _verbs()[kind].search(sentence)), "")
        if kind and len(sentence) <= _LONGEST and _holds(sentence) and (kind not in _NEEDS_A_NAME or _names(sentence)):
            yield Statement(type=kind, text=sentence)


_NEEDS_A_NAME = frozenset({"architecture", "dependency"})


def _short(text: str) -> str:
    """As many whole sentences as fit; nothing when not even the first does."""
    kept = ""
    for sentence in sentences(text):
        if len(kept) + len(sentence) >= _LONGEST:
            break
        kept = f"{kept} {sentence}".strip()
    return kept


def _holds(sentence: str) -> bool:
    """Whether it is a claim at all, and one about the code rather than about this turn."""
    is_whole = len(sentence.split()) >= _FEWEST and not sentence.endswith(("?", ":", "…"))
    return is_whole and not _momentary().search(sentence)


def _names(sentence: str) -> bool:
    """Whether it names something that can be found in the code: code, a path, a name with inner capitals, a version."""
    return bool(_code().search(sentence))


@cache
def _headings() -> dict[str, re.Pattern[str]]:
    table = {
        "architecture": r"\b(?:architecture|structure|components?|modules?|layout|data ?flow|design overview"
        r"|layers?)\b",
        "dependency": r"\b(?:dependenc(?:y|ies)|external services|libraries|requirements|integrations?)\b",
        "decision": r"\b(?:decisions?|chosen approach|choices?|trade-?offs?|rationale)\b",
        "constraint": r"\b(?:constraints?|invariants?|limitations?|must(?: not)?|non-negotiables?|requirements)\b",
        "pattern": r"\bpatterns?\b",
        "convention": r"\b(?:conventions?|house rules?|code style|naming)\b",
    }
    return {kind: re.compile(pattern, re.I) for kind, pattern in table.items()}


@cache
def _verbs() -> dict[str, re.Pattern[str]]:
    table = {
        "architecture": r"\b(?:uses|is built (?:on|with)|is structured|lives? in|is stored in|goes through"
        r"|is split into"
        r"|is organi[sz]ed|delegates to|is (?:a )?thin wrapper|communicates? (?:with|over)|is the entry point)\b",
        "dependency": r"\b(?:depends on|requires|relies on|is pinned (?:to|at)|needs)\b",
        "decision": r"\b(?:(?:we|I|it was) (?:have )?(?:decided|chose|opted)|decided (?:to|on|against)|(?:chose"
        r"|chosen|picked)"
        r"\b.{1,120}\b(?:over|instead of|because)|will use\b.{1,120}\b(?:instead of|rather than|because))\b",
        "constraint": r"\b(?:must not|must never|must|cannot be|may not|is not allowed|has to (?:stay|be|remain)"
        r"|only ever)\b",
        "pattern": r"\b(?:the pattern (?:here )?is|the usual pattern|follows? the pattern of)\b",
        "convention": r"\b(?:by convention|the convention (?:here )?is|as a convention|house rule)\b",
    }
    return {kind: re.compile(pattern, re.I) for kind, pattern in table.items()}


@cache
def _momentary() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:might|maybe|perhaps|probably|possibly|seems?|appears?|unclear|not sure|I think|I guess|I believe"
        r"|I assume"
        r"|let me|let's|I'?ll|I will|I'm|I am|I'?ve|I have|next,? I|now I|todo|tbd|would you|you should|you must"
        r"|you can"
        r"|please|I must|I need|we need to|need to|should I|for now|currently working|step \d|done|completed"
        r"|will be (?:added"
        r"|created|implemented)|tests? pass(?:es|ed)?)\b",
        re.I,
    )


@cache
def _code() -> re.Pattern[str]:
    return re.compile(
        r"`[^`]+`|\w[\w-]*/[\w./-]+|\b\w+\.[a-z]{1,4}\b|\b[A-Za-z]+[a-z][A-Z]\w*|\b[a-z]+_[a-z_]+|\bv?\d+\.\d+"
    )
