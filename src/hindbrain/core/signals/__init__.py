"""Which marked statements of an agent are signals. One parser knows every form; nothing else reads them."""

from collections.abc import Iterable, Iterator
from itertools import islice

from hindbrain.core.signals import chorus, comment, memory
from hindbrain.core.signals.guard import Guard
from hindbrain.core.signals.signal import DETAILS, MAX_FOUND, Reach, Refusal, Signal, refuse

__all__ = ["DETAILS", "Reach", "Refusal", "Signal", "find", "find_in_command", "refuse"]

_MARKS = ("MEMORY:", "<chorus>", "LEARNED:", "INVESTIGATION:")


def find(text: str) -> tuple[Signal | Refusal, ...]:
    """Signals in prose that an agent wrote, in order, and a refusal for each thing that only looks like one."""
    if not any(mark in text for mark in _MARKS):
        return ()
    guard = Guard(text)
    tagged = list(islice(chorus.find(text, guard), MAX_FOUND + 1))
    taken = [(found.start, found.end) for found in tagged]
    others: list[tuple[int, Signal | Refusal]] = [(found.start, found.item) for found in tagged]
    others += islice(memory.find(text, guard, taken=taken), MAX_FOUND + 1)
    others += islice(comment.find_in_prose(text, guard), MAX_FOUND + 1)
    others.sort(key=lambda found: found[0])
    return _bounded(item for _, item in others)


def find_in_command(command: str) -> tuple[Signal | Refusal, ...]:
    """Entries of the comment commands in a command line that an agent ran, in order.

    The other forms count in prose only: in a command they are text that is being handled, not said.
    """
    found: list[Signal | Refusal] = []
    if "learned" in command.lower() or "investigation" in command.lower():
        found += islice(comment.find_in_command(command), MAX_FOUND + 1)
    if "MEMORY:" in command or "<chorus>" in command:
        found += _in_other_forms(command)
        found.sort(key=lambda item: item.line)
    return _bounded(found)


def _in_other_forms(command: str) -> Iterator[Refusal]:
    detail = "This form counts in the agent's text, not inside a command; say it in the answer itself."
    for item in find(command):
        is_signal = isinstance(item, Signal)
        if is_signal or item.text.startswith(("MEMORY:", "<chorus>")):
            yield refuse(item.text, line=item.line, reason="not_agent", detail=detail)


def _bounded(items: Iterable[Signal | Refusal]) -> tuple[Signal | Refusal, ...]:
    found = tuple(islice(items, MAX_FOUND + 1))
    if len(found) <= MAX_FOUND:
        return found
    last = found[MAX_FOUND]
    return (*found[:MAX_FOUND], refuse(last.text, line=last.line, reason="too_many"))
