"""How a hook asks the worker: the messages of `core.message`, written and read without loading JSON."""

import _socket
import posix
import sys
import time

VERSION = 1  # of `core.message`; a test holds the two together
_CHUNK = 65_536  # bytes
_OTHER = b'{"error":"another_store","version":%d}' % VERSION
_MOST = 4_000_000  # bytes of an answer
_SOCKET, _KIND = 0o140000, 0o170000  # of a file's mode


class Asked:
    """Who asks, about which store, when, and how long the answer is of any use."""

    __slots__ = ("at_ms", "client", "patience_s", "store")

    def __init__(self, *, client: str, at_ms: int, patience_s: float, store: bytes = b"") -> None:
        self.client = client
        self.store = store  # as the environment names it; empty: the home's own
        self.at_ms = at_ms
        self.patience_s = patience_s

    def written(self, payload: bytes) -> bytes:
        head = b'{"do":"hook","client":"%b","store":"%b","at":%d,"for_ms":%d,"size":%d,"version":%d}\n'
        numbers = (self.at_ms, int(self.patience_s * 1000), len(payload), VERSION)
        return head % (self.client.encode(), _hex(self.store), *numbers) + payload


def answered(place: str, payload: bytes, *, asked: Asked) -> bytes | None:
    """What to print, b"" for nothing; None when there is no worker of that store. TimeoutError when it takes too long,
    ValueError when it could not answer: then nobody else may either, it is still at it or its answer would be the
    same."""
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


def poked(place: str, *, store: bytes = b"") -> bool:
    """Tell the worker that there is something to do; whether there is one. One of another store makes room."""
    link = _linked(place)
    if link is None:
        return False
    try:
        link.settimeout(_POKE_S)
        link.sendall(b'{"do":"poke","store":"%b","version":%d}\n' % (_hex(store), VERSION))
    finally:
        link.close()
    return True


def _hex(store: bytes) -> bytes:
    """Whatever stands in it, it is a word of JSON."""
    return store.hex().encode()


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


def _body(link: "_socket.socket", until: float) -> bytes | None:
    """However many bytes drip in, not longer than that. None from the worker of another store."""
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
            if line == _OTHER:
                return None
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
