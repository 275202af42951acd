"""What a finished workstream teaches, in five fixed sections, and which workstreams are too small to ask.

A workstream (DOC-05's *chantier*) is a piece of work with tasks, iterations, scars, logs and a bill. By rules, what
recurs is counted, and what was learned is quoted; whoever has better words for a section may give them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from hindbrain.core.hints import Any
from hindbrain.core.learning.suggest import rule_text
from hindbrain.core.model.moment import stamp
from hindbrain.core.shape.error_signature import error_signature_of
from hindbrain.core.value import dataclass

LEAST_TASKS = 3
LEAST_TOKENS = 50_000
LATEST = 50  # iterations of a bundle
LONGEST_LOG = 1_500  # characters of one log, of its end
MOST_LOGS = 5

_TOP = 3
_NONE = "None that the record shows."
_LONGEST = 300  # characters of one quoted line


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """One turn of reason, action, observation."""

    thought: str = ""
    action: str = ""
    observation: str = ""
    task: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scarred:
    """A scar, as far as a lesson needs it."""

    id: str
    is_victory: bool
    title: str
    lesson: str  # what was added to avoid a repeat, or the pattern to repeat
    importance: int  # 0..10
    times: int = 1
    signature: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workstream:
    id: str
    title: str
    opened_at: datetime
    estimate: int = 0  # tokens
    tokens: int = 0  # that it really took
    closed_at: datetime | None = None
    works: tuple[str, ...] = ()  # what was to be done, in words: the seeds' *travaux*
    tasks: tuple[str, ...] = ()
    iterations: tuple[Iteration, ...] = ()  # oldest first
    scars: tuple[Scarred, ...] = ()
    logs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What somebody else has written for the five sections; what is empty, the rules write."""

    tokens: str = ""  # what explains the difference
    errors: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    doctrine: str = ""
    tool: str = ""


_NO_WORDS = Words()


def too_small(work: Workstream) -> str:
    """Why nobody should write a lesson about `work`; "" when it is worth one."""
    if len(work.tasks) < LEAST_TASKS:
        return f"{len(work.tasks)} of the {LEAST_TASKS} tasks that make a lesson worth its reading"
    if work.tokens < LEAST_TOKENS:
        return f"{work.tokens:,} of the {LEAST_TOKENS:,} tokens that make a lesson worth its reading"
    return ""


def bundle(work: Workstream) -> dict[str, Any]:
    """All that a lesson is made from, as plain values."""
    return {
        "meta": {
            "id": work.id,
            "title": work.title,
            "opened_at": stamp(work.opened_at),
            "closed_at": stamp(work.closed_at) if work.closed_at else None,
            "estimate": work.estimate,
            "tokens": work.tokens,
        },
        "travaux": list(work.works),
        "tasks": list(work.tasks),
        "iterations": [
            {"task": one.task, "thought": one.thought, "action": one.action, "observation": one.observation}
            for one in work.iterations[-LATEST:]
        ],
        "scars": [
            {"id": one.id, "kind": "victory" if one.is_victory else "failure", "lesson": one.lesson, "times": one.times}
            for one in work.scars
        ],
        "logs": [log[-LONGEST_LOG:] for log in work.logs[-MOST_LOGS:]],
    }


def draft(work: Workstream, words: Words = _NO_WORDS) -> str:
    """The text of the lesson: five sections, always the same ones in the same order.

    Where `words` are given they stand in place of what the rules would say. The figures are always ours, and no line
    of `words` can pass for a heading.
    """
    errors = tuple(_line(one) for one in words.errors)
    patterns = tuple(_line(one) for one in words.patterns)
    sections = (
        ("Tokens, estimated and actual", f"{_bill(work)} {_line(words.tokens)}".strip()),
        ("Top 3 recurring errors", _numbered(errors[:_TOP] or _errors(work))),
        ("Top 3 patterns to standardise", _numbered(patterns[:_TOP] or _patterns(work))),
        ("A candidate doctrine", _line(words.doctrine) or _doctrine(work)),
        ("A tool to create", _line(words.tool) or _tool(work)),
    )
    return "\n\n".join(f"## {title}\n\n{text}" for title, text in sections) + "\n"


def _bill(work: Workstream) -> str:
    if not work.estimate:
        return f"Nobody estimated it; it took {work.tokens:,} tokens."
    delta = work.tokens - work.estimate
    share = round(100 * delta / work.estimate)
    return f"Estimated {work.estimate:,}, took {work.tokens:,}: {delta:+,} ({share:+d} %)."


def _errors(work: Workstream) -> list[str]:
    """Failures by how often they were met; a scar tells what was done about it."""
    met: Counter[str] = Counter()
    cures: dict[str, str] = {}
    for scar in work.scars:
        if not scar.is_victory:
            name = scar.signature or _plain(scar.title)
            met[name] += scar.times
            cures.setdefault(name, f"since then: {_plain(scar.lesson)} ({scar.id})")
    texts: Iterable[str] = (*(one.observation for one in work.iterations), *work.logs)
    met.update(signature for text in texts if (signature := error_signature_of(text)))
    return [_told(name, count, cure=cures.get(name, "")) for name, count in _commonest(met)]


def _patterns(work: Workstream) -> list[str]:
    found: Counter[str] = Counter()
    for scar in work.scars:
        if scar.is_victory:
            found[_plain(scar.lesson)] += scar.times + scar.importance
    repeated = Counter(_plain(one.action) for one in work.iterations if one.action.strip())
    found.update({action: count for action, count in repeated.items() if count > 1})
    return [name for name, _ in _commonest(found)]


def _doctrine(work: Workstream) -> str:
    """The lesson of what weighed most, as a rule for a person to weigh."""
    if not work.scars:
        return _NONE
    best = max(work.scars, key=lambda one: (one.importance * one.times, one.importance, one.id))
    return f"{_plain(best.lesson)}\n\nFrom {best.id}: {_plain(best.title)}"


def _tool(work: Workstream) -> str:
    """What was done by hand most often."""
    actions = Counter(_plain(one.action) for one in work.iterations if one.action.strip())
    for action, count in _commonest(actions):
        if count > 1:
            return f"One command for what was done {count} times by hand: `{action.replace('`', chr(39))}`"
    return _NONE


def _commonest(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(((name, count) for name, count in counts.items() if name), key=lambda one: (-one[1], one[0]))[:_TOP]


def _told(name: str, count: int, *, cure: str) -> str:
    times = "once" if count == 1 else f"{count} times"
    return f"{name} ({times}){f'; {cure}' if cure else ''}"


def _numbered(lines: Sequence[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1)) or _NONE


def _line(text: str) -> str:
    return rule_text(text[: 4 * _LONGEST])


def _plain(text: str) -> str:
    return " ".join(text[: 4 * _LONGEST].split())[:_LONGEST].rstrip()
