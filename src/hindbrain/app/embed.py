"""How memories get their vectors: which are due, how many at a time, and what becomes of those of another model."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from hindbrain.core.model import Memory, Vector
from hindbrain.core.model.vector import quantised
from hindbrain.core.recall.cut import Span, cut
from hindbrain.core.recall.meaningful import digest, meaningful
from hindbrain.core.value import dataclass
from hindbrain.errors import EmbedderMissing
from hindbrain.ports import Changes, Embedder, Store

BATCH = 50  # memories that are embedded, and then written, together
_MOST_PIECES = 200  # of a batch: a second or two, so that whoever runs this can be stopped in between

Tell = Callable[[int], None]  # how many memories were done since it was last called


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    done: int  # memories
    left: int  # that have no vector yet


def vectors_now(memory: Memory, embedder: Embedder | None) -> tuple[Vector, ...]:
    """All vectors of `memory` where a model is running already; none where it would have to start."""
    if embedder is None or not embedder.is_warm:
        return ()
    try:
        return vectors_of(memory, embedder)
    except EmbedderMissing:  # it was there a moment ago; the memory is kept, and stays due
        return ()


def vectors_of(memory: Memory, embedder: Embedder) -> tuple[Vector, ...]:
    """All vectors of `memory` as it stands, to be written in the transaction that keeps it."""
    return _embedded([_pieces(memory)], embedder)


def embed_due(
    *, store: Store, embedder: Embedder, limit: int, tell: Tell | None = None, is_over: Callable[[], bool] | None = None
) -> Embedded:
    """Give vectors to at most `limit` memories that have none in the embedder's space, in the order they were kept.

    `is_over` is asked between two batches. What is written stays written; when the embedder fails, its error is
    raised and the rest is still due. A memory that changes or goes meanwhile is left to whoever changed it. A power
    cut may take back the last batches: they are due again, then.
    """
    space = embedder.space
    store.expect(space)
    done = 0
    while done < limit and not (is_over and is_over()):
        batch = _batch(store.unembedded(space, limit=min(BATCH, limit - done)))
        if not batch:
            break
        _write(_embedded(batch, embedder), store)
        done += len(batch)
        if tell:
            tell(len(batch))
    return Embedded(done=done, left=store.count_unembedded(space))


def embed_all(*, store: Store, embedder: Embedder, tell: Tell | None = None) -> Embedded:
    """Embed until nothing is left, then let go of the vectors of every other model."""
    done = 0
    while True:
        step = embed_due(store=store, embedder=embedder, limit=BATCH, tell=tell)
        done += step.done
        if not step.left:
            store.drop_spaces(but=embedder.space)
        if not (step.left and step.done):
            return Embedded(done=done, left=step.left)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pieces:
    """A memory, and where its text is cut."""

    memory: Memory
    text: str
    spans: tuple[Span, ...]


def _pieces(memory: Memory) -> _Pieces:
    text = meaningful(memory)
    return _Pieces(
        memory=memory, text=text, spans=cut(text) or (Span(0, len(text)),)
    )  # a blank one is not due for ever


def _batch(memories: Sequence[Memory]) -> list[_Pieces]:
    """The first of `memories`, as many as do not take too long together; never none, if there are any."""
    batch: list[_Pieces] = []
    count = 0
    for pieces in map(_pieces, memories):
        count += len(pieces.spans)
        if batch and count > _MOST_PIECES:
            break
        batch.append(pieces)
    return batch


def _embedded(batch: Sequence[_Pieces], embedder: Embedder) -> tuple[Vector, ...]:
    """The vectors of a batch; the embedder is called once."""
    points = iter(embedder.embed([one.text[span.start : span.end] for one in batch for span in one.spans]))
    return tuple(
        vector for one in batch for vector in _vectors(one, list(islice(points, len(one.spans))), embedder=embedder)
    )


def _vectors(pieces: _Pieces, points: Sequence[Sequence[float]], *, embedder: Embedder) -> Iterator[Vector]:
    seal = digest(pieces.text)
    for number, (span, point) in enumerate(zip(pieces.spans, points, strict=True)):
        code, scale = quantised(point)
        yield Vector(
            memory_id=pieces.memory.id,
            space=embedder.space,
            piece=number,
            start=span.start,
            end=span.end,
            digest=seal,
            code=code,
            scale=scale,
        )


def _write(vectors: tuple[Vector, ...], store: Store) -> None:
    store.write(lambda tx: tx.apply(Changes(vectors=vectors)), is_durable=False)
