"""Which requests get in at all. Everything behind it, pages and mounted services too, is behind this door.

A page of any site can make a browser call a port of this machine. So a request must name this service exactly (or a
name that somebody points here would do), must not come from another origin, must bring a token, and must say that it
brings JSON, which a page cannot do without being asked first. RELIABILITY S5.
"""

import ipaddress
from collections.abc import Iterable, Mapping
from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hindbrain.core.value import dataclass
from hindbrain.entry.http.body import MOST_BYTES, Given, too_large, whole
from hindbrain.entry.http.caller import Caller, Doorman
from hindbrain.entry.http.problem import Refused, told

LOGIN = "/login"
_EVERY = ("0.0.0.0", "::", "[::]")  # addresses that stand for all of this machine's
_UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}  # unless an answer says otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where the service is, and under which names it may be called."""

    host: str
    port: int
    is_tls: bool = False
    names: tuple[str, ...] = ()  # beside those that follow from `host`

    @property
    def scheme(self) -> str:
        return "https" if self.is_tls else "http"

    @property
    def url(self) -> str:
        """As a caller can use it: nobody can call every address at once."""
        own = (*self.names, "127.0.0.1")[0] if self.host in _EVERY else self.host
        return f"{self.scheme}://{_bracketed(own)}:{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        """What a Host header may say."""
        wanted = {*_own(self.host, self.names), *map(_bracketed, self.names)}
        is_usual = self.port == (443 if self.is_tls else 80)  # then nobody says it
        return frozenset(f"{name}:{self.port}" for name in wanted) | (frozenset(wanted) if is_usual else frozenset())

    @property
    def origins(self) -> frozenset[str]:
        return frozenset(f"{self.scheme}://{host}" for host in self.hosts)


def _own(host: str, names: tuple[str, ...]) -> tuple[str, ...]:
    if host in _EVERY and names:
        return ()  # whoever names it means these
    return ("127.0.0.1", "localhost", "[::1]") if is_loopback(host) or host in _EVERY else (_bracketed(host),)


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _bracketed(host: str) -> str:
    return f"[{host.strip('[]')}]" if ":" in host else host


class Guard:
    """The outermost application."""

    def __init__(self, app: ASGIApp, *, address: Address, doorman: Doorman) -> None:
        self._app = app
        self._doorman = doorman
        self._hosts, self._origins = address.hosts, address.origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        guarded = partial(_dressed, send)
        try:
            caller = await self._admitted(scope)
            heard = Given(await whole(receive), receive) if scope["method"] in _UNSAFE else receive
        except Refused as refused:
            await told(refused, accept=Headers(scope=scope).get("accept", ""))(scope, receive, guarded)
            return
        scope.setdefault("state", {})["caller"] = caller
        await self._app(scope, heard, guarded)

    async def _admitted(self, scope: Scope) -> Caller | None:
        """The caller; None where the way in is."""
        headers = Headers(scope=scope)
        self._refuse_strangers(headers)
        if scope["path"] == LOGIN and scope["method"] in ("GET", "HEAD"):
            return None
        if len(headers.getlist("authorization")) > 1:
            raise _unknown()
        authorization, cookies = headers.get("authorization", ""), headers.get("cookie", "")
        caller = self._doorman.at_once(authorization, cookies)
        caller = caller or await run_in_threadpool(self._doorman.named, authorization)
        if caller is None:
            raise _unknown()
        if caller.is_browser and scope["method"] in _UNSAFE and not headers.get("origin"):
            raise Refused(403, "no_origin", "a browser's change must say where it comes from", fix="send Origin")
        _refuse_other_media(headers, method=scope["method"], may_be_form=_may_be_form(scope, caller))
        _refuse_large(headers)
        return caller

    def _refuse_strangers(self, headers: Headers) -> None:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            raise Refused(421, "wrong_host", "this service is not called that", fix="use the address that it printed")
        if len(origins) > 1 or any(origin.lower() not in self._origins for origin in origins):
            raise Refused(403, "wrong_origin", "pages of other origins may not call", fix="call without Origin")


def _may_be_form(scope: Scope, caller: Caller) -> bool:
    """Pages are for browsers, and a browser sends forms; it has shown its origin by then."""
    return caller.is_browser and not scope["path"].startswith("/api")


def _unknown() -> Refused:
    return Refused(
        401,
        "no_token",
        "this service answers only those who show a token",
        fix="send `Authorization: Bearer …` with what `hindbrain token` prints; `hindbrain hub` lets a browser in",
        headers={"www-authenticate": "Bearer"},
    )


def _refuse_other_media(headers: Headers, *, method: str, may_be_form: bool) -> None:
    """JSON only. Without a body there is nothing to be of a kind."""
    declared = headers.getlist("content-type")
    has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    if method not in _UNSAFE or not (declared or has_body):
        return
    kinds = {value.partition(";")[0].strip().lower() for value in declared} or {""}
    if kinds != {"application/json"} and not (may_be_form and kinds <= set(_FORMS)):
        raise Refused(415, "not_json", "only JSON is read here", fix="send `Content-Type: application/json`")


def _refuse_large(headers: Headers) -> None:
    told_bytes = headers.get("content-length", "0")
    if not told_bytes.isascii() or not told_bytes.isdigit():
        raise Refused(400, "bad_length", "Content-Length is no number", fix="send the number of bytes")
    if len(told_bytes) > 18 or int(told_bytes) > MOST_BYTES:
        raise too_large()


async def _dressed(send: Send, message: Message) -> None:
    if message["type"] == "http.response.start":
        headers = MutableHeaders(scope=message)
        for name, value in _missing(headers, _ALWAYS):
            headers[name] = value
    await send(message)


def _missing(headers: MutableHeaders, wanted: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    return [(name, value) for name, value in wanted.items() if name not in headers]
