"""Laws of the schedule: the next run is later, none lies between, and one run makes up for all that were missed."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.schedule import Schedule, calendar, cron, daily, every, is_due, monthly, next_run, weekly

MOMENTS = st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1))
SCHEDULES = st.one_of(
    st.sampled_from([1, 5, 15, 20, 30, 60, 120, 720]).map(every),
    st.builds(daily, st.integers(0, 23), st.integers(0, 59)),
    st.builds(weekly, st.integers(0, 6), st.integers(0, 23)),
    st.builds(monthly, st.integers(1, 28), st.integers(0, 23)),
)


@given(SCHEDULES, MOMENTS)
def test_the_next_run_is_the_first_one_after(schedule: Schedule, after: datetime) -> None:
    then = next_run(schedule, after)
    assert after < then <= after + timedelta(days=32)
    assert next_run(schedule, then - timedelta(seconds=1)) == then
    assert next_run(schedule, max(after, then - timedelta(minutes=1))) == then


@given(SCHEDULES, MOMENTS, st.integers(0, 60))
def test_however_many_runs_were_missed_one_makes_up_for_all(schedule: Schedule, last: datetime, days: int) -> None:
    now = next_run(schedule, last) + timedelta(days=days)
    assert is_due(schedule, last=last, now=now)
    assert not is_due(schedule, last=now, now=now)
    assert not is_due(schedule, last=last, now=next_run(schedule, last) - timedelta(microseconds=1))


def _says(field: str, value: int) -> bool:
    if field == "*":
        return True
    return value % int(field[2:]) == 0 if field.startswith("*/") else value == int(field)


@given(SCHEDULES, MOMENTS)
def test_cron_would_run_it_at_the_same_moment(schedule: Schedule, after: datetime) -> None:
    then = next_run(schedule, after)
    fields = cron(schedule).split()
    values = (then.minute, then.hour, then.day, then.month, (then.weekday() + 1) % 7)
    assert all(_says(field, value) for field, value in zip(fields, values, strict=True))


@pytest.mark.parametrize(
    ("schedule", "line", "timer", "words"),
    [
        (every(15), "*/15 * * * *", "*-*-* *:0/15:00", "every 15 minutes"),  # HB-043
        (every(60), "0 * * * *", "*-*-* 0/1:00:00", "hourly"),  # HB-137
        (daily(3), "0 3 * * *", "*-*-* 03:00:00", "daily at 03:00"),
        (weekly(6, 4, minute=30), "30 4 * * 0", "Sun *-*-* 04:30:00", "sundays at 04:30"),
        (monthly(1, 4), "0 4 1 * *", "*-*-01 04:00:00", "day 1 of the month at 04:00"),  # HB-144
    ],
)
def test_schedules_are_told_to_cron_to_systemd_and_to_people(
    schedule: Schedule, line: str, timer: str, words: str
) -> None:
    assert (cron(schedule), calendar(schedule), str(schedule)) == (line, timer, words)


@pytest.mark.parametrize("make", [lambda: every(7), lambda: every(0), lambda: daily(24), lambda: weekly(7, 1)])
def test_what_no_calendar_has_is_refused(make: object) -> None:
    with pytest.raises(ValueError):
        make()  # type: ignore[operator]
    with pytest.raises(ValueError):
        monthly(29, 1)
