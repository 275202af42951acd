"""From candidates to an answer: which memories come first, how many fit, and what they look like in a prompt."""

from hindbrain.core.recall.ask import Ask, Candidate, Ranked, Recalled
from hindbrain.core.recall.rank import STRATEGIES, rank

__all__ = ["STRATEGIES", "Ask", "Candidate", "Ranked", "Recalled", "rank"]
