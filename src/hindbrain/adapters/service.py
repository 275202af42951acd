"""How the worker is reached: a Unix socket of this user alone, on which no caller can hold up the others for long."""

import contextlib
import os
import select
import socket
import stat
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hindbrain.adapters.worker import is_own, received
from hindbrain.core.message import MOST_ASKED
from hindbrain.errors import BadSettings

_AT_ONCE = 8  # calls that are answered at a time
_WAITING = 16  # calls that may wait for that; the next one is sent away, and does without
_CALL_S = 2.0  # to say one message, and again to take the answer

Answer = Callable[[bytes], bytes]  # a message for a message, each with what it carries; called in several threads


class Service:
    """Listens from the moment it is made. The caller holds the lease: nobody else listens here."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._listener = _listening(path)
        self._inode = path.lstat().st_ino
        self._bell, self._button = socket.socketpair()
        for end in (self._bell, self._button):
            end.setblocking(False)
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="call")
        self._room = threading.BoundedSemaphore(_AT_ONCE + _WAITING)

    @property
    def is_there(self) -> bool:
        """Whether callers still find it: somebody may have removed the home."""
        try:
            found = self._path.lstat()
        except OSError:
            return False
        return stat.S_ISSOCK(found.st_mode) and found.st_ino == self._inode

    def serve(self, answer: Answer, *, for_s: float) -> None:
        """Take a call, if one comes within that time. `wake` ends the waiting."""
        ready, _, _ = select.select([self._listener, self._bell], [], [], for_s)
        if self._bell in ready:
            self._bell.recv(64)
        if self._listener not in ready:
            return
        with contextlib.suppress(BlockingIOError, ConnectionError):  # it has hung up already
            link, _ = self._listener.accept()
            self._take(link, answer)

    def wake(self) -> None:
        """From any thread, or from a signal."""
        with contextlib.suppress(OSError):  # it rings already, or there is nobody left to wake
            self._button.send(b"!")

    def close(self) -> None:
        """Take no more calls; those that were taken are answered."""
        if self.is_there:
            self._path.unlink(missing_ok=True)
        self._listener.close()
        self._pool.shutdown()
        self._bell.close()
        self._button.close()

    def _take(self, link: socket.socket, answer: Answer) -> None:
        if self._room.acquire(blocking=False):
            self._pool.submit(self._call, link, answer)
        else:
            link.close()

    def _call(self, link: socket.socket, answer: Answer) -> None:
        try:
            with link, contextlib.suppress(OSError):  # whoever hangs up or dawdles wants no answer
                if not is_own(link):
                    return
                heard = received(link, until=time.monotonic() + _CALL_S, limit=MOST_ASKED)
                if heard:
                    said = answer(heard)
                    link.settimeout(_CALL_S)
                    link.sendall(said)
        finally:
            self._room.release()


def _listening(path: Path) -> socket.socket:
    folder = path.parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_uid not in (os.geteuid(), 0):
        fix = "remove it, or set XDG_RUNTIME_DIR to a folder of yours"
        raise BadSettings(f"{folder} belongs to another user", fix=fix)
    path.unlink(missing_ok=True)  # of a worker that was killed
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)  # from its first moment on it is for this user alone
    try:
        listener.bind(str(path))
        listener.listen(_AT_ONCE + _WAITING)
    except OSError:
        listener.close()
        raise
    finally:
        os.umask(mask)
    listener.setblocking(False)
    return listener
