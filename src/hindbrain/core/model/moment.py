"""How a point in time is written: UTC, ISO-8601, milliseconds, `Z` (X-36)."""

from datetime import UTC, datetime, time, timedelta
from functools import lru_cache

_NONE, _DAY = timedelta(0), timedelta(days=1)


@lru_cache(maxsize=256)  # all that is written together is of one moment
def stamp(moment: datetime) -> str:
    """`2026-01-10T09:30:00.000Z`. Stamps of equal length sort as text in the order of time."""
    return _utc(moment).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


@lru_cache(maxsize=4096)  # a memory is mostly learned, created and changed in one moment
def read_stamp(text: str) -> datetime:
    """The inverse of `stamp`; also reads any ISO-8601 date or time. ValueError when it is neither."""
    moment = datetime.fromisoformat(text)
    if text[19:20] == "." and text[23:] == "Z":  # as `stamp` writes it: whole milliseconds, UTC
        return moment
    return in_utc(moment)


def in_utc(moment: datetime) -> datetime:
    """What `stamp` can write of it. A time without a zone is taken as UTC: the machine that wrote it is rarely the
    one that reads it. OverflowError where that is beyond the calendar."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return to_milliseconds(aware.astimezone(UTC))


def to_milliseconds(moment: datetime) -> datetime:
    """What `read_stamp(stamp(moment))` gives back."""
    utc = _utc(moment)
    return utc.replace(microsecond=utc.microsecond // 1000 * 1000)


def _utc(moment: datetime) -> datetime:
    """The first and the last day there are may lie beyond either end elsewhere: then the end itself."""
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        end = datetime.min if moment.year == datetime.min.year else datetime.max
        return end.replace(tzinfo=UTC)


def end_of(text: str) -> datetime:
    """The last moment that `text` covers: a bare date means the whole day (F-13), a time means itself."""
    moment = read_stamp(text)
    if len(text.strip()) > len("2024-06-01"):
        return moment
    return datetime.combine(moment.date(), time.max, UTC).replace(microsecond=999_000)


def days_between(earlier: datetime, later: datetime) -> float:
    """Never negative: clocks of two hosts may disagree."""
    return max(later - earlier, _NONE) / _DAY
