"""What one agent leaves in writing for itself or for another: where it stands, and what it hands over.

`data` is as the schema of the Loki document has it (LK-100 to LK-120); what the schema does not name is kept as it
came.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from hindbrain.core.closed import StrEnum
from hindbrain.core.value import dataclass, field

STALE_AFTER = timedelta(hours=24)  # whoever comes later finds another state of the code


class Sort(StrEnum):
    LEDGER = "ledger"  # one for each agent: its last checkpoint
    HANDOFF = "handoff"  # from one agent to the next
    METRIC = "metric"  # figures that another system counted: kept for its files, told to nobody


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    id: str  # a ledger's is its agent's name; unique for a sort in a project
    project: str
    sort: Sort
    agent: str  # who wrote it
    at: datetime
    to: str = ""  # whom a handoff is for; empty: whoever comes next
    data: Mapping[str, object] = field(default_factory=dict)
    taken_at: datetime | None = None  # when the receiver had it

    def is_stale(self, now: datetime) -> bool:
        return now - self.at > STALE_AFTER
