"""The seven relations between two memories, and which of them are each other's inverse (LK-073..081)."""

from datetime import datetime

from hindbrain.core.closed import StrEnum
from hindbrain.core.value import dataclass


class Relation(StrEnum):
    DERIVED_FROM = "derived_from"
    RELATED_TO = "related_to"
    CONTRADICTS = "contradicts"
    ELABORATES = "elaborates"
    EXAMPLE_OF = "example_of"
    SUPERSEDES = "supersedes"
    SUPERSEDED_BY = "superseded_by"

    @property
    def inverse(self) -> "Relation | None":
        """The name of the same link seen from the other end; None where the seeds have no word for it."""
        return _INVERSE.get(self)


_INVERSE = {
    Relation.SUPERSEDES: Relation.SUPERSEDED_BY,
    Relation.SUPERSEDED_BY: Relation.SUPERSEDES,
    Relation.CONTRADICTS: Relation.CONTRADICTS,
    Relation.RELATED_TO: Relation.RELATED_TO,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    source: str  # memory id
    target: str  # memory id
    relation: Relation
    at: datetime
    reason: str = ""
