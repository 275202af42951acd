"""What is left of an episode once its details are old: what was tried, what went wrong, and what came of it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from hindbrain.core.model.memory import Memory
from hindbrain.core.model.moment import stamp
from hindbrain.core.retention import SUMMARISED

_LONGEST = 600  # characters of the text
_NAMED = 6  # kinds of action that are counted by name


def summarised(memory: Memory, *, at: datetime) -> tuple[str, dict[str, object]]:
    """The text and the body afterwards. Goal, outcome, errors, artifacts and commit stay; steps that went well go.

    A summary of a summary is the same again, but for the moment.
    """
    log = memory.body.get("action_log")
    steps = [step for step in log if isinstance(step, dict)] if isinstance(log, list) else []
    body = dict(memory.body) | {SUMMARISED: stamp(at)}
    if steps:
        body["action_log"] = [step for step in steps if _is_telling(step)]
        body["actions"] = memory.body.get("actions") or counted(steps)
    return shortened(memory.content), body


def counted(steps: Sequence[Mapping[str, object]]) -> str:
    """How many steps of which sort, and how many of them failed."""
    names = Counter(str(step.get("action") or "step") for step in steps)
    parts = [f"{count} × {name}" for name, count in names.most_common(_NAMED)]
    rest = len(steps) - sum(count for _, count in names.most_common(_NAMED))
    failed = sum(map(_is_telling, steps))
    told = ", ".join([*parts, *([f"{rest} more"] if rest else [])])
    return f"{len(steps)} steps: {told}" + (f"; {failed} failed" if failed else "")


def shortened(text: str) -> str:
    """The first sentences or lines that fit; whole words, where there are any."""
    if len(text) <= _LONGEST:
        return text
    head = text[:_LONGEST]
    ends = [head.rfind(mark) + len(mark.rstrip()) for mark in (". ", "! ", "? ", "\n\n", "\n") if mark in head]
    best = max(ends, default=0)
    if best < _LONGEST // 2:
        best = head.rfind(" ")
    return head[:best].rstrip() + " …" if best > 0 else head + "…"


def _is_telling(step: Mapping[str, object]) -> bool:
    """Whether a step is what somebody would ask about later: it failed."""
    return bool(step.get("error")) or str(step.get("result") or "").casefold() in ("fail", "failed", "failure", "error")
