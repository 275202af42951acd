"""How the service lives: API and worker in one process, from a free port to a clean end."""

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from hindbrain.app.tools import Tools
from hindbrain.core.value import dataclass, replace
from hindbrain.entry.http.app import Service, build
from hindbrain.entry.http.desk import Desk
from hindbrain.entry.http.guard import Address, is_loopback
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


def serve(
    settings: Settings,
    wish: Wish,
    *,
    ready: Callable[[Address, Service], None],
    say: Callable[[str], None],
    more: Sequence[Route] = (),
    mounts: Mapping[str, ASGIApp] | None = None,
) -> None:
    """Serve until the process is told to end. `ready` hears the address once callers are heard."""
    refuse_open(wish)
    desk = Desk(settings)
    listening = _listening(wish)
    address = Address(host=wish.host, port=listening.getsockname()[1], is_tls=bool(wish.certificate), names=wish.names)
    server: list[_Server] = []
    service = build(desk, address, more=more, mounts=mounts, is_ending=lambda: server[0].should_exit)
    server.append(_Server(_config(service, wish), ready=lambda: ready(address, service)))
    try:
        with _signals(server[0]), _worker(desk, say=say) if wish.has_worker else _nothing():
            server[0].run(sockets=[listening])
    finally:
        listening.close()
        desk.close()


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
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
        listening.listen(_QUEUE)
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
        ws="none",
        ssl_certfile=wish.certificate or None,
        ssl_keyfile=wish.key or None,
    )


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, *, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if not self.should_exit:
            self._ready()


@contextmanager
def _signals(server: uvicorn.Server) -> Iterator[None]:
    """The server ends by itself on the signals that it knows, and raises them anew when it has: by then they have done
    what they were for. A terminal that goes away is one that it does not know."""

    def ended(*_: object) -> None:
        server.should_exit = True

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kinds = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(kind, ended) for kind in kinds]
    try:
        yield
    finally:
        for kind, handler in zip(kinds, before, strict=True):
            signal.signal(kind, handler)


@contextmanager
def _nothing() -> Iterator[None]:
    yield


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
