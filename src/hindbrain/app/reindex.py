"""When a memory is to be found by meaning at once, and not when somebody next embeds what is due.

By words it is found in the same moment in any case. Best effort: what cannot be embedded now is still due.
"""

import contextlib

from hindbrain.app.embed import vectors_of
from hindbrain.app.tools import Tools
from hindbrain.errors import DiskFull, EmbedderMissing, ReadOnly, StoreLocked
from hindbrain.ports import Changes

_PATIENCE_S = 2.0


def reindex(memory_id: str, *, tools: Tools) -> bool:
    """Whether the memory has its vectors now. A worker that is there is told; else a model that is running does it."""
    memory = tools.store.memory(memory_id)
    if memory is None or tools.embedder is None:
        return False
    if not tools.embedder.is_warm:
        if tools.worker is not None:
            tools.worker.poke()
        return False
    with contextlib.suppress(EmbedderMissing, ReadOnly, StoreLocked, DiskFull):
        vectors = vectors_of(memory, tools.embedder)
        tools.store.write(lambda tx: tx.apply(Changes(vectors=vectors)), patience_s=_PATIENCE_S)
        return True
    return False
