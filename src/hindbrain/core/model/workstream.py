"""What a workstream is: work with a beginning, an end, and something to learn when it closes."""

from collections.abc import Mapping
from datetime import datetime

from hindbrain.core.value import dataclass, field

OPEN, CLOSED = "open", "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workstream:
    id: str
    project: str
    title: str
    opened_at: datetime
    state: str = OPEN
    data: Mapping[str, object] = field(default_factory=dict)  # tasks, estimates, what was logged
    closed_at: datetime | None = None
