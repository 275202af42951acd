"""Which steps recur across tasks so often that they could be a skill.

A pattern is one step, or up to four in a row, that at least three tasks took. Paths, numbers and quoted texts do not
count: what recurs is the way, not the place.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache

from hindbrain.core.digest import sha256
from hindbrain.core.value import dataclass

LEAST_TASKS = 3  # HB-135
MOST_STEPS = 20_000  # that are looked at, the latest

_LONGEST_RUN = 4  # steps
_LEAST_WORDS = 3  # of a pattern that is one step: `git status` is no skill
_READ = 400  # characters of one step
_WORDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Something that was done, and went well."""

    task: str
    action: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    key: str  # the same for the same way, week after week
    steps: tuple[str, ...]
    tasks: tuple[str, ...]

    @property
    def title(self) -> str:
        return ", then ".join(self.steps)


def patterns(steps: Iterable[Step]) -> tuple[Pattern, ...]:
    """What at least three tasks have in common, most common first; `steps` are in order."""
    ways: dict[str, list[str]] = {}
    for step in list(steps)[-MOST_STEPS:]:
        action = way(step.action)
        if step.task and action and ways.setdefault(step.task, [])[-1:] != [action]:
            ways[step.task].append(action)
    taken: dict[tuple[str, ...], set[str]] = {}
    for task, actions in ways.items():
        for run in _runs(actions):
            taken.setdefault(run, set()).add(task)
    common = {run: tasks for run, tasks in taken.items() if len(tasks) >= LEAST_TASKS}
    within = {part for run, tasks in common.items() for part in _parts(run) if common.get(part) == tasks}
    found = [
        Pattern(key=sha256("\n".join(run).encode())[:16], steps=run, tasks=tuple(sorted(tasks)))
        for run, tasks in common.items()
        if run not in within
    ]
    return tuple(sorted(found, key=lambda one: (-len(one.tasks), -len(one.steps), one.steps)))


def way(action: str) -> str:
    """`action` without what differs from time to time."""
    words = _differing().sub("…", action[:_READ]).split()
    return " ".join(words[:_WORDS])


def _runs(actions: Sequence[str]) -> Iterable[tuple[str, ...]]:
    for length in range(1, _LONGEST_RUN + 1):
        for start in range(len(actions) - length + 1):
            run = tuple(actions[start : start + length])
            if len(set(run)) > 1 or len([word for word in run[0].split() if word != "…"]) >= _LEAST_WORDS:
                yield run


def _parts(run: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    """The shorter runs inside of a run."""
    for length in range(1, len(run)):
        yield from (run[start : start + length] for start in range(len(run) - length + 1))


@cache
def _differing() -> re.Pattern[str]:
    return re.compile(r"\"[^\"]{0,200}\"|'[^']{0,200}'|(?<!\S)\S{0,200}[/\\]\S{0,200}|\b[0-9a-f]{7,40}\b|\b\d+\b")
