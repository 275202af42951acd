"""What is written is understood, and nothing else is."""

import json

from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.message import MOST_CARRIED, VERSION, carried, understood, written

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
messages = st.dictionaries(st.text().filter(lambda name: name not in ("version", "size", "body")), values, max_size=5)


@given(messages)
def test_a_message_comes_back_as_it_was_on_one_line(message: dict[str, object]) -> None:
    line = written(message)
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    assert understood(line) == message


@given(messages, st.binary(min_size=1))
def test_what_a_message_carries_comes_back_byte_by_byte(message: dict[str, object], body: bytes) -> None:
    raw = written({**message, "body": body})
    line = raw[: raw.index(b"\n") + 1]
    assert carried(line) == len(body) and raw == line + body
    assert understood(raw) == {**message, "body": body}
    assert understood(raw[:-1]) is None and understood(raw + b"x") is None


def test_more_than_anybody_may_send_is_not_waited_for() -> None:
    assert carried(written({"size": MOST_CARRIED})) == MOST_CARRIED
    assert carried(written({"size": MOST_CARRIED + 1})) == carried(written({"size": -1})) == carried(b'"size"') == 0


@given(messages, st.data())
def test_half_a_message_is_none(message: dict[str, object], data: st.DataObject) -> None:
    line = written(message)
    assert understood(line[: data.draw(st.integers(0, len(line) - 1))]) is None


@given(st.binary())
def test_anything_else_is_none_and_never_an_error(raw: bytes) -> None:
    known = understood(raw)
    assert known is None or json.loads(raw)["version"] == VERSION


@given(messages, st.one_of(st.none(), st.text(), st.integers().filter(lambda number: number != VERSION)))
def test_another_version_is_none(message: dict[str, object], version: object) -> None:
    assert understood(json.dumps({**message, "version": version}).encode() + b"\n") is None


def test_nesting_that_no_reader_survives_is_none() -> None:
    assert understood(b"[" * 200_000 + b"\n") is None
    assert understood(b'{"version":1,"x":' + b"[" * 200_000 + b"]" * 200_000 + b"}\n") is None
