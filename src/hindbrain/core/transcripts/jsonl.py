"""How untrusted JSON is taken apart: every shape is possible, none raises, nothing recurses."""

import json
import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from hindbrain.core.hints import NamedTuple
from hindbrain.core.transcripts.utterance import Skipped

_OPENINGS = frozenset('{["-0123456789tfnNI')

Object = Mapping[str, object]


class Record(NamedTuple):
    line: int
    fields: Object


class Malformed(NamedTuple):
    """What stands for a value that is not JSON, or is nested deeper than any client writes."""


def parsed(source: str) -> object:
    if source.lstrip(" \t\r\n")[:1] not in _OPENINGS:
        return Malformed()  # a log of another kind has a million such lines; an exception for each is slow
    try:
        return json.loads(source)
    except (ValueError, RecursionError):
        return Malformed()


def values(source: str) -> Iterator[tuple[int, object]]:
    """The value of each line that is not blank, with its 1-based number."""
    for number, line in enumerate(source.removeprefix("\ufeff").split("\n"), start=1):
        if line and not line.isspace():
            yield number, parsed(line)


def records(source: str) -> Iterator[Record | Skipped]:
    """The object of each line, or why there is none."""
    for number, value in values(source):
        if isinstance(value, dict):
            yield Record(number, value)
        else:
            yield unreadable(number, value)


def unreadable(line: int, value: object) -> Skipped:
    return Skipped(line=line, reason="malformed_json" if isinstance(value, Malformed) else "not_an_object")


def text(fields: Object, *names: str) -> str:
    """The first of the named fields that is a string and not empty, else ""."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def mapping(fields: Object, name: str) -> Object:
    """The named field when it is an object, else an empty one."""
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def moment(value: object) -> datetime | None:
    """A time in ISO-8601, or in seconds or milliseconds since 1970; None for anything else."""
    try:
        if isinstance(value, str):
            read = datetime.fromisoformat(value)
            return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def strings(value: object) -> str:
    """Every string inside a value, in order, one per line."""
    found: list[str] = []
    waiting = [value]
    while waiting:
        current = waiting.pop()
        if isinstance(current, str):
            found.append(current)
        elif isinstance(current, dict):
            waiting.extend(reversed(list(current.values())))
        elif isinstance(current, list):
            waiting.extend(reversed(current))
    return "\n".join(found)


def is_told(source: str, words: str) -> bool:
    """Whether a record holds these words. Line by line: clients cut blanks at the ends, and split an answer as they
    like."""
    lines = filter(None, map(str.strip, words.split("\n")))
    return all(any(form in source for form in _forms(line)) for line in lines)


def _forms(line: str) -> Iterator[str]:
    """How a line of text may stand in a file."""
    yield json.dumps(line, ensure_ascii=False)[1:-1]
    yield json.dumps(line)[1:-1]
    yield line
