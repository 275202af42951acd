"""Laws of the values: what is written down comes back, times sort, scores are the sum of their reasons."""

from datetime import UTC, datetime, timedelta, timezone

from building import NOW, a_memory
from hypothesis import given
from hypothesis import strategies as st

from hindbrain.adapters.clock import SystemChance
from hindbrain.core.model import Actor, Counters, Kind, Memory, Pulse, Reason, Relation, Score, State
from hindbrain.core.model.bodies import faults
from hindbrain.core.model.filing import Filing, counted, is_superseded, updated
from hindbrain.core.model.moment import days_between, end_of, read_stamp, stamp, to_milliseconds
from hindbrain.core.model.record import canonical, fingerprint, from_record, to_record
from hindbrain.core.value import replace

zones = st.timedeltas(timedelta(hours=-23), timedelta(hours=23)).map(timezone)
moments = st.datetimes(timezones=st.just(UTC))
anywhere = st.datetimes(timezones=zones)
clocked = st.datetimes(datetime(1971, 1, 1), datetime(2999, 1, 1), timezones=st.just(UTC))  # what a machine may show
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    maybe = st.none() | moments.map(to_milliseconds)
    return a_memory(
        draw(st.text(min_size=1, max_size=60)),
        kind=draw(st.sampled_from(list(Kind))),
        body=draw(st.dictionaries(st.text(max_size=8), json_values, max_size=3)),
        tags=tuple(draw(st.lists(st.text(max_size=8), max_size=3))),
        confidence=draw(st.floats(0, 1)),
        trust=draw(st.integers(0, 4)),
        last_used_at=draw(maybe),
        archived_at=draw(maybe),
        superseded_by=draw(st.none() | st.just("mem-x")),
        counters=Counters(injected=draw(st.integers(0, 99))),
    )


@given(memories())
def test_a_record_gives_the_memory_back(memory: Memory) -> None:
    assert from_record(to_record(memory)) == memory


@given(anywhere)
def test_any_time_there_is_comes_back_as_it_was_written(moment: datetime) -> None:
    assert len(stamp(moment)) == len("2026-01-10T09:30:00.000Z")
    assert read_stamp(stamp(moment)) == to_milliseconds(moment)


@given(json_values)
def test_equal_values_have_one_canonical_text(value: object) -> None:
    assert canonical(value) == canonical(value) and len(fingerprint(value)) == 64


@given(moments, moments)
def test_stamps_sort_as_time_does(one: datetime, two: datetime) -> None:
    one, two = to_milliseconds(one), to_milliseconds(two)
    assert (stamp(one) < stamp(two)) == (one < two)
    assert read_stamp(stamp(one)) == one


@given(st.datetimes(max_value=datetime(9999, 12, 30), timezones=st.just(UTC)))
def test_a_day_ends_with_its_last_millisecond(moment: datetime) -> None:  # F-13
    end = end_of(f"{moment.date()}")
    assert end.date() == moment.date() and (end + timedelta(milliseconds=1)).date() > moment.date()
    assert end_of(stamp(moment)) == to_milliseconds(moment)


# R16
@given(moments, moments)
def test_no_age_is_negative(one: datetime, two: datetime) -> None:
    assert days_between(one, two) >= 0


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), max_size=6))
def test_a_score_is_the_sum_of_its_reasons(parts: list[tuple[float, float]]) -> None:
    score = Score(tuple(Reason("r", value, weight) for value, weight in parts))
    assert score.total == sum(value * weight for value, weight in parts)


tricky = st.sampled_from(
    [
        {"counters": {"cited": 7, "confirmed": 7}, "updated_at": "x", "version": 3, "body": {}, "superseded_by": None},
        {"z": {"confidence": 1, "last_used_at": None, "decayed_at": "y"}, "a": ',"counters":{"confirmed":1,'},
        {"said": '","updated_at":"2026-01-10T09:30:00.000Z","verified_at":null,"version":9}'},
        {"archived_at": 1, "archive_reason": '","body":{'},
    ]
)


@given(memories(), tricky | st.just({}), st.text('ab"\\,:{}\n', max_size=12), moments.map(to_milliseconds))
def test_the_text_of_what_is_put_away_or_brought_back_is_that_of_its_fields(
    memory: Memory, body: dict[str, object], reason: str, at: datetime
) -> None:
    memory = replace(memory, body={**memory.body, **body}, archive_reason=reason, title=',"counters":{"')
    text = canonical(to_record(memory))
    for filing in (Filing(versions={}, at=at), Filing(versions={}, at=at, reason=f"purged: {reason}")):
        after = filing.applied_to(memory)
        assert filing.rewriting(text) == canonical(to_record(after))
        assert updated(filing.rewriting(text)) == stamp(after.updated_at)
    assert is_superseded(text) == (memory.superseded_by is not None)


@given(memories(), tricky, st.integers(0, 99), st.floats(0, 1), st.none() | moments.map(to_milliseconds))
def test_the_text_of_what_was_counted_is_that_of_its_fields(
    memory: Memory, body: dict[str, object], count: int, confidence: float, at: datetime | None
) -> None:
    memory = replace(memory, body=body)
    pulse = Pulse(
        memory_id=memory.id, recalled=count, evidence=1, confidence=confidence, last_used_at=at, decayed_at=at
    )
    after = pulse.applied_to(memory)
    record = to_record(after)
    times = {name: record[name] for name in ("confidence", "last_used_at", "decayed_at")}

    assert counted(canonical(to_record(memory)), after.counters, **times) == canonical(record)


@given(memories())
def test_what_was_put_away_comes_back_as_it_was_and_wanted(memory: Memory) -> None:
    memory = replace(memory, archived_at=None, archive_reason="")
    away = Filing(versions={}, at=NOW, reason="purged").applied_to(memory)
    back = Filing(versions={}, at=NOW).applied_to(away)

    assert away.state is State.ARCHIVED and back.state is memory.state
    wanted = replace(memory.counters, confirmed=memory.counters.confirmed + 1)
    assert back == replace(memory, counters=wanted, version=memory.version + 2, updated_at=back.updated_at)


@given(memories(), st.integers(0, 5), st.integers(0, 5))
def test_pulses_add_up(memory: Memory, one: int, two: int) -> None:
    step = Pulse(memory_id=memory.id, recalled=one).applied_to(memory)
    both = Pulse(memory_id=memory.id, recalled=two).applied_to(step)
    assert both.counters.recalled == memory.counters.recalled + one + two and both.version == memory.version


@given(memories())
def test_a_memory_is_in_exactly_one_state(memory: Memory) -> None:
    if memory.archived_at:
        assert memory.state is State.ARCHIVED
    elif memory.superseded_by:
        assert memory.state is State.SUPERSEDED
    else:
        assert memory.state is (State.LIVE if memory.trust else State.QUARANTINED)


@given(st.sampled_from(list(Relation)))
def test_an_inverse_inverts(relation: Relation) -> None:  # LK-081
    if relation.inverse:
        assert relation.inverse.inverse is relation


@given(st.sampled_from(list(Kind)), st.dictionaries(st.text(max_size=8), json_values, max_size=3))
def test_unknown_fields_of_a_body_are_never_a_fault(kind: Kind, body: dict[str, object]) -> None:
    unknown = {f"x-{name}": value for name, value in body.items()}
    assert faults(kind, unknown) == ()


def test_a_named_field_must_have_its_type() -> None:
    assert faults(Kind.SCAR, {"is_learnable": "yes"}) == ("scar.is_learnable must be true or false",)
    assert faults(Kind.PATTERN, {"conditions": ["a", 1]}) == ("pattern.conditions must be a list of texts",)
    assert faults(Kind.EPISODE, {"duration_seconds": True}) == ("episode.duration_seconds must be a number",)


@given(st.lists(clocked, min_size=1, max_size=20))
def test_ids_sort_by_time_and_never_repeat(times: list[datetime]) -> None:  # DX-058
    chance = SystemChance()
    ids = [chance.id("mem", at) for at in sorted(times)]
    assert ids == sorted(ids) and len(set(ids)) == len(ids)
    assert all(len(id_) == 30 and id_[4:].isalnum() and id_ == id_.lower() for id_ in ids)


def test_an_instance_speaks_as_its_persona() -> None:  # CH-055
    assert Actor(instance="ed-001").voice == Actor(persona="ed", instance="ed-001").voice == "ed"
    assert Actor(instance="pat").voice == "pat" and Actor().voice == "agent"
