"""Laws of which backups stay."""

from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.rotation import kept

MOMENTS = st.lists(st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)), max_size=60)
COUNTS = st.integers(0, 10)


@given(MOMENTS, COUNTS, COUNTS)
def test_the_newest_stays_and_never_more_than_asked_for(moments: list[datetime], daily: int, weekly: int) -> None:
    staying = kept(moments, daily=daily, weekly=weekly)
    assert staying <= set(moments) and len(staying) <= max(daily, 1) + weekly
    assert not moments or max(moments) in staying


@given(MOMENTS, COUNTS, COUNTS)
def test_what_stays_stays_when_asked_again(moments: list[datetime], daily: int, weekly: int) -> None:
    staying = kept(moments, daily=daily, weekly=weekly)
    assert kept(staying, daily=daily, weekly=weekly) == staying


@given(st.integers(1, 12), st.integers(0, 6))
def test_of_one_backup_a_day_each_of_the_last_days_and_weeks_has_one(daily: int, weekly: int) -> None:
    days = [datetime(2026, 1, 10, 1, 30) + timedelta(days=n) for n in range(100)]
    staying: set[datetime] = set()
    for day in days:  # as it goes, night by night
        staying = set(kept({*staying, day}, daily=daily, weekly=weekly))
    assert set(days[-daily:]) <= staying
    assert len({day.isocalendar()[:2] for day in staying}) >= weekly
