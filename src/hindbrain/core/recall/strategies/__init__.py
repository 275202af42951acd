"""What every way of scoring candidates has in common: its shape."""

from collections.abc import Sequence
from datetime import datetime

from hindbrain.core.hints import Protocol
from hindbrain.core.recall.ask import Ask, Candidate, Recalled


class Strategy(Protocol):
    def __call__(self, candidates: Sequence[Candidate], ask: Ask, *, now: datetime) -> list[Recalled]:
        """Those of `candidates` that answer `ask`, each with its score; in no particular order."""
