"""Laws of messages taken apart and put together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindbrain.adapters.ai.wire import fields, sized, text, whole

NUMBERS = st.integers(1, 1 << 20)
FIELDS = st.one_of(
    st.builds(whole, NUMBERS, st.integers(0, (1 << 63) - 1)),
    st.builds(lambda number, body: sized(number, [body]), NUMBERS, st.binary()),
    st.builds(text, NUMBERS, st.text()),
)


@given(st.lists(FIELDS))
def test_what_was_taken_apart_goes_together_again(parts: list[bytes]) -> None:
    assert [bytes(field.raw) for field in fields(memoryview(b"".join(parts)))] == parts


@given(NUMBERS, st.text())
def test_a_text_is_read_as_it_was_written(number: int, said: str) -> None:
    (field,) = fields(memoryview(text(number, said)))
    assert (field.number, str(field.body, "utf-8")) == (number, said)


@given(st.lists(FIELDS, min_size=1), st.data())
def test_a_message_cut_within_a_field_is_refused(parts: list[bytes], data: st.DataObject) -> None:
    last = len(parts[-1])
    message = b"".join(parts)[: -data.draw(st.integers(1, last - 1), label="bytes lost")]
    with pytest.raises(ValueError, match="ends within"):
        list(fields(memoryview(message)))


@given(st.binary())
def test_any_bytes_are_a_message_or_refused(message: bytes) -> None:
    try:
        found = list(fields(memoryview(message)))
    except ValueError:
        return
    assert b"".join(field.raw for field in found) == message


def test_numbers_of_fixed_width_are_passed_over() -> None:
    message = bytes([1 << 3 | 1]) + bytes(8) + bytes([2 << 3 | 5]) + bytes(4)
    assert [(field.number, len(field.body)) for field in fields(memoryview(message))] == [(1, 8), (2, 4)]
