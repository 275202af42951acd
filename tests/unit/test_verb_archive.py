from datetime import timedelta

import pytest
from building import NOW, FakeClock, a_memory, keep
from reading import everything

from hindbrain.app.archive import delete, restore
from hindbrain.app.maintain import cleanup
from hindbrain.app.review import decide
from hindbrain.app.tools import Tools
from hindbrain.core.model import ActorType, Review, ReviewKind, State
from hindbrain.core.words import query_terms
from hindbrain.errors import Conflict, TooLong, UnknownMemory
from hindbrain.ports import Changes, Store, Where

ID = "mem-aaaabbbb"


def a_review(kind: ReviewKind, *, other: str | None = None) -> Review:
    return Review(
        id="rev-1", project="prj-one", kind=kind, memory_id=ID, other_id=other, reason="because", opened_at=NOW
    )


def test_a_deleted_memory_is_gone_from_every_reading_and_kept_all_the_same(  # DX-149, DX-168, X-03
    store: Store, clock: FakeClock
) -> None:
    keep(store, a_memory(id=ID))

    gone = delete(ID, reason="out of date", store=store, clock=clock)

    assert (gone.state, gone.archive_reason, gone.archived_at, gone.version) == (State.ARCHIVED, "out of date", NOW, 2)
    assert store.select(Where(project="prj-one")) in ([], ())
    assert store.search(query_terms("batch inserts"), Where(project="prj-one"), limit=5) in ([], ())
    last = store.history(ID)[-1]
    assert (last.change, last.changed_by.type) == ("deleted", ActorType.HUMAN)
    (event,) = store.events()
    assert (event.name, event.data) == ("memory_deleted", {"memory_id": ID, "reason": "out of date"})


def test_restore_undoes_a_delete(store: Store, clock: FakeClock) -> None:
    keep(store, a_memory(id=ID))
    delete(ID, store=store, clock=clock)
    clock.forward(hours=1)

    back = restore(ID, store=store, clock=clock)

    assert (back.state, back.archived_at, back.archive_reason, back.version) == (State.LIVE, None, "", 3)
    assert [hit.memory.id for hit in store.search(query_terms("batch"), Where(project="prj-one"), limit=5)] == [ID]
    assert store.history(ID)[-1].change == "restored"
    assert [event.name for event in store.events()] == ["memory_deleted", "memory_restored"]


def test_restore_undoes_a_supersession(store: Store, clock: FakeClock) -> None:
    keep(store, a_memory(id=ID, superseded_by="mem-other", superseded_at=NOW))

    back = restore(ID, store=store, clock=clock)

    assert (back.state, back.superseded_by, back.superseded_at) == (State.LIVE, None, None)


def test_a_superseded_memory_that_was_deleted_comes_back_in_two_steps(store: Store, clock: FakeClock) -> None:
    keep(store, a_memory(id=ID, superseded_by="mem-other", superseded_at=NOW))
    delete(ID, store=store, clock=clock)

    assert restore(ID, store=store, clock=clock).state is State.SUPERSEDED
    assert restore(ID, store=store, clock=clock).state is State.LIVE


def test_what_is_archived_cannot_be_deleted_again(store: Store, clock: FakeClock) -> None:
    keep(store, a_memory(id=ID))
    delete(ID, store=store, clock=clock)
    before = everything(store)

    with pytest.raises(Conflict) as raised:
        delete(ID, store=store, clock=clock)
    assert f"hindbrain restore {ID}" in raised.value.fix
    assert everything(store) == before


@pytest.mark.parametrize("trust", [0, 2])
def test_what_is_not_gone_cannot_be_restored(store: Store, clock: FakeClock, trust: int) -> None:
    keep(store, a_memory(id=ID, trust=trust))
    before = everything(store)

    with pytest.raises(Conflict, match="nothing to restore"):
        restore(ID, store=store, clock=clock)
    assert everything(store) == before


def test_unknown_ids_and_endless_reasons_change_nothing(store: Store, clock: FakeClock) -> None:  # DX-149
    keep(store, a_memory(id=ID))
    before = everything(store)

    for verb in (delete, restore):
        with pytest.raises(UnknownMemory):
            verb("mem-nowhere1", store=store, clock=clock)
    with pytest.raises(TooLong):
        delete(ID, reason="x" * 16_001, store=store, clock=clock)
    assert everything(store) == before


def test_a_secret_in_the_reason_is_not_kept(store: Store, clock: FakeClock) -> None:
    keep(store, a_memory(id=ID))
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    assert secret not in delete(ID, reason=f"holds {secret}", store=store, clock=clock).archive_reason
    assert secret not in repr(everything(store))


def test_nothing_is_left_to_decide_about_a_deleted_memory(store: Store, clock: FakeClock) -> None:
    keep(store, a_memory(id=ID), a_memory("Never use batch inserts", id="mem-other"))
    store.write(lambda tx: tx.apply(Changes(reviews=(a_review(ReviewKind.CONTRADICTION, other="mem-other"),))))

    delete("mem-other", store=store, clock=clock)

    assert store.reviews("prj-one") in ([], ())
    assert store.reviews("prj-one", with_closed=True)[0].decision == "deleted"


def test_a_refused_memory_that_is_restored_waits_for_a_person_again(store: Store, clock: FakeClock) -> None:
    keep(store, a_memory(id=ID, trust=0))
    store.write(lambda tx: tx.apply(Changes(reviews=(a_review(ReviewKind.QUARANTINE),))))
    decide("rev-1", "refuse", store=store, clock=clock)

    assert restore(ID, store=store, clock=clock).state is State.QUARANTINED

    assert [review.id for review in store.reviews("prj-one")] == ["rev-1"]
    assert decide(ID, "release", store=store, clock=clock).decision == "released"
    assert store.memory(ID).state is State.LIVE  # type: ignore[union-attr]


def test_what_a_person_brought_back_is_not_put_away_by_the_next_cleanup(  # DX-129
    store: Store, clock: FakeClock, tools: Tools
) -> None:
    keep(store, a_memory(id=ID, confidence=0.1, at=NOW - timedelta(days=40)))
    assert [gone.id for gone in cleanup("prj-one", is_dry_run=False, tools=tools).archived] == [ID]

    restore(ID, store=store, clock=clock)

    assert cleanup("prj-one", is_dry_run=False, tools=tools).archived == ()
