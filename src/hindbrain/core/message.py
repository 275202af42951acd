"""How a message to the worker and its answer are written: one line of JSON each, with the version of what they say.

What must arrive as it is, byte by byte, is the message's `body` and follows the line, which says how long it is. A hook
writes and reads the same by hand, without JSON.
"""

import json
from collections.abc import Mapping

VERSION = 1  # two processes with different ones do not talk: raise it when a message, or an answer, changes
MOST_ASKED = 1_000_000  # bytes of a message's line
MOST_ANSWERED = 4_000_000  # bytes of an answer's line
MOST_CARRIED = 5_000_000  # bytes after either

BODY, SIZE = "body", "size"


def written(message: Mapping[str, object]) -> bytes:
    """`body`, where there is one, must be bytes."""
    body = message.get(BODY)
    if not isinstance(body, bytes):
        return json.dumps({**message, "version": VERSION}, separators=(",", ":")).encode() + b"\n"
    rest = {name: value for name, value in message.items() if name != BODY}
    return written({**rest, SIZE: len(body)}) + body


def carried(line: bytes) -> int:
    """How many bytes follow this line; 0 for all that `understood` does not take."""
    message = _read(line) if b'"size"' in line else None
    size = (message or {}).get(SIZE)
    return size if isinstance(size, int) and 0 < size <= MOST_CARRIED else 0


def understood(raw: bytes) -> dict[str, object] | None:
    """The message that `written` wrote; None for half of one, for anything else, and for another version."""
    end = raw.find(b"\n") + 1
    message = _read(raw[:end])
    if message is None or SIZE not in message:
        return message if end == len(raw) else None
    body = raw[end:]
    return {**message, BODY: body} if message.pop(SIZE) == len(body) else None


def _read(line: bytes) -> dict[str, object] | None:
    try:
        message = json.loads(line) if line.endswith(b"\n") else None
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) and message.pop("version", None) == VERSION else None
