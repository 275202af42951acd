"""Which memory an id means: the one that bears it, or the only one whose id begins so."""

from collections.abc import Sequence

from hindbrain.core.model import Memory, Version
from hindbrain.errors import UnknownMemory
from hindbrain.ports import Reader

_SHORTEST = 8  # characters of an id that may stand for all of it


def show(memory_id: str, *, store: Reader, project: str = "") -> Memory:
    """One memory, whatever its state. UnknownMemory when there is none, or more than one that begins so.

    With a `project`, also by what another system's files call it there: `sem-001`, `skill: api-implementation`.
    """
    if known := store.memory(memory_id) or _called(memory_id, project, store=store):
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


def _called(name: str, project: str, *, store: Reader) -> Memory | None:
    if not project:
        return None
    bare = name.strip().removeprefix("[").removesuffix("]").removeprefix("skill:").strip()
    given = [found for cursor, found in store.cursors(f"called/{project}/").items() if cursor.endswith(f"/{bare}")]
    ids = [*store.called(bare, project), *given]
    known = store.memories(ids)
    return next((known[one] for one in reversed(ids) if one in known), None)


def history(memory_id: str, *, store: Reader) -> Sequence[Version]:
    """Every version of a memory, oldest first."""
    return store.history(show(memory_id, store=store).id)
