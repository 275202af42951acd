"""How a scripted model is served: over HTTP, by threads of the test itself, on a socket that someone else bound.

Whoever bound the socket may live in a network of its own, with nothing but this socket in it; a turn can still be a
function of the test that runs, because the answers are made here.
"""

import contextlib
import json
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, cast

from clients.script import Script
from clients.wires import Json, is_stream, wire_of


@contextlib.contextmanager
def serving(script: Script, bound: socket.socket) -> Iterator[None]:
    """Answer every question that arrives at `bound` with the script's next turn."""
    server = _Server(script, bound)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a client that is gone may leave a connection open

    def __init__(self, script: Script, bound: socket.socket) -> None:
        super().__init__(("127.0.0.1", 0), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = bound
        self.script = script
        self.lock = Lock()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up in the middle of an answer is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing: what was asked is kept by the script."""

    def do_HEAD(self) -> None:
        self._json({})

    def do_GET(self) -> None:
        if "/models" in self.path:
            return self._json({"object": "list", "data": [], "models": []})
        return self._json({"error": {"message": "there is no such thing here"}}, status=404)

    def do_POST(self) -> None:
        raw = self._body()
        if "count_tokens" in self.path or ":countTokens" in self.path:
            return self._json({"input_tokens": len(raw) // 4 + 1, "totalTokens": len(raw) // 4 + 1})
        wire = wire_of(self.path)
        if wire is None:
            return self._json({"error": {"message": "there is no such thing here"}}, status=404)
        body: Json = json.loads(raw)
        server = cast(_Server, self.server)
        with server.lock:
            parts = server.script.answer(wire.read(self.path, body))
        if not is_stream(self.path, body):
            return self._json(wire.whole(body, parts))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, data in wire.stream(body, parts):
            lines = [f"event: {name}"] if name else []
            lines.append(f"data: {data if isinstance(data, str) else json.dumps(data)}")
            self.wfile.write(("\n".join(lines) + "\n\n").encode())
        self.close_connection = True
        return None

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        chunks = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _json(self, answer: Any, *, status: int = 200) -> None:
        raw = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)
