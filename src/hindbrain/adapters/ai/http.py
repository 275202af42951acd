"""How one request goes over the network without trusting whoever answers.

All of it, from the name of the host to the last byte, ends at one deadline: a server that sends a byte a second is cut
off like one that sends none. An answer has a largest size. No redirect is followed, so a key never goes to another
host; proxies of the environment are not used. A name is looked up once and the address that was looked at is the one
that is called, so a name that changes its mind leads nowhere new.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import socket
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import SplitResult, urlsplit

from hindbrain.core.value import dataclass

MOST_BYTES = 4 * 1024 * 1024
_CHUNK = 64 * 1024
_CONNECT_S = 10.0


class Unreached(Exception):
    """There is no answer; `is_passing` when there may be one the next time, `fix` where there is a way to one."""

    def __init__(self, what: str, *, is_passing: bool = False, fix: str = "") -> None:
        super().__init__(what)
        self.is_passing = is_passing
        self.fix = fix


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    url: str
    body: bytes
    headers: Mapping[str, str]
    timeout_s: float  # for everything
    is_private_allowed: bool = False  # whether it may go to addresses of this machine and its networks
    proxy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    status: int
    headers: Mapping[str, str]  # names in small letters
    body: bytes


def post(request: Request) -> Response:
    """The answer, whatever its status. Unreached when there is none in time, or one beyond all measure."""
    exchange = _Exchange(request)
    pool = ThreadPoolExecutor(1, thread_name_prefix="hindbrain-http")
    try:
        return pool.submit(exchange.run).result(request.timeout_s)
    except TimeoutError:  # also a socket's: the same to whoever waits
        raise Unreached(f"no answer within {request.timeout_s:g}s", is_passing=True) from None
    except (OSError, http.client.HTTPException) as error:
        raise Unreached(f"the connection failed: {error or type(error).__name__}", is_passing=True) from error
    finally:
        exchange.cut()
        pool.shutdown(wait=False)


class _Exchange:
    """Runs in a thread of its own; another may cut it off."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._socket: socket.socket | None = None
        self._is_cut = False

    def run(self) -> Response:
        target = _split(self._request.url)
        connection = http.client.HTTPConnection(target.hostname or "", target.port)
        try:
            connection.sock = self._connected(target)
            connection.request("POST", self._path(target), body=self._request.body, headers=self._headers())
            with contextlib.closing(connection.getresponse()) as response:
                return self._read(response)
        finally:
            connection.close()

    def cut(self) -> None:
        """Ends whatever the thread is waiting for."""
        self._is_cut = True
        if self._socket is not None:
            with contextlib.suppress(OSError):  # it is closed already
                self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()

    def _connected(self, target: SplitResult) -> socket.socket:
        proxy = _split(self._request.proxy) if self._request.proxy else None
        self._socket = self._dialled(proxy or target)
        if self._is_cut:
            self._socket.close()
            raise OSError("cut off")
        if target.scheme == "https":
            if proxy:
                _tunnel(self._socket, target)
            self._secure(self._socket, target)
        return self._socket

    def _secure(self, dialled: socket.socket, target: SplitResult) -> None:
        """Nothing is sent to whoever cannot prove to be the host, and that is no matter of trying again."""
        import ssl

        # The handshake comes after, so that it can be cut off as well.
        context = ssl.create_default_context()
        wrapped = context.wrap_socket(dialled, server_hostname=target.hostname, do_handshake_on_connect=False)
        self._socket = wrapped
        try:
            wrapped.do_handshake()
        except ssl.SSLCertVerificationError as error:
            raise Unreached(
                f"the certificate of {target.hostname} is not trusted: {error.verify_message}",
                fix=(
                    f"if {target.hostname} is yours, let SSL_CERT_FILE name a file with the certificates that you "
                    "trust, its own among them; else correct base_url in routing.yaml"
                ),
            ) from error

    def _dialled(self, target: SplitResult) -> socket.socket:
        found = socket.getaddrinfo(target.hostname, _port(target), type=socket.SOCK_STREAM)
        trouble: OSError = OSError(f"{target.hostname} has no address")
        for family, kind, protocol, _, address in found:
            if not self._request.is_private_allowed and not _is_public(str(address[0])):
                raise Unreached(f"{target.hostname} leads to {address[0]}, which only routing.yaml may name")
            dialled = socket.socket(family, kind, protocol)
            dialled.settimeout(min(_CONNECT_S, self._request.timeout_s))
            try:
                dialled.connect(address)
            except OSError as error:
                dialled.close()
                trouble = error
            else:
                dialled.settimeout(self._request.timeout_s)
                return dialled
        raise trouble

    def _path(self, target: SplitResult) -> str:
        is_told_whole = self._request.proxy and target.scheme == "http"
        return self._request.url if is_told_whole else target.path + (f"?{target.query}" if target.query else "")

    def _headers(self) -> dict[str, str]:
        own = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        return {**own, "User-Agent": "hindbrain", "Connection": "close", **self._request.headers}

    def _read(self, response: http.client.HTTPResponse) -> Response:
        headers = {name.lower(): value for name, value in response.getheaders()}
        if headers.get("content-encoding", "identity") != "identity":
            raise Unreached("the answer is packed, though that was not asked for")
        told = headers.get("content-length", "")
        body = bytearray()
        while len(body) <= MOST_BYTES and not (told.isdecimal() and int(told[:20]) > MOST_BYTES):
            chunk = response.read(_CHUNK)
            if not chunk:
                return Response(status=response.status, headers=headers, body=bytes(body))
            body += chunk
        raise Unreached(f"the answer is larger than {MOST_BYTES:,} bytes")


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise Unreached(f"the address cannot be read: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or port == 0:
        raise Unreached("the address is not http(s)://host/path, without a user")
    return parts


def _port(target: SplitResult) -> int:
    return target.port or (443 if target.scheme == "https" else 80)


def _is_public(address: str) -> bool:
    known = ipaddress.ip_address(address.partition("%")[0])
    inner = getattr(known, "ipv4_mapped", None) or known
    return inner.is_global and not inner.is_multicast


def _tunnel(dialled: socket.socket, target: SplitResult) -> None:
    place = f"{target.hostname}:{_port(target)}"
    dialled.sendall(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode("ascii"))
    head = b""
    while b"\r\n\r\n" not in head and len(head) < _CHUNK:
        chunk = dialled.recv(1)  # nothing of what comes after it may be taken
        if not chunk:
            raise OSError("the proxy hung up")
        head += chunk
    if head.split(b" ", 2)[1:2] != [b"200"]:
        raise Unreached("the proxy refused")
