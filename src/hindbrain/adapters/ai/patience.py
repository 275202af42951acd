"""When something that failed is tried again, and how long to wait before it is.

Twice at most, after about one second and then two; a server that says how long to wait is obeyed, and one that wants
more than is bearable is not asked again. Whoever refuses for good (any 4xx but 429) is believed.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from hindbrain.adapters.ai.http import Response, Unreached
from hindbrain.core.value import dataclass

RETRIES = 2
LONGEST_S = 60.0  # that a server may ask for
_JITTER = 0.25  # of a pause, at most: many that failed at once do not come back at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Time and chance, as the one who waits has them."""

    sleep: Callable[[float], None]
    now: Callable[[], datetime]
    random: Callable[[], float]  # 0..1


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    tries: int
    response: Response | None
    trouble: str = ""  # why there is none
    fix: str = ""  # what to do about it, where that is known


def persist(send: Callable[[], Response], *, timing: Timing, retries: int = RETRIES) -> Outcome:
    """What `send` gets in the end; the last answer counts, if it is one that says to come back."""
    for number in range(1, retries + 2):
        try:
            response = send()
        except Unreached as error:
            if not error.is_passing or number > retries:
                return Outcome(tries=number, response=None, trouble=str(error), fix=error.fix)
            asked = None
        else:
            asked = _wanted(response.headers, timing.now())
            if not _is_passing(response.status) or number > retries or (asked or 0.0) > LONGEST_S:
                return Outcome(tries=number, response=response)
        timing.sleep(_pause(number, asked=asked, random=timing.random()))
    raise AssertionError("the last try returns")


def _is_passing(status: int) -> bool:
    return status == 429 or 500 <= status <= 599


def _pause(number: int, *, asked: float | None, random: float) -> float:
    own = 2.0 ** (number - 1) * (1 + _JITTER * random)
    return own if asked is None else max(asked, own if asked == 0 else asked * (1 + _JITTER * random))


def _wanted(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that the server asks for, in either of the two forms; None when it does not, or not in sense."""
    told = headers.get("retry-after", "").strip()
    if told.isascii() and told.isdecimal():
        return float(told[:9])
    try:
        at = parsedate_to_datetime(told)
    except (ValueError, OverflowError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - now).total_seconds())
