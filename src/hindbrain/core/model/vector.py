"""What a text means, as numbers: in which space they were made, from which piece of a memory, and how they are kept.

Numbers of two spaces say nothing about each other. A vector is kept as whole numbers from -127 to 127 and one
scale: a quarter of the room, and the order of neighbours stays.
"""

import math
from array import array
from collections.abc import Sequence

from hindbrain.core.value import dataclass

_STEPS = 127


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    provider: str  # who computes: `local`, `openai` …
    model: str
    version: str  # of the weights and of how they are run: a change of either makes another space
    dimension: int

    @property
    def name(self) -> str:
        return f"{self.provider}/{self.model}@{self.version}/{self.dimension}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector:
    """The meaning of one piece of a memory."""

    memory_id: str
    space: Space
    piece: int  # its number within the memory, from 0
    start: int  # characters of the memory's meaningful text that the piece covers
    end: int
    digest: str  # SHA-256 of all the text that the memory's pieces were cut from
    code: bytes  # one signed byte for each dimension
    scale: float  # a number of the vector is its byte times this


def quantised(values: Sequence[float]) -> tuple[bytes, float]:
    """`values` as signed bytes, and the scale that gives them back."""
    scale = max(map(abs, values), default=0.0) / _STEPS or 1.0
    return array("b", [round(value / scale) for value in values]).tobytes(), scale


def restored(code: bytes, scale: float) -> tuple[float, ...]:
    return tuple(step * scale for step in array("b", code))


def misfit(vector: Vector) -> str:
    """Why `vector` cannot be one of its space; "" when it can."""
    if len(vector.code) != vector.space.dimension:
        return f"{len(vector.code)} numbers, and {vector.space.name} has {vector.space.dimension}"
    return "" if math.isfinite(vector.scale) else f"the scale {vector.scale}"
