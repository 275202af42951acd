"""What another system calls a memory that it has not named itself.

A name once given stays: new ones count on from the highest number, in the order in which the memories were written
down. Only Loki's files name each memory; for the other systems there is nothing to do.
"""

import re
from collections.abc import Mapping, Sequence

from hindbrain.core.model.memory import Kind, Memory

NAMED = ("loki",)
_PREFIX = {
    Kind.PATTERN: "sem",
    Kind.ANTI_PATTERN: "anti",
    Kind.FACT: "fact",
    Kind.LESSON: "fact",
}
_LONGEST = 60  # characters of a skill's name


def names(memories: Sequence[Memory], known: Mapping[str, str]) -> dict[str, str]:
    """A memory's id -> its name, for all that have a place in the files. Of two with one name the older keeps it."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    late: list[Memory] = []
    for memory in sorted(memories, key=_order):
        name = known.get(memory.id, "")
        if not _start(memory):
            continue
        if name and name not in taken:
            found[memory.id] = name
            taken.add(name)
        else:
            late.append(memory)
    taken |= set(known.values())  # those of memories that are not among these
    highest = _highest(taken)
    for memory in late:
        found[memory.id] = _next(_start(memory), taken, highest=highest)
        taken.add(found[memory.id])
    return found


def slug(text: str) -> str:
    """`API Endpoint Implementation` as a file's name."""
    words = re.sub(r"[^a-z0-9]+", "-", text[: 4 * _LONGEST].casefold())
    return words[:_LONGEST].strip("-")


def _order(memory: Memory) -> tuple[object, ...]:
    return (memory.created_at, memory.learned_at, memory.content, memory.id)


def _start(memory: Memory) -> str:
    """What its name begins with; "" where the files have no place for it."""
    if memory.kind is Kind.EPISODE:
        return f"ep-{memory.learned_at.date()}"
    if memory.kind is Kind.SKILL:
        return slug(str(memory.body.get("name") or memory.title)) or "skill"
    return _PREFIX.get(memory.kind, "")


def _highest(taken: set[str]) -> dict[str, int]:
    highest: dict[str, int] = {}
    for name in taken:
        start, _, number = name.rpartition("-")
        if number.isdecimal() and len(number) < 10:
            highest[start] = max(highest.get(start, 0), int(number))
    return highest


def _next(start: str, taken: set[str], *, highest: dict[str, int]) -> str:
    is_word = not re.fullmatch(r"ep-[\d-]+|sem|anti|fact", start)
    if is_word and start not in taken:
        return start
    while True:
        highest[start] = highest.get(start, 1 if is_word else 0) + 1
        name = f"{start}-{highest[start]}" if is_word else f"{start}-{highest[start]:03d}"
        if name not in taken:
            return name
