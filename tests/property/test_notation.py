"""Laws of our notation: it is `json`'s, value for value and letter for letter."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.model import Kind
from hindbrain.core.notation import read, write

texts = st.text() | st.text(alphabet='ab"\\,[]{}:\n\t\x00\x7f\u2028é漢\ud800', max_size=8)
plain = st.none() | st.booleans() | st.integers() | st.floats() | texts
keys = texts | st.integers() | st.booleans() | st.none()
values = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4) | st.tuples(inner, inner),
    max_leaves=12,
)


@given(values)
def test_values_are_written_as_json_writes_them(value: Any) -> None:
    assert write(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@given(st.recursive(plain, lambda inner: st.dictionaries(texts, inner, max_size=4), max_leaves=12))
def test_sorted_values_are_written_as_json_writes_them(value: Any) -> None:
    expected = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    assert write(value, is_sorted=True) == expected


@given(values | st.lists(texts), st.sampled_from([(",", ":"), (", ", ": ")]), st.booleans())
def test_what_json_writes_is_read_as_json_reads_it(value: Any, separators: tuple[str, str], is_ascii: bool) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii, separators=separators)
    assert repr(read(text)) == repr(json.loads(text))


@given(st.text(alphabet='[]"a,\\ \n{}', max_size=10))
def test_a_text_that_is_no_json_is_refused_as_json_refuses_it(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError):
            read(text)
    else:
        assert read(text) == expected


def test_words_of_a_closed_set_are_written_as_words_and_strange_things_not_at_all() -> None:
    assert write([Kind.LESSON]) == '["lesson"]'
    with pytest.raises(TypeError):
        write({"set": {1, 2}})
