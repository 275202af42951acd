"""Which process is the worker of a home: the one that holds the lock on a file there, until it ends or dies.

It writes a number into the file every second. Who wants to be the worker, and sees that number stand still for several
seconds of his own, knows that the process is stopped: it neither works nor lets anybody else. Such a process is killed,
which nothing is lost by; the lock is free then, and so is the store, if it was stopped while it wrote. No clock is
compared with another, so neither a jump of the clock nor a lid that was closed looks like that.
"""

import contextlib
import fcntl
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hindbrain.adapters import locks
from hindbrain.errors import Locked, WorkerRunning

_TRIES, _PAUSE_S = 10, 0.02  # somebody who only looks holds the lock for a moment, too
_BEAT_S = 1.0
_STILL_S = 6.0  # without a beat: stopped
_FREED_S = 2.0  # until a lock of a killed process is free


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
            if not any(_is_taken(handle) for _ in range(_TRIES)) and not self._is_taken_over(handle):
                who = locks.holder(self._path) or f"process {_number(handle)}"
                raise WorkerRunning(
                    f"{who} is the worker of {self._path.parent}",
                    fix="it does what is due by itself; `hindbrain worker --status` tells how far it is",
                )
            with _beating(handle):
                yield
            fcntl.flock(handle, fcntl.LOCK_UN)  # a child that was forked meanwhile has it open as well
        finally:
            os.close(handle)

    def is_beating(self, within_s: float = _STILL_S) -> bool:
        """Whether the worker shows that it runs; False when there is none, or when it is stopped."""
        try:
            handle = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            first = _beat(handle)
            return _comes(lambda: _beat(handle) != first, within_s)
        finally:
            os.close(handle)

    def _is_taken_over(self, handle: int) -> bool:
        """Whether the worker was stopped, and has been ended. One of another container, or one that is so old that it
        does not beat, is left alone."""
        if not _beat(handle) or self.is_beating():
            return False
        pid = self.holder
        if not pid or not self.is_holder_sure:
            return False
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
        return _comes(lambda: _is_taken(handle), _FREED_S)

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
    """Of the process, as the holder wrote it down; 0 when it has not yet."""
    word = os.pread(handle, 40, 0).partition(b" ")[0].strip()
    return int(word) if word.isdigit() else 0


def _beat(handle: int) -> bytes:
    return os.pread(handle, 40, 0).partition(b" ")[2].strip()


@contextmanager
def _beating(handle: int) -> Iterator[None]:
    is_over = threading.Event()

    def beat(count: int) -> None:
        # Always as long, in place: a full disk has no room for more. Where it has none at all, nobody waits for beats.
        with contextlib.suppress(OSError):
            os.pwrite(handle, b"%-39s\n" % (b"%d %d" % (os.getpid(), count)), 0)

    def beat_on() -> None:
        count = 1
        while not is_over.wait(_BEAT_S):
            count += 1
            beat(count)

    beat(1)
    heart = threading.Thread(target=beat_on, name="beating", daemon=True)
    heart.start()
    try:
        yield
    finally:
        is_over.set()
        heart.join()


def _comes(is_so: Callable[[], bool], within_s: float) -> bool:
    until = time.monotonic() + within_s
    while not is_so():
        if time.monotonic() > until:
            return False
        time.sleep(_PAUSE_S)
    return True
