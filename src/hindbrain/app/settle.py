"""Which open questions are answered by a step that was taken for another reason."""

from collections.abc import Iterable
from datetime import datetime

from hindbrain.core.model import Memory, Review, ReviewKind
from hindbrain.core.value import replace
from hindbrain.ports import Reader


def settled(
    memory: Memory, reader: Reader, *, decision: str, at: datetime, kinds: tuple[ReviewKind, ...] = tuple(ReviewKind)
) -> tuple[Review, ...]:
    """The open reviews about `memory`, closed with `decision`: nobody need decide about them any more."""
    found = reader.reviews(memory.project, about=(memory.id,))
    return closed([review for review in found if review.kind in kinds], decision=decision, at=at)


def closed(reviews: Iterable[Review], *, decision: str, at: datetime) -> tuple[Review, ...]:
    return tuple(replace(review, closed_at=at, decision=decision) for review in reviews)
