"""How an application of its own lives within the service: it begins and ends with it, and no answer outlasts it."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hindbrain.core.value import dataclass
from hindbrain.entry.http.desk import Visit
from hindbrain.entry.http.problem import Refused, told

_LOOK_S = 0.2  # between two looks at whether the service ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    """`running` lasts as long as the service; `app` finds who calls in the scope's state, as `visit`."""

    app: ASGIApp
    running: Callable[[], AbstractAsyncContextManager[object]]


@asynccontextmanager
async def welcome(guests: Iterable[Guest]) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for guest in guests:
            await stack.enter_async_context(guest.running())
        yield


class Lodging:
    """Ends what the guest still answers when the service ends: its streams know nothing of that."""

    def __init__(self, guest: Guest, *, is_ending: Callable[[], bool]) -> None:
        self._app, self._is_ending = guest.app, is_ending

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"]["visit"] = Visit(caller=scope["state"]["caller"], desk=scope["app"].state.desk)
        answer = _Answer(send)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._cut, tasks.cancel_scope)
            await self._app(scope, receive, answer)
            tasks.cancel_scope.cancel()
        if not answer.is_begun:
            refused = Refused(503, "ending", "the service ends", fix="ask again when it is back")
            await told(refused)(scope, receive, send)
        elif answer.is_open:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _cut(self, scope: anyio.CancelScope) -> None:
        while not self._is_ending():
            await anyio.sleep(_LOOK_S)
        scope.cancel()


class _Answer:
    """What was sent so far."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.is_begun = self.is_open = False

    async def __call__(self, message: Message) -> None:
        await self._send(message)
        self.is_begun = True
        self.is_open = message["type"] == "http.response.start" or bool(message.get("more_body"))
