"""How a message to the worker and its answer are written: one line of JSON each, with the version of what they say."""

import json
from collections.abc import Mapping

VERSION = 1  # two processes with different ones do not talk: raise it when a message, or an answer, changes
MOST_ASKED = 1_000_000  # bytes of a message
MOST_ANSWERED = 4_000_000  # bytes of an answer


def written(message: Mapping[str, object]) -> bytes:
    return json.dumps({**message, "version": VERSION}, separators=(",", ":")).encode() + b"\n"


def understood(line: bytes) -> dict[str, object] | None:
    """The message that `written` wrote; None for half a line, for anything else, and for another version."""
    if not line.endswith(b"\n"):
        return None
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) and message.pop("version", None) == VERSION else None
