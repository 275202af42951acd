"""Which vectors no store takes, and which points it does not look for."""

import math
from collections.abc import Sequence

from hindbrain.core.model import Space, Vector
from hindbrain.core.model.vector import misfit
from hindbrain.errors import BadValue

_FIX = "embed it again with the model of that space"


def refuse_misfits(vectors: Sequence[Vector]) -> None:
    """BadValue when one is not of its space, or when a memory has a piece twice."""
    seen = set()
    for vector in vectors:
        reason = misfit(vector)
        place = (vector.memory_id, vector.space, vector.piece)
        if place in seen:
            reason = "the same piece twice"
        if reason:
            raise BadValue(f"the vector of piece {vector.piece} of {vector.memory_id} has {reason}", fix=_FIX)
        seen.add(place)


def refuse_point(point: Sequence[float], space: Space) -> None:
    if len(point) != space.dimension:
        what = f"the point has {len(point)} numbers, and {space.name} has {space.dimension}"
        raise BadValue(what, fix=_FIX)
    if not math.isfinite(sum(point)):
        raise BadValue("the point has a number that is not finite", fix=_FIX)
