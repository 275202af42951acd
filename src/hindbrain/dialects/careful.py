"""How far a foreign file may be broken and still be read: encodings, JSON, and one JSON value a line."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from hindbrain.core.value import dataclass

_BOM = "\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a JSONL file with what it holds; `fault` says why there is no value."""

    number: int  # 1-based
    value: Any = None
    fault: str = ""
    repair: str = ""  # what had to be put right


def text_of(content: bytes) -> tuple[str, str]:
    """The text, and what had to be put right in it ("": nothing)."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("utf-8", "replace").removeprefix(_BOM), "bytes that are no UTF-8 were replaced"
    return text.removeprefix(_BOM), ""


def json_of(text: str) -> tuple[Any, str]:
    """The value, and why there is none ("": there is one)."""
    try:
        return json.loads(text, parse_constant=_nothing), ""
    except RecursionError:
        return None, "nested too deep"
    except ValueError as error:  # also a number of thousands of digits
        return None, f"no JSON: {error}"


def _nothing(_: str) -> None:
    """NaN and the infinities are no JSON, and no memory's number either."""


def lines_of(content: bytes) -> Iterator[Line]:
    """Each line that is not blank. One that holds a value as a text is opened once more (seen in real files)."""
    text, repair = text_of(content)
    for number, line in enumerate(text.split("\n"), start=1):
        bare = line.strip()
        if not bare:
            continue
        value, fault = json_of(bare)
        fixed = repair if "\ufffd" in line else ""
        if not fault and isinstance(value, str):
            inner, inner_fault = json_of(value)
            if not inner_fault and isinstance(inner, dict):
                value, fixed = inner, "it was written as a text inside of a text"
        yield Line(number=number, value=value, fault=fault, repair=fixed)


def moment_of(value: object) -> datetime | None:
    """A time as files write it: ISO 8601 with or without a zone (then UTC), or seconds or milliseconds since 1970."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if abs(value) > _MILLISECONDS else value, UTC)
        if isinstance(value, str) and value.strip():
            bare = value.strip()
            if bare.lstrip("-").replace(".", "", 1).isdigit():
                return moment_of(float(bare))
            found = datetime.fromisoformat(bare)
            return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


_MILLISECONDS = 1e11  # as seconds the year 5138; as milliseconds 1973
