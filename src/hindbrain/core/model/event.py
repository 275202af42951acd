"""What happened, append-only: the feed that other processes follow with a cursor."""

from collections.abc import Mapping
from datetime import datetime

from hindbrain.core.value import dataclass

# Of so many memories that they are not named: their history and the log of the run tell which.
MEMORIES_DELETED, MEMORIES_RESTORED = "memories_deleted", "memories_restored"
OF_MANY = (MEMORIES_DELETED, MEMORIES_RESTORED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    name: str  # learning_stored, learning_superseded, memory_created, memory_edited …
    at: datetime
    project: str
    data: Mapping[str, object]
    memory_id: str | None = None
    seq: int = 0  # given by the store; the cursor
