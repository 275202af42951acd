"""Whether sessions with memory fared better than those without, how sure that is, and how many more would tell.

Shares are compared by Newcombe's interval of their difference, made of the two Wilson intervals; calls by Welch's
interval of the difference of their logarithms, which are near enough to normal. Both are exact arithmetic: the same
sessions give the same answer. Less is better in both, so that a change below zero speaks for memory.
"""

import math
from collections.abc import Sequence

from hindbrain.core.trial import Trial
from hindbrain.core.value import dataclass, replace

LEVEL = 0.95  # share of such intervals that hold the true value
POWER = 0.8  # chance to see an effect of the planned size
USUAL = 0.2  # relative effect that is planned for where a larger one is not in sight
HELD_OUT = 0.05  # share of sessions without memory that is planned with where there is none yet

_Z, _Z_POWER = 1.959964, 0.841621  # of the normal distribution, for LEVEL (on two sides) and POWER
_LEAST = 3  # sessions on either side before their calls are compared
_MOST = 10_000_000  # sessions; more is never


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    sessions: int = 0
    value: float | None = None  # share, or geometric mean of the calls; None: no session
    low: float | None = None  # None: too few sessions to say, as below
    high: float | None = None
    incomplete: int = 0  # sessions that never passed


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """From without to with."""

    value: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out that there is none."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    with_memory: Side
    without: Side
    change: Change | None  # of shares: their difference; of calls: relative. None: too few sessions to say
    planned: float  # relative effect that `missing` is reckoned for
    missing: int | None  # sessions more until such an effect would be seen; 0: it is clear already; None: no telling


def shares(trials: Sequence[Trial]) -> Comparison:
    """How often a known failure came back."""
    told, held = _sides(trials)
    change = _newcombe(told, held) if told and held else None
    usual = _smoothed(held or told)
    planned = max(USUAL, abs(change.value) / usual if change else 0.0)
    effect = min(planned * usual, 1.0)
    rate = max(usual - effect, 0.0)
    wanted = _wanted(_binary(usual), _binary(rate), effect=effect, held_out=_held_out(told, held)) if trials else None
    return Comparison(
        with_memory=_share(told),
        without=_share(held),
        change=change,
        planned=planned,
        missing=_missing(wanted, trials, change=change),
    )


def efforts(trials: Sequence[Trial]) -> Comparison:
    """How many calls it took. A session that never passed counts with the calls that it made: a lower bound."""
    told, held = _sides(trials)
    change = _welch(_logs(told), _logs(held)) if min(len(told), len(held)) >= _LEAST else None
    planned = max(USUAL, -math.expm1(-abs(math.log1p(change.value))) if change else 0.0)
    spread = _variance(_logs(told) if len(told) >= len(held) else _logs(held))
    wanted = (
        _wanted(spread, spread, effect=-math.log(1 - planned), held_out=_held_out(told, held))
        if len(trials) >= _LEAST and spread
        else None
    )
    return Comparison(
        with_memory=_typical(told),
        without=_typical(held),
        change=change,
        planned=planned,
        missing=_missing(wanted, trials, change=change),
    )


def wilson(count: int, total: int) -> tuple[float, float]:
    """The interval of a share; from 0 to 1 where there is nothing to count."""
    if not total:
        return 0.0, 1.0
    share, square = count / total, _Z * _Z
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = _Z * math.sqrt(share * (1 - share) / total + square / (4 * total * total)) / (1 + square / total)
    return max(0.0, middle - half), min(1.0, middle + half)


def _sides(trials: Sequence[Trial]) -> tuple[list[Trial], list[Trial]]:
    return [one for one in trials if not one.is_withheld], [one for one in trials if one.is_withheld]


def _share(trials: Sequence[Trial]) -> Side:
    if not trials:
        return Side()
    count = _count(trials)
    low, high = wilson(count, len(trials))
    return Side(sessions=len(trials), value=count / len(trials), low=low, high=high)


def _count(trials: Sequence[Trial]) -> int:
    return sum(one.value > 0 for one in trials)


def _newcombe(told: Sequence[Trial], held: Sequence[Trial]) -> Change:
    """Of the share of those who were told, less that of the others."""
    a, b = _count(told) / len(told), _count(held) / len(held)
    a_low, a_high = wilson(_count(told), len(told))
    b_low, b_high = wilson(_count(held), len(held))
    value = a - b
    below, above = math.hypot(a - a_low, b_high - b), math.hypot(a_high - a, b - b_low)
    return Change(value=value, low=max(-1.0, value - below), high=min(1.0, value + above))


def _smoothed(trials: Sequence[Trial]) -> float:
    """A share to plan with: never 0, never 1."""
    return (_count(trials) + 0.5) / (len(trials) + 1)


def _binary(share: float) -> float:
    return share * (1 - share)


def _logs(trials: Sequence[Trial]) -> list[float]:
    return [math.log(max(one.value, 1.0)) for one in trials]


def _typical(trials: Sequence[Trial]) -> Side:
    logs = _logs(trials)
    if not logs:
        return Side()
    middle = _mean(logs)
    incomplete = sum(not one.is_complete for one in trials)
    side = Side(sessions=len(logs), value=math.exp(middle), incomplete=incomplete)
    if len(logs) < _LEAST:
        return side
    half = _t(len(logs) - 1) * math.sqrt(_variance(logs) / len(logs))
    return replace(side, low=math.exp(middle - half), high=math.exp(middle + half))


def _welch(a: Sequence[float], b: Sequence[float]) -> Change | None:
    """Of a's typical value against b's, less one: -0.25 is a quarter less. None where no session differs from the
    others of its side: so few of so little say nothing of what the next one will be."""
    difference = _mean(a) - _mean(b)
    parts = _variance(a) / len(a), _variance(b) / len(b)
    error = math.sqrt(sum(parts))
    weights = parts[0] ** 2 / (len(a) - 1) + parts[1] ** 2 / (len(b) - 1)
    if not weights:
        return None
    half = _t(sum(parts) ** 2 / weights) * error
    low, value, high = (math.expm1(difference + step) for step in (-half, 0.0, half))
    return Change(value=value, low=low, high=high)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0
    middle = _mean(values)
    return math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1)


def _t(freedom: float) -> float:
    """Student's quantile for LEVEL, from two degrees of freedom within one percent (Cornish and Fisher's series)."""
    z, n = _Z, max(freedom, 2.0)
    steps = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(step / n**power for power, step in enumerate(steps, start=1))


def _held_out(told: Sequence[Trial], held: Sequence[Trial]) -> float:
    """The share of sessions without memory to plan with: as it has been."""
    if not told or not held:
        return HELD_OUT
    return len(held) / (len(told) + len(held))


def _wanted(without: float, with_memory: float, *, effect: float, held_out: float) -> float:
    """Sessions in all until an effect is seen with POWER, from the variances on both sides."""
    noise = without / held_out + with_memory / (1 - held_out)
    return (_Z + _Z_POWER) ** 2 * noise / effect**2 if effect else math.inf


def _missing(wanted: float | None, trials: Sequence[Trial], *, change: Change | None) -> int | None:
    if change is not None and change.is_clear:
        return 0
    if wanted is None or wanted > _MOST:
        return None
    return max(1, math.ceil(wanted) - len(trials))
