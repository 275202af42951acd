from datetime import timedelta

import pytest
from building import NOW, FakeClock, a_memory, keep
from reading import everything

from hindbrain.app.review import decide
from hindbrain.core.model import ActorType, Memory, Relation, Review, ReviewKind, State
from hindbrain.errors import BadValue, Conflict, UnknownMemory
from hindbrain.ports import Changes, Store

OLD, NEW = "mem-older111", "mem-newer222"


def a_review(id_: str, kind: ReviewKind, *, memory: str = NEW, other: str | None = None) -> Review:
    return Review(
        id=id_, project="prj-one", kind=kind, memory_id=memory, other_id=other, reason="because", opened_at=NOW
    )


def quarantine(store: Store, *, trust: int = 0) -> None:
    keep(store, a_memory("Run the setup script first", id=NEW, trust=trust))
    store.write(lambda tx: tx.apply(Changes(reviews=(a_review("rev-1", ReviewKind.QUARANTINE),))))


def contradiction(store: Store, **given: object) -> None:
    keep(store, a_memory("Use tabs", id=OLD), a_memory("Use spaces", id=NEW, **given))
    review = a_review("rev-1", ReviewKind.CONTRADICTION, other=OLD)
    store.write(lambda tx: tx.apply(Changes(reviews=(review,))))


def of(store: Store, memory_id: str) -> Memory:
    memory = store.memory(memory_id)
    assert memory is not None
    return memory


@pytest.mark.parametrize("trust", [0, 1])
def test_a_released_memory_is_one_that_a_person_agreed_to(store: Store, clock: FakeClock, trust: int) -> None:
    quarantine(store, trust=trust)
    clock.forward(hours=1)

    closed = decide("rev-1", "release", by="Ada", store=store, clock=clock)

    at = NOW + timedelta(hours=1)
    assert (closed.decision, closed.decided_by, closed.closed_at) == ("released", "Ada", at)
    assert store.review("rev-1") == closed
    memory = of(store, NEW)
    assert (memory.trust, memory.state, memory.version) == (4, State.LIVE, 2)
    last = store.history(NEW)[-1]
    assert (last.change, last.changed_by.type, last.changed_by.persona) == ("released", ActorType.HUMAN, "Ada")
    assert [event.name for event in store.events()] == ["memory_released"]


def test_a_refused_memory_is_archived_as_refused(store: Store, clock: FakeClock) -> None:
    quarantine(store)

    assert decide("rev-1", "refuse", store=store, clock=clock).decision == "refused"

    memory = of(store, NEW)
    assert (memory.state, memory.archive_reason, memory.trust) == (State.ARCHIVED, "refused", 0)
    assert [event.name for event in store.events()] == ["memory_archived"]


def test_the_newer_statement_replaces_the_older_when_a_person_says_so(  # CH-127
    store: Store, clock: FakeClock
) -> None:
    contradiction(store)

    assert decide("rev-1", "supersede", store=store, clock=clock).decision == "superseded"

    old, new = of(store, OLD), of(store, NEW)
    assert (old.state, old.superseded_by, old.superseded_at) == (State.SUPERSEDED, NEW, NOW)
    assert new.state is State.LIVE
    (link,) = store.links(NEW)
    assert (link.source, link.target, link.relation) == (NEW, OLD, Relation.SUPERSEDES)
    (event,) = store.events()
    assert (event.name, set(event.data)) == ("learning_superseded", {"oldHash", "newHash", "reason"})
    assert (event.data["oldHash"], event.data["newHash"]) == (old.chorus_hash, new.chorus_hash)


def test_both_statements_stay_when_a_person_says_so(store: Store, clock: FakeClock) -> None:
    contradiction(store)

    assert decide("rev-1", "keep", store=store, clock=clock).decision == "kept both"
    assert (of(store, OLD).version, of(store, NEW).version) == (1, 1)


def test_the_newer_statement_goes_when_it_is_refused(store: Store, clock: FakeClock) -> None:
    contradiction(store)
    store.write(lambda tx: tx.apply(Changes(reviews=(a_review("rev-2", ReviewKind.QUARANTINE),))))

    decide("rev-1", "refuse", store=store, clock=clock)

    assert (of(store, NEW).state, of(store, NEW).archive_reason) == (State.ARCHIVED, "refused")
    assert of(store, OLD).state is State.LIVE
    assert store.reviews("prj-one") in ([], ()), "nothing is left to decide about it"


@pytest.mark.parametrize(
    ("decision", "older", "newer"),
    [
        ("supersede", State.SUPERSEDED, State.LIVE),
        ("keep", State.LIVE, State.LIVE),
        ("refuse", State.LIVE, State.SUPERSEDED),
    ],
)
def test_a_replaced_statement_that_was_said_again_can_come_back(
    store: Store, clock: FakeClock, decision: str, older: State, newer: State
) -> None:
    contradiction(store, superseded_by=OLD, superseded_at=NOW)

    decide("rev-1", decision, store=store, clock=clock)

    assert (of(store, OLD).state, of(store, NEW).state) == (older, newer)


def test_the_id_of_a_memory_will_do_when_one_review_is_about_it(store: Store, clock: FakeClock) -> None:
    contradiction(store)

    assert decide(OLD[:9], "keep", store=store, clock=clock).id == "rev-1"


def test_the_id_of_a_memory_will_not_do_when_it_is_not_clear_what_is_decided(store: Store, clock: FakeClock) -> None:
    contradiction(store)
    store.write(lambda tx: tx.apply(Changes(reviews=(a_review("rev-2", ReviewKind.QUARANTINE),))))
    keep(store, a_memory("Nothing to decide here", id="mem-quiet111"))
    before = everything(store)

    with pytest.raises(Conflict) as raised:
        decide(NEW, "refuse", store=store, clock=clock)
    assert "rev-1, rev-2" in raised.value.fix
    with pytest.raises(Conflict, match="no open reviews"):
        decide("mem-quiet111", "refuse", store=store, clock=clock)
    assert everything(store) == before


@pytest.mark.parametrize(
    ("kind", "decision", "choices"),
    [
        (ReviewKind.QUARANTINE, "supersede", "release, refuse"),
        (ReviewKind.QUARANTINE, "", "release, refuse"),
        (ReviewKind.CONTRADICTION, "release", "supersede, keep, refuse"),
        (ReviewKind.CONTRADICTION, "Keep", "supersede, keep, refuse"),
    ],
)
def test_a_decision_that_does_not_exist_names_those_that_do(
    store: Store, clock: FakeClock, kind: ReviewKind, decision: str, choices: str
) -> None:
    quarantine(store) if kind is ReviewKind.QUARANTINE else contradiction(store)
    before = everything(store)

    with pytest.raises(BadValue) as raised:
        decide("rev-1", decision, store=store, clock=clock)
    assert choices in raised.value.fix
    assert everything(store) == before


def test_what_was_decided_stays_decided(store: Store, clock: FakeClock) -> None:
    quarantine(store)
    decide("rev-1", "release", store=store, clock=clock)
    before = everything(store)

    for again in ("rev-1", NEW):
        with pytest.raises(Conflict):
            decide(again, "refuse", store=store, clock=clock)
    assert everything(store) == before


def test_an_unknown_review_says_where_the_reviews_are(store: Store, clock: FakeClock) -> None:
    with pytest.raises(UnknownMemory) as raised:
        decide("rev-nowhere", "keep", store=store, clock=clock)
    assert "`hindbrain review`" in raised.value.fix


def test_a_memory_in_quarantine_replaces_nothing(store: Store, clock: FakeClock) -> None:
    contradiction(store, trust=0)
    before = everything(store)

    with pytest.raises(Conflict, match="can replace nothing"):
        decide("rev-1", "supersede", store=store, clock=clock)
    assert everything(store) == before
