"""What the value of an option may be. One that may not be is BadValue, with what may stand there instead."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from hindbrain.core.hints import Any, Protocol
from hindbrain.core.model.moment import end_of, read_stamp
from hindbrain.errors import BadValue


class Value(Protocol):
    name: str  # for help, where an option names no metavar

    def read(self, value: Any, *, of: str = "") -> Any:
        """What was written, as the command takes it; the same again when read again. `of` is the option's name."""


class OneOf:
    """A word from a short list, which may be one that takes time to load."""

    name = "choice"

    def __init__(self, noun: str, words: Sequence[str] | Callable[[], Sequence[str]]) -> None:
        self._noun, self._words = noun, words

    @property
    def words(self) -> Sequence[str]:
        return self._words() if callable(self._words) else self._words

    def read(self, value: Any, *, of: str = "") -> str:
        word = str(value).strip()
        if word not in self.words:
            raise BadValue(f"there is no {self._noun} {word!r}", fix=f"use one of: {', '.join(self.words)}")
        return word


class Whole:
    """A whole number between two others."""

    name = "integer"

    def __init__(self, low: int, high: int) -> None:
        self._low, self._high = low, high

    def read(self, value: Any, *, of: str = "") -> int:
        try:
            number = int(value)
        except ValueError:
            raise BadValue(f"{_named(of)}{value!r} is not a whole number", fix=self._fix()) from None
        if not self._low <= number <= self._high:
            raise BadValue(f"{_named(of)}{number} is not between {self._low} and {self._high}", fix=self._fix())
        return number

    def _fix(self) -> str:
        return f"give a whole number from {self._low} to {self._high}"


class Share:
    """A number from 0 to 1."""

    name = "0..1"

    def read(self, value: Any, *, of: str = "") -> float:
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0 <= number <= 1:
            raise BadValue(f"{_named(of)}{value} is not between 0 and 1", fix="give a number such as 0.7")
        return number


class Day:
    """A date or a time; a bare date as its first moment, or as its last one."""

    name = "date"

    def __init__(self, *, is_end: bool) -> None:
        self._read = end_of if is_end else read_stamp

    def read(self, value: Any, *, of: str = "") -> datetime:
        if isinstance(value, datetime):
            return value
        try:
            return self._read(value.strip())
        except (ValueError, OverflowError):
            fix = "write it as 2026-01-31 or 2026-01-31T09:30:00Z"
            raise BadValue(f"{_named(of)}{value!r} is not a date", fix=fix) from None


class Hours:
    """How long: a number with m, h or d behind it."""

    name = "duration"

    def read(self, value: Any, *, of: str = "") -> timedelta:
        if isinstance(value, timedelta):
            return value
        word = str(value).strip().lower()
        number, unit = word[:-1], _UNITS.get(word[-1:])
        try:
            found = timedelta(**{unit: float(number)}) if unit else timedelta(0)
        except (ValueError, OverflowError):
            found = timedelta(0)
        if found <= timedelta(0):
            raise BadValue(f"{_named(of)}{value!r} is no time", fix="write it as 90m, 24h or 7d")
        return found


_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def _named(option: str) -> str:
    return f"{option} " if option else ""
