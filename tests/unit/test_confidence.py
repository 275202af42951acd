"""Belief grows with use and fades with neglect, by the constants of Dex and the mechanics that it meant."""

from dataclasses import replace
from datetime import timedelta

import pytest
from building import NOW, a_memory

from hindbrain.core.confidence import after_outcome, after_use, decay, first
from hindbrain.core.growth import Growth
from hindbrain.core.model import Memory, Source
from hindbrain.core.model.outcome import Effect


def aged(days: float, **given: object) -> Memory:
    return a_memory("A lesson", at=NOW - timedelta(days=days), **given)


# DX-114 DX-115 DX-116
@pytest.mark.parametrize(
    ("source", "expected"),
    [(Source.EXPLICIT, 0.6), (Source.AUTOMATIC, 0.5), (Source.IMPORTED, 0.7), (Source.MANUAL, 0.8)],
)
def test_a_new_memory_is_believed_by_how_it_came_to_be(source: Source, expected: float) -> None:
    assert first(source) == expected
    assert first(source, growth=replace(Growth(), **{str(source): 0.42})) == 0.42


# DX-117 DX-118 DX-123
@pytest.mark.parametrize(("before", "after"), [(0.5, 0.52), (0.94, 0.95), (0.95, 0.95), (1.0, 1.0)])
def test_use_adds_a_little_up_to_the_ceiling_and_never_takes_away(before: float, after: float) -> None:
    assert after_use(before) == after


# DX-117 DX-118
def test_boost_and_ceiling_can_be_set() -> None:
    assert after_use(0.5, growth=Growth(usage_boost=0.1)) == 0.6
    assert after_use(0.5, growth=Growth(ceiling=0.51)) == 0.51


# G-5 DX-119 DX-120 DX-124 DX-126 F-08
@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        (aged(15, confidence=0.50), 0.46),
        (aged(100, confidence=0.50, last_used_at=NOW - timedelta(days=8)), 0.48),
        (aged(8, confidence=0.11), 0.10),
        (aged(8, confidence=0.10), 0.10),
        (aged(3650, confidence=0.9), 0.10),
        (aged(8, confidence=0.05), 0.05),
    ],
    ids=["never used", "used", "to the floor", "at the floor", "years", "below the floor"],
)
def test_each_full_week_without_use_takes_a_step_down_to_the_floor(memory: Memory, expected: float) -> None:
    decayed = decay(memory, now=NOW)

    assert decayed is not None
    assert decayed.confidence == expected


# DX-119 DX-120
def test_step_and_floor_can_be_set() -> None:
    decayed = decay(aged(15, confidence=0.5), now=NOW, growth=Growth(decay_per_week=0.1, floor=0.4))

    assert decayed is not None
    assert decayed.confidence == 0.4


# DX-125 F-09 G-5
def test_cleaning_up_three_times_a_day_takes_one_step() -> None:
    memory = aged(8, confidence=0.5)
    steps = 0
    for hour in (0, 8, 16):
        if decayed := decay(memory, now=NOW + timedelta(hours=hour)):
            memory = replace(memory, confidence=decayed.confidence, decayed_at=decayed.decayed_at)
            steps += 1

    assert (memory.confidence, steps) == (0.48, 1)


# F-35
def test_a_year_in_fifty_cleanups_takes_what_a_year_in_one_takes() -> None:
    start = aged(0, confidence=0.9)
    memory = start
    for week in range(1, 53):
        if decayed := decay(memory, now=NOW + timedelta(weeks=week)):
            memory = replace(memory, confidence=decayed.confidence, decayed_at=decayed.decayed_at)
    once = decay(start, now=NOW + timedelta(weeks=52))
    assert once is not None and memory.confidence == pytest.approx(once.confidence)


# F-09
def test_part_of_a_week_is_kept_for_the_next_time() -> None:
    memory = aged(13, confidence=0.5)
    decayed = decay(memory, now=NOW)
    assert decayed is not None

    memory = replace(memory, confidence=decayed.confidence, decayed_at=decayed.decayed_at)
    later = decay(memory, now=NOW + timedelta(days=1))

    assert later is not None
    assert later.confidence == 0.46


def test_weeks_at_the_floor_do_not_eat_a_later_rise() -> None:
    memory = aged(365, confidence=0.1)
    decayed = decay(memory, now=NOW)
    assert decayed is not None

    raised = replace(memory, confidence=0.8, decayed_at=decayed.decayed_at)

    assert decay(raised, now=NOW + timedelta(hours=1)) is None


#
def test_use_starts_the_weeks_anew() -> None:
    memory = aged(100, confidence=0.5, decayed_at=NOW - timedelta(days=20), last_used_at=NOW - timedelta(days=6))

    assert decay(memory, now=NOW) is None


@pytest.mark.parametrize(
    "memory",
    [
        aged(100, confidence=0.5, is_pinned=True),
        aged(-30, confidence=0.5),
        aged(100, confidence=0.5, decayed_at=NOW + timedelta(days=30)),
        aged(6.99, confidence=0.5),
    ],
    ids=["pinned", "from the future", "decayed in the future", "not yet a week"],
)
def test_there_is_nothing_to_take(memory: Memory) -> None:
    assert decay(memory, now=NOW) is None


# F-16 X-12
@pytest.mark.parametrize(
    ("effect", "by_person", "before", "after"),
    [
        (Effect.HELPED, False, 0.5, 0.52),
        (Effect.HELPED, True, 0.5, 0.6),
        (Effect.HELPED, True, 0.9, 0.95),
        (Effect.HELPED, True, 1.0, 1.0),
        (Effect.HURT, False, 0.5, 0.45),
        (Effect.HURT, True, 0.5, 0.3),
        (Effect.HURT, True, 0.2, 0.1),
        (Effect.HURT, True, 0.05, 0.05),
        (Effect.UNKNOWN, True, 0.5, 0.5),
    ],
)
def test_help_lifts_and_harm_lowers_belief_a_persons_word_more_than_a_sessions(
    effect: Effect, by_person: bool, before: float, after: float
) -> None:
    assert after_outcome(before, effect, by_person=by_person) == after
