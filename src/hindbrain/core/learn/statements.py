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
    heading = ""
    for part in parts(answer):
        if part.form is Form.HEADING:
            heading = _declared(part.text, types)
            continue
        label, text = _labelled(plain(part.text), types)
        under = heading if part.form is Form.ITEM else ""
        if not label and not under:
            yield from _said(text, types)
        elif _holds(whole := _short(text)) and (label or _is_sentence(whole, under)):
            yield Statement(type=label or under, text=whole)


def _declared(heading: str, types: Sequence[str]) -> str:
    return next((kind for kind in types if _headings()[kind].search(heading)), "")


def _labelled(text: str, types: Sequence[str]) -> tuple[str, str]:
    label, colon, rest = text.partition(":")
    kind = label.strip().lower().removesuffix("s")
    kind = {"dependencie": "dependency"}.get(kind, kind)
    return (kind, rest.strip()) if colon and kind in types and rest.strip() else ("", text)


def _said(text: str, types: Sequence[str]) -> Iterator[Statement]:
    """Sentences whose verb says it; without a heading they must say of what, and name it as the code does."""
    for sentence in sentences(text):
        if len(sentence) > _LONGEST or not _holds(sentence):
            continue
        for kind in types:
            verb = _verbs()[kind].search(sentence)
            if verb and sentence[: verb.start()].strip() and (kind in PLANNED or _names(sentence)):
                yield Statement(type=kind, text=sentence)
                break


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


def _is_sentence(text: str, kind: str) -> bool:
    """A list of names is a table of contents; a dependency may be one, with what it is for."""
    return bool(_verb().search(text)) or (kind == "dependency" and _names(text))


def _names(sentence: str) -> bool:
    """Whether it names something that can be found in the code: code, a path, a name with inner capitals, a version."""
    return bool(_code().search(sentence))


@cache
def _headings() -> dict[str, re.Pattern[str]]:
    """The heading is about that and nothing more: `Key architecture`, not `The dictionary utilities module`."""
    table = {
        "architecture": r"architecture|structure|components|modules|layout|data ?flow|layers",
        "dependency": r"dependenc(?:y|ies)|services|libraries|integrations",
        "decision": r"decisions?|choices|trade-?offs|rationale",
        "constraint": r"constraints?|invariants?|limitations?|non-negotiables?|requirements",
        "pattern": r"patterns?",
        "convention": r"conventions?|house rules?|code style|naming",
    }
    lead = (
        r"^[\W\d]{0,6}(?:(?:the|key|main|core|overall|system|project|code|high-level|important|external|runtime|design"
    )
    lead += r"|technical|hard|coding|team|reusable|usual|our)\s+){0,3}"
    tail = r"(?:\s+(?:overview|made|taken|used|found|learned|and\s+\w+))?\W*$"
    return {kind: re.compile(f"{lead}(?:{words}){tail}", re.I) for kind, words in table.items()}


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
def _verb() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:is|are|was|were|has|have|had|must|may|cannot|can|will|does|do|never|always|uses?|used|owns?|runs?|lives?"
        r"|talks?|reads?|writes?|calls?|stores?|handles?|holds?|sends?|depends?|requires?|provides?|goes|go|needs?|keeps?"
        r"|opens?|closes?|maps?|wraps?|exposes?|listens?|starts?|loads?|returns?|passes|takes?|belongs?|decided|chose"
        r"|keep|use|avoid|prefer|follows?|raises?|expects?|delegates?|registers?|because)\b",
        re.I,
    )


@cache
def _momentary() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:might|maybe|perhaps|probably|possibly|seems?|appears?|unclear|not sure|I think|I guess|I believe"
        r"|I assume"
        r"|let me|let's|I'?ll|I will|I'm|I am|I'?ve|I have|next,? I|now I|todo|tbd|would you|you should|you must"
        r"|you can"
        r"|please|I must|I need|we need to|need to|should I|for the moment|currently working|step \d|done|completed"
        r"|will be (?:added"
        r"|created|implemented)|tests? pass(?:es|ed)?)\b",
        re.I,
    )


@cache
def _code() -> re.Pattern[str]:
    return re.compile(
        r"`[^`]+`|\w[\w-]*/[\w./-]+|\b\w+\.[a-z]{1,4}\b|\b[A-Za-z]+[a-z][A-Z]\w*|\b[a-z]+_[a-z_]+|\bv?\d+\.\d+"
    )
