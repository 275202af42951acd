"""What is kept of an event too long to keep: everything but the middle of its longest texts."""

import json
from collections.abc import Iterator

_TEXT = 20_000  # characters of one text that stay, at first
_LEAST = 500
_DEPTH = 40  # deeper than any client goes
_HEAD = 60_000  # bytes of what is no JSON


def shortened(payload: bytes, most: int) -> bytes:
    """JSON of at most that many bytes, marked as shortened; the two ends of what cannot be read as such."""
    try:
        event = json.loads(payload)
    except (ValueError, RecursionError):
        event = None
    if isinstance(event, dict):
        for room in _rooms():
            kept = json.dumps({"hindbrain_shortened": True, **{key: _cut(item, room) for key, item in event.items()}})
            if len(kept) <= most:
                return kept.encode()
    return payload[:_HEAD] + b" ... " + payload[-_HEAD:]


def _rooms() -> Iterator[int]:
    room = _TEXT
    while room >= _LEAST:
        yield room
        room //= 4


def _cut(value: object, room: int, depth: int = 0) -> object:
    if isinstance(value, str):
        return value if len(value) <= room else f"{value[: room // 2]}\n[...]\n{value[-room // 2 :]}"
    if depth > _DEPTH:
        return None
    if isinstance(value, dict):
        return {key: _cut(item, room, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_cut(item, room, depth + 1) for item in value]
    return value
