"""The arithmetic of with and without, against published figures and against sessions with a planted effect."""

import math
import random

import pytest

from hindbrain.core.lift import Comparison, efforts, shares, wilson
from hindbrain.core.trial import Trial


def trials(told: list[float], held: list[float]) -> list[Trial]:
    values = [(value, False) for value in told] + [(value, True) for value in held]
    return [Trial(session=f"s{n}", is_withheld=side, value=value) for n, (value, side) in enumerate(values)]


def yes_no(count: int, total: int) -> list[float]:
    return [1.0] * count + [0.0] * (total - count)


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_of_a_share_is_wilsons(count: int, total: int, low: float, high: float) -> None:
    assert wilson(count, total) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("a", "b", "low", "high"),
    [((56, 70), (48, 80), 0.0524, 0.3339), ((9, 10), (3, 10), 0.1705, 0.8090), ((10, 10), (0, 10), 0.6075, 1.0)],
)
def test_the_interval_of_a_difference_is_newcombes(
    a: tuple[int, int], b: tuple[int, int], low: float, high: float
) -> None:
    change = shares(trials(yes_no(*a), yes_no(*b))).change
    assert change is not None
    assert (change.low, change.high) == pytest.approx((low, high), abs=5e-5)


def test_calls_are_compared_by_how_many_times_as_many_they_are() -> None:
    found = efforts(trials([4, 8, 16, 8], [8, 16, 32, 16]))
    assert found.change is not None
    assert found.change.value == pytest.approx(-0.5)
    assert found.with_memory.value == pytest.approx(8) and found.without.value == pytest.approx(16)


def test_without_sessions_nothing_is_said() -> None:
    for nothing in (shares([]), efforts([])):
        assert nothing.change is None and nothing.missing is None and nothing.without.value is None
    only = shares(trials(yes_no(3, 40), []))
    assert only.change is None and (only.missing or 0) > 100, "but it is known how many would be needed"


def test_sessions_that_all_agree_are_no_certainty() -> None:
    assert efforts(trials([5, 5, 5], [9, 9, 9])).change is None
    assert efforts(trials([5, 7], [9, 8])).change is None, "too few"


def test_sessions_that_never_passed_are_counted_apart() -> None:
    found = efforts([*trials([3, 4, 5], [9, 8, 7]), Trial(session="x", is_withheld=True, value=30, is_complete=False)])
    assert (found.without.sessions, found.without.incomplete, found.with_memory.incomplete) == (4, 1, 0)


def simulated(seed: int, *, sessions: int, told: float, held: float, share: float) -> Comparison:
    chance = random.Random(seed)
    made = []
    for number in range(sessions):
        is_withheld = chance.random() < share
        is_back = chance.random() < (held if is_withheld else told)
        made.append(Trial(session=f"s{number}", is_withheld=is_withheld, value=float(is_back)))
    return shares(made)


def simulated_calls(seed: int, *, sessions: int, told: float, held: float, share: float) -> Comparison:
    chance = random.Random(seed)
    made = []
    for number in range(sessions):
        is_withheld = chance.random() < share
        calls = round(math.exp(chance.gauss(math.log(held if is_withheld else told), 0.6)))
        made.append(Trial(session=f"s{number}", is_withheld=is_withheld, value=max(calls, 1)))
    return efforts(made)


SEEDS = range(300)


@pytest.mark.parametrize("share", [0.05, 0.2])
def test_a_planted_effect_is_found_and_covered_as_often_as_stated(share: float) -> None:
    runs = [simulated(seed, sessions=600, told=0.1, held=0.35, share=share) for seed in SEEDS]
    changes = [run.change for run in runs if run.change]
    covered = sum(change.low <= -0.25 <= change.high for change in changes) / len(changes)
    found = sum(change.is_clear and change.value < 0 for change in changes) / len(changes)
    assert 0.92 <= covered <= 0.99
    assert found >= 0.85


def test_fewer_calls_are_found_and_covered_as_often_as_stated() -> None:
    runs = [simulated_calls(seed, sessions=400, told=20, held=30, share=0.1) for seed in SEEDS]
    changes = [run.change for run in runs if run.change]
    covered = sum(change.low <= 20 / 30 - 1 <= change.high for change in changes) / len(changes)
    assert 0.92 <= covered <= 0.99
    assert sum(change.is_clear and change.value < 0 for change in changes) / len(changes) >= 0.85


def test_where_there_is_no_effect_none_is_claimed_more_often_than_stated() -> None:
    plain = [simulated(seed, sessions=400, told=0.2, held=0.2, share=0.2) for seed in SEEDS]
    calls = [simulated_calls(seed, sessions=200, told=20, held=20, share=0.2) for seed in SEEDS]
    for runs in (plain, calls):
        claimed = sum(run.change.is_clear for run in runs if run.change) / len(runs)
        assert claimed <= 0.08
        assert any(run.missing for run in runs), "and it says how many sessions more would tell"


def test_so_many_sessions_more_do_tell_as_often_as_promised() -> None:
    first = simulated(7, sessions=40, told=0.2, held=0.4, share=0.5)
    wanted = 40 + (shares(trials(yes_no(4, 20), yes_no(8, 20))).missing or 0)
    assert first.change is not None
    runs = [simulated(seed, sessions=wanted, told=0.2, held=0.4, share=0.5) for seed in SEEDS]
    found = sum(run.change.is_clear for run in runs if run.change) / len(runs)
    assert 0.7 <= found <= 0.9, f"promised 0.8 with {wanted} sessions"
