"""What is kept of an event too long to keep: everything but the middle of its longest texts."""

import json
from collections.abc import Iterator

_ROOMS = (20_000, 5_000, 1_000, 200, 50)  # characters of one text that stay; the less, the more there are
_DEPTH = 40  # deeper than any client goes
_HEAD = 60_000  # bytes of what is no JSON


def shortened(payload: bytes, most: int) -> bytes:
    """JSON of at most that many bytes, marked as shortened; the two ends of what cannot be read as such."""
    try:
        event = json.loads(payload)
    except (ValueError, RecursionError):
        event = None
    for kept in _tries(event) if isinstance(event, dict) else ():
        raw = json.dumps({**kept, "hindbrain_shortened": True}).encode()
        if len(raw) <= most:
            return raw
    return payload[:_HEAD] + b" ... " + payload[-_HEAD:]


def _tries(event: dict[str, object]) -> Iterator[dict[str, object]]:
    for room in _ROOMS:
        yield {key: _cut(value, room) for key, value in event.items()}
    # What takes so much room is not text: who, when and what it was is left.
    yield {key: _cut(value, _ROOMS[-1]) for key, value in event.items() if isinstance(value, str)}


def _cut(value: object, room: int, *, depth: int = 0) -> object:
    if isinstance(value, str):
        return value if len(value) <= room else f"{value[: room // 2]}\n[...]\n{value[-room // 2 :]}"
    if depth > _DEPTH:
        return None
    if isinstance(value, dict):
        return {key: _cut(item, room, depth=depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_cut(item, room, depth=depth + 1) for item in value]
    return value
