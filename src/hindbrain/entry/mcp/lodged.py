"""Whose memory a call through the service is about: its token decides, a header or an argument names it."""

import secrets
from collections.abc import Mapping

from hindbrain.core.model.token import Right
from hindbrain.entry.http.desk import Visit
from hindbrain.entry.http.guest import Guest
from hindbrain.entry.http.problem import Refused
from hindbrain.entry.mcp.caller import Caller
from hindbrain.entry.mcp.server import PATH, app, build
from hindbrain.errors import BadValue
from hindbrain.facade import Hindbrain

_ANYWHERE = "0.0.0.0"  # the service has looked at Host and Origin already, and knows its own names


def guests() -> Mapping[str, Guest]:
    """The server as the service takes it in: behind its door, at the path that it has by itself."""
    server = build(_opened, session=f"mcp-{secrets.token_hex(8)}")
    return {PATH: Guest(app=app(server, host=_ANYWHERE), running=server.session_manager.run)}


def _opened(who: Caller) -> Hindbrain:
    visit: Visit = who.state["visit"]
    try:
        visit.refuse_without(Right.WRITE if who.is_writing else Right.READ)
        is_free = visit.caller.is_owner and who.project
        return visit.desk.named(who.project) if is_free else visit.hindbrain(who.project)
    except Refused as refused:
        raise BadValue(refused.what, fix=refused.fix) from refused
