"""Which memory an id means: the one that bears it, or the only one whose id begins so."""

from collections.abc import Iterator, Sequence

from hindbrain.core.model import Memory, State, Version
from hindbrain.errors import UnknownMemory
from hindbrain.ports import Reader, Where

_SHORTEST = 8  # characters of an id that may stand for all of it
_WHOLE = len("mem-") + 26  # an id of ours that is not known need not be compared with every other


def show(memory_id: str, *, store: Reader) -> Memory:
    """One memory, whatever its state. UnknownMemory when there is none, or more than one that begins so."""
    if known := store.memory(memory_id):
        return known
    is_part = _SHORTEST <= len(memory_id) < _WHOLE
    found = list(_beginning_with(memory_id, store)) if is_part else []
    if len(found) == 1:
        return found[0]
    if found:
        raise UnknownMemory(
            f"the ids of {len(found)} memories begin with {memory_id}",
            fix="give more of the id; `hindbrain list` shows the ids",
        )
    raise UnknownMemory(
        f"there is no memory {memory_id:.80}",
        fix=f"`hindbrain list` shows the ids; the first {_SHORTEST} characters of one are enough",
    )


def history(memory_id: str, *, store: Reader) -> Sequence[Version]:
    """Every version of a memory, oldest first."""
    return store.history(show(memory_id, store=store).id)


def _beginning_with(start: str, store: Reader) -> Iterator[Memory]:
    """Over every project: an id names one memory wherever it is read."""
    for project in store.projects():
        where = Where(project=project.id, states=frozenset(State), with_everywhere=False)
        yield from (memory for memory in store.select(where) if memory.id.startswith(start))
