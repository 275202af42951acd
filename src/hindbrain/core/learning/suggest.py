"""Which of the six places a lesson belongs to, and how it reads there, by rules alone."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from hindbrain.core.learning.scars import VICTORY, key_of, lesson_of
from hindbrain.core.model.memory import Memory, Reach
from hindbrain.core.model.suggestion import Destination
from hindbrain.core.value import dataclass, field

LONGEST = 1_200  # characters of a rule: every session reads it
_READ = 4_000  # characters of a lesson that are looked at
_STEPS = 3  # from so many on it is a procedure
_GRAVE = 8  # importance from which on a lesson that is bound to no code is for every session
_LONGEST_NAME = 48
_SMALL = frozenset({"a", "an", "and", "for", "in", "no", "of", "on", "that", "the", "to", "with", "without"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A suggestion before anybody has looked at the files."""

    destination: Destination
    title: str
    text: str
    reason: str
    name: str
    key: str
    data: Mapping[str, object] = field(default_factory=dict)


def suggest(scar: Memory) -> Draft:
    """What the lesson of a scar would be as a rule. `text` is one paragraph, safe in a Markdown file."""
    lesson = lesson_of(scar)
    text = rule_text(lesson)
    steps = tuple(rule_text(step) for step in _steps(lesson))
    destination, reason, data = _chosen(scar, lesson[:_READ], steps=steps)
    title = rule_text(scar.title)
    return Draft(
        destination=destination,
        title=title,
        text=text,
        reason=reason,
        name=name_of(title or text),
        key=key_of(scar),
        data=data,
    )


def rule_text(text: str) -> str:
    """One line that means nothing else to Markdown, or to a client that reads `@path` as “load this file”."""
    flat = " ".join(text.replace("```", "`").split()).replace("<!--", "<! --").replace("-->", "-- >")
    flat = flat if len(flat) <= LONGEST else flat[: LONGEST - 1].rstrip() + "…"
    parts = flat.split("`")
    quoted = [part if at % 2 else _import().sub(r"`\g<0>`", part) for at, part in enumerate(parts)]
    return "`".join(quoted).lstrip("#>-*+ ")


def name_of(title: str) -> str:
    """A name for a file or a skill: lower case, hyphens, and never empty."""
    words = re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-")
    if len(words) > _LONGEST_NAME:
        words = words[: _LONGEST_NAME + 1].rpartition("-")[0] or words[:_LONGEST_NAME]
        while words.rpartition("-")[2] in _SMALL and "-" in words:
            words = words.rpartition("-")[0]
    return words.strip("-") or "lesson"


_Choice = tuple[Destination, str, Mapping[str, object]]


def _chosen(scar: Memory, lesson: str, *, steps: tuple[str, ...]) -> _Choice:
    """The first rule that fits, with the sentence that says which."""
    if setting := setting_of(lesson):
        return Destination.SETTINGS_JSON, "it can be enforced: the client's settings know a switch for it", setting
    if len(steps) >= _STEPS:
        return Destination.SKILL, f"it is a procedure of {len(steps)} steps", {"steps": list(steps)}
    if _tool().search(lesson):
        return Destination.CHANTIER_OUTIL, "it asks for a tool or a check that does not exist yet", {}
    if _about_people().search(lesson) or scar.reach is Reach.EVERYWHERE:
        return Destination.MEMORY, "it holds beyond this code base", {"kind": _memory_kind(lesson)}
    is_bound = bool(scar.file_refs) or "`" in lesson
    loose = None if is_bound else _loose(scar, lesson)
    return loose or (Destination.CLAUDE_MD, "it is an instruction for whoever works in this code base", {})


def _loose(scar: Memory, lesson: str) -> _Choice | None:
    """Where a lesson goes that names no place in the code; None when it is an instruction all the same."""
    if _concept().search(lesson):
        return Destination.BRAIN_INBOX, "it is a principle to think over, more than an instruction", {}
    if scar.importance >= _GRAVE:
        return Destination.MEMORY, "it is grave, and bound to no place in the code", {"kind": "feedback"}
    if scar.body.get("outcome") == VICTORY:
        return Destination.BRAIN_INBOX, "it is a pattern that worked, and bound to no place in the code", {}
    return None


def setting_of(lesson: str) -> Mapping[str, object] | None:
    """What a client's settings can say: a command that is never to be run, or a variable that is always to be set."""
    if match := _pattern().fullmatch(lesson.strip()):
        return {"at": ["permissions", "deny"], "value": match[0]}
    if match := _forbidden().search(lesson):
        command = match[1].strip()
        if command and not set(command) & set("();|&<>\n$"):
            return {"at": ["permissions", "deny"], "value": f"Bash({command}:*)"}
    if match := _variable().search(lesson):
        return {"at": ["env", match[1]], "value": match[2]}
    return None


def _steps(lesson: str) -> Iterator[str]:
    """The items of a numbered list, over several lines or within one."""
    marks = list(_number().finditer(lesson[:_READ]))
    wanted = 1
    starts = []
    for mark in marks:
        if int(mark[1]) == wanted:
            starts.append(mark)
            wanted += 1
    ends = [*(mark.start() for mark in starts[1:]), min(len(lesson), _READ)]
    for mark, end in zip(starts, ends, strict=False):
        if step := " ".join(lesson[mark.end() : end].split()).strip(" ;,"):
            yield step


def _memory_kind(lesson: str) -> str:
    """The prefix of a reflex file (HB-006..HB-009)."""
    if re.search(r"https?://", lesson):
        return "reference"
    return (
        "user"
        if re.search(r"\b(?:user|founder|owner|person)s? (?:prefer|like|want|hate|expect)", lesson, re.I)
        else "feedback"
    )


@cache
def _import() -> re.Pattern[str]:
    return re.compile(r"(?<![\w@])@[\w~./-][^\s`]{0,200}")


@cache
def _forbidden() -> re.Pattern[str]:
    return re.compile(r"\b(?:never|do not|don't|must not) (?:ever )?(?:run|call|use|execute) `([^`\n]{2,100})`", re.I)


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(r"[A-Z][A-Za-z]{2,30}\([^()\n]{1,200}\)")


@cache
def _variable() -> re.Pattern[str]:
    return re.compile(r"\b(?:always )?(?:set|export) `?([A-Z][A-Z0-9_]{2,60})=([\w./:@%+,-]{1,100})`?", re.ASCII)


@cache
def _number() -> re.Pattern[str]:
    return re.compile(r"(?:(?<=\s)|(?<=^))(?:step )?\(?([1-9]|1\d)[.):](?=\s)", re.I | re.M)


@cache
def _tool() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:automate[ds]?|wrapper|cron(?:tab)?|(?:a|the|single|one) script (?:that|must|should)|monitor(?:ing)?|"
        r"alert(?:ing|s)?|(?:must|should) be audited|lint(?:er)? rule|pre-commit|CI (?:check|job|step)|circuit breaker|"
        r"write a (?:tool|script|check|test))\b",
        re.I,
    )


@cache
def _about_people() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:user|founder|owner|person|team|customer)s? (?:prefers?|likes?|wants?|hates?|expects?)\b|"
        r"\bin (?:every|all|any) projects?\b",
        re.I,
    )


@cache
def _concept() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:principle|doctrine|concept|trade-?off|architectur\w+|philosoph\w+|strategy|mental model|"
        r"is not (?:a|an) [^.\n]{1,80}?: it is)\b",
        re.I,
    )
