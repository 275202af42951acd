from datetime import timedelta

import pytest
from building import NOW, FakeClock, a_memory, keep
from reading import everything

from hindbrain.app.maintain import cleanup
from hindbrain.app.tools import Tools
from hindbrain.core.model import ActorType, Counters, Memory, Reach, Review, ReviewKind, State
from hindbrain.ports import Changes, Store


def days(count: float) -> timedelta:
    return timedelta(days=count)


def old(text: str, *, age: float, **given: object) -> Memory:
    return a_memory(text, at=NOW - days(age), **given)


def of(store: Store, memory_id: str) -> Memory:
    memory = store.memory(memory_id)
    assert memory is not None
    return memory


@pytest.mark.parametrize(
    ("age", "used", "before", "after"),
    [
        (15, None, 0.50, 0.46),
        (100, 8, 0.50, 0.48),
        (100, 8, 0.11, 0.10),
        (100, 8, 0.10, 0.10),
        (6, None, 0.50, 0.50),
        (100, 6, 0.50, 0.50),
    ],
)
def test_neglect_takes_its_part_by_full_weeks(  # G-5, DX-124, DX-126, F-08
    store: Store, tools: Tools, age: float, used: float | None, before: float, after: float
) -> None:
    counters = Counters(injected=int(used is not None))
    used_at = None if used is None else NOW - days(used)
    keep(store, old("A lesson", id="mem-a", age=age, confidence=before, last_used_at=used_at, counters=counters))

    cleaned = cleanup("prj-one", is_dry_run=False, tools=tools)

    assert of(store, "mem-a").confidence == pytest.approx(after, abs=1e-12)
    assert [tuple(faded) for faded in cleaned.decayed] == (
        [("mem-a", "A lesson", before, after)] if before != after else []
    )
    assert [event.name for event in store.events()] == (["memory_decayed"] if before != after else [])
    assert of(store, "mem-a").version == 1, "nothing that it says has changed"


def test_three_cleanups_in_a_day_take_no_more_than_one(  # G-5, DX-125, F-09
    store: Store, tools: Tools, clock: FakeClock
) -> None:
    keep(store, old("A lesson", id="mem-a", age=8, confidence=0.5))
    for _ in range(3):
        cleanup("prj-one", is_dry_run=False, tools=tools)
        clock.forward(hours=5)

    assert of(store, "mem-a").confidence == 0.48
    before = everything(store)
    assert cleanup("prj-one", is_dry_run=False, tools=tools).decayed == ()
    assert everything(store) == before


def test_what_faded_away_is_archived_after_it_has_faded(
    store: Store, tools: Tools
) -> None:  # DX-128, DX-129, X-03, G-5
    keep(store, old("A lesson", id="mem-a", age=31, confidence=0.2))

    cleaned = cleanup("prj-one", is_dry_run=False, tools=tools)

    memory = of(store, "mem-a")
    assert (memory.state, memory.confidence, memory.archived_at) == (State.ARCHIVED, 0.12, NOW)
    assert [(gone.id, gone.title, gone.reason) for gone in cleaned.archived] == [
        ("mem-a", "A lesson", memory.archive_reason)
    ]
    last = store.history("mem-a")[-1]
    assert (last.change, last.changed_by.type, last.memory.confidence) == ("archived", ActorType.AUTOMATE, 0.12)
    assert [event.name for event in store.events()] == ["memory_decayed", "memory_archived"]


@pytest.mark.parametrize(
    "given",
    [
        {"counters": Counters(injected=1)},
        {"confidence": 0.5},
        {"age": 30},
        {"is_pinned": True},
    ],
)
def test_what_is_used_believed_young_or_pinned_stays(  # DX-129, G-5
    store: Store, tools: Tools, given: dict[str, object]
) -> None:
    keep(store, old("A lesson", **({"id": "mem-a", "age": 40, "confidence": 0.1} | given)))  # type: ignore[arg-type]

    assert cleanup("prj-one", is_dry_run=False, tools=tools).archived == ()
    assert of(store, "mem-a").state is State.LIVE


def test_only_the_project_that_was_named_is_cleaned(store: Store, tools: Tools) -> None:  # DX-150, F-34
    keep(
        store,
        old("Here", id="mem-a", age=15),
        old("There", id="mem-b", age=15, project="prj-two"),
        old("There, for all", id="mem-c", age=15, project="prj-two", reach=Reach.EVERYWHERE),
    )

    assert [faded.id for faded in cleanup("prj-one", is_dry_run=False, tools=tools).decayed] == ["mem-a"]
    assert of(store, "mem-b").confidence == of(store, "mem-c").confidence == 0.5


def test_a_dry_run_tells_the_same_and_writes_nothing(store: Store, tools: Tools) -> None:
    keep(store, old("Fades", id="mem-a", age=15), old("Goes", id="mem-b", age=40, confidence=0.12))
    before = everything(store)

    told = cleanup("prj-one", is_dry_run=True, tools=tools)

    assert everything(store) == before
    done = cleanup("prj-one", is_dry_run=False, tools=tools)
    assert (told.decayed, told.archived) == (done.decayed, done.archived)
    assert (told.is_dry_run, done.is_dry_run) == (True, False)
    assert [len(told.decayed), len(told.archived)] == [2, 1]


def test_a_project_without_memories_is_clean(store: Store, tools: Tools) -> None:
    before = everything(store)

    for project in ("", "prj-two"):
        assert cleanup(project, is_dry_run=False, tools=tools).decayed == ()
    assert everything(store) == before


def test_the_constants_are_those_of_the_settings(store: Store, tools: Tools) -> None:  # DX-119, DX-120
    from dataclasses import replace

    growth = replace(tools.settings.growth, decay_per_week=0.3, floor=0.25)
    hasty = replace(tools, settings=replace(tools.settings, growth=growth))
    keep(store, old("A lesson", id="mem-a", age=8, confidence=0.9), old("Another", id="mem-b", age=22, confidence=0.9))

    cleanup("prj-one", is_dry_run=False, tools=hasty)

    assert of(store, "mem-a").confidence == pytest.approx(0.6)
    assert of(store, "mem-b").confidence == 0.25


def test_nothing_is_left_to_decide_about_what_was_put_away(store: Store, tools: Tools) -> None:
    keep(store, old("Goes", id="mem-b", age=40, confidence=0.12))
    review = Review(
        id="rev-1",
        project="prj-one",
        kind=ReviewKind.CONTRADICTION,
        memory_id="mem-b",
        other_id=None,
        reason="?",
        opened_at=NOW,
    )
    store.write(lambda tx: tx.apply(Changes(reviews=(review,))))

    cleanup("prj-one", is_dry_run=False, tools=tools)

    assert store.reviews("prj-one") in ([], ())
