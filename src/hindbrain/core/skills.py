"""When doing the same thing again and again is a skill, and how a skill is written as SKILL.md (LK-082 to LK-086).

A sequence of steps is what was edited and run on the way to a check that passed, without what only looked or failed,
with names of files widened to their folder and ending. The same sequence in three tasks is a skill.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from hindbrain.core.consolidate.past import Past, is_work
from hindbrain.core.episodes.episode import Action
from hindbrain.core.learn.cures import changing
from hindbrain.core.value import dataclass, replace

FEWEST_TASKS = 3
_FEWEST_STEPS = 3  # fewer is what everybody does anyway
_MOST_STEPS = 20
_NAME, _DESCRIPTION = 64, 1024  # characters, by the Agent Skills standard
_SECTIONS = ("Prerequisites", "Steps", "Common Errors & Fixes", "Exit Criteria")
_EDITS = ("edit_file", "write_file")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    title: str
    description: str = ""
    prerequisites: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    errors: tuple[tuple[str, str], ...] = ()  # error, fix
    criteria: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()  # ids of the episodes' memories

    @property
    def name(self) -> str:
        """1 to 64 of a-z, 0-9 and single hyphens, as the standard has it."""
        slug = _not_slug().sub("-", self.title.lower()).strip("-")
        return slug[:_NAME].strip("-") or "skill"


def learned(pasts: Sequence[Past]) -> tuple[Skill, ...]:
    """What at least three tasks did the same way with success, in the order in which it was first done."""
    done: dict[tuple[str, ...], list[Past]] = defaultdict(list)
    for one in pasts:
        steps = sequence(one) if one.is_good else ()
        if len(steps) >= _FEWEST_STEPS:
            done[steps].append(one)
    return tuple(
        _skill(steps, group) for steps, group in done.items() if len({_task(one) for one in group}) >= FEWEST_TASKS
    )


def improved(known: Skill, new: Skill) -> Skill:
    """`known` with the errors and fixes, and the episodes, that are new."""
    met = {error for error, _ in known.errors}
    errors = (*known.errors, *(pair for pair in new.errors if pair[0] not in met))
    return replace(known, errors=errors, sources=tuple(dict.fromkeys((*known.sources, *new.sources))))


def sequence(past: Past) -> tuple[str, ...]:
    """The steps that led to a check which passed; empty where none did."""
    runs: list[set[str]] = [set()]  # edits between two commands; their order is chance
    steps: list[str] = []
    last = 0
    for action in past.episode.actions:
        if action.action in _EDITS:
            runs[-1] |= {f"Edit `{_widened(action.target)}`"} if is_work(action.target) else set()
        elif line := _command(action):
            steps += [*sorted(runs.pop()), line]
            runs.append(set())
            last = len(steps) if _is_check(action) else last
    return tuple(dict.fromkeys(steps[:last]))[:_MOST_STEPS]


def render(skill: Skill) -> str:
    """SKILL.md: the front matter of the standard, then the sections of the document."""
    described = " ".join(skill.description.split())[:_DESCRIPTION] or f"{skill.title}, learned from earlier tasks."
    lines = ["---", f"name: {skill.name}", f"description: {_quoted(described)}", "---", "", f"# Skill: {skill.title}"]
    parts = (
        [f"- {one}" for one in skill.prerequisites],
        [f"{number}. {one}" for number, one in enumerate(skill.steps, start=1)],
        [f"- {_told(error)}: {fix}" for error, fix in skill.errors],
        [f"- {one}" for one in skill.criteria],
    )
    for heading, items in zip(_SECTIONS, parts, strict=True):
        lines += ["", f"## {heading}", *items]
    return "\n".join(lines) + "\n"


def parse(text: str) -> Skill:
    """What `render` wrote, and what people write by hand in the same form; missing sections are empty."""
    front, body = _front(text)
    title, heading = "", ""
    found: dict[str, list[str]] = {name: [] for name in _SECTIONS}
    for line in body:
        if line.startswith("# "):
            title = title or line[2:].strip().removeprefix("Skill:").strip()
        elif line.startswith("## "):
            heading = line[3:].strip()
        elif heading in found and (item := _item().match(line)):
            found[heading].append(item[1].strip())
    return Skill(
        title=title or front.get("name", ""),
        description=front.get("description", ""),
        prerequisites=tuple(found["Prerequisites"]),
        steps=tuple(found["Steps"]),
        errors=tuple(_pair(one) for one in found["Common Errors & Fixes"]),
        criteria=tuple(found["Exit Criteria"]),
    )


def body_of(skill: Skill) -> dict[str, object]:
    return {
        "name": skill.name,
        "title": skill.title,
        "description": skill.description,
        "prerequisites": list(skill.prerequisites),
        "steps": list(skill.steps),
        "common_errors": [{"error": error, "fix": fix} for error, fix in skill.errors],
        "exit_criteria": list(skill.criteria),
        "source_episodes": list(skill.sources),
    }


def read(body: Mapping[str, object]) -> Skill:
    pairs = body.get("common_errors")
    errors = [one for one in pairs if isinstance(one, Mapping)] if isinstance(pairs, list) else []
    return Skill(
        title=str(body.get("title") or body.get("name") or ""),
        description=str(body.get("description") or ""),
        prerequisites=_texts(body.get("prerequisites")),
        steps=_texts(body.get("steps")),
        errors=tuple((str(one.get("error") or ""), str(one.get("fix") or "")) for one in errors),
        criteria=_texts(body.get("exit_criteria")),
        sources=_texts(body.get("source_episodes")),
    )


def _skill(steps: Sequence[str], group: Sequence[Past]) -> Skill:
    runs = [one.removeprefix("Run ") for one in steps if one.startswith("Run ")]
    folders = [one.removeprefix("Edit ").strip("`") for one in steps if one.startswith("Edit ")]
    title = f"Change {' and '.join(folders[:2]) or runs[0].strip('`')} until {runs[-1].strip('`')} passes"
    changing_them = f" when changing {', '.join(folders)}" if folders else ""
    return Skill(
        title=_line(title)[:100],
        description=f"Steps that earlier tasks took with success{changing_them}. Use for the same kind of change.",
        prerequisites=tuple(f"`{program}` can be run" for program in dict.fromkeys(map(_program, runs))),
        steps=tuple(steps),
        errors=tuple(_errors(group)),
        criteria=tuple(f"{run} passes" for run in dict.fromkeys(runs[-1:])),
        sources=tuple(one.id for one in group),
    )


def _errors(group: Sequence[Past]) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for one in group:
        for error in one.errors:
            told = _line(error.message or error.type)
            if error.resolution and told not in seen:
                seen.add(told)
                yield told, _line(error.resolution)


def _command(action: Action) -> str:
    if action.result == "fail" or not action.action.startswith("run_"):
        return ""
    if _is_check(action):
        return f"Run `{_line(action.target)}`"
    changed = changing(action.target)
    return f"Run `{_line(changed)}`" if changed else ""


def _is_check(action: Action) -> bool:
    return action.result == "pass" and action.action.startswith("run_") and action.action != "run_command"


def _program(run: str) -> str:
    """`npm` of `npm test`."""
    return run.strip("`").split(" ")[0]


def _task(one: Past) -> tuple[str, str]:
    return (one.episode.session, one.episode.task) if one.episode.session or one.episode.task else (one.id, "")


def _widened(path: str) -> str:
    """`src/routes/todos.ts` becomes `src/routes/*.ts`, `tests/test_todos.py` becomes `tests/test_*.py`."""
    folder, slash, name = path.rpartition("/")
    stem, dot, ending = name.partition(".")
    head = next((mark for mark in ("test_", "spec_") if stem.startswith(mark)), "")
    return f"{folder}{slash}{head}*{dot}{ending}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _told(error: str) -> str:
    """Quoted where a colon in it would be taken for the end of it."""
    return f"`{error.replace('`', chr(39))}`" if ": " in error or "`" in error else error


def _pair(item: str) -> tuple[str, str]:
    if item.startswith("`") and "`: " in item:
        error, _, fix = item[1:].partition("`: ")
    else:
        error, _, fix = item.partition(": ")
    return error.strip(), fix.strip()


def _front(text: str) -> tuple[Mapping[str, str], Sequence[str]]:
    lines = text.splitlines()
    if not lines or lines[0].strip() != "---" or "---" not in [line.strip() for line in lines[1:]]:
        return {}, lines
    end = [line.strip() for line in lines].index("---", 1)
    pairs = (line.partition(":") for line in lines[1:end])
    return {name.strip(): _unquoted(value.strip()) for name, _, value in pairs}, lines[end + 1 :]


def _quoted(text: str) -> str:
    """YAML in double quotes: nothing in it can end it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquoted(text: str) -> str:
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    return _escape().sub(r"\1", text[1:-1])


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list | tuple) else ()


@cache
def _not_slug() -> re.Pattern[str]:
    return re.compile(r"[^a-z0-9]+")


@cache
def _item() -> re.Pattern[str]:
    return re.compile(r"(?:[-*]|\d{1,3}[.)])\s+(\S.*)$")


@cache
def _escape() -> re.Pattern[str]:
    return re.compile(r'\\(["\\])')
