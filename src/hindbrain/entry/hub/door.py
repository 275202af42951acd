"""Which pages there are, what each may do, and that nothing but our own pages can make a browser do it.

A change needs the login cookie, which other sites' pages cannot make a browser send; an Origin that is ours, which the
guard sees to; and a token that only our pages hold.
"""

import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route as Place
from starlette.routing import Router
from starlette.types import ASGIApp, Receive, Scope, Send

from hindbrain.core.model.token import Right
from hindbrain.entry.http.desk import Visit
from hindbrain.entry.http.problem import Refused
from hindbrain.entry.http.table import Route
from hindbrain.entry.hub import feed, graph, health, memories, ties, timeline, worth
from hindbrain.entry.hub.paint import paint
from hindbrain.entry.hub.turn import PLACE, Move, Page, Turn
from hindbrain.errors import HindbrainError

Run = Callable[[Turn], Page | Move]

_STATIC = Path(__file__).parent / "static"
_MEDIA = {"hub.css": "text/css", "hub.js": "text/javascript", "htmx.min.js": "text/javascript"}
_MEDIA |= {"hub.svg": "image/svg+xml"}
_MOST_FIELDS = 100
_HEADERS = {
    "content-security-policy": "; ".join(
        (
            "default-src 'none'",
            *(f"{sort} 'self'" for sort in ("script-src", "style-src", "img-src", "connect-src", "form-action")),
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    ),
    "referrer-policy": "same-origin",  # without a referrer a browser sends no Origin with a form
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
}

_READ: Mapping[str, Run] = {
    "/feed": feed.waiting,
    "/feed/{id}": feed.one,
    "/memories": memories.found,
    "/memories/{id}": memories.one,
    "/memories/{id}/others": ties.others,
    "/memories/{id}/merge": ties.merging,
    "/memories/{id}/split": ties.splitting,
    "/graph": graph.graph,
    "/worth": worth.worth,
    "/health": health.health,
    "/timeline": timeline.timeline,
}
_CHANGE: Mapping[str, tuple[Right, Run]] = {
    "/feed/{id}/apply": (Right.DECIDE, feed.apply),
    "/feed/{id}/patch": (Right.DECIDE, feed.patch),
    "/feed/{id}/refuse": (Right.DECIDE, feed.refuse),
    "/feed/{id}/snooze": (Right.DECIDE, feed.snooze),
    "/feed/{id}/undo": (Right.DECIDE, feed.undo),
    "/memories/{id}/edit": (Right.DECIDE, memories.edit),
    "/memories/{id}/pin": (Right.DECIDE, memories.pin),
    "/memories/{id}/delete": (Right.WRITE, memories.delete),
    "/memories/{id}/restore": (Right.WRITE, memories.restore),
    "/memories/{id}/verdict": (Right.DECIDE, memories.verdict),
    "/memories/{id}/confirm": (Right.DECIDE, memories.confirm),
    "/memories/{id}/review": (Right.DECIDE, memories.review),
    "/memories/{id}/link": (Right.DECIDE, ties.link),
    "/memories/{id}/unlink": (Right.DECIDE, ties.unlink),
    "/memories/{id}/supersede": (Right.DECIDE, ties.supersede),
    "/memories/{id}/merge": (Right.DECIDE, ties.merge),
    "/memories/{id}/split": (Right.DECIDE, ties.split),
    "/health/retry": (Right.WRITE, health.retry),
}


def routes() -> tuple[Route, ...]:
    """What the service has to know beside what is mounted: where a browser comes in."""

    def hub() -> Response:
        return RedirectResponse(f"{PLACE}/feed", status_code=303)

    return (Route(method="GET", path="/", run=hub, right=Right.READ, status=303, is_documented=False),)


def mounts() -> Mapping[str, ASGIApp]:
    return {PLACE: Hub()}


class Hub:
    """Every page. It finds its desk in the application that it is mounted in."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(32)
        places = [Place("/", self._start), Place("/static/{name}", self._static)]
        places += [Place(path, self._shown(run)) for path, run in _READ.items()]
        places += [Place(path, self._changed(run, right), methods=["POST"]) for path, (right, run) in _CHANGE.items()]
        self._router = Router(routes=places, default=_Nothing(self._missing))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._router(scope, receive, send)

    async def _start(self, _: Request) -> Response:
        return RedirectResponse(f"{PLACE}/feed", status_code=303)

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in _MEDIA:
            return await self._missing(request)
        return FileResponse(_STATIC / name, media_type=_MEDIA[name], headers={"cache-control": "private, max-age=300"})

    async def _missing(self, request: Request) -> Response:
        return await run_in_threadpool(self._answer, request, _nowhere, right=Right.READ, said={})

    def _shown(self, run: Run) -> Callable[[Request], object]:
        async def show(request: Request) -> Response:
            said = dict(request.query_params)
            return await run_in_threadpool(self._answer, request, run, right=Right.READ, said=said)

        return show

    def _changed(self, run: Run, right: Right) -> Callable[[Request], object]:
        async def change(request: Request) -> Response:
            body = (await request.body()).decode("utf-8", "replace")
            return await run_in_threadpool(
                self._answer, request, self._checked(run, request), right=right, said=_form(body)
            )

        return change

    def _checked(self, run: Run, request: Request) -> Run:
        def checked(turn: Turn) -> Page | Move:
            if not hmac.compare_digest(turn.said.get("token", "").encode(), self._token(request).encode()):
                raise Refused(403, "bad_form", "this form is too old", fix="go back, load the page again, and repeat")
            return run(turn)

        return checked

    def _token(self, request: Request) -> str:
        """Known to the pages of one session of this service."""
        return hmac.new(self._secret, _session(request).encode(), sha256).hexdigest()

    def _answer(self, request: Request, run: Run, *, right: Right, said: Mapping[str, str]) -> Response:
        visit = Visit(caller=request.state.caller, desk=request.app.state.desk)
        turn = Turn(
            visit=visit,
            said=said,
            at=dict(request.path_params),
            project=request.query_params.get("project", "")[:200],
            is_part="hx-request" in request.headers,
        )
        try:
            visit.refuse_without(right)
            answer = run(turn)
        except (HindbrainError, Refused) as error:
            status = error.status if isinstance(error, Refused) else error.http_status
            answer = Page(template="trouble.html", about={"error": error}, status=status)
            turn = turn if status != 404 else Turn(visit=visit, said={}, at={})
        if isinstance(answer, Move):
            return RedirectResponse(answer.to, status_code=303, headers=_HEADERS)
        place = request.url.path.removeprefix(PLACE)
        text = paint(answer, turn, token=self._token(request), place=place)
        return HTMLResponse(text, status_code=answer.status, headers=_HEADERS)


def _nowhere(_: Turn) -> Page | Move:
    raise Refused(404, "no_page", "there is no such page", fix="choose one above")


def _form(body: str) -> dict[str, str]:
    try:
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        raise Refused(400, "bad_form", "that form has too many fields", fix="use the page's own") from None


def _session(request: Request) -> str:
    try:
        cookies = SimpleCookie(request.headers.get("cookie", ""))
    except CookieError:
        return ""
    return "".join(sorted(f"{name}={one.value};" for name, one in cookies.items() if name.startswith("hindbrain-")))


class _Nothing:
    """What stands at every other address."""

    def __init__(self, missing: Callable[[Request], Awaitable[Response]]) -> None:
        self._missing = missing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = await self._missing(Request(scope, receive))
        await answer(scope, receive, send)
