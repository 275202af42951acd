"""How a memory becomes its next version: one number up, and never before the version that it follows."""

from datetime import datetime

from hindbrain.core.hints import Any
from hindbrain.core.model import Memory
from hindbrain.core.value import replace
from hindbrain.errors import Conflict


def revised(memory: Memory, *, at: datetime, **changed: Any) -> Memory:
    """`memory` with `changed` fields. A clock that was set back must not turn its history around."""
    return replace(memory, **changed, version=memory.version + 1, updated_at=max(at, memory.updated_at))


def refuse_changed(memory: Memory, version: int | None) -> None:
    """Conflict when the memory is not at the version that somebody has seen; None: they did not say which."""
    if version is not None and memory.version != version:
        raise Conflict(
            f"{memory.id} is at version {memory.version}, not {version}", fix="read it again and repeat the change"
        )
