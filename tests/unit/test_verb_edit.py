import math
from datetime import timedelta

import pytest
from building import NOW, FakeClock, a_memory, keep
from reading import everything

from hindbrain.app.archive import delete
from hindbrain.app.edit import edit
from hindbrain.core.model import ActorType, Memory, Reach, Review, ReviewKind, State
from hindbrain.core.words import query_terms
from hindbrain.errors import BadValue, Conflict, HindbrainError, TooLong, UnknownMemory
from hindbrain.ports import Changes, Store, Where

ID = "mem-aaaabbbb"
TEXT = "Use batch inserts for this table. They are ten times faster."


def kept(store: Store, text: str = TEXT, **given: object) -> Memory:
    memory = a_memory(text, id=ID, **given)
    keep(store, memory)
    return memory


def test_an_edit_is_a_new_version_by_a_persons_hand(store: Store, clock: FakeClock) -> None:  # DX-167
    kept(store)
    clock.forward(hours=2)

    after = edit(ID, {"importance": 9}, store=store, clock=clock)

    assert (after.importance, after.version, after.updated_at) == (9, 2, NOW + timedelta(hours=2))
    assert store.memory(ID) == after
    last = store.history(ID)[-1]
    assert (last.change, last.changed_by.type, last.memory) == ("edited", ActorType.HUMAN, after)
    (event,) = store.events()
    assert (event.name, event.memory_id, event.project) == ("memory_edited", ID, "prj-one")
    assert event.data == {"memory_id": ID, "fields": ["importance"]}


def test_new_content_gets_a_new_shape(store: Store, clock: FakeClock) -> None:  # DX-167
    before = kept(store)

    after = edit(ID, {"content": "Mock the endpoint in src/api/client.py tests."}, store=store, clock=clock)

    fresh = a_memory("Mock the endpoint in src/api/client.py tests.")
    for name in ("title", "key", "legacy_key", "content_hash", "chorus_hash", "category", "file_refs", "tags"):
        assert getattr(after, name) == getattr(fresh, name), name
        assert getattr(after, name) != getattr(before, name) or name == "tags", name
    where = Where(project="prj-one")
    assert [hit.memory.id for hit in store.search(query_terms("endpoint"), where, limit=5)] == [ID]
    assert store.search(query_terms("inserts"), where, limit=5) in ([], ())


def test_what_a_person_had_chosen_survives_new_content(store: Store, clock: FakeClock) -> None:  # F-05
    kept(store, title="Mine", tags=("learned", "by-hand"), file_refs=("db/*.sql",))
    edit(ID, {"category": "Debugging"}, store=store, clock=clock)

    after = edit(ID, {"content": "Test the api of the pool"}, store=store, clock=clock)

    assert (after.title, after.category, after.category_is_fixed) == ("Mine", "Debugging", True)
    assert "by-hand" in after.tags and "api" in after.tags
    assert after.file_refs == ("db/*.sql",)


def test_given_tags_stand_alone_or_beside_those_of_new_content(store: Store, clock: FakeClock) -> None:
    kept(store)

    assert edit(ID, {"tags": ["one", " one ", "two", " "]}, store=store, clock=clock).tags == ("one", "two")
    after = edit(ID, {"tags": ["three"], "content": "The api is slow"}, store=store, clock=clock)
    assert after.tags == ("learned", "api", "three")


def test_a_new_type_gives_a_new_key_and_its_tag(store: Store, clock: FakeClock) -> None:
    kept(store)

    after = edit(ID, {"type": "pitfall"}, store=store, clock=clock)

    assert after.type == "pitfall"
    assert after.key.startswith("pitfall-")
    assert "pitfall" in after.tags and "learned" not in after.tags


def test_a_title_may_be_given_with_the_content(store: Store, clock: FakeClock) -> None:  # DX-167
    kept(store)

    assert edit(ID, {"title": "My words", "content": "Other words"}, store=store, clock=clock).title == "My words"


def test_flags_and_figures_can_be_set(store: Store, clock: FakeClock) -> None:
    kept(store)
    wanted = {"confidence": 1, "importance": 0, "pinned": True, "everywhere": True, "file_refs": ["a/b.py"]}

    after = edit(ID, wanted, store=store, clock=clock)

    assert (after.confidence, after.importance, after.is_pinned) == (1.0, 0, True)
    assert (after.reach, after.file_refs) == (Reach.EVERYWHERE, ("a/b.py",))
    assert [m.id for m in store.select(Where(project="prj-two"))] == [ID]
    back = edit(ID, {"everywhere": False, "pinned": False}, store=store, clock=clock)
    assert (back.reach, back.is_pinned) == (Reach.PROJECT, False)


def test_a_person_who_edits_a_quarantined_memory_has_released_it(store: Store, clock: FakeClock) -> None:
    kept(store, trust=0)
    review = Review(
        id="rev-1", project="prj-one", kind=ReviewKind.QUARANTINE, memory_id=ID, reason="echo", opened_at=NOW
    )
    store.write(lambda tx: tx.apply(Changes(reviews=(review,))))

    after = edit(ID, {"title": "Read and agreed"}, store=store, clock=clock)

    assert (after.trust, after.state) == (4, State.LIVE)
    assert store.reviews("prj-one") in ([], ())
    (closed,) = store.reviews("prj-one", with_closed=True)
    assert (closed.decision, closed.closed_at) == ("released", NOW)


def test_an_edit_that_changes_nothing_leaves_no_trace(store: Store, clock: FakeClock) -> None:
    memory = kept(store)
    before = everything(store)
    clock.forward(hours=1)

    same = {"content": memory.content, "title": memory.title, "importance": memory.importance}
    assert edit(ID, same, store=store, clock=clock) == memory
    assert everything(store) == before


def test_secrets_do_not_come_in_by_an_edit(store: Store, clock: FakeClock) -> None:
    kept(store)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    wanted = {"content": f"Log in with {secret}", "title": f"Use {secret}", "tags": [secret], "file_refs": [secret]}
    after = edit(ID, wanted, store=store, clock=clock)

    assert secret not in repr(after)
    assert "[secret:" in after.content


def test_the_history_runs_forward_even_when_the_clock_was_set_back(store: Store, clock: FakeClock) -> None:
    kept(store)
    clock.forward(days=-3)

    edit(ID, {"importance": 1}, store=store, clock=clock)

    assert [version.since for version in store.history(ID)] == [NOW, NOW]


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        ({}, BadValue),
        ({"colour": "red"}, BadValue),
        ({"content": ""}, BadValue),
        ({"content": " \n\t"}, BadValue),
        ({"content": "\u200b\u202e"}, BadValue),
        ({"content": None}, BadValue),
        ({"content": "x" * 16_001}, TooLong),
        ({"title": "  "}, BadValue),
        ({"title": 7}, BadValue),
        ({"type": "foo"}, BadValue),
        ({"type": "Pattern"}, BadValue),
        ({"category": "Nonsense"}, BadValue),
        ({"tags": "one"}, BadValue),
        ({"tags": ["one", 2]}, BadValue),
        ({"tags": ["x" * 9_000, "y" * 9_000]}, TooLong),
        ({"file_refs": None}, BadValue),
        ({"importance": 11}, BadValue),
        ({"importance": -1}, BadValue),
        ({"importance": 5.5}, BadValue),
        ({"importance": True}, BadValue),
        ({"importance": "5"}, BadValue),
        ({"confidence": 1.01}, BadValue),
        ({"confidence": -0.1}, BadValue),
        ({"confidence": math.nan}, BadValue),
        ({"confidence": "high"}, BadValue),
        ({"pinned": 1}, BadValue),
        ({"everywhere": "yes"}, BadValue),
        ({"importance": 9, "type": "foo"}, BadValue),
    ],
)
def test_a_bad_wish_is_refused_with_a_fix_and_changes_nothing(  # DX-048, DX-167
    store: Store, clock: FakeClock, wanted: dict[str, object], error: type[HindbrainError]
) -> None:
    kept(store)
    before = everything(store)

    with pytest.raises(error) as raised:
        edit(ID, wanted, store=store, clock=clock)
    assert raised.value.fix
    assert everything(store) == before


def test_content_may_be_as_long_as_a_memory_may_be(store: Store, clock: FakeClock) -> None:
    kept(store)

    assert len(edit(ID, {"content": "x y " * 3_999 + "tail"}, store=store, clock=clock).content) == 16_000


@pytest.mark.parametrize(
    "given", [{"archived_at": NOW, "archive_reason": "deleted"}, {"superseded_by": "mem-other", "superseded_at": NOW}]
)
def test_what_is_gone_must_be_restored_before_it_is_edited(
    store: Store, clock: FakeClock, given: dict[str, object]
) -> None:
    keep(store, a_memory(TEXT, id=ID, **given))
    before = everything(store)

    with pytest.raises(Conflict) as raised:
        edit(ID, {"importance": 1}, store=store, clock=clock)
    assert f"hindbrain restore {ID}" in raised.value.fix
    assert everything(store) == before


def test_an_unknown_memory_cannot_be_edited(store: Store, clock: FakeClock) -> None:  # DX-167
    with pytest.raises(UnknownMemory):
        edit("mem-nowhere1", {"importance": 1}, store=store, clock=clock)


def test_the_beginning_of_an_id_is_enough_to_edit(store: Store, clock: FakeClock) -> None:
    kept(store)

    assert edit(ID[:9], {"importance": 1}, store=store, clock=clock).id == ID
    delete(ID[:9], store=store, clock=clock)
    assert store.memory(ID).state is State.ARCHIVED  # type: ignore[union-attr]
