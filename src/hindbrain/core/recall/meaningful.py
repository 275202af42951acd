"""Which text of a memory is compared by meaning. Every embedder reads exactly this, and every store vouches for it."""

from hindbrain.core.digest import sha256
from hindbrain.core.model.memory import Memory
from hindbrain.core.recall.index import title_repeats

MOST = 16_000  # characters; what comes after them is found by words only


def meaningful(memory: Memory) -> str:
    """The title, where it says more than the beginning of the content, then the content."""
    content = memory.content[:MOST]
    return content if title_repeats(memory) else f"{memory.title}\n{content}"[:MOST]


def digest(text: str) -> str:
    """SHA-256 of a meaningful text: by it a vector says which wording it was made from."""
    return sha256(text.encode("utf-8", "surrogatepass"))
