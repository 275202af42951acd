"""When a memory gets its vectors: with its row where the model is running already, else from the list of the due."""

from collections.abc import Callable, Sequence

from hindbrain.core.model import Memory, Vector
from hindbrain.core.model.vector import quantised
from hindbrain.core.recall.cut import cut
from hindbrain.core.recall.meaningful import digest, meaningful
from hindbrain.errors import EmbedderMissing
from hindbrain.ports import Changes, Embedder, Store, Transaction

BATCH = 50  # memories of one write


def embed_due(store: Store, embedder: Embedder, *, limit: int = 0, tell: Callable[[int], None] = lambda _: None) -> int:
    """Give vectors to memories that have none in the embedder's space, at most `limit` (0: all); how many got them.

    What is interrupted stays due. `tell` hears of every batch.
    """
    done = 0
    store.expect(embedder.space)
    while found := store.unembedded(embedder.space, limit=min(BATCH, limit - done) if limit else BATCH):
        vectors = vectors_of(found, embedder)
        # What is lost by a power cut is still due: it can be made again.
        store.write(_putting(vectors), is_durable=False)
        done += len(found)
        tell(len(found))
        if limit and done >= limit:
            break
    return done


def _putting(vectors: tuple[Vector, ...]) -> Callable[[Transaction], None]:
    return lambda tx: tx.apply(Changes(vectors=vectors))


def vectors_now(memory: Memory, embedder: Embedder | None) -> tuple[Vector, ...]:
    """The pieces of `memory` where a model is running already; none where it would have to start."""
    if embedder is None or not embedder.is_warm:
        return ()
    try:
        return vectors_of([memory], embedder)
    except EmbedderMissing:  # it was there a moment ago; the memory is kept, and stays due
        return ()


def vectors_of(memories: Sequence[Memory], embedder: Embedder) -> tuple[Vector, ...]:
    """Every piece of `memories`, in order."""
    texts = [meaningful(memory) for memory in memories]
    spans = [(number, span) for number, text in enumerate(texts) for span in enumerate(cut(text))]
    points = embedder.embed([texts[number][span.start : span.end] for number, (_, span) in spans])
    digests = [digest(text) for text in texts]
    found = []
    for (number, (piece, span)), point in zip(spans, points, strict=True):
        code, scale = quantised(point)
        found.append(
            Vector(
                memory_id=memories[number].id,
                space=embedder.space,
                piece=piece,
                start=span.start,
                end=span.end,
                digest=digests[number],
                code=code,
                scale=scale,
            )
        )
    return tuple(found)
