"""The feed of what happens, as server-sent events: a follower that comes back goes on where it stopped."""

import json
from collections.abc import AsyncIterator, Callable
from time import monotonic
from typing import Annotated

from fastapi import Header, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from hindbrain.app.siblings import last_event
from hindbrain.core.model import Event
from hindbrain.core.value import dataclass
from hindbrain.entry.cli.records import plain
from hindbrain.entry.http.answers import Here, ProjectName
from hindbrain.entry.http.desk import Desk
from hindbrain.entry.http.problem import Refused
from hindbrain.entry.pause import NET_S, Pause

_AT_ONCE = 200  # events of one look
_LOOK_S = 0.25
_BEAT_S = 15.0  # a line for those in between who close what is silent
_LARGEST = 2**63 - 1


async def events(
    request: Request,
    visit: Here,
    *,
    project: ProjectName = "",
    after: Annotated[int | None, Query(ge=0, le=_LARGEST, description="The cursor; 0 is the beginning.")] = None,
    follow: Annotated[bool, Query(description="Stay and wait for more; else end at the present.")] = True,
    last_event_id: Annotated[str | None, Header(max_length=20)] = None,
) -> Response:
    """What happens, in order, each with its cursor as id. Without a cursor, from now on."""
    wanted = await run_in_threadpool(_project, visit, project)
    cursor = _cursor(last_event_id, after)
    if cursor is None:
        cursor = await run_in_threadpool(last_event, wanted, tools=visit.desk.tools())
    feed = _Feed(desk=visit.desk, project=wanted, is_over=request.app.state.is_ending)
    return StreamingResponse(feed.lines(cursor, follow=follow), media_type="text/event-stream")


def _project(visit: Here, project: str) -> str:
    """Its id; empty for all, which only a token of all projects may follow."""
    if not project and not visit.caller.project:
        return ""
    known = visit.hindbrain(project).project
    return known.id if known else "-"


def _cursor(header: str | None, after: int | None) -> int | None:
    """A browser that comes back sends the header, whatever its address said at first."""
    if not header:
        return after
    if not (header.isascii() and header.isdigit() and int(header) <= _LARGEST):
        raise Refused(400, "bad_cursor", "Last-Event-ID is no cursor of ours", fix="send the id of the last event")
    return int(header)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Feed:
    desk: Desk
    project: str
    is_over: Callable[[], bool]
    net_s: float = NET_S

    async def lines(self, cursor: int, *, follow: bool) -> AsyncIterator[str]:
        yield f"id: {cursor}\n\n"  # nobody hears an event of it, but a browser comes back with it
        if not follow:
            async for event in self._present(cursor):
                yield _line(event)
            return
        pause = Pause(self.desk.tools(), net_s=self.net_s)
        spoke_at = monotonic()
        try:
            while not self.is_over():
                async for event in self._present(cursor):
                    cursor, spoke_at = event.seq, monotonic()
                    yield _line(event)
                while not await pause.over(_LOOK_S) and not self.is_over():
                    pass
                if monotonic() - spoke_at >= _BEAT_S:
                    spoke_at = monotonic()
                    yield ": still here\n\n"
        finally:
            pause.close()

    async def _present(self, cursor: int) -> AsyncIterator[Event]:
        while found := await run_in_threadpool(self._after, cursor):
            for event in found:
                cursor = event.seq
                yield event

    def _after(self, cursor: int) -> list[Event]:
        return list(self.desk.tools().store.events(after=cursor, project=self.project, limit=_AT_ONCE))


def _line(event: Event) -> str:
    return f"id: {event.seq}\nevent: {_word(event.name)}\ndata: {json.dumps(plain(event))}\n\n"


def _word(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name)
