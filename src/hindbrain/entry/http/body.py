"""How much of a body is read before anybody looks at it, and how it can be read once more."""

from starlette.types import Message, Receive

from hindbrain.entry.http.problem import Refused

MOST_BYTES = 8 * 1024 * 1024


class Given:
    """A body that was read already, for whoever reads it again; then whatever else is received."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._messages = [{"type": "http.request", "body": body, "more_body": False}]
        self._receive = receive

    async def __call__(self) -> Message:
        return self._messages.pop() if self._messages else await self._receive()


async def whole(receive: Receive) -> bytes:
    """All of it, whatever was said about its length. Refused when it is too much."""
    parts: list[bytes] = []
    left = MOST_BYTES
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        left -= len(parts[-1])
        if left < 0:
            raise too_large()
        if message["type"] != "http.request" or not message.get("more_body"):
            return b"".join(parts)


def too_large() -> Refused:
    return Refused(413, "too_large", f"a body may have {MOST_BYTES:,} bytes", fix="send less at once")
