"""What a store's own words about its spaces amount to, as numbers."""

from collections.abc import Mapping

from hindbrain.core.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a store holds of one space, over all projects."""

    space: str  # its name
    vectors: int
    due: int  # memories that are to get theirs


def held(vitals: Mapping[str, str]) -> tuple[Held, ...]:
    """From `Store.vitals`, in its order."""
    return tuple(map(_read, vitals["spaces"].splitlines()))


def _read(told: str) -> Held:
    name, _, counts = told.rpartition(": ")
    vectors, _, due, _ = counts.split(" ")
    return Held(space=name, vectors=int(vectors), due=int(due))
