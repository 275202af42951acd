"""What waits for a person: a quarantined memory, or two that seem to contradict each other."""

from datetime import datetime

from hindbrain.core.closed import StrEnum
from hindbrain.core.value import dataclass


class ReviewKind(StrEnum):
    QUARANTINE = "quarantine"
    CONTRADICTION = "contradiction"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    id: str
    project: str
    kind: ReviewKind
    memory_id: str
    reason: str
    opened_at: datetime
    other_id: str | None = None  # the memory it may contradict; None in a contradiction: a person says that it hurt
    closed_at: datetime | None = None
    decision: str = ""  # released, refused, superseded, kept both
    decided_by: str = ""
