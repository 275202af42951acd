"""Which open questions are answered by a step that was taken for another reason."""

from datetime import datetime

from hindbrain.core.model import Memory, Review, ReviewKind
from hindbrain.core.value import replace
from hindbrain.ports import Reader


def settled(
    memory: Memory, reader: Reader, *, decision: str, at: datetime, kinds: tuple[ReviewKind, ...] = tuple(ReviewKind)
) -> tuple[Review, ...]:
    """The open reviews about `memory`, closed with `decision`: nobody need decide about them any more."""
    return tuple(
        replace(review, closed_at=at, decision=decision)
        for review in reader.reviews(memory.project, about=memory.id)
        if review.kind in kinds
    )
