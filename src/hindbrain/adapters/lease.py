"""Which process is the worker of a home: the one that holds the lock on a file there, until it ends or dies."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hindbrain.adapters import locks
from hindbrain.errors import Locked, WorkerRunning

_TRIES, _PAUSE_S = 10, 0.02  # somebody who only looks holds the lock for a moment, too


@contextmanager
def alone(path: str) -> Iterator[None]:
    """Do something that must not happen twice at once. Locked names the process that is at it."""
    place = Path(path)
    try:
        with Lease(place).hold():
            yield
    except WorkerRunning:
        who = locks.holder(place) or "another process"
        raise Locked(f"locked: {who} holds {place.name}", fix="wait until it is done, then try again") from None


class Lease:
    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Be the worker. WorkerRunning names the process that is."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if not any(_is_taken(handle) for _ in range(_TRIES)):
                who = locks.holder(self._path) or f"process {_number(handle)}"
                raise WorkerRunning(
                    f"{who} is the worker of {self._path.parent}",
                    fix="it embeds what is due by itself; `hindbrain worker --status` tells how far it is",
                )
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
            yield
            fcntl.flock(handle, fcntl.LOCK_UN)  # a child that was forked meanwhile has it open as well
        finally:
            os.close(handle)

    @property
    def holder(self) -> int | None:
        """The number of the process that is the worker; None when nobody is."""
        try:
            handle = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _number(handle)
        else:
            return None
        finally:
            os.close(handle)

    @property
    def is_holder_sure(self) -> bool:
        """Whether the kernel names the same process: one of another container has its own numbers."""
        return not locks.TABLE.exists() or locks.holder(self._path).startswith(f"process {self.holder} ")


def _is_taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        time.sleep(_PAUSE_S)
        return False
    return True


def _number(handle: int) -> int:
    """That the holder wrote down; 0 when it has not yet."""
    text = os.pread(handle, 20, 0).strip()
    return int(text) if text.isdigit() else 0
