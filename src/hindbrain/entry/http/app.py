"""How the parts of the service stand together: the guard outside, repeated writes next, the routes within.

The hub and other surfaces come in by `more` (routes of their own), `mounts` (whole applications below a path) and
`guests` (those at one path that have to be run). All of it stands behind the guard, and finds its caller in
`request.state.caller`, its desk in `request.app.state.desk`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fastapi import Depends, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route as Place
from starlette.types import ASGIApp

from hindbrain import __version__
from hindbrain.app.tokens import bearer
from hindbrain.core.model.token import Right
from hindbrain.entry.http import owner, problem, shapes
from hindbrain.entry.http.caller import Doorman
from hindbrain.entry.http.desk import Desk, Visit
from hindbrain.entry.http.figures import Counted, Figures
from hindbrain.entry.http.guard import LOGIN, Address, Guard
from hindbrain.entry.http.guest import Guest, Lodging, welcome
from hindbrain.entry.http.problem import Refused
from hindbrain.entry.http.replay import Replay
from hindbrain.entry.http.table import Route, offered
from hindbrain.errors import HindbrainError

OPENAPI = "/api/openapi.json"
_ABOUT = "The memory of coding agents. Send `Authorization: Bearer` with what `hindbrain token` prints."
_PROBLEM = {"model": shapes.Problem, "content": {problem.MEDIA_TYPE: {}}}
_REFUSALS = {400: "Bad value", 401: "No token", 403: "No right, or another origin", 404: "Not there"}
_REFUSALS |= {409: "Not in the state for it", 412: "Changed since", 413: "Too large", 415: "Not JSON"}
_REFUSALS |= {405: "No such method", 421: "Wrong Host", 422: "Key reused", 500: "A bug", 503: "Try again"}


def build(
    desk: Desk,
    address: Address,
    *,
    more: Sequence[Route] = (),
    mounts: Mapping[str, ASGIApp] | None = None,
    guests: Mapping[str, Guest] | None = None,
    is_ending: Callable[[], bool] = lambda: False,
) -> "Service":
    """The service as one ASGI application. `is_ending` tells long answers that it is time to finish."""
    doorman = Doorman(
        owner.Kept(desk.settings),
        lambda secret: bearer(secret, store=desk.tools().store),
        cookie=f"hindbrain-{address.port}",
    )
    lodged = guests or {}
    app = FastAPI(
        title="Hindbrain",
        version=__version__,
        description=_ABOUT,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=lambda _: welcome(lodged.values()),
    )
    app.state.desk, app.state.figures, app.state.is_ending = desk, Figures(), is_ending
    _translate(app)
    for route in (*offered(), *_entrance(doorman, address), *more):
        _offer(app, route)
    for path, mounted in (mounts or {}).items():
        app.mount(path, mounted)
    for path, guest in lodged.items():
        app.router.routes.append(Place(path, Lodging(guest, is_ending=is_ending)))
    within = Replay(Counted(app, figures=app.state.figures), desk=desk)
    guarded = Guard(within, address=address, doorman=doorman)
    return Service(app=app, guarded=guarded, doorman=doorman, address=address)


class Service:
    """What a server serves, and what a program that starts one may ask of it."""

    def __init__(self, *, app: FastAPI, guarded: ASGIApp, doorman: Doorman, address: Address) -> None:
        self.app = app
        self.doorman = doorman
        self._guarded = guarded
        self._address = address

    def login(self) -> str:
        """A link that lets one browser in, once."""
        return f"{self._address.url}{LOGIN}?once={self.doorman.link()}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._guarded(scope, receive, send)

    def openapi(self) -> dict[str, Any]:
        return document(self.app)


def _offer(app: FastAPI, route: Route) -> None:
    responses: dict[int | str, dict[str, Any]] = {
        status: {**_PROBLEM, "description": text} for status, text in _REFUSALS.items()
    }
    responses[route.status] = _described(route)
    app.add_api_route(
        route.path,
        route.run,
        methods=[route.method],
        status_code=route.status,
        response_class=Response,
        response_model=None,
        dependencies=[] if route.path == LOGIN else [Depends(_needing(route.right))],
        responses=responses,
        operation_id=f"{route.run.__module__.rpartition('.')[2]}_{route.run.__name__}",
        include_in_schema=route.is_documented,
        name=route.run.__name__,
    )


def _described(route: Route) -> dict[str, Any]:
    if route.answer is None:
        return {"description": "Done"}
    if route.media == "application/json":
        return {"description": "The answer", "model": route.answer}
    schema = _EVENT if route.media == "text/event-stream" else {"type": "string"}
    return {"description": "The answer", "content": {route.media: {"schema": schema}}}


_WORD = {"type": "string"}
_EVENT = {"type": "object", "properties": {"id": _WORD, "event": _WORD, "data": _WORD}}  # of each in the stream


def _needing(right: Right) -> Callable[[Request], Any]:
    async def refuse(request: Request) -> None:
        Visit(caller=request.state.caller, desk=request.app.state.desk).refuse_without(right)

    return refuse


def _entrance(doorman: Doorman, address: Address) -> tuple[Route, ...]:
    def login(once: str = Query(default="", max_length=200)) -> Response:
        """Let a browser in by the link that was printed; it works once."""
        session = doorman.enter(once)
        if session is None:
            raise Refused(401, "bad_link", "that link was used, or is too old", fix="`hindbrain hub` prints a new one")
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(
            doorman.cookie, session, max_age=12 * 3600, httponly=True, samesite="strict", secure=address.is_tls
        )
        return answer

    def logout(request: Request) -> Response:
        """Forget a browser."""
        doorman.leave(request.headers.get("cookie", ""))
        is_read = "text/html" in request.headers.get("accept", "")
        out = problem.page("You are logged out", "This browser is forgotten.", fix="`hindbrain hub` lets it in again")
        answer = out if is_read else Response(status_code=204)
        answer.delete_cookie(doorman.cookie, httponly=True, samesite="strict", secure=address.is_tls)
        return answer

    def openapi(request: Request) -> Response:
        return JSONResponse(document(request.app))

    return (
        Route(method="GET", path=LOGIN, run=login, right=Right.READ, status=303, is_documented=False),
        Route(method="POST", path="/logout", run=logout, right=Right.READ, status=204, is_documented=False),
        Route(method="GET", path=OPENAPI, run=openapi, right=Right.READ, is_documented=False),
    )


def document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI 3.1 document: what FastAPI finds, with our way of telling failures and of letting callers in."""
    found = app.openapi()
    found["components"].setdefault("securitySchemes", {})["bearer"] = {"type": "http", "scheme": "bearer"}
    found["security"] = [{"bearer": []}]
    operations = [(method, one) for path in found["paths"].values() for method, one in path.items()]
    for method, operation in operations:
        _as_problems(operation["responses"])
        parameters = operation.setdefault("parameters", [])
        if method != "get" and _KEY not in parameters:
            parameters.append(_KEY)
    return found


_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same key with the same request is answered once; later ones get that answer.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}


def _as_problems(responses: dict[str, Any]) -> None:
    for status, answer in responses.items():
        if int(status) >= 400 and "application/json" in answer.get("content", {}):
            answer["content"] = {problem.MEDIA_TYPE: answer["content"]["application/json"]}


def _translate(app: FastAPI) -> None:
    """Whatever goes wrong is told as a problem."""

    async def known(request: Request, error: Exception) -> Response:
        assert isinstance(error, HindbrainError | Refused)
        return problem.told(error, accept=request.headers.get("accept", ""))

    async def invalid(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return problem.answer(400, "bad_value", what=_complaint(error), fix=f"see {OPENAPI}")

    async def unrouted(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        code = {404: "no_route", 405: "no_method"}.get(error.status_code, "refused")
        return problem.answer(
            error.status_code,
            code,
            what=str(error.detail),
            fix=f"see {OPENAPI} for what there is",
            headers=error.headers,
        )

    async def bug(_: Request, error: Exception) -> Response:
        return problem.answer(
            500, "internal", what=f"a bug: {type(error).__name__}", fix="report it; the log has the rest"
        )

    app.add_exception_handler(HindbrainError, known)
    app.add_exception_handler(Refused, known)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, unrouted)
    app.add_exception_handler(Exception, bug)


def _complaint(error: RequestValidationError) -> str:
    """Where and what, without what was sent: it may be a secret."""
    places = [f"{'.'.join(str(part) for part in one['loc'])}: {one['msg']}" for one in error.errors()[:5]]
    return "; ".join(places) or "the request cannot be read"
