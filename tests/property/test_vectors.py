"""Laws of what a vector loses when it is kept as bytes, and of which vectors fit."""

import math

from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.model import Space, Vector
from hindbrain.core.model.vector import misfit, quantised, restored

NUMBERS = st.floats(-1e3, 1e3, allow_nan=False, allow_subnormal=False)
VALUES = st.lists(NUMBERS, max_size=64)


@given(VALUES)
def test_no_number_moves_by_more_than_half_a_step(values: list[float]) -> None:
    code, scale = quantised(values)
    again = restored(code, scale)
    assert len(code) == len(again) == len(values) and scale > 0
    assert all(abs(a - b) <= scale * 0.500001 for a, b in zip(values, again, strict=True))


@given(VALUES)
def test_what_was_kept_as_bytes_once_stays_the_same(values: list[float]) -> None:
    code, scale = quantised(values)
    assert quantised(restored(code, scale))[0] == code


@given(st.integers(1, 64), st.integers(0, 64), st.floats())
def test_a_vector_fits_when_it_is_as_long_as_its_space_and_a_number(dimension: int, size: int, scale: float) -> None:
    space = Space(provider="p", model="m", version="1", dimension=dimension)
    vector = Vector(memory_id="mem-a", space=space, piece=0, start=0, end=1, digest="", code=bytes(size), scale=scale)
    assert (misfit(vector) == "") is (size == dimension and math.isfinite(scale))
