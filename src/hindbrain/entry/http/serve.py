"""How the service lives: API and worker in one process, from a free port to a clean end."""

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from hindbrain.app.tools import Tools
from hindbrain.core.value import dataclass, replace
from hindbrain.entry.http.app import Service, build
from hindbrain.entry.http.desk import Desk
from hindbrain.entry.http.guard import Address, is_loopback
from hindbrain.entry.http.guest import Guest
from hindbrain.entry.http.problem import answer
from hindbrain.entry.http.table import Route
from hindbrain.entry.worker import GONE, work
from hindbrain.errors import BadValue, HindbrainError, WorkerRunning
from hindbrain.settings import Settings, anew
from hindbrain.wiring import open_tools, worker_of

_GRACE_S = 5  # for answers that are under way when the service ends
_AGAIN_S = 5.0  # between two attempts to be the worker
_STOP_S = 2.0  # for the worker to hear that it is to end
_QUEUE = 512  # connections that may wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Where to listen, and how."""

    host: str = "127.0.0.1"
    port: int = 0  # 0: a free one
    certificate: str = ""
    key: str = ""
    is_insecure: bool = False  # beyond this machine without TLS
    names: tuple[str, ...] = ()  # under which callers reach it, beside `host`
    has_worker: bool = True


class Running:
    """One service, from its socket on. `run` lasts until the process is told to end, or `stop` is called."""

    def __init__(
        self,
        settings: Settings,
        wish: Wish,
        *,
        say: Callable[[str], None],
        more: Sequence[Route] = (),
        mounts: Mapping[str, ASGIApp] | None = None,
        guests: Mapping[str, Guest] | None = None,
    ) -> None:
        refuse_open(wish)
        self._wish, self._say = wish, say
        with ExitStack() as unwanted:
            self._listening = unwanted.enter_context(_listening(wish))
            self._desk = unwanted.enter_context(closing(Desk(settings)))
            port = self._listening.getsockname()[1]
            self.address = Address(host=wish.host, port=port, is_tls=bool(wish.certificate), names=wish.names)
            self.service = build(
                self._desk, self.address, more=more, mounts=mounts, guests=guests, is_ending=self._is_ending
            )
            self._server = uvicorn.Server(_config(self.service, wish))
            self._open = unwanted.pop_all()

    def run(self) -> None:
        """The socket takes callers already: what they ask before this is answered as soon as this runs."""
        worker = _worker(self._desk, say=self._say) if self._wish.has_worker else nullcontext()
        with self._open, _signals(self.stop), worker:
            self._server.run(sockets=[self._listening])

    def stop(self) -> None:
        self._server.should_exit = True

    def _is_ending(self) -> bool:
        return self._server.should_exit


def refuse_open(wish: Wish) -> None:
    """Beyond this machine a token must not travel in the clear, unless somebody says that it may."""
    if bool(wish.certificate) != bool(wish.key):
        raise BadValue("TLS needs a certificate and its key", fix="give both --tls-cert and --tls-key")
    if not (is_loopback(wish.host) or wish.certificate or wish.is_insecure):
        raise BadValue(
            f"{wish.host} can be reached from other machines, and tokens would travel in the clear",
            fix="give --tls-cert and --tls-key; or --insecure, where something else encrypts",
        )


def _listening(wish: Wish) -> socket.socket:
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(wish.host, wish.port, type=socket.SOCK_STREAM)[0]
        with ExitStack() as unwanted:
            listening = unwanted.enter_context(socket.socket(family, kind, protocol))
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(place)
            listening.listen(_QUEUE)
            unwanted.pop_all()
    except OSError as error:
        fix = "use another --port, or 0 for a free one"
        raise BadValue(f"{wish.host}:{wish.port} cannot be used: {error.strerror or error}", fix=fix) from error
    return listening


def _config(service: Service, wish: Wish) -> uvicorn.Config:
    return uvicorn.Config(
        service,
        log_config=None,
        access_log=False,  # addresses hold questions
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_S,
        lifespan="on",
        http=_Protocol,
        ws="none",
        ssl_certfile=wish.certificate or None,
        ssl_keyfile=wish.key or None,
    )


class _Protocol(H11Protocol):
    """What is not HTTP at all never reaches the service; it is told so in the same form as everything else."""

    def send_400_response(self, msg: str) -> None:
        problem = answer(400, "bad_request", what=msg, fix="send one valid HTTP/1.1 request")
        headers = [*problem.raw_headers, (b"connection", b"close")]
        for event in (
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(data=bytes(problem.body)),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


@contextmanager
def _signals(stop: Callable[[], None]) -> Iterator[None]:
    """The server ends by itself on the signals that it knows, and raises them anew when it has: by then they have done
    what they were for. A terminal that goes away is one that it does not know."""

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kinds = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(kind, lambda *_: stop()) for kind in kinds]
    try:
        yield
    finally:
        for kind, handler in zip(kinds, before, strict=True):
            signal.signal(kind, handler)


@contextmanager
def _worker(desk: Desk, *, say: Callable[[str], None]) -> Iterator[None]:
    """The worker of the home in a thread of this process, unless another process is it already."""
    ending = threading.Event()
    embedder, name = desk.tools().embedder, desk.settings.embedder

    def load() -> Settings:
        return replace(anew(desk.settings), worker_idle_s=0.0)  # it lives as long as the service

    def opened(settings: Settings) -> Tools:
        tools = open_tools(settings)
        return replace(tools, embedder=embedder) if settings.embedder == name else tools  # one model is enough

    def live() -> None:
        while not ending.is_set():
            try:
                if work(load, say=say, opened=opened) == GONE:
                    return
            except WorkerRunning:
                pass  # it does what this one would; when it ends, there is this one
            except HindbrainError as error:
                say(f"cannot work: {error.what}; {error.fix}")
            ending.wait(_AGAIN_S)

    thread = threading.Thread(target=live, name="worker")
    thread.start()
    try:
        yield
    finally:
        ending.set()
        while thread.is_alive():
            worker = worker_of(desk.settings)
            told = worker.ask({"do": "ping"}, deadline_s=_STOP_S)
            if told and _is_ours(told):
                worker.ask({"do": "stop"}, deadline_s=_STOP_S)
            thread.join(0.1)


def _is_ours(told: Mapping[str, object]) -> bool:
    return told.get("pid") == os.getpid()
