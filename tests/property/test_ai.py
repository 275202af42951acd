"""Laws of what is read from routing files and from models: any text is read in order or refused, nothing else."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hindbrain.adapters.ai.http import Response, Unreached
from hindbrain.adapters.ai.patience import LONGEST_S, Timing, persist
from hindbrain.adapters.ai.routing import parse
from hindbrain.core.schema import faults
from hindbrain.core.spoken import changed, spoken

from building import NOW  # isort: skip

NAMES = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=12)
PLAIN = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=20).filter(
    lambda text: text[0] not in "\"'[]{}&*!|>%@`-#"
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.text())
def test_any_text_is_a_routing_file_or_says_why_not(text: str) -> None:
    try:
        found = parse(text)
    except ValueError as error:
        assert str(error)
    else:
        assert all(entry.line >= 1 for entry in found.values())


@given(st.dictionaries(NAMES, st.dictionaries(NAMES, PLAIN, min_size=1, max_size=4), max_size=4), st.data())
def test_what_is_written_is_what_is_read(wanted: dict[str, dict[str, str]], data: st.DataObject) -> None:
    lines = []
    for use, options in wanted.items():
        lines.append(f"{use}:")
        for name, value in options.items():
            quote = data.draw(st.sampled_from(["", '"', "'"]))
            quote = "" if quote in value or "\\" in value else quote
            lines.append(f"  {name}: {quote}{value}{quote}{data.draw(st.sampled_from(['', '  # why']))}")
            lines.append(data.draw(st.sampled_from(["", "# a remark", "   "])))
    assert {use: dict(entry.options) for use, entry in parse("\n".join(lines)).items()} == wanted


def schema_of(value: Any) -> dict[str, Any]:
    """The narrowest schema that `value` fits."""
    match value:
        case dict():
            inner = {name: schema_of(one) for name, one in value.items()}
            return {"type": "object", "required": [*value], "properties": inner, "additionalProperties": False}
        case list():
            return {"type": "array", "maxItems": len(value), "minItems": len(value)}
        case str():
            return {"type": "string", "maxLength": len(value), "minLength": len(value)}
        case bool():
            return {"type": "boolean", "const": value}
        case None:
            return {"type": "null"}
    return {"type": "number", "minimum": value, "maximum": value, "enum": [value]}


@given(VALUES)
def test_a_value_fits_its_own_schema(value: Any) -> None:
    assert faults(value, schema_of(value)) == ()


@given(VALUES, VALUES)
def test_a_value_fits_the_schema_of_another_only_if_they_are_alike(value: Any, other: Any) -> None:
    if not faults(value, schema_of(other)):
        alike = (dict, list, str)
        kind = type(other)
        assert isinstance(value, kind if kind in alike else (int, float, bool, type(None)))
        assert kind not in alike or len(value) == len(other)


@given(VALUES)
def test_every_fault_names_its_place_and_there_are_few(value: Any) -> None:
    found = faults([value] * 9, {"type": "array", "items": {"enum": ["never that"], "type": "string"}})
    assert len(found) <= 5
    assert bool(found) == (value != "never that") and all(fault.startswith("$[") for fault in found)


def test_a_schema_with_an_unknown_word_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="requird"):
        faults({}, {"type": "object", "requird": ["x"]})


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (True, {"type": "integer"}),
        (True, {"enum": [1]}),
        (1.5, {"type": "integer"}),
        ("1", {"type": "number"}),
        (None, {"type": ["string", "number"]}),
        ({"a": 1, "b": 2}, {"properties": {"a": {}}, "additionalProperties": False}),
        ({"a": [1, "x"]}, {"properties": {"a": {"items": {"type": "integer"}}}}),
    ],
)
def test_near_misses_are_misses(value: Any, schema: dict[str, Any]) -> None:
    assert faults(value, schema)


@example("a ``` in a text", "```json\n{}\n```")
@given(VALUES, st.sampled_from(["{}", "```json\n{}\n```", "```\n{}\n```"]))
def test_json_is_found_in_every_wrapping(value: Any, wrapping: str) -> None:
    assert spoken(wrapping.replace("{}", json.dumps([value]))) == [value]


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_any_answer_is_json_or_a_value_error(text: str) -> None:
    with contextlib.suppress(ValueError):
        spoken(text)


@pytest.mark.parametrize("text", ["[" * 500_000, '{"a":' * 100_000, '[{"a":' * 65 + "1" + "}]" * 65, "1" * 100_000])
def test_an_answer_nested_beyond_reason_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        spoken(text)


@given(VALUES)
def test_no_text_of_a_value_is_left_out_of_a_change(value: Any) -> None:
    assert not any(letter.islower() for letter in _texts(changed(value, lambda _: "X")))


def _texts(value: Any) -> str:
    if isinstance(value, dict):
        return "".join(name + _texts(one) for name, one in value.items())
    if isinstance(value, list):
        return "".join(map(_texts, value))
    return value if isinstance(value, str) else ""


STATUSES = st.sampled_from([200, 301, 400, 401, 404, 408, 429, 500, 502, 503, 599, 0, -1])
WAITS = st.none() | st.integers(0, 10**12).map(str) | st.text(st.characters(codec="latin-1"), max_size=40)


@given(st.lists(st.tuples(STATUSES, WAITS), min_size=3, max_size=3), st.floats(0, 1))
def test_there_are_at_most_three_tries_and_no_pause_is_beyond_bearing(
    script: list[tuple[int, str | None]], random: float
) -> None:
    """0 stands for a connection that failed, -1 for an answer that nobody can read."""
    # HB-158, HB-159, X-22, Q-08
    pauses: list[float] = []
    left = list(script)

    def send() -> Response:
        status, wait = left.pop(0)
        if status <= 0:
            raise Unreached("no", is_passing=status == 0)
        return Response(status=status, headers={"retry-after": wait} if wait is not None else {}, body=b"")

    timing = Timing(sleep=pauses.append, now=lambda: NOW, random=lambda: random)
    outcome = persist(send, timing=timing)
    assert outcome.tries == 3 - len(left) == len(pauses) + 1
    assert all(1 <= pause <= LONGEST_S * 1.25 for pause in pauses)
    before = [status for status, _ in script[: outcome.tries - 1]]
    assert all(status == 0 or status == 429 or status >= 500 for status in before)
    last, _ = script[outcome.tries - 1]
    assert (outcome.response.status if outcome.response else None) == (last if last > 0 else None)
