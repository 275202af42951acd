"""Who may write next: a queue of processes in front of the database.

SQLite's busy handler is not a queue: it sleeps and tries again, so one of sixteen writers can wait for
seconds while another writes thousands of rows. Two file locks make one: whoever holds `next` is the only
one waiting for `turn`, so a writer that has just finished cannot take the turn again before it. The
kernel drops both when a process dies.
"""

import fcntl
import os
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from hindbrain.errors import StoreLocked


class Gate:
    def __init__(self, database: str | os.PathLike[str]) -> None:
        self._next = f"{os.fspath(database)}.next"
        self._turn = f"{os.fspath(database)}.turn"

    @contextmanager
    def hold(self, timeout_s: float, *, meanwhile: Callable[[], object] = lambda: None) -> Iterator[None]:
        """Be the only writer on this machine. StoreLocked after `timeout_s`; OSError when the folder is read-only.

        Who has to wait does `meanwhile` once it is next: of many who queue one writes, one prepares, and the others
        leave the processors to these two.
        """
        turn = self._free()
        if turn is None:
            turn = self._waited(timeout_s, meanwhile)
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

    def _waited(self, timeout_s: float, meanwhile: Callable[[], object]) -> int:
        end = monotonic() + timeout_s
        with _Place(self._next, self._turn) as place:
            if place.is_next(timeout_s):
                meanwhile()
            turn = place.turn(end - monotonic())
        if turn is None:
            raise StoreLocked(
                f"{self._turn.rpartition('.')[0]} stayed locked by another process for {timeout_s:g}s",
                fix="try again; `hindbrain doctor` names the process that holds it",
            )
        return turn

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


class _Place:
    """A place in the kernel's queues for both locks, kept by a thread because flock knows no deadline."""

    def __init__(self, next_: str, turn: str) -> None:
        self._next, self._turn = next_, turn
        self._state, self._front, self._end = allocate_lock(), allocate_lock(), allocate_lock()
        self._outcome: int | OSError | None = None
        self._is_left = False
        self._front.acquire()
        self._end.acquire()
        # A Thread would make this one wait until it runs: one switch more, with each write of each who queues.
        start_new_thread(self._wait, ())

    def is_next(self, timeout_s: float) -> bool:
        """Once nobody else waits for the turn, or it is sure that it cannot be waited for."""
        return self._front.acquire(timeout=max(0.0, timeout_s))

    def turn(self, timeout_s: float) -> int | None:
        """The lock; None when it was not ours in time, and will not be."""
        self._end.acquire(timeout=max(0.0, timeout_s))
        with self._state:
            outcome = self._outcome  # a turn that comes from now on is given back at once
            self._is_left = outcome is None
        if isinstance(outcome, OSError):
            raise outcome
        return outcome

    def __enter__(self) -> "_Place":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Where anything went wrong, or somebody wants us to end: give back what we have, or what we get."""
        if kind is None:
            return
        with self._state:
            self._is_left = True
            if isinstance(self._outcome, int):
                _release(self._outcome)

    def _wait(self) -> None:
        found = queue = _locked(self._next)
        self._front.release()
        if isinstance(queue, int):
            found = _locked(self._turn)
            _release(queue)
        with self._state:
            if self._is_left and isinstance(found, int):
                _release(found)
            else:
                self._outcome = found
            self._end.release()


def _opened(path: str) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _locked(path: str) -> int | OSError:
    """The lock, once it is ours."""
    handle = None
    try:
        handle = _opened(path)
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError as error:
        if handle is not None:
            os.close(handle)
        return error
    return handle


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
