"""Whether a memory bears on a question at all: an agent that is told nothing is better off than one told noise.

The measure is the cosine, lifted by the share of the question's words that the memory holds, and lowered for long
requests and long memories: those say much, and resemble anything a little. `bench/tune.py` shows what each threshold
keeps and lets through.
"""

import math

from hindbrain.core.recall.fuse import crowd
from hindbrain.core.value import dataclass

LEAST = 0.3  # with meaning
LEAST_WORDS = 0.25  # share of words, where there is no vector to compare
_HELD = 0.3
_LONG = 12  # words of a request that count as usual
_LONGEST = 48
_LENGTH = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    value: float
    least: float

    @property
    def is_open(self) -> bool:
        return round(self.value, 9) >= self.least

    def __str__(self) -> str:
        verdict = "bears on it" if self.is_open else "too far off to tell an agent unasked"
        # Rounded up, one just under would read as the threshold itself.
        value = self.value if self.is_open else math.trunc(round(100 * self.value, 7)) / 100
        return f"{value:.2f}, {'at least' if self.is_open else 'under'} {self.least:g}: {verdict}"


def gate(similarity: float | None, *, held: int, asked: int, pieces: int = 1) -> Gate:
    """`held` of the `asked` words of the question stand in the memory, and the best of its `pieces` is so similar."""
    part = held / asked if asked else 0.0
    length = _LENGTH * math.log(max(1.0, min(asked, _LONGEST) / _LONG))
    if similarity is None:
        return Gate(value=part - length, least=LEAST_WORDS)
    return Gate(value=similarity - crowd(pieces) + _HELD * part - length, least=LEAST)
