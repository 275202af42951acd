"""How a hook asks the worker: the messages of `core.message`, written and read without loading JSON."""

import _socket
import posix
import sys
import time

VERSION = 1  # of `core.message`; a test holds the two together
_CHUNK = 65_536  # bytes
_MOST = 4_000_000  # bytes of an answer
_SOCKET, _KIND = 0o140000, 0o170000  # of a file's mode


class Asked:
    """Who asks, when, and how long the answer is of any use."""

    __slots__ = ("at_ms", "client", "patience_s")

    def __init__(self, *, client: str, at_ms: int, patience_s: float) -> None:
        self.client = client
        self.at_ms = at_ms
        self.patience_s = patience_s

    def written(self, payload: bytes) -> bytes:
        head = b'{"do":"hook","client":"%b","at":%d,"for_ms":%d,"size":%d,"version":%d}\n'
        numbers = (self.at_ms, int(self.patience_s * 1000), len(payload), VERSION)
        return head % (self.client.encode(), *numbers) + payload


def answered(place: str, payload: bytes, *, asked: Asked) -> bytes | None:
    """What to print, b"" for nothing; None when there is no worker. TimeoutError when it takes too long, ValueError
    when it could not answer: then nobody else may either, it is still at it or its answer would be the same."""
    link = _linked(place)
    if link is None:
        return None
    until = time.monotonic() + asked.patience_s
    try:
        link.settimeout(asked.patience_s)
        link.sendall(asked.written(payload))
        return _body(link, until)
    finally:
        link.close()


def poked(place: str) -> bool:
    """Tell the worker that there is something to do; whether there is one."""
    link = _linked(place)
    if link is None:
        return False
    try:
        link.settimeout(_POKE_S)
        link.sendall(b'{"do":"poke","version":%d}\n' % VERSION)
    finally:
        link.close()
    return True


_POKE_S = 0.1


def _linked(place: str) -> "_socket.socket | None":
    """In a folder that others may write to, somebody else could answer in the worker's name."""
    try:
        known = posix.lstat(place)
    except OSError:
        return None
    if known.st_mode & _KIND != _SOCKET or known.st_uid != posix.geteuid():
        return None
    link = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    link.settimeout(_POKE_S)
    try:
        link.connect(place)
        is_own = _is_own(link)
    except (ConnectionRefusedError, FileNotFoundError):  # of a worker that was killed, or is about to end
        is_own = False
    if not is_own:
        link.close()
    return link if is_own else None


def _is_own(link: "_socket.socket") -> bool:
    if not hasattr(_socket, "SO_PEERCRED"):
        return True
    told = link.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)  # process, user, group
    return int.from_bytes(told[4:8], sys.byteorder) == posix.geteuid()


def _body(link: "_socket.socket", until: float) -> bytes:
    """However many bytes drip in, not longer than that."""
    got, size = b"", -1
    while size < 0 or len(got) < size:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError("no whole answer in time")
        link.settimeout(left)
        part = link.recv(_CHUNK)
        if not part:
            raise ValueError("half an answer")
        got += part
        if size < 0 and b"\n" in got:
            line, _, got = got.partition(b"\n")
            size = _size(line)
    return got


def _size(line: bytes) -> int:
    """Of what comes after the line; 0 for an answer that says nothing."""
    head, tail = b'{"size":', b',"version":%d}' % VERSION
    if line == b"{%b" % tail[1:]:
        return 0
    digits = line.removeprefix(head).removesuffix(tail)
    if line != head + digits + tail or not digits.isdigit() or int(digits) > _MOST:
        raise ValueError(f"the worker answers {line[:100]!r}")
    return int(digits)
