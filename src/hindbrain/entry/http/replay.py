"""What becomes of a write that is sent twice with one Idempotency-Key: the second gets the first one's answer."""

from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hindbrain.app.replies import claim, settle
from hindbrain.core.digest import sha256
from hindbrain.core.model.token import Reply
from hindbrain.core.value import replace
from hindbrain.entry.http.body import Given, whole
from hindbrain.entry.http.desk import Desk
from hindbrain.entry.http.problem import Refused, told
from hindbrain.errors import BadValue, HindbrainError

_UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
_LONGEST = 255  # characters of a key
_CARRIED = ("content-type", "etag", "location", "link")


class Replay:
    """Stands between the guard and the routes."""

    def __init__(self, app: ASGIApp, *, desk: Desk) -> None:
        self._app = app
        self._desk = desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = Headers(scope=scope).get("idempotency-key") if scope["type"] == "http" else None
        if key is None or scope["method"] not in _UNSAFE:
            await self._app(scope, receive, send)
            return
        try:
            body = await whole(receive)
            reply, is_known = await run_in_threadpool(partial(self._claimed, key, scope, body=body))
        except (Refused, HindbrainError) as refused:
            await told(refused)(scope, receive, send)
            return
        if is_known:
            await _again(reply)(scope, receive, send)
            return
        kept = _Kept()
        try:
            await self._app(scope, Given(body, receive), kept)
        finally:
            await run_in_threadpool(self._settle, reply, kept)
            await kept.send(send)

    def _claimed(self, key: str, scope: Scope, *, body: bytes) -> tuple[Reply, bool]:
        if not key.strip() or len(key) > _LONGEST:
            raise Refused(400, "bad_key", f"an Idempotency-Key has 1 to {_LONGEST} characters", fix="use a UUID")
        whole = "\0".join((scope["state"]["caller"].name, scope["method"], scope["path"], key))
        asked = scope.get("query_string", b"") + b"\0" + body
        try:
            return claim(sha256(whole.encode("utf-8", "replace")), sha256(asked), tools=self._desk.tools())
        except BadValue as error:
            raise Refused(422, "key_reused", error.what, fix=error.fix) from error

    def _settle(self, claim: Reply, kept: "_Kept") -> None:
        """What failed here may be tried again; everything else is the answer, for good."""
        is_final = kept.is_whole and kept.status < 500
        answered = replace(claim, status=kept.status, headers=kept.headers, body=kept.text) if is_final else claim
        settle(answered, tools=self._desk.tools())


def _again(reply: Reply) -> Response:
    headers = {**reply.headers, "idempotency-replayed": "true"}
    return Response(reply.body.encode(), status_code=reply.status, headers=headers)


class _Kept:
    """An answer that is held back until it is kept: whoever has it may ask for it again."""

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self.status = 0
        self.headers: dict[str, str] = {}
        self.is_whole = False

    async def __call__(self, message: Message) -> None:
        self._messages.append(message)
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = Headers(raw=message["headers"])
            self.headers = {name: headers[name] for name in _CARRIED if name in headers}
        elif message["type"] == "http.response.body":
            self.is_whole = not message.get("more_body")

    async def send(self, send: Send) -> None:
        for message in self._messages:
            await send(message)

    @property
    def text(self) -> str:
        return b"".join(message.get("body", b"") for message in self._messages).decode()
