"""Which backups are kept as they grow old: the latest of each of the last days, and of each of the last weeks.

Days and weeks without a backup do not count, so that a machine that was off for a month loses none of those it has.
"""

from collections.abc import Callable, Iterable
from datetime import datetime


def kept(moments: Iterable[datetime], *, daily: int, weekly: int) -> frozenset[datetime]:
    """Those of `moments` that stay. The newest always does."""
    newest_first = sorted(set(moments), reverse=True)
    days = _latest(newest_first, lambda at: at.date(), most=max(daily, 1))
    weeks = _latest(newest_first, lambda at: at.isocalendar()[:2], most=weekly)
    return frozenset(days + weeks)


def _latest(newest_first: list[datetime], of: Callable[[datetime], object], *, most: int) -> list[datetime]:
    found: dict[object, datetime] = {}
    for at in newest_first:
        found.setdefault(of(at), at)
    return list(found.values())[:most]
