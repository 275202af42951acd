"""The real time and real randomness."""

import os
from _thread import allocate_lock  # threading's Lock, without loading threading
from datetime import UTC, datetime

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's: no i, l, o, u to misread
_BITS = tuple(range(125, -1, -5))


class SystemClock:
    def now(self) -> datetime:
        now = datetime.now(UTC)
        return now.replace(microsecond=now.microsecond // 1000 * 1000)


class SystemChance:
    """Ids of 48 bits of milliseconds and 80 random bits; within one process they never go backwards."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._last = 0

    def id(self, prefix: str, at: datetime) -> str:
        number = int(at.timestamp() * 1000) << 80 | int.from_bytes(os.urandom(10))
        with self._lock:
            if number >> 80 == self._last >> 80 and number <= self._last:
                number = self._last + 1
            self._last = max(self._last, number)
        return f"{prefix}-{_digits(number)}"

    def fence(self) -> str:
        return os.urandom(16).hex()


def _digits(number: int) -> str:
    return "".join([_ALPHABET[number >> bits & 31] for bits in _BITS])
