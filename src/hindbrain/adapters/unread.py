"""What becomes of an answer when a row of it cannot be read: an error, or, where the asker said so, the others.

Loaded when it comes to that: nearly always all can be read.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from hindbrain.core.hints import Any, TypeVar
from hindbrain.errors import StoreDamaged

_T = TypeVar("_T")
_LEFT_OUT: ContextVar[list[str] | None] = ContextVar("left_out", default=None)


@contextmanager
def leaving_out() -> Iterator[list[str]]:
    """While it is open, rows that cannot be read are left out, and their keys are told here."""
    told: list[str] = []
    before = _LEFT_OUT.set(told)
    try:
        yield told
    finally:
        _LEFT_OUT.reset(before)


def readable(rows: Iterable[Any], read: Callable[[Any], _T], error: StoreDamaged) -> list[_T]:
    """Those that can be read, where the asker wants them; each row begins with its key. Else `error` is raised."""
    told = _LEFT_OUT.get()
    if told is None:
        raise error
    return list(_readable(rows, read, told=told))


def _readable(rows: Iterable[Any], read: Callable[[Any], _T], *, told: list[str]) -> Iterator[_T]:
    for row in rows:
        try:
            yield read(row)
        except StoreDamaged:
            told.append(str(row[0]))
