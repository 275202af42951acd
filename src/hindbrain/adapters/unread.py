"""What becomes of an answer when a row of it is damaged: an error, or, where the asker said so, the others.

Loaded when it comes to that: nearly always all can be read.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from hindbrain.core.hints import Any, TypeVar
from hindbrain.errors import StoreDamaged

_T = TypeVar("_T")
_LEFT_OUT: ContextVar[list[str] | None] = ContextVar("left_out", default=None)
_IS_PROVEN: ContextVar[bool] = ContextVar("is_proven", default=False)


@contextmanager
def leaving_out(*, is_proven: bool) -> Iterator[list[str]]:
    """While it is open, rows that cannot be read are left out, and their keys are told here. If all is to be proven, so
    are those that are not as they were written."""
    told: list[str] = []
    before, was_proven = _LEFT_OUT.set(told), _IS_PROVEN.set(is_proven)
    try:
        yield told
    finally:
        _LEFT_OUT.reset(before)
        _IS_PROVEN.reset(was_proven)


def must_prove() -> bool:
    """Whether whoever reads now has asked for what is as it was written, and nothing else."""
    return _IS_PROVEN.get()


def readable(rows: Iterable[Any], read: Callable[[Any], _T], *, error: StoreDamaged) -> list[_T]:
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
