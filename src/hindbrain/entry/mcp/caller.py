"""For whom a request is answered: which project, which session, and whether anything is written for it."""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from hashlib import sha256
from typing import Any

from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult

from hindbrain.core.value import dataclass, field
from hindbrain.facade import Hindbrain

PROJECT, SESSION = "hindbrain-project", "hindbrain-session"  # headers; `_meta` has them with a slash
_CODEX = "x-codex-turn-metadata"
_LONGEST = 500  # characters of a name that a client gives


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    project: str  # name, id or path; empty: the one that the server stands in
    session: str
    is_writing: bool
    headers: Mapping[str, str] = field(default_factory=dict)  # empty where there are none, as over stdio
    state: Mapping[str, Any] = field(default_factory=dict)  # what stood before us over HTTP has found out about it


Opener = Callable[[Caller], Hindbrain]  # may refuse, by raising a HindbrainError; what it opens it closes, too


_request: ContextVar[ServerRequestContext[Any, Any] | None] = ContextVar("request", default=None)


async def noted(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Stands around every request: a resource without parameters is told nothing of its own."""
    token = _request.set(ctx)
    try:
        return await call_next(ctx)
    finally:
        _request.reset(token)


def caller(*, project: str, session: str, is_writing: bool) -> Caller:
    """`project` is what the call itself names, `session` what is known of the whole connection."""
    request = _request.get()
    meta: Mapping[str, Any] = (request.meta if request else None) or {}
    http = request.request if request else None
    headers: Mapping[str, str] = getattr(http, "headers", {})
    return Caller(
        project=_name(project) or _name(meta.get("hindbrain/project")) or _name(headers.get(PROJECT)),
        session=_session(meta) or _name(headers.get(SESSION)) or _connection(headers) or session,
        is_writing=is_writing,
        headers=headers,
        state=getattr(http, "scope", {}).get("state", {}),
    )


def _session(meta: Mapping[str, Any]) -> str:
    codex = meta.get(_CODEX)
    named = codex.get("session_id") if isinstance(codex, dict) else ""
    return _name(meta.get("hindbrain/session")) or _name(named)


def _connection(headers: Mapping[str, str]) -> str:
    """A name for a connection over HTTP. Its own would let whoever reads it speak in its place."""
    named = headers.get("mcp-session-id", "")
    return f"mcp-{sha256(named.encode()).hexdigest()[:16]}" if named else ""


def _name(given: object) -> str:
    return given[:_LONGEST].strip() if isinstance(given, str) else ""
