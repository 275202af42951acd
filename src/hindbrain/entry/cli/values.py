"""What the value of an option may be. One that may not be is BadValue, with what may stand there instead."""

from collections.abc import Sequence
from datetime import datetime

import click

from hindbrain.core.hints import TYPE_CHECKING, Any
from hindbrain.core.model.moment import end_of, read_stamp
from hindbrain.errors import BadValue

if TYPE_CHECKING:
    _Choice = click.Choice[str]
    _Whole = click.ParamType[int]
    _Share = click.ParamType[float]
    _Moment = click.ParamType[datetime]
else:  # click took no type parameters before 8.4
    _Choice, _Whole, _Share, _Moment = click.Choice, click.ParamType, click.ParamType, click.ParamType


class OneOf(_Choice):
    """A word from a short list."""

    def __init__(self, noun: str, words: Sequence[str]) -> None:
        super().__init__(list(words))
        self.noun = noun

    def convert(self, value: Any, *_: Any) -> str:
        word = str(value).strip()
        if word not in self.choices:
            raise BadValue(f"there is no {self.noun} {word!r}", fix=f"use one of: {', '.join(self.choices)}")
        return word


class Whole(_Whole):
    """A whole number between two others."""

    name = "integer"

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high

    def convert(self, value: Any, *called: Any) -> int:
        try:
            number = int(value)
        except ValueError:
            raise BadValue(f"{_named(called)}{value!r} is not a whole number", fix=self._fix()) from None
        if not self.low <= number <= self.high:
            raise BadValue(f"{_named(called)}{number} is not between {self.low} and {self.high}", fix=self._fix())
        return number

    def _fix(self) -> str:
        return f"give a whole number from {self.low} to {self.high}"


class Share(_Share):
    """A number from 0 to 1."""

    name = "0..1"

    def convert(self, value: Any, *called: Any) -> float:
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0 <= number <= 1:
            raise BadValue(f"{_named(called)}{value} is not between 0 and 1", fix="give a number such as 0.7")
        return number


class Day(_Moment):
    """A date or a time; a bare date as its first moment, or as its last one."""

    name = "date"

    def __init__(self, *, is_end: bool) -> None:
        self._read = end_of if is_end else read_stamp

    def convert(self, value: Any, *called: Any) -> datetime:
        if isinstance(value, datetime):
            return value
        try:
            return self._read(value.strip())
        except (ValueError, OverflowError):
            fix = "write it as 2026-01-31 or 2026-01-31T09:30:00Z"
            raise BadValue(f"{_named(called)}{value!r} is not a date", fix=fix) from None


def _named(called: tuple[Any, ...]) -> str:
    """`--limit `: click passes the option after the value, and then the context."""
    return f"{called[0].opts[0]} " if called and called[0] else ""
