"""Whether a value out of JSON is what was asked for, and where it is not.

The part of JSON Schema that answers of models need: type, enum, const; properties, required, additionalProperties;
items, minItems, maxItems; minLength, maxLength; minimum, maximum. A word of the schema that is not known here is a
mistake of whoever wrote it, and said to be one: a check that silently does nothing is none.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from hindbrain.core.hints import Any

Schema = Mapping[str, Any]

_MOST = 5  # faults that are told: enough to put it right, too few to drown in


def faults(value: object, schema: Schema) -> tuple[str, ...]:
    """What is wrong with `value`, each with its place (`$.items[2].name`); none when it fits."""
    return tuple(islice(_faults(value, schema, place="$"), _MOST))


def _faults(value: Any, schema: Schema, *, place: str) -> Iterator[str]:
    if unknown := sorted(schema.keys() - _CHECKS.keys() - _SAYINGS):
        raise ValueError(f"no schema knows the word {unknown[0]!r}")
    if "type" in schema and not _is_of(value, schema["type"]):
        yield f"{place} must be {_named(schema['type'])}, not {_kind(value)}"
        return  # what else is said of it makes no sense
    for word, wanted in schema.items():
        if word in _CHECKS:
            yield from (f"{place}{fault}" for fault in _CHECKS[word](value, wanted))
    yield from _inner(value, schema, place=place)


def _inner(value: Any, schema: Schema, *, place: str) -> Iterator[str]:
    if isinstance(value, dict):
        known: Mapping[str, Schema] = schema.get("properties", {})
        for name, one in known.items():
            if name in value:
                yield from _faults(value[name], one, place=f"{place}.{name}")
        if schema.get("additionalProperties") is False:
            yield from (f"{place} has {name[:80]!r}, which nobody asked for" for name in value if name not in known)
    elif isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            yield from _faults(item, schema["items"], place=f"{place}[{number}]")


def _is_of(value: object, wanted: str | list[str] | tuple[str, ...]) -> bool:
    kinds = (wanted,) if isinstance(wanted, str) else wanted
    kind = _kind(value)
    whole = kind == "number" and isinstance(value, float) and value.is_integer()
    return kind in kinds or ("number" in kinds and kind == "integer") or ("integer" in kinds and whole)


def _kind(value: object) -> str:
    if value is None:
        return "null"
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return kinds.get(type(value), type(value).__name__)


def _named(wanted: str | list[str] | tuple[str, ...]) -> str:
    return wanted if isinstance(wanted, str) else " or ".join(wanted)


def _same(one: object, other: object) -> bool:
    """As JSON has it: true is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _enum(value: Any, wanted: Any) -> Iterator[str]:
    if not any(_same(value, one) for one in wanted):
        yield f" must be one of {', '.join(map(repr, wanted))}"


def _const(value: Any, wanted: Any) -> Iterator[str]:
    if not _same(value, wanted):
        yield f" must be {wanted!r}"


def _required(value: Any, wanted: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (f" lacks {name!r}" for name in wanted if name not in value)


def _sized(kind: type, *, is_most: bool, unit: str) -> Callable[[Any, Any], Iterator[str]]:
    def check(value: Any, wanted: Any) -> Iterator[str]:
        if isinstance(value, kind) and (len(value) > wanted if is_most else len(value) < wanted):  # type: ignore[arg-type]
            yield f" must have at {'most' if is_most else 'least'} {wanted} {unit}, not {len(value)}"  # type: ignore[arg-type]

    return check


def _bounded(*, is_most: bool) -> Callable[[Any, Any], Iterator[str]]:
    def check(value: Any, wanted: Any) -> Iterator[str]:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and (value > wanted if is_most else value < wanted):
            yield f" must be at {'most' if is_most else 'least'} {wanted}"

    return check


def _nothing(_value: Any, _wanted: Any) -> Iterator[str]:
    """Seen to elsewhere."""
    yield from ()


_CHECKS: Mapping[str, Callable[[Any, Any], Iterator[str]]] = {
    "enum": _enum,
    "const": _const,
    "required": _required,
    "minLength": _sized(str, is_most=False, unit="characters"),
    "maxLength": _sized(str, is_most=True, unit="characters"),
    "minItems": _sized(list, is_most=False, unit="items"),
    "maxItems": _sized(list, is_most=True, unit="items"),
    "minimum": _bounded(is_most=False),
    "maximum": _bounded(is_most=True),
    **dict.fromkeys(("type", "properties", "items", "additionalProperties"), _nothing),
}
_SAYINGS = {"title", "description", "$schema", "default", "examples"}  # for readers
