"""How a process that lives too short for the model asks the worker, and when it does without.

Whatever goes wrong, no socket, one of a dead worker, no answer in time, half an answer, another version: all of it is
None. Of these only the deadline is told apart, because whoever has waited that long has no time for a model of its own
either; in all other cases the caller does what it would have done without a worker. Without a socket nothing is even
loaded.
"""

import os
import stat
import time
from collections.abc import Mapping

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.message import MOST_ANSWERED, MOST_ASKED, carried, understood, written

if TYPE_CHECKING:
    from socket import socket

_CHUNK = 65_536  # bytes


class RemoteWorker:
    """The worker behind a socket, whether there is one or not."""

    def __init__(self, path: str, *, deadline_s: float) -> None:
        self._path = path
        self._deadline_s = deadline_s
        self.is_late = False  # whether the last message was left at the deadline

    def ask(self, message: Mapping[str, object], *, deadline_s: float | None = None) -> dict[str, object] | None:
        """Its answer, whole and within the deadline; else None."""
        patience_s = self._deadline_s if deadline_s is None else deadline_s
        until = time.monotonic() + patience_s
        self.is_late = False
        line = written(message)
        if patience_s <= 0 or len(line) > MOST_ASKED or not _is_own_socket(self._path):
            return None
        import socket  # costs more than everything above, and most homes have no worker

        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
                link.settimeout(_left(until))
                link.connect(self._path)
                if not is_own(link):
                    return None
                link.sendall(line)
                answer = understood(received(link, until=until, limit=MOST_ANSWERED))
        except (TimeoutError, BlockingIOError):  # the second: so many wait already that the kernel takes no more
            self.is_late = True
            return None
        except OSError:
            return None
        return None if answer is None or "error" in answer else answer

    def poke(self) -> None:
        self.ask({"do": "poke"})


def received(link: "socket", *, until: float, limit: int) -> bytes:
    """One line, and what it carries; b"" when the line is longer than `limit`, half of it when the other side ends it.
    TimeoutError at `until`, however many bytes have dripped in by then."""
    parts: list[bytes] = []
    size, whole = 0, 0
    while not whole or size < whole:
        link.settimeout(_left(until))
        part = link.recv(_CHUNK)
        parts.append(part)
        end = part.find(b"\n") + 1 if not whole else 0
        if end:
            line = b"".join(parts)[: size + end]
            whole = len(line) + carried(line)
        size += len(part)
        if not part:
            break
        if not whole and size > limit:
            return b""
    return b"".join(parts)


def is_own(link: "socket") -> bool:
    """Whether a process of this user is at the other end. Where no kernel tells, the socket's mode has to do."""
    import socket
    import struct

    if not hasattr(socket, "SO_PEERCRED"):
        return True
    credentials = struct.Struct("3i")  # process, user, group
    told = link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, credentials.size)
    return bool(credentials.unpack(told)[1] == os.geteuid())


def _is_own_socket(path: str) -> bool:
    """In a folder that others may write to, somebody else could answer in the worker's name."""
    try:
        known = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISSOCK(known.st_mode) and known.st_uid == os.geteuid()


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
