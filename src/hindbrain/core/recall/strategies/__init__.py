"""What every way of scoring candidates has in common: its shape, and what it may take for similarity."""

from collections.abc import Sequence
from datetime import datetime

from hindbrain.core.hints import Protocol
from hindbrain.core.model.score import Reason
from hindbrain.core.recall.ask import Ask, Candidate, Recalled

BY_WORDS = "by words: its meaning is not known"


class Strategy(Protocol):
    def __call__(self, candidates: Sequence[Candidate], ask: Ask, *, now: datetime) -> list[Recalled]:
        """Those of `candidates` that answer `ask`, each with its score; in no particular order."""


def alike(candidate: Candidate) -> Reason:
    """The cosine to the question, 0..1; where it is not known, the share of the question's words, and so noted."""
    if candidate.similarity is None:
        return Reason("similarity", min(max(candidate.share, 0.0), 1.0), 1.0, BY_WORDS)
    return Reason("similarity", min(max(candidate.similarity, 0.0), 1.0), 1.0)


def is_near(candidate: Candidate, ask: Ask) -> bool:
    """Whether the memory has anything in common with the question; without a question, all have."""
    if not ask.text.strip():
        return True
    return candidate.words > 0 if candidate.similarity is None else candidate.similarity > 0
