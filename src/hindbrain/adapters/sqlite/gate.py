"""Who may write next: a queue of processes in front of the database.

SQLite's busy handler is not a queue: it sleeps and tries again, so one of sixteen writers can wait for
seconds while another writes thousands of rows. Two file locks make one: whoever holds `next` is the only
one waiting for `turn`, so a writer that has just finished cannot take the turn again before it. The
kernel drops both when a process dies.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from hindbrain.errors import StoreLocked


class Gate:
    def __init__(self, database: str | os.PathLike[str]) -> None:
        self._next = f"{os.fspath(database)}.next"
        self._turn = f"{os.fspath(database)}.turn"

    @contextmanager
    def hold(self, timeout_s: float) -> Iterator[None]:
        """Be the only writer on this machine. StoreLocked after `timeout_s`; OSError when the folder is read-only."""
        deadline = time.monotonic() + timeout_s
        queue = _locked(self._next, deadline, timeout_s=timeout_s)
        try:
            turn = _locked(self._turn, deadline, timeout_s=timeout_s)
        finally:
            _release(queue)
        try:
            yield
        finally:
            _release(turn)

    def note(self, number: int) -> None:
        """Write down, beside the lock, how far the database has come. Only while holding the gate, after a commit that
        is on the disk: then a database that has not come so far has lost something."""
        handle = _opened(self._turn)
        try:
            os.pwrite(handle, f"{number:020d}\n".encode(), 0)
        finally:
            os.close(handle)

    def noted(self) -> int:
        """How far it had come when somebody last wrote; 0 when nobody knows."""
        try:
            handle = _opened(self._turn)
        except OSError:
            return 0
        try:
            told = os.pread(handle, 21, 0)
        finally:
            os.close(handle)
        return int(told) if len(told) == 21 and told.endswith(b"\n") and told[:-1].isdigit() else 0


def _opened(path: str) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _release(handle: int) -> None:
    """Unlocked before it is closed: a child that was forked meanwhile has the same lock open."""
    fcntl.flock(handle, fcntl.LOCK_UN)
    os.close(handle)


def _locked(path: str, deadline: float, *, timeout_s: float) -> int:
    handle = _opened(path)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        if not _wait(handle, deadline):
            raise StoreLocked(
                f"{path.rpartition('.')[0]} stayed locked by another process for {timeout_s:g}s",
                fix="try again; `hindbrain doctor` names the process that holds it",
            ) from None
    return handle


def _wait(handle: int, deadline: float) -> bool:
    """Wait in the kernel's queue for the lock, in a thread because flock knows no deadline.

    A thread that comes too late closes the handle, which gives the lock back at once.
    """
    import threading  # late: most writers find the gate open

    state = threading.Lock()
    outcome = {"is_late": False}
    granted = threading.Event()

    def wait() -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with state:
            if outcome["is_late"]:
                os.close(handle)
            else:
                granted.set()

    threading.Thread(target=wait, daemon=True).start()
    if granted.wait(max(0.0, deadline - time.monotonic())):
        return True
    with state:
        outcome["is_late"] = not granted.is_set()
    return not outcome["is_late"]
