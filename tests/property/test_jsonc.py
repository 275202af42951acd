"""What holds for every document that a person may have written: a change is a change of one thing."""

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hindbrain.core.setup import jsonc

KEYS = st.sampled_from(["a", "b", "hooks", "Stop", 'q"uote', "back\\slash", "// no comment", "ключ", "", "a,}"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**6), 10**6),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(["/* not one */", "// neither", "a, ]", '"', "\\", "x\ny", "]}"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)
BLANKS = st.sampled_from(
    ["", " ", "\n", "\n  ", "\t", "\r\n    ", " // said, } ]\n", "/* a, } */", "/***/", " /*\n * b\n */ "]
)


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, Any]:
    """A document in every style there is, and what it says."""
    content = draw(OBJECTS)
    with_commas = draw(st.booleans())
    start = draw(st.sampled_from(["", "\ufeff"])) + draw(BLANKS)
    return start + _written(content, draw, with_commas) + draw(BLANKS), content


def _written(content: Any, draw: st.DrawFn, with_commas: bool) -> str:
    if not isinstance(content, list | dict):
        return json.dumps(content, ensure_ascii=draw(st.booleans()))
    begin, end = "{}" if isinstance(content, dict) else "[]"
    parts = [draw(BLANKS) + _child(one, content, draw, with_commas) + draw(BLANKS) for one in content]
    tail = "," + draw(BLANKS) if with_commas and parts and draw(st.booleans()) else ""
    return begin + ",".join(parts) + (tail if parts else draw(BLANKS)) + end


def _child(one: Any, content: Any, draw: st.DrawFn, with_commas: bool) -> str:
    if isinstance(content, list):
        return _written(one, draw, with_commas)
    name = json.dumps(one, ensure_ascii=draw(st.booleans()))
    return f"{name}{draw(BLANKS)}:{draw(BLANKS)}{_written(content[one], draw, with_commas)}"


@given(documents())
def test_a_document_says_the_same_with_comments_and_without(document: tuple[str, Any]) -> None:
    text, content = document
    assert jsonc.value(text) == content


@given(documents(), KEYS, VALUES)
def test_what_is_put_is_there_and_the_rest_is_as_it_was(document: tuple[str, Any], key: str, new: Any) -> None:
    text, content = document
    assert jsonc.value(jsonc.put(text, (key,), content=new)) == {**content, key: new}


@given(documents(), KEYS, VALUES)
def test_a_new_key_touches_nothing_that_was_written(document: tuple[str, Any], key: str, new: Any) -> None:
    text, content = document
    assume(key not in content)
    made = jsonc.put(text, (key,), content=new)

    assert _is_within(text.rstrip(), made)


def _is_within(small: str, large: str) -> bool:
    """Whether every character but blanks is still there, in order."""
    rest = iter(large)
    return all(character in rest for character in small if not character.isspace())


@given(documents(), KEYS, VALUES)
def test_what_was_put_can_be_taken_out_again(document: tuple[str, Any], key: str, new: Any) -> None:
    text, content = document
    assume(key not in content)
    back = jsonc.cut(jsonc.put(text, (key,), content=new), (key,))

    assert jsonc.value(back) == content
    assert "".join(back.split()) == "".join(text.split())  # every letter, comma and comment but for blanks


@given(documents(), st.data())
def test_cutting_takes_one_thing_and_no_comment(document: tuple[str, Any], data: st.DataObject) -> None:
    text, content = document
    assume(content)
    key = data.draw(st.sampled_from(sorted(content)))
    left = jsonc.cut(text, (key,))

    assert jsonc.value(left) == {name: one for name, one in content.items() if name != key}


@given(documents(), KEYS, st.lists(VALUES, max_size=3), VALUES)
def test_an_index_beyond_the_end_appends(document: tuple[str, Any], key: str, items: list[Any], new: Any) -> None:
    text, content = document
    made = jsonc.put(jsonc.put(text, (key,), content=items), (key, len(items)), content=new)
    assert jsonc.value(made) == {**content, key: [*items, new]}
    assert jsonc.value(jsonc.cut(made, (key, len(items)))) == {**content, key: items}


@given(documents(), VALUES)
def test_missing_parents_are_made(document: tuple[str, Any], new: Any) -> None:
    text, content = document
    assert jsonc.value(jsonc.put(text, ("made", "below", 0), content=new)) == {**content, "made": {"below": [new]}}


@pytest.mark.parametrize("text", ["{,}", "{ /* none */ ,\n}", '{"a": [,]}', '{"a": ,}', '{"a": [1,,]}', "{,,}"])
def test_a_comma_behind_nothing_is_refused(text: str) -> None:
    """What was put behind it would be no document any more."""
    with pytest.raises(jsonc.NotJson):
        jsonc.put(text, ("b",), content=1)


@given(st.text(alphabet='{}[]",:/*\\\n ab1', max_size=40))
def test_any_text_is_a_document_or_refused_with_a_reason(text: str) -> None:
    try:
        jsonc.put(text, ("a",), content=1)
    except jsonc.NotJson as error:
        assert str(error)
    else:
        assert jsonc.value(jsonc.put(text, ("a",), content=1))["a"] == 1


@pytest.mark.parametrize(
    "text",
    ['"' + '\\"' * 500_000, "/*" * 500_000, "[" * 200_000, '{"a":' * 100_000, "," * 1_000_000, '{"a": 1' + " " * 10**6],
    ids=["quotes", "comments", "lists", "objects", "commas", "blanks"],
)
def test_hostile_documents_are_refused_at_once(text: str) -> None:
    with pytest.raises(jsonc.NotJson):
        jsonc.put(text, ("a",), content=1)
