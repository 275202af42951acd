"""Which memory an id means: the one that bears it, or the only one whose id begins so."""

from collections.abc import Sequence

from hindbrain.core.model import Memory, Version
from hindbrain.errors import UnknownMemory
from hindbrain.ports import Reader

_SHORTEST = 8  # characters of an id that may stand for all of it


def show(memory_id: str, *, store: Reader) -> Memory:
    """One memory, whatever its state. UnknownMemory when there is none, or more than one that begins so."""
    if known := store.memory(memory_id):
        return known
    found = store.ids(memory_id, limit=2) if len(memory_id) >= _SHORTEST else ()
    if len(found) == 1 and (known := store.memory(found[0])):
        return known
    if found:
        raise UnknownMemory(
            f"the ids of several memories begin with {memory_id}",
            fix="give more of the id; `hindbrain list` shows the ids",
        )
    raise UnknownMemory(
        f"there is no memory {memory_id:.80}",
        fix="`hindbrain list` shows the ids; so much of one as no other begins with is enough",
    )


def history(memory_id: str, *, store: Reader) -> Sequence[Version]:
    """Every version of a memory, oldest first."""
    return store.history(show(memory_id, store=store).id)
