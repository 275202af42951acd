"""A line to a server that breaks at the worst moment: when a commit was sent, and nobody knows whether it arrived."""

import contextlib
import socket
import threading


class Proxy:
    """Passes bytes on. While `cut` is set, the next commit is the last that is heard on that connection: with "after"
    the server gets it and its answer is lost, with "before" it does not even arrive."""

    def __init__(self, port: int) -> None:
        self._server = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.cut = ""
        self.cuts = 0
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        for one in (self._listening, *self._open):
            one.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(("127.0.0.1", self._server))
                self._open += [client, server]
                threading.Thread(target=self._up, args=(client, server), daemon=True).start()
                threading.Thread(target=self._down, args=(server, client), daemon=True).start()

    def _up(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                if self.cut and b"COMMIT" in data:
                    self._break(client, server, data=data)
                    return
                server.sendall(data)
        _end(client, server)

    def _break(self, client: socket.socket, server: socket.socket, *, data: bytes) -> None:
        how, self.cut = self.cut, ""
        self.cuts += 1
        _end(client)  # first, so that no answer can get through
        if how == "after":
            server.sendall(data)
            with contextlib.suppress(OSError):
                server.shutdown(socket.SHUT_WR)  # the server reads the commit, then the end
        else:
            _end(server)

    def _down(self, server: socket.socket, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                client.sendall(data)
        _end(client, server)


def _end(*sockets: socket.socket) -> None:
    for one in sockets:
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
