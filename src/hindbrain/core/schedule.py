"""When a job is due: its next moment after another, in the time of the wall clock it is kept by.

Moments here have no zone: whoever has one converts. Runs that were missed are made up for by one.
"""

from datetime import datetime, timedelta

from hindbrain.core.value import dataclass

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_HOUR = 60  # minutes
_DAY = 24 * _HOUR


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """Every so many minutes, or at a time of every day, of one day of the week, or of one day of the month."""

    every: int = 0  # minutes that divide an hour or are whole hours that divide a day; 0: by the calendar
    at: int = 0  # minutes after midnight
    weekday: int | None = None  # 0 is monday
    day: int | None = None  # of the month, 1..28

    def __str__(self) -> str:
        time = f"{self.at // _HOUR:02d}:{self.at % _HOUR:02d}"
        if self.every:
            return "hourly" if self.every == _HOUR else f"every {self.every} minutes"
        if self.weekday is not None:
            return f"{_DAYS[self.weekday]}s at {time}"
        return f"day {self.day} of the month at {time}" if self.day is not None else f"daily at {time}"


def every(minutes: int) -> Schedule:
    if minutes <= 0 or (_HOUR % minutes and (minutes % _HOUR or _DAY % minutes)):
        raise ValueError("an hour or a day must be a multiple of it, or no table of cron could say it")
    return Schedule(every=minutes)


def daily(hour: int, minute: int = 0) -> Schedule:
    return Schedule(at=_minutes(hour, minute))


def weekly(weekday: int, hour: int, *, minute: int = 0) -> Schedule:
    if not 0 <= weekday <= 6:
        raise ValueError("a week has seven days, 0 is monday")
    return Schedule(at=_minutes(hour, minute), weekday=weekday)


def monthly(day: int, hour: int, *, minute: int = 0) -> Schedule:
    if not 1 <= day <= 28:
        raise ValueError("not every month has such a day")
    return Schedule(at=_minutes(hour, minute), day=day)


def next_run(schedule: Schedule, after: datetime) -> datetime:
    """The first moment later than `after` that the schedule names."""
    midnight = after.replace(hour=0, minute=0, second=0, microsecond=0)
    if schedule.every:
        step = timedelta(minutes=schedule.every)
        return midnight + ((after - midnight) // step + 1) * step
    found = midnight + timedelta(minutes=schedule.at)
    while found <= after or not _is_its_day(schedule, found):
        found += timedelta(days=1)
    return found


def is_due(schedule: Schedule, *, last: datetime, now: datetime) -> bool:
    """Whether the schedule has named a moment since `last`. However many it has: one run makes up for all."""
    return next_run(schedule, last) <= now


def cron(schedule: Schedule) -> str:
    """The five fields of a line of crontab."""
    minute, hour = schedule.at % _HOUR, schedule.at // _HOUR
    if schedule.every:
        step = schedule.every
        return f"*/{step} * * * *" if step < _HOUR else "0 * * * *" if step == _HOUR else f"0 */{step // _HOUR} * * *"
    weekday = "*" if schedule.weekday is None else str((schedule.weekday + 1) % 7)
    return f"{minute} {hour} {schedule.day or '*'} * {weekday}"


def calendar(schedule: Schedule) -> str:
    """The same for a timer of systemd."""
    time = f"{schedule.at // _HOUR:02d}:{schedule.at % _HOUR:02d}:00"
    if schedule.every:
        step = schedule.every
        return f"*-*-* *:0/{step}:00" if step < _HOUR else f"*-*-* 0/{step // _HOUR}:00:00"
    if schedule.weekday is not None:
        return f"{_DAYS[schedule.weekday][:3].capitalize()} *-*-* {time}"
    return f"*-*-{schedule.day:02d} {time}" if schedule.day else f"*-*-* {time}"


def _minutes(hour: int, minute: int) -> int:
    if not (0 <= hour < 24 and 0 <= minute < _HOUR):
        raise ValueError("there is no such time of day")
    return hour * _HOUR + minute


def _is_its_day(schedule: Schedule, moment: datetime) -> bool:
    if schedule.weekday is not None:
        return moment.weekday() == schedule.weekday
    return schedule.day is None or moment.day == schedule.day
