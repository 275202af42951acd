"""What one hook call is answered with, in exactly the bytes that its client reads."""

import json
from datetime import datetime

from hindbrain.app.tools import Tools
from hindbrain.core.hooks.clients import answer as said
from hindbrain.core.hooks.clients import notice
from hindbrain.core.hooks.notice import Reply


def answer(client: str, payload: bytes, *, at: datetime, tools: Tools) -> bytes:
    """Nothing for an event that cannot be read: the spool keeps it, and whoever drains it says so."""
    try:
        event = json.loads(payload)
    except (ValueError, RecursionError):
        return b""
    known = notice(client, event, at=at) if isinstance(event, dict) else None
    return b"" if known is None else said(known, Reply()).encode()
