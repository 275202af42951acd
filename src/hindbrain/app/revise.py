"""How a memory becomes its next version: one number up, and never before the version that it follows."""

from datetime import datetime

from hindbrain.core.hints import Any
from hindbrain.core.model import Memory
from hindbrain.core.value import replace


def revised(memory: Memory, *, at: datetime, **changed: Any) -> Memory:
    """`memory` with `changed` fields. A clock that was set back must not turn its history around."""
    return replace(memory, **changed, version=memory.version + 1, updated_at=max(at, memory.updated_at))
