"""A pooler between a program and its PostgreSQL, in transaction mode: no two transactions need meet the same session.

Speaks as much of the protocol as that takes: it reads the length and kind of every message, and nothing of what is in
them. Sessions are lent in turn, so that whoever relies on what was said in the transaction before is found out.
"""

import contextlib
import queue
import select
import socket
import struct
import threading

_SSL, _GSS = 80877103, 80877104  # asked for before anything else


class Pooler:
    def __init__(self, port: int, *, sessions: int = 2) -> None:
        self._server, self._sessions = port, sessions
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.lent = 0  # transactions
        self._free: queue.Queue[socket.socket] = queue.Queue()
        self._greeting = b""
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        for one in (self._listening, *self._open):
            one.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                _prompt(client)
                self._open.append(client)
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError, EOFError):
            startup = _startup(client)
            with self._lock:
                if not self._greeting:
                    self._fill(startup)
            client.sendall(self._greeting)
            while True:
                first = _message(client)
                if first[:1] == b"X":
                    break
                server = self._free.get()
                self.lent += 1
                try:
                    _transaction(client, server, first)
                finally:
                    self._free.put(server)
        client.close()

    def _fill(self, startup: bytes) -> None:
        for _ in range(self._sessions):
            server = socket.create_connection(("127.0.0.1", self._server))
            _prompt(server)
            server.sendall(startup)
            said = b""
            while not said.endswith(b"Z\0\0\0\5I"):
                said += _message(server)
            self._greeting = said
            self._open.append(server)
            self._free.put(server)


def _prompt(link: socket.socket) -> None:
    """Small messages must not wait for more."""
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _startup(client: socket.socket) -> bytes:
    while True:
        size = _exactly(client, 4)
        rest = _exactly(client, struct.unpack("!i", size)[0] - 4)
        if struct.unpack("!i", rest[:4])[0] not in (_SSL, _GSS):
            return size + rest
        client.sendall(b"N")


def _transaction(client: socket.socket, server: socket.socket, first: bytes) -> None:
    """Pass messages on until the server has answered all of them and stands outside of any transaction."""
    waiting = _asks(first)
    server.sendall(first)
    heard = b""  # what the server has said of a message so far: it may keep the rest until it is asked on
    while True:
        ready, _, _ = select.select([client, server], [], [])
        if client in ready:
            asked = _message(client)
            waiting += _asks(asked)
            server.sendall(asked)
        if server in ready:
            part = server.recv(65_536)
            if not part:
                raise EOFError
            heard += part
            while (said := _whole(heard)) is not None:
                heard = heard[len(said) :]
                client.sendall(said)
                waiting -= said[:1] == b"Z"
                if said[:1] == b"Z" and said[-1:] == b"I" and not waiting:
                    return


def _asks(message: bytes) -> int:
    """Whether the server will say that it is ready once it has done this."""
    return int(message[:1] in (b"Q", b"S"))


def _whole(heard: bytes) -> bytes | None:
    """The message that `heard` begins with; None when it is not all there."""
    if len(heard) < 5:
        return None
    size = 1 + int(struct.unpack("!i", heard[1:5])[0])
    return heard[:size] if len(heard) >= size else None


def _message(link: socket.socket) -> bytes:
    head = _exactly(link, 5)
    return head + _exactly(link, struct.unpack("!i", head[1:])[0] - 4)


def _exactly(link: socket.socket, count: int) -> bytes:
    got = b""
    while len(got) < count:
        part = link.recv(count - len(got))
        if not part:
            raise EOFError
        got += part
    return got
