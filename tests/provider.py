"""A provider of models on loopback for tests: speaks HTTP for real, remembers what it was sent, fails as it is told."""

import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Act = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Does what stands next in the script; the last act goes on for ever."""

    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        self.close_connection = True
        with self.server.lock:
            self.server.seen.append({"path": self.path, "headers": dict(self.headers), "body": body.decode()})
            acts = self.server.acts
            act = acts.pop(0) if len(acts) > 1 else acts[0]
        self.sent = json.loads(body)
        try:
            act(self)
        except (BrokenPipeError, ConnectionResetError):
            return  # whoever asked has hung up, as it should

    def log_message(self, *_: object) -> None:
        """Tests say what matters."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Lock()
        self.acts: list[Act] = []
        self.seen: list[dict[str, Any]] = []
        self.over = threading.Event()

    @property
    def url(self) -> str:
        scheme = "https" if isinstance(self.socket, ssl.SSLSocket) else "http"
        return f"{scheme}://127.0.0.1:{self.server_address[1]}/v1"

    @property
    def bodies(self) -> str:
        return "\n".join(one["body"] for one in self.seen)


@contextmanager
def serving(*acts: Act, tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    """With `tls` it proves who it is, or tries to."""
    server = Server()
    server.acts = list(acts)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


def says(data: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Act:
    """Answers with JSON, or with bytes as they are."""
    body = data if isinstance(data, bytes) else json.dumps(data).encode()

    def act(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body))}.items():
            handler.send_header(name, value)
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return act


def chat(text: str) -> Act:
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    return says({"choices": [{"message": {"role": "assistant", "content": text}}], "usage": usage})


def message(text: str) -> Act:
    usage = {"input_tokens": 100, "output_tokens": 20}
    return says({"content": [{"type": "text", "text": text}], "usage": usage})


def vectors(dimension: int) -> Act:
    """A point for each text, the numbers from its letters, out of order as a server may send them."""

    def act(handler: Handler) -> None:
        texts = handler.sent["input"]
        rows = [{"index": n, "embedding": [float(len(t) + 1), *([1.0] * (dimension - 1))]} for n, t in enumerate(texts)]
        says({"data": rows[::-1], "usage": {"prompt_tokens": 7 * len(texts)}})(handler)

    return act


def hangs(handler: Handler) -> None:
    handler.server.over.wait(20)


def drips(handler: Handler) -> None:
    """A byte now and then, for ever."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not handler.server.over.wait(0.02):
        handler.wfile.write(b"z")
        handler.wfile.flush()


def drips_body(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while not handler.server.over.wait(0.02):
        handler.wfile.write(b" ")
        handler.wfile.flush()


def disconnects(handler: Handler) -> None:
    handler.connection.close()


def floods(handler: Handler) -> None:
    """Fifty megabytes, without saying so before."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    for _ in range(50):
        handler.wfile.write(b"x" * 1_000_000)
