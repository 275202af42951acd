"""Who may write next: a queue of processes in front of the database.

SQLite's busy handler is not a queue: it sleeps and tries again, so one of sixteen writers can wait for
seconds while another writes thousands of rows. Two file locks make one: whoever holds `next` is the only
one waiting for `turn`, so a writer that has just finished cannot take the turn again before it. The
kernel drops both when a process dies.
"""

import fcntl
import os
from _thread import allocate_lock, start_new_thread
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
        turn = self._free()
        if turn is None:
            turn = self._waited(timeout_s)
        try:
            yield
        finally:
            _release(turn)

    def _free(self) -> int | None:
        """The turn, if nobody has it and nobody waits for it."""
        queue = _opened(self._next)
        try:
            if not _is_locked(queue):
                return None
            turn = _opened(self._turn)
            if _is_locked(turn):
                return turn
            os.close(turn)
            return None
        finally:
            _release(queue)

    def _waited(self, timeout_s: float) -> int:
        """Wait in the kernel's queues for both, in a thread because flock knows no deadline.

        A thread that comes too late gives the turn back at once.
        """
        # A Thread would make this one wait until it runs: one switch more, with each write of each who queues.
        state, granted = allocate_lock(), allocate_lock()
        granted.acquire()
        outcome: list[int | OSError] = []
        is_late = False

        def wait() -> None:
            found = self._queued()
            with state:
                if is_late and isinstance(found, int):
                    _release(found)
                outcome.append(found)
                granted.release()

        start_new_thread(wait, ())
        granted.acquire(timeout=max(0.0, timeout_s))
        with state:
            is_late = not outcome
        if is_late:
            raise StoreLocked(
                f"{self._turn.rpartition('.')[0]} stayed locked by another process for {timeout_s:g}s",
                fix="try again; `hindbrain doctor` names the process that holds it",
            )
        if isinstance(outcome[0], OSError):
            raise outcome[0]
        return outcome[0]

    def _queued(self) -> int | OSError:
        """The turn, once it is ours."""
        try:
            queue = _opened(self._next)
            try:
                fcntl.flock(queue, fcntl.LOCK_EX)
                turn = _opened(self._turn)
                fcntl.flock(turn, fcntl.LOCK_EX)
                return turn
            finally:
                _release(queue)
        except OSError as error:
            return error

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


def _is_locked(handle: int) -> bool:
    """Whether the lock was free, and is ours now."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
