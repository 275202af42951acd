"""How a protobuf message lies in its bytes: numbered fields one after the other, told apart without any schema.

Enough to change a few fields of a large message and leave the rest as it is: what is not opened is never copied.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

_VARINT, _SIZED = 0, 2


class Field(NamedTuple):
    number: int
    body: memoryview  # without its head; a varint's own bytes
    raw: memoryview  # with it, as it stood in the message


def fields(message: memoryview) -> Iterator[Field]:
    """The fields of `message` in their order; ValueError when it is cut short or no message."""
    at = 0
    while at < len(message):
        start = at
        key, at = _varint(message, at)
        begin, at = _extent(message, at, kind=key & 7)
        if at > len(message):
            raise ValueError("the message ends within a field")
        yield Field(key >> 3, message[begin:at], message[start:at])


def _extent(message: memoryview, at: int, *, kind: int) -> tuple[int, int]:
    """Where the body of a field begins and ends."""
    match kind:
        case 0:
            return at, _varint(message, at)[1]
        case 1:
            return at, at + 8
        case 2:
            size, at = _varint(message, at)
            return at, at + size
        case 5:
            return at, at + 4
    raise ValueError(f"no field is of kind {kind}")


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 64, 7):
        if at >= len(message):
            raise ValueError("the message ends within a number")
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("a number has too many bytes")


def text(number: int, value: str) -> bytes:
    return sized(number, [value.encode()])


def whole(number: int, value: int) -> bytes:
    """A field that holds a number, which is not negative."""
    return _as_varint(number << 3 | _VARINT) + _as_varint(value)


def sized(number: int, chunks: Iterable[bytes | memoryview]) -> bytes:
    """A field that holds `chunks`, joined."""
    body = b"".join(chunks)
    return head(number, len(body)) + body


def head(number: int, size: int) -> bytes:
    """What stands before the `size` bytes that a field holds."""
    return _as_varint(number << 3 | _SIZED) + _as_varint(size)


def _as_varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)
