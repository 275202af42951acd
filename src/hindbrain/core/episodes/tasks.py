"""Where one task of a session ends and the next begins.

A task that is named goes on until another one is named. Where none is named, a completion ends one. What comes
after the last task without anything being done in it still belongs to that task.
"""

from collections.abc import Sequence

from hindbrain.core.model.activity import Activity, Deed
from hindbrain.core.value import dataclass

_DONE = frozenset({Deed.READ, Deed.EDIT, Deed.COMMAND, Deed.GATE, Deed.COMMIT, Deed.AGENT, Deed.COMPLETION})


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    name: str  # empty: nobody named it
    number: int  # among those of the same name in this session, from 1
    log: tuple[Activity, ...]


def tasks(activities: Sequence[Activity]) -> tuple[Task, ...]:
    """The tasks of one session in which something was done, in the order in which they began."""
    if any(one.task for one in activities):
        return _named(activities)
    parts: list[list[Activity]] = [[]]
    for one in activities:
        parts[-1].append(one)
        if one.deed is Deed.COMPLETION:
            parts.append([])
    while len(parts) > 1 and not _has_deeds(parts[-1]):
        tail = parts.pop()
        parts[-1] += tail
    logs = [part for part in parts if _has_deeds(part)]
    return tuple(Task(name="", number=number, log=tuple(log)) for number, log in enumerate(logs, start=1))


def _named(activities: Sequence[Activity]) -> tuple[Task, ...]:
    by_name: dict[str, list[Activity]] = {}
    current = next(one.task for one in activities if one.task)
    for one in activities:
        current = one.task or current
        by_name.setdefault(current, []).append(one)
    return tuple(Task(name=name, number=1, log=tuple(log)) for name, log in by_name.items() if _has_deeds(log))


def _has_deeds(log: Sequence[Activity]) -> bool:
    return any(one.deed in _DONE for one in log)
