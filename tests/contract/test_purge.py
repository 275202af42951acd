"""All that one source taught goes in one step, on every store, and nothing else does."""

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from building import NOW, FakeChance, FakeClock, a_memory, keep
from reading import everything
from tier import figure, reached

from hindbrain.adapters.files import LocalFiles
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.archive import restore
from hindbrain.app.forget import texts_of
from hindbrain.app.purge import Purged, purge
from hindbrain.app.revise import revised
from hindbrain.app.tools import Tools
from hindbrain.app.upkeep import undo
from hindbrain.core.model import (
    Actor,
    ActorType,
    Counters,
    Kind,
    Link,
    Memory,
    Provenance,
    Pulse,
    Reach,
    Receipt,
    Relation,
    Review,
    ReviewKind,
    State,
    Verdict,
)
from hindbrain.core.model.filing import Filing
from hindbrain.core.source import Source
from hindbrain.errors import BadValue, Conflict, NotErased
from hindbrain.ports import Changes, Saying, Store, Where
from hindbrain.settings import Settings

BAD = Source(session="s-bad")
LIVE = frozenset({State.LIVE})


@pytest.fixture
def tools(store: Store, tmp_path: Path) -> Tools:
    settings = Settings(home=str(tmp_path), store=str(tmp_path / "hindbrain.db"))
    return Tools(store=store, clock=FakeClock(), chance=FakeChance(), files=LocalFiles(), settings=settings)


def taught(
    name: str, *, session: str = "s-bad", persona: str = "ed", adapter: str = "claude", **given: object
) -> Memory:
    provenance = Provenance(
        actor=Actor(persona=persona), session=session, adapter=adapter, receipt=f"rcp-{name}", task=f"t-{session}"
    )
    return a_memory(
        f"What was learned about the {name} of the harbour", id=f"mem-{name}", provenance=provenance, **given
    )


def said(name: str, *, session: str, speaker: str = "ed", number: int = 1) -> Saying:
    receipt = f"rcp-{name}" if number == 1 else f"rcp-{name}-{number}"
    return Saying(memory_id=f"mem-{name}", receipt=receipt, session=session, speaker=speaker, at=NOW)


def apply(store: Store, **changes: object) -> None:
    store.write(lambda tx: tx.apply(Changes(**changes)))  # type: ignore[arg-type]


def states(store: Store, *names: str) -> list[str]:
    return [str(found.state) if (found := store.memory(f"mem-{name}")) else "erased" for name in names]


def fates(purged: Purged) -> dict[str, str]:
    return {fate.id.removeprefix("mem-"): fate.what for fate in purged.memories}


# S12
def test_what_a_source_alone_taught_goes_and_all_else_stays(store: Store, tools: Tools) -> None:
    keep(store, taught("crane"), taught("pilot"), taught("buoy", session="s-good"))

    purged = purge(BAD, ["prj-one"], tools=tools)

    assert fates(purged) == {"crane": "archived", "pilot": "archived"}
    assert states(store, "crane", "pilot", "buoy") == ["archived", "archived", "live"]
    assert [memory.id for memory in store.select(Where(project="prj-one"))] == ["mem-buoy"]
    gone = store.memory("mem-crane")
    assert gone is not None and gone.archive_reason == "purged: session s-bad"
    assert store.history("mem-crane")[-1].changed_by.type is ActorType.HUMAN, "an agent's word does not bring it back"
    assert [(entry.action, entry.subject) for entry in store.audits()] == [("purge", "session s-bad")]


# S12
def test_a_dry_run_tells_the_same_and_changes_nothing(store: Store, tools: Tools) -> None:
    keep(store, taught("crane"), taught("buoy", session="s-good"))
    before = everything(store)

    foretold = purge(BAD, ["prj-one"], is_dry_run=True, tools=tools)

    assert everything(store) == before and not store.audits() and not foretold.runs
    done = purge(BAD, ["prj-one"], tools=tools)
    assert foretold.memories == done.memories and foretold.is_dry_run and not done.is_dry_run


# S12
def test_it_is_taken_back_within_a_month_as_it_was(store: Store, tools: Tools) -> None:
    waiting = taught("pilot", trust=0)
    keep(store, taught("crane"), waiting)
    asked = Review(
        id="rev-1", project="prj-one", kind=ReviewKind.QUARANTINE, memory_id="mem-pilot", reason="odd", opened_at=NOW
    )
    apply(store, reviews=(asked,))

    purged = purge(BAD, ["prj-one"], tools=tools)
    assert not store.reviews("prj-one"), "nobody need decide about it any more"
    [(project, run)] = purged.runs
    undone = undo(run, project=project, tools=tools)

    assert set(undone.restored) == {"mem-crane", "mem-pilot"} and undone.left == ()
    assert states(store, "crane", "pilot") == ["live", "quarantined"]
    assert [review.id for review in store.reviews("prj-one")] == ["rev-1"], "and now somebody must again"


# S12
def test_a_source_that_taught_very_much_is_taken_out_and_brought_back(store: Store, tools: Tools) -> None:
    count = figure(700, 100_000) if isinstance(store, SqliteStore) else 700  # more than go in one part
    for at in range(0, count, 1_000):
        keep(store, *(taught(f"n{number}") for number in range(at, min(at + 1_000, count))))
    where = Where(project="prj-one", states=LIVE)

    began = [_clocks()]
    foretold = purge(BAD, ["prj-one"], is_dry_run=True, tools=tools)
    began.append(_clocks())
    purged = purge(BAD, ["prj-one"], tools=tools)
    began.append(_clocks())
    assert store.count(where) == 0 and len(purged.memories) == len(foretold.memories) == count
    [(project, run)] = purged.runs
    undo(run, project=project, tools=tools)
    began.append(_clocks())

    assert store.count(where) == count
    if count == 100_000:
        took = [f"{late[0] - soon[0]:.0f} s ({late[1] - soon[1]:.1f} s of CPU)" for soon, late in pairwise(began)]
        told = "counted in {}, out in {}, back in {}".format(*took)
        reached("S12", f"{count:,} memories of one source: {told} (set: 5 s)")


def _clocks() -> tuple[float, float]:
    return time.monotonic(), time.process_time()


# S12
def test_everything_about_a_memory_is_the_same_whether_it_was_put_away_alone_or_with_many(
    store: Store, tools: Tools
) -> None:
    """By the sweep that a purge is, and by the change that any other command makes."""
    odd = {
        "used": {"last_used_at": NOW, "confidence": 0.123456789},
        "wide": {"reach": Reach.EVERYWHERE, "body": {"z": {"counters": {"confirmed": 1}}, "a": [1.5, None]}},
        "pilot": {"trust": 0, "tags": ("ü", 'a "b"'), "file_refs": ("src/*.py",)},
        "rope": {"superseded_by": "mem-crane", "superseded_at": NOW, "archive_reason": ""},
        "late": {"updated_at": NOW + timedelta(days=400)},
    }
    keep(store, taught("crane"), *(taught(name, **more) for name, more in odd.items()))
    apply(store, pulses=(Pulse(memory_id="mem-used", recalled=3, injected=1, confidence=0.7, decayed_at=NOW),))
    before = {key: memory for key in ("crane", *odd) if (memory := store.memory(f"mem-{key}"))}

    purged = purge(BAD, ["prj-one"], tools=tools)

    now, reason = tools.clock.now(), "purged: session s-bad"
    for key, memory in before.items():
        last = store.history(f"mem-{key}")[-1]
        after = revised(memory, at=now, archived_at=now, archive_reason=reason)
        assert store.memory(f"mem-{key}") == last.memory == after
        assert (last.change, last.since, last.until) == ("purged", after.updated_at, None)
        assert store.history(f"mem-{key}")[-2].until == after.updated_at
    assert not store.damage()
    everywhere = Where(project="prj-two", states=frozenset(State))
    assert [hit.memory.state for hit in store.search(["harbour"], everywhere, limit=9)] == [State.ARCHIVED]
    assert not store.search(["harbour"], Where(project="prj-one"), limit=9)

    undo(purged.runs[0].run, project="prj-one", tools=tools)

    for key, memory in before.items():
        back = store.memory(f"mem-{key}")
        counters = replace(memory.counters, confirmed=memory.counters.confirmed + 1)
        until = max(now, memory.updated_at)
        assert back == replace(memory, counters=counters, version=3, updated_at=until)
        assert [one.change for one in store.history(f"mem-{key}")] == ["stored", "purged", "undone"]
    assert not store.damage()
    found = store.search(["harbour"], Where(project="prj-one"), limit=9)
    assert {hit.memory.id for hit in found} == {"mem-crane", "mem-used", "mem-wide", "mem-late"}


# S12
def test_events_tell_of_a_purge_and_of_its_undoing_without_naming_each_memory(store: Store, tools: Tools) -> None:
    keep(store, taught("crane"), taught("pilot"), taught("buoy", session="s-good"))

    [(project, run)] = purge(BAD, ["prj-one"], tools=tools).runs
    undo(run, project=project, tools=tools)

    told = [(event.name, event.memory_id, event.data) for event in store.events(project=project)]
    assert told == [
        ("memories_deleted", None, {"count": 2, "run": run, "reason": "purged: session s-bad"}),
        ("memories_restored", None, {"count": 2, "run": run, "reason": "undone"}),
    ]


# S12
def test_one_that_was_changed_since_it_was_put_away_is_left_when_the_purge_is_undone(
    store: Store, tools: Tools
) -> None:
    keep(store, taught("crane"), taught("pilot"))
    [(project, run)] = purge(BAD, ["prj-one"], tools=tools).runs
    restore("mem-pilot", store=store, clock=tools.clock)

    undone = undo(run, project=project, tools=tools)

    assert (undone.restored, undone.left) == (("mem-crane",), ("mem-pilot",))
    assert states(store, "crane", "pilot") == ["live", "live"]
    assert [one.version for one in store.briefs(project)] == [3, 3]


def test_a_filing_of_another_version_changes_nothing(store: Store) -> None:
    keep(store, taught("crane"), taught("pilot"))
    for versions in ({"mem-crane": 1, "mem-pilot": 2}, {"mem-crane": 1, "mem-none": 1}):
        with pytest.raises(Conflict):
            apply(store, filings=(Filing(versions=versions, at=NOW, reason="gone"),))
    apply(store, filings=(Filing(versions={}, at=NOW, reason="gone"),))
    assert states(store, "crane", "pilot") == ["live", "live"]


def test_briefs_tell_what_the_memories_do(store: Store) -> None:
    human = Provenance(actor=Actor(type=ActorType.HUMAN, persona="ada"), adapter="cli")
    counters = Counters(evidence=3, injected=2)
    keep(
        store,
        taught("crane", counters=counters, trust=3, at=NOW - timedelta(days=1)),
        replace(taught("pilot", superseded_by="mem-crane", superseded_at=NOW), provenance=human),
    )
    keep(store, taught("sail", project="prj-two"))
    where = Where(project="prj-one", states=frozenset(State), with_everywhere=False)

    found = store.briefs("prj-one")

    memories = store.select(where, order="newest")
    assert [(one.id, one.title, one.state, one.version) for one in found] == [
        (memory.id, memory.title, memory.state, memory.version) for memory in memories
    ]
    assert [tuple(one[4:]) for one in found] == [
        (("human",), "", "", "cli", "", 2, 1, 0, "mem-crane", ""),
        (("ed",), "s-bad", "t-s-bad", "claude", "rcp-crane", 3, 3, 2, None, ""),
    ]
    assert store.versions(["mem-crane", "mem-sail", "mem-none"]) == {"mem-crane": 1, "mem-sail": 1}
    assert not store.versions([])


# S12
def test_what_others_taught_as_well_stays_without_the_word_of_the_source(store: Store, tools: Tools) -> None:
    both = taught("crane", trust=3, counters=Counters(evidence=2))
    keep(store, both)
    witness = said("crane", session="s-good", speaker="mia", number=2)
    apply(store, sayings=(said("crane", session="s-bad"), witness))

    purged = purge(BAD, ["prj-one"], tools=tools)

    assert fates(purged) == {"crane": "weakened"}
    left = store.memory("mem-crane")
    assert left is not None and (left.state, left.trust, left.counters.evidence) == (State.LIVE, 2, 1)
    assert list(store.sayings("mem-crane")) == [witness], "it witnesses for nothing any more"

    undo(purged.runs[0].run, project="prj-one", tools=tools)
    back = store.memory("mem-crane")
    assert back is not None and (back.trust, back.counters.evidence) == (3, 2)
    assert set(store.sayings("mem-crane")) == {said("crane", session="s-bad"), witness}


# S12
def test_words_that_the_source_put_in_the_place_of_others_go_back(store: Store, tools: Tools) -> None:
    first = taught("crane", session="s-good")
    poisoned = a_memory("Cranes need no brakes at all", id="mem-crane")
    second = replace(poisoned, version=2, provenance=taught("crane").provenance, trust=2)
    keep(store, first)
    keep(store, second)
    apply(store, sayings=(replace(said("crane", session="s-bad"), receipt="rcp-bad"),))

    purged = purge(BAD, ["prj-one"], tools=tools)

    assert fates(purged) == {"crane": "reverted"}
    left = store.memory("mem-crane")
    assert left is not None and (left.content, left.provenance) == (first.content, first.provenance)
    assert left.version == 3 and left.content_hash == first.content_hash
    undo(purged.runs[0].run, project="prj-one", tools=tools)
    assert (again := store.memory("mem-crane")) and again.content == poisoned.content


# S12
def test_what_was_made_of_it_alone_goes_too_and_what_had_been_replaced_comes_back(store: Store, tools: Tools) -> None:
    old = taught("rope", session="s-good", superseded_by="mem-crane", superseded_at=NOW)
    keep(store, taught("crane"), taught("buoy", session="s-good"), old)
    keep(
        store,
        *(a_memory(f"A pattern of the {name} kind", id=f"mem-{name}", kind=Kind.PATTERN) for name in ("lone", "mixed")),
        a_memory("A skill of the third generation", id="mem-grandchild", kind=Kind.SKILL),
    )
    pairs = (("lone", "crane"), ("mixed", "crane"), ("mixed", "buoy"), ("grandchild", "lone"))
    links = (Link(source=f"mem-{one}", target=f"mem-{of}", relation=Relation.DERIVED_FROM, at=NOW) for one, of in pairs)
    apply(store, links=tuple(links))

    purged = purge(BAD, ["prj-one"], tools=tools)

    assert fates(purged) == {
        "crane": "archived",
        "lone": "archived",
        "grandchild": "archived",
        "mixed": "kept",
        "rope": "returned",
    }
    assert states(store, "crane", "lone", "grandchild", "mixed", "rope") == ["archived"] * 3 + ["live"] * 2
    undo(purged.runs[0].run, project="prj-one", tools=tools)
    assert states(store, "crane", "lone", "grandchild", "mixed", "rope") == ["live"] * 4 + ["superseded"]


def a_receipt(name: str, *, origin: str, adapter: str = "beads") -> Receipt:
    return Receipt(
        id=f"rcp-{name}",
        key=f"key-{name}",
        at=NOW,
        project="prj-one",
        verdict=Verdict.STORED,
        text="said",
        reason="new",
        memory_id=f"mem-{name}",
        origin=origin,
        adapter=adapter,
    )


# S12
@pytest.mark.parametrize(
    ("source", "gone"),
    [
        (Source(agent="ed"), ["crane"]),
        (Source(adapter="beads"), ["buoy"]),
        (Source(origin="knowledge.jsonl"), ["buoy"]),
        (Source(origin="*/.beads/*"), ["buoy"]),
        (Source(task="t-s-2"), ["buoy"]),
        (Source(agent="human"), ["pilot"]),
        (Source(login="ada@build-3"), ["crane"]),
        (Source(login="@build-3"), ["crane"]),
        (Source(login="ada@"), ["crane"]),
        (Source(login="@build"), []),
        (Source(is_tainted=True), ["rope"]),
        (Source(agent="ed", session="s-2"), []),
    ],
)
def test_a_source_is_known_by_all_that_is_kept_of_it(
    store: Store, tools: Tools, source: Source, gone: Sequence[str]
) -> None:
    apply(store, memories=(taught("crane", session="s-1"),), by=Actor(persona="ed", login="ada@build-3"))
    human = replace(taught("pilot").provenance, actor=Actor(type=ActorType.HUMAN), session="")
    keep(
        store,
        taught("buoy", session="s-2", persona="mia", adapter="beads"),
        replace(taught("pilot", adapter="cli"), provenance=human),
        taught("rope", session="s-3", persona="kim", trust=1),
    )
    apply(store, receipts=(a_receipt("buoy", origin="/w/app/.beads/knowledge.jsonl"),))

    assert list(fates(purge(source, ["prj-one"], tools=tools))) == gone


# S12
def test_erasing_leaves_nothing_to_be_found(store: Store, tools: Tools) -> None:
    keep(store, taught("crane"), taught("pilot"), taught("buoy", session="s-good"))
    keep(store, taught("sail", project="prj-two"))
    purge(BAD, ["prj-one"], tools=tools)
    assert len(texts_of("mem-crane", store)) >= 1

    purged = purge(BAD, ["prj-one", "prj-two"], is_hard=True, tools=tools)

    assert fates(purged) == {"crane": "erased", "pilot": "erased", "sail": "erased"} and purged.erased >= 3
    assert states(store, "crane", "pilot", "sail", "buoy") == ["erased"] * 3 + ["live"]
    assert "crane" not in repr(everything(store)["memories"])


# S12
def test_nothing_is_erased_while_hooks_would_bring_it_back(store: Store, tools: Tools) -> None:
    class Waiting:
        def forget(self, texts: Sequence[str]) -> Sequence[str]:
            return ["spool.jsonl"] if any("crane" in text for text in texts) else []

    keep(store, taught("crane"))
    with pytest.raises(NotErased, match="spool"):
        purge(BAD, ["prj-one"], is_hard=True, tools=replace(tools, spool=Waiting))  # type: ignore[arg-type]
    assert states(store, "crane") == ["live"]


def test_a_source_that_names_nothing_is_refused(tools: Tools) -> None:
    with pytest.raises(BadValue):
        purge(Source(), ["prj-one"], tools=tools)
