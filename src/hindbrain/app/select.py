"""Which memories a plain listing shows, and in which order."""

from collections.abc import Sequence
from datetime import datetime

from hindbrain.core.model import TYPES, Kind, Memory, State
from hindbrain.core.value import dataclass
from hindbrain.errors import BadValue
from hindbrain.ports import Reader, Where


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    types: Sequence[str] = ()
    kinds: Sequence[str] = ()
    min_confidence: float | None = None
    after: datetime | None = None
    before: datetime | None = None
    persona: str = ""
    containing: str = ""
    not_session: str = ""
    order: str = "confidence"
    limit: int = 0
    as_of: datetime | None = None
    with_all: bool = False


def select(selection: Selection, *, project: str, store: Reader) -> Sequence[Memory]:
    """Memories as they stand, or stood at `as_of`. Quarantined ones only `with_all`, for a person's eyes."""
    where = Where(
        project=project,
        states=frozenset(State) if selection.with_all else frozenset({State.LIVE}),
        voices=(selection.persona,) if selection.persona else None,
        kinds=tuple(Kind(known(kind, tuple(Kind), name="kind")) for kind in selection.kinds),
        types=tuple(known(name, TYPES, name="type") for name in selection.types),
        min_confidence=selection.min_confidence,
        after=selection.after,
        before=selection.before,
        not_session=selection.not_session,
        containing=selection.containing,
    )
    if selection.as_of is None:
        return store.select(where, order=selection.order, limit=selection.limit)
    then = list(store.as_of(where, selection.as_of))
    if selection.order == "confidence":
        then.sort(key=lambda m: (m.confidence, m.created_at, m.id), reverse=True)
    return then[: selection.limit or None]


def known(value: str, allowed: Sequence[str], *, name: str) -> str:
    """`value`, if it is one of `allowed`; BadValue names them otherwise."""
    if value not in allowed:
        raise BadValue(f"there is no {name} {value!r}", fix=f"use one of: {', '.join(allowed)}")
    return value
