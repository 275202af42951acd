"""How a failure is told over HTTP: a problem document with a code, what happened, and the step that fixes it."""

import json
from collections.abc import Mapping
from html import escape
from http import HTTPStatus

from starlette.responses import HTMLResponse, Response

from hindbrain.errors import HindbrainError

MEDIA_TYPE = "application/problem+json"
_LONGEST = 2_000  # characters of a message


class Refused(Exception):
    """The request itself is wrong, whatever the memory would have said."""

    def __init__(
        self, status: int, code: str, what: str, *, fix: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(what)
        self.status, self.code, self.what, self.fix = status, code, what, fix
        self.headers = dict(headers or {})


def told(error: HindbrainError | Refused, *, accept: str = "") -> Response:
    """`accept` is what the caller says it can read: a browser before the door is told in a page."""
    if isinstance(error, Refused):
        if error.status == HTTPStatus.UNAUTHORIZED and "text/html" in accept:
            return page("You are not logged in", error.what, fix=error.fix, status=error.status, headers=error.headers)
        return answer(error.status, error.code, what=error.what, fix=error.fix, headers=error.headers)
    retry = {"retry-after": "1"} if error.http_status == HTTPStatus.SERVICE_UNAVAILABLE else {}
    return answer(error.http_status, error.code, what=error.what, fix=error.fix, headers=retry)


def answer(status: int, code: str, *, what: str, fix: str, headers: Mapping[str, str] | None = None) -> Response:
    document = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": what[:_LONGEST],
        "code": code,
        "what": what[:_LONGEST],
        "fix": fix[:_LONGEST],
    }
    # What a caller sent may come back in a message, lone surrogates and all: as escapes they are JSON again.
    return Response(json.dumps(document), status_code=status, headers=dict(headers or {}), media_type=MEDIA_TYPE)


def page(title: str, what: str, *, fix: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A page for those who stand outside: it needs nothing that lies behind the door."""
    text = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{escape(title)} · Hindbrain</title></head>'
        f"<body><main><h1>{escape(title)}</h1><p>{escape(what)}</p><p>{escape(fix)}</p></main></body></html>"
    )
    return HTMLResponse(text, status_code=status, headers=dict(headers or {}))
