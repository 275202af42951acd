"""Laws of growing and fading that hold for every memory at every moment."""

from dataclasses import replace
from datetime import timedelta

from building import NOW, a_memory
from hypothesis import given, settings
from hypothesis import strategies as st

from hindbrain.core.confidence import after_use, decay
from hindbrain.core.growth import Growth
from hindbrain.core.model import Memory
from hindbrain.core.retention import archive_reason

patient = settings(deadline=None)  # how fast the machine is proves nothing
ages = st.timedeltas(min_value=timedelta(days=-400), max_value=timedelta(days=4000))
confidences = st.floats(0, 1).map(lambda value: round(value, 4))


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    moments = st.none() | ages.map(lambda age: NOW - age)
    return a_memory(
        at=NOW - draw(ages),
        confidence=draw(confidences),
        last_used_at=draw(moments),
        decayed_at=draw(moments),
        is_pinned=draw(st.booleans()),
    )


@patient
@given(confidences, st.integers(0, 60))
def test_use_never_lowers_and_never_passes_the_ceiling(confidence: float, times: int) -> None:
    after = confidence
    for _ in range(times):
        after = after_use(after)

    assert confidence <= after <= max(confidence, Growth().ceiling)


@patient
@given(memories())
def test_decay_never_raises_and_never_sinks_below_the_floor(memory: Memory) -> None:
    if decayed := decay(memory, now=NOW):
        assert min(memory.confidence, Growth().floor) <= decayed.confidence <= memory.confidence
        assert decayed.decayed_at <= NOW


@patient
@given(memories())
def test_decaying_twice_at_once_is_decaying_once(memory: Memory) -> None:
    if decayed := decay(memory, now=NOW):
        after = replace(memory, confidence=decayed.confidence, decayed_at=decayed.decayed_at)
        assert decay(after, now=NOW) is None


@patient
@given(memories(), st.lists(st.integers(0, 40), max_size=8))
def test_how_often_it_runs_does_not_matter(memory: Memory, days: list[int]) -> None:
    end = NOW + timedelta(days=sum(days))
    stepped = memory
    now = NOW
    for wait in [*days, 0]:
        if decayed := decay(stepped, now=now):
            stepped = replace(stepped, confidence=decayed.confidence, decayed_at=decayed.decayed_at)
        now += timedelta(days=wait)
    if decayed := decay(stepped, now=end):
        stepped = replace(stepped, confidence=decayed.confidence, decayed_at=decayed.decayed_at)

    once = decay(memory, now=end)
    expected = memory.confidence if once is None else once.confidence
    assert abs(stepped.confidence - expected) < 1e-6


@patient
@given(memories())
def test_whatever_is_put_away_is_doubted_and_old(memory: Memory) -> None:
    if archive_reason(memory, now=NOW) is not None:
        assert memory.confidence < 0.15
        assert memory.created_at < NOW - timedelta(days=30)
        assert not memory.is_pinned
