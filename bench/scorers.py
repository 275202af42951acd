"""What the evaluation scripts call: one plain function for each of our decisions they measure."""

from functools import cache
from math import fsum
from operator import mul
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hindbrain.adapters.ai.minilm import MiniLm


def secret(text: str) -> bool:
    """Whether the door finds a secret in `text`."""
    from hindbrain.core.door import has_secret

    return has_secret(text)


def duplicate(a: str, b: str) -> float:
    """How alike two texts are worded, 0..1."""
    from hindbrain.core.same import likeness

    return likeness(a, b).score


def update(old: str, new: str) -> float:
    """How likely `new` takes back something that `old` says, 0..1."""
    from hindbrain.core.supersede import rule

    return rule(new, old).score


def relevance(query: str, memory: str) -> float:
    """How much `memory` bears on `query`, by the measure that decides whether an agent is told unasked."""
    from hindbrain.core.recall.cut import cut
    from hindbrain.core.recall.gate import gate
    from hindbrain.core.words import asked_terms, terms

    asked = frozenset(asked_terms(query))
    held = asked.intersection(terms(memory))
    pieces = [memory[span.start : span.end] for span in cut(memory)] or [memory]
    best = max(_similarity(query, piece) for piece in pieces)
    return gate(best, held=len(held), asked=len(asked), pieces=len(pieces)).value


def _similarity(query: str, piece: str) -> float:
    """The cosine of both."""
    return fsum(map(mul, point(query), point(piece)))


@cache
def point(text: str) -> tuple[float, ...]:
    """What the built-in model makes of a text."""
    return tuple(_model().embed([text])[0])


@cache
def _model() -> "MiniLm":
    from hindbrain.adapters.ai.minilm import MiniLm

    return MiniLm()
