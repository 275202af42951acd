"""What a person's yes or no does, and what ten thousand uses do not."""

import pytest
from building import NOW, FakeClock, a_memory, keep

from hindbrain.app.recall import Question, recall
from hindbrain.app.review import decide
from hindbrain.app.tools import Tools
from hindbrain.app.verdict import verdict
from hindbrain.core.model import Memory, Pulse, ReviewKind, State
from hindbrain.core.model.outcome import Anchor, Effect, Freshness, Outcome
from hindbrain.core.value import replace
from hindbrain.errors import BadValue, UnknownMemory
from hindbrain.ports import Changes, Store

ID = "mem-0lesson1111"


@pytest.fixture(autouse=True)
def _kept(store: Store) -> None:
    keep(store, a_memory("The lock expires after 30 seconds", id=ID, confidence=0.6))


def of(store: Store) -> Memory:
    memory = store.memory(ID)
    assert memory is not None
    return memory


def test_a_persons_yes_confirms_and_verifies(tools: Tools, clock: FakeClock) -> None:
    at = clock.forward(hours=1)

    heard = verdict(ID[:9], "helped", note="saved me an hour", by="Ada", tools=tools)

    memory = of(tools.store)
    assert heard.memory == memory and not heard.review_id
    assert (memory.counters.confirmed, memory.verified_at, memory.confidence) == (1, at, 0.7)
    assert memory.trust == 2, "where it came from has not changed"
    (outcome,) = tools.store.outcomes("prj-one", memory_id=ID)
    assert (outcome.how, outcome.effect, outcome.note) == ("person", Effect.HELPED, "saved me an hour")
    last = tools.store.history(ID)[-1]
    assert (last.change, last.changed_by.persona) == ("verified", "Ada")
    assert [event.name for event in tools.store.events()] == ["memory_judged"]


def test_a_persons_no_lowers_confidence_and_asks_for_a_decision(tools: Tools, clock: FakeClock) -> None:
    heard = verdict(ID, "hurt", note="it is 60 seconds", tools=tools)

    assert of(tools.store).confidence == pytest.approx(0.4)
    (review,) = tools.store.reviews("prj-one")
    assert (review.id, review.kind, review.other_id) == (heard.review_id, ReviewKind.CONTRADICTION, None)
    assert "it is 60 seconds" in review.reason
    with pytest.raises(BadValue, match="supersede"):
        decide(review.id, "supersede", store=tools.store, clock=clock)
    assert decide(review.id, "keep", store=tools.store, clock=clock).decision == "kept"
    assert of(tools.store).state is State.LIVE


def test_a_memory_that_hurt_can_be_refused(tools: Tools, clock: FakeClock) -> None:
    heard = verdict(ID, "hurt", tools=tools)

    assert decide(heard.review_id, "refuse", store=tools.store, clock=clock).decision == "refused"
    assert of(tools.store).state is State.ARCHIVED


def test_saying_it_twice_is_no_more_than_saying_it_once(tools: Tools) -> None:
    for _ in range(3):
        verdict(ID, "hurt", by="Ada", tools=tools)

    assert of(tools.store).confidence == pytest.approx(0.4)
    assert len(tools.store.reviews("prj-one")) == 1
    assert tools.store.standings([ID])[ID].hurt == 1


def test_who_changes_their_mind_is_counted_with_the_last_word(tools: Tools, clock: FakeClock) -> None:
    verdict(ID, "hurt", by="Ada", tools=tools)
    clock.forward(minutes=1)
    verdict(ID, "helped", by="Ada", tools=tools)
    verdict(ID, "helped", by="Bo", tools=tools)

    standing = tools.store.standings([ID])[ID]
    assert (standing.helped, standing.hurt) == (2, 0)


def test_a_verdict_that_does_not_exist_names_those_that_do(tools: Tools) -> None:
    with pytest.raises(BadValue) as raised:
        verdict(ID, "great", tools=tools)
    assert "helped, hurt, unknown" in raised.value.fix
    with pytest.raises(UnknownMemory):
        verdict("mem-nowhere111", "helped", tools=tools)
    assert not tools.store.outcomes("prj-one")


def test_a_secret_in_a_note_stays_outside(tools: Tools) -> None:
    secret = "ghp_" + "a1B2" * 9
    verdict(ID, "hurt", note=f"the token is {secret}", tools=tools)

    assert secret not in tools.store.outcomes("prj-one")[0].note
    assert secret not in tools.store.reviews("prj-one")[0].reason


def used(number: int, effect: Effect = Effect.HELPED) -> Outcome:
    return Outcome(
        id=f"out-{number:06d}",
        at=NOW,
        project="prj-one",
        memory_id=ID,
        effect=effect,
        how="cited",
        injection_id=f"inj-{number:06d}",
        session=f"s{number:06d}",
    )


def test_ten_thousand_uses_of_one_source_change_no_trust_and_lift_no_score_by_more_than_a_tenth(  # S3
    tools: Tools,
) -> None:
    rival = a_memory("The lock expires after 40 seconds of silence", id="mem-0rival22222", confidence=0.6)
    keep(tools.store, rival)
    question = Question(text="when does the lock expire?")
    before, trust = _scores(question, tools), of(tools.store).trust
    pulse = Pulse(memory_id=ID, injected=10_000, recalled=10_000, cited=10_000)
    uses = tuple(used(number) for number in range(10_000))

    tools.store.write(lambda tx: tx.apply(Changes(pulses=(pulse,))))
    assert _scores(question, tools) == before, "usage alone moves nothing"
    tools.store.write(lambda tx: tx.apply(Changes(outcomes=uses)))

    after = _scores(question, tools)
    assert of(tools.store).trust == trust
    assert before[ID] < after[ID] <= 1.1 * before[ID]
    assert after["mem-0rival22222"] == before["mem-0rival22222"]


def _scores(question: Question, tools: Tools) -> dict[str, float]:
    return {one.id: round(one.score.total, 9) for one in recall(question, project="prj-one", tools=tools)}


def test_the_reasons_say_how_a_memory_has_fared(tools: Tools) -> None:
    outcomes = (*(used(number) for number in range(3)), used(3, Effect.HURT))
    tools.store.write(lambda tx: tx.apply(Changes(outcomes=outcomes)))

    (found,) = recall(Question(text="when does the lock expire?"), project="prj-one", tools=tools)
    (start,) = recall(Question(), project="prj-one", tools=tools)

    for one in (found, start):
        (reason,) = [reason for reason in one.reasons if reason.name == "helped"]
        assert reason.note == "3 helped, 1 hurt" and 0 < reason.part < 0.05


def test_code_that_changed_or_is_gone_sinks_a_memory_and_says_so(tools: Tools) -> None:
    totals = []
    for freshness in (Freshness.FRESH, Freshness.SUSPECT, Freshness.GONE):
        anchor = Anchor(
            memory_id=ID, project="prj-one", path="lock.py", tied_at=NOW, checked_at=NOW, freshness=freshness
        )
        tools.store.write(lambda tx, anchor=anchor: tx.apply(Changes(anchors=(anchor,))))
        (found,) = recall(Question(text="when does the lock expire?"), project="prj-one", tools=tools)
        totals.append(found.score.total)
        assert [reason.name for reason in found.reasons if reason.name in ("fresh", "suspect", "gone")] == (
            [] if freshness is Freshness.FRESH else [freshness]
        )

    assert totals[0] - totals[1] == pytest.approx(0.05) and totals[0] - totals[2] == pytest.approx(0.1)


def test_one_who_helped_comes_before_its_equal_who_hurt(tools: Tools) -> None:
    twin = replace(of(tools.store), id="mem-9younger111", content="The lock expires after 30 minutes", version=1)
    keep(tools.store, twin)
    hurt = replace(used(1, Effect.HURT), memory_id=twin.id)
    first = [one.id for one in recall(Question(), project="prj-one", tools=tools)]
    tools.store.write(lambda tx: tx.apply(Changes(outcomes=(used(0), hurt))))

    assert first == [twin.id, ID]
    assert [one.id for one in recall(Question(), project="prj-one", tools=tools)] == [ID, twin.id]


def test_in_a_large_store_the_record_of_what_may_come_first_still_counts(tools: Tools) -> None:
    keep(tools.store, *(a_memory(f"Lesson number {n}", id=f"mem-1{n:08d}", confidence=0.3) for n in range(600)))
    tools.store.write(lambda tx: tx.apply(Changes(outcomes=(used(0),))))

    first = next(iter(recall(Question(), project="prj-one", tools=tools)))

    assert first.id == ID and "helped" in {reason.name for reason in first.reasons}
