"""How a value lies in its row: one JSON text, read back by the types of its fields.

A field that a row does not have yet takes its default, so that a new field needs no new column.
"""

import types
import typing
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from typing import Any, TypeVar

from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.core.notation import read, write
from hindbrain.core.value import names_of

T = TypeVar("T")
_NUL = {0: 0xFDD0}  # PostgreSQL has no U+0000 in text; this stands for no character either


def written(value: object, *, without: tuple[str, ...] = ()) -> str:
    """`value` as JSON text. Fields of `without` stand in columns of their own."""
    return write({name: _plain(getattr(value, name)) for name in names_of(value) if name not in without})


def read_as(kind: type[T], text: str, **more: Any) -> T:
    """The value that `written` wrote. ValueError, KeyError or TypeError when it is none."""
    return _made(kind, read(text), more=more)


def column(text: str | None) -> str | None:
    """A text to be asked by, as a column takes it."""
    return text.translate(_NUL) if text and "\0" in text else text


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return stamp(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    names = names_of(value)
    return {name: _plain(getattr(value, name)) for name in names} if names else value


def _made(kind: type[T], record: Mapping[str, Any], *, more: Mapping[str, Any]) -> T:
    known: Any = kind
    readers = _readers(known)
    return kind(**{name: readers[name](raw) for name, raw in record.items() if name in readers}, **more)


@cache
def _readers(kind: Any) -> Mapping[str, Callable[[Any], Any]]:
    return {name: _reader(hint) for name, hint in typing.get_type_hints(kind).items()}


def _reader(hint: Any) -> Callable[[Any], Any]:
    if isinstance(hint, types.UnionType):  # with None: no field here may be of two kinds
        known = _reader(next(one for one in typing.get_args(hint) if one is not type(None)))
        return lambda raw: None if raw is None else known(raw)
    if typing.get_origin(hint) is tuple:
        each = _reader(typing.get_args(hint)[0])
        return lambda raw: tuple(each(one) for one in raw)
    plain: dict[Any, Callable[[Any], Any]] = {datetime: read_stamp, bytes: bytes.fromhex}
    return plain.get(hint) or _reader_of_class(hint)


def _reader_of_class(hint: Any) -> Callable[[Any], Any]:
    if not isinstance(hint, type) or hint is str:
        return lambda raw: raw
    if "__dataclass_fields__" in hint.__dict__:
        return lambda raw: _made(hint, raw, more={})
    return hint if issubclass(hint, str) else lambda raw: raw
