"""How memories stand in a file of Dex' export format (DX-151 to DX-163)."""

import json
from collections.abc import Sequence
from datetime import datetime

from hindbrain.core.hints import Any
from hindbrain.core.model import Memory
from hindbrain.core.model.moment import stamp

VERSION = 1


def written(memories: Sequence[Memory], *, project: str, at: datetime) -> str:
    """The text of a file; the same memories give the same bytes."""
    document = {
        "version": VERSION,
        "project": project,
        "exported_at": stamp(at).replace(".000Z", "Z"),
        "memories": [_record(memory) for memory in memories],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _record(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "type": memory.type,
        "title": memory.title,
        "content": memory.content,
        "confidence": memory.confidence,
        "tags": list(memory.tags),
        "file_refs": list(memory.file_refs),
        "created_by_hat": memory.provenance.actor.hat or None,
        "source": str(memory.provenance.source),
        "use_count": memory.counters.injected,
        **({"persona": memory.persona} if memory.persona else {}),  # beyond Dex: what is one persona's own stays so
    }
