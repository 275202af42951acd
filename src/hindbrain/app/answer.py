"""What the worker says to a hook that waits: the exact bytes that the client reads."""

import json
from datetime import datetime

from hindbrain.app.ending import completed
from hindbrain.app.projects import adopted
from hindbrain.app.tools import Tools
from hindbrain.core.hints import Protocol
from hindbrain.core.hooks import clients
from hindbrain.core.hooks.notice import Notice, Reply


class Told(Protocol):
    """What an agent is to be told, see `app.moment`."""

    def __call__(self, notice: Notice, *, project: str, root: str, tools: Tools) -> Reply: ...


def answer(client: str, payload: bytes, *, at: datetime, tools: Tools, told: Told | None = None) -> bytes:
    """Nothing for what concerns nobody, and for a payload that is no JSON object: the spool keeps it all the same."""
    try:
        fields = json.loads(payload)
    except (ValueError, RecursionError):
        return b""
    notice = clients.notice(client, fields, at=at) if isinstance(fields, dict) else None
    if notice is None or not notice.cwd:
        return b""
    project, root = adopted(notice.cwd, tools=tools), tools.files.root(notice.cwd)
    notice = completed(notice, files=tools.files)
    reply = (told or _told())(notice, project=project, root=root, tools=tools)
    return clients.answer(notice, reply).encode("utf-8", "replace")


def _told() -> Told:
    from hindbrain.app.moment import told  # with all of recall behind it: a worker that only drains needs none

    return told
