"""What several episodes have in common that is worth saying, without a model to say it.

Three things are: an error that the same repair cured, files that were changed together under the same check, and a
limit that people set again and again. The text is put together from what the episodes share, so it cannot say what
none of them holds. Where they share nothing of the kind, there is no pattern, however alike they look.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache

from hindbrain.core.consolidate.past import Past, signature_of
from hindbrain.core.episodes.episode import Trouble
from hindbrain.core.same import wording
from hindbrain.core.value import dataclass
from hindbrain.core.words import query_terms

GATE = 0.8  # confidence from which a pattern is kept (LK-062)
_HIGHEST = 0.95  # nothing is certain that no person has seen
_SAME_FIX = 0.5  # agreement of two repairs below which they are two
_SAME_LIMIT = 0.8
_TOGETHER = 2  # files
_MOST_FILES = 6
_SHORT = 160  # characters of a message in a text
NOTHING_SHARED = "the episodes share no error with its cure, no files under the same check, and no limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    text: str
    category: str  # errors, workflow, constraints
    conditions: tuple[str, ...]
    correct: str
    incorrect: str
    cohesion: float  # 0..1: how far the episodes agree about it
    sources: tuple[str, ...]  # ids of memories
    files: tuple[str, ...] = ()
    signature: str = ""

    @property
    def confidence(self) -> float:
        return confidence(len(self.sources), self.cohesion)


def confidence(size: int, cohesion: float) -> float:
    """Two episodes that agree fully are enough for 0.85, two that agree by 0.9 are not enough for the gate of 0.8; more
    episodes make up for less agreement, and nothing gets beyond 0.95 (F-22)."""
    if size < 2:
        return 0.0
    return round(min(_HIGHEST, max(cohesion, 0.0) * (1 - 0.3 / size)), 3)


def generalise(cluster: Sequence[Past]) -> tuple[Pattern, ...]:
    """All that the episodes of a cluster have in common; empty where they have no content in common."""
    return (*_cures(cluster), *_routines(cluster), *_limits(cluster))


def agreement(one: str, other: str) -> float:
    """How far two repairs are the same: the words and names that they share."""
    a, b = set(query_terms(one)), set(query_terms(other))
    shared = len(a & b) / len(a | b) if a and b else 0.0
    return max(shared, wording(one, other))


def _cures(cluster: Sequence[Past]) -> Iterator[Pattern]:
    met: dict[str, list[tuple[Past, Trouble]]] = defaultdict(list)
    for one in cluster:
        known = {signature_of(error): error for error in one.errors if error.resolution}
        for signature, error in known.items():
            if signature:
                met[signature].append((one, error))
    for signature, cases in met.items():
        for group in _agreeing(cases):
            yield _cure(signature, group)


def _agreeing(cases: Sequence[tuple[Past, Trouble]]) -> Iterator[list[tuple[Past, Trouble]]]:
    """Cases that were cured the same way."""
    groups: list[list[tuple[Past, Trouble]]] = []
    for case in cases:
        fitting = (group for group in groups if agreement(group[0][1].resolution, case[1].resolution) >= _SAME_FIX)
        home = next(fitting, None)
        if home is None:
            groups.append([case])
        else:
            home.append(case)
    yield from (group for group in groups if len(group) >= 2)


def _cure(signature: str, group: Sequence[tuple[Past, Trouble]]) -> Pattern:
    errors = [error for _, error in group]
    chosen = min(errors, key=lambda error: (len(error.resolution), error.resolution))
    others = [agreement(chosen.resolution, error.resolution) for error in errors if error is not chosen]
    message = _short(chosen.message if _is_shared(chosen.message, errors) else signature)
    where = _where(errors)
    files = _shared_files([one for one, _ in group])
    conditions = [f"{where} fails with: {message}" if where else f"Failing with: {message}"]
    conditions += [f"Working on {', '.join(files)}"] if files else []
    return Pattern(
        text=f"{conditions[0]}. What helped: {chosen.resolution}",
        category="errors",
        conditions=tuple(conditions),
        correct=chosen.resolution,
        incorrect=_gone(errors),
        cohesion=round(sum(others) / len(others), 3) if others else 1.0,
        sources=tuple(dict.fromkeys(one.id for one, _ in group)),
        files=files,
        signature=signature,
    )


def _gone(errors: Sequence[Trouble]) -> str:
    """What every repair took out; empty where they only added."""
    first, *rest = [set(_replaced().findall(error.resolution)) for error in errors]
    return ", ".join(sorted(first.intersection(*rest)))


@cache
def _replaced() -> re.Pattern[str]:
    return re.compile(r"(?:replaced|removed) (`[^`\n]{1,200}`)")


def _is_shared(message: str, errors: Sequence[Trouble]) -> bool:
    return all(message == error.message for error in errors)


def _where(errors: Sequence[Trouble]) -> str:
    """The command that failed each time, else what kind of thing it was; empty where they differ."""
    commands = {error.command for error in errors}
    if len(commands) == 1 and (command := commands.pop()):
        return f"`{_short(command)}`"
    kinds = {error.type for error in errors}
    return kinds.pop() if len(kinds) == 1 else ""


def _shared_files(pasts: Sequence[Past]) -> tuple[str, ...]:
    first, *rest = pasts
    return tuple(path for path in first.edited if all(path in one.edited for one in rest))[:_MOST_FILES]


def _routines(cluster: Sequence[Past]) -> Iterator[Pattern]:
    """Files that succeed only together: changed in the same tasks, and passed by the same check."""
    by_check: dict[str, list[Past]] = defaultdict(list)
    for one in cluster:
        if one.is_good and (check := _check(one)):
            by_check[check].append(one)
    for check, pasts in by_check.items():
        files = _shared_files(pasts) if len(pasts) >= 2 else ()
        if len(files) >= _TOGETHER:
            yield _routine(files, check, pasts=pasts)


def _check(one: Past) -> str:
    """The command of the last gate that passed."""
    passed = (
        action.target
        for action in reversed(one.episode.actions)
        if action.result == "pass" and action.action.startswith("run_") and action.action != "run_command"
    )
    return next(passed, "")


def _routine(files: Sequence[str], check: str, *, pasts: Sequence[Past]) -> Pattern:
    named = ", ".join(f"`{path}`" for path in files)
    edited = [len(files) / len(set(one.edited)) for one in pasts]
    return Pattern(
        text=f"{named} were changed together each time, and `{_short(check)}` passed then",
        category="workflow",
        conditions=(f"Changing {' or '.join(f'`{path}`' for path in files)}",),
        correct=f"Look at {named} together, then run `{_short(check)}`",
        incorrect="",
        cohesion=round(sum(edited) / len(edited), 3),
        sources=tuple(one.id for one in pasts),
        files=tuple(files),
    )


def _limits(cluster: Sequence[Past]) -> Iterator[Pattern]:
    """What people asked for more than once, in much the same words, in tasks of their own."""
    groups: dict[str, dict[str, tuple[Past, float]]] = {}
    for one in cluster:
        for limit in one.episode.constraints:
            known = next((other for other in groups if wording(other, limit) >= _SAME_LIMIT), limit)
            groups.setdefault(known, {}).setdefault(one.id, (one, wording(known, limit)))
    for limit, found in groups.items():
        pasts = [one for one, _ in found.values()]
        alike = [likeness for _, likeness in found.values()][1:]
        sessions = {one.episode.session or one.id for one in pasts}
        if len(sessions) >= 2 and len(query_terms(limit)) >= 2:
            yield _asked(limit, pasts, cohesion=sum(alike) / len(alike))


def _asked(limit: str, pasts: Sequence[Past], *, cohesion: float) -> Pattern:
    files = _shared_files(pasts)
    return Pattern(
        text=f"Asked for in several tasks: {limit}",
        category="constraints",
        conditions=(f"Working on {', '.join(files)}",) if files else (),
        correct=limit,
        incorrect="",
        cohesion=round(cohesion, 3),
        sources=tuple(one.id for one in pasts),
        files=files,
    )


def _short(text: str) -> str:
    line = " ".join(text.replace("`", "'").split())
    return line.rstrip(".") if len(line) <= _SHORT else line[: _SHORT - 1] + "…"
