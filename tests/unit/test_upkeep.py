"""What time does to each kind of memory, what becomes one, and how all of it is taken back."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from building import NOW, FakeClock, a_memory, a_vector, keep
from embedding import WordEmbedder
from reading import everything

from hindbrain.adapters.alone import alone as one_at_a_time
from hindbrain.app.maintain import cleanup, merge, prune
from hindbrain.app.tools import Tools
from hindbrain.app.upkeep import runs, undo
from hindbrain.app.weekly import due_at, queue_upkeep, upkeep_job
from hindbrain.core.model import Counters, Kind, Link, Memory, Reach, Relation, State
from hindbrain.core.retention import RETENTION
from hindbrain.errors import BadValue, Conflict, UpkeepRunning
from hindbrain.ports import Changes, Store, Where

LOG = [
    {"t": 0, "action": "read_file", "target": "src/a.py"},
    {"t": 9, "action": "run_test", "result": "fail", "error": "KeyError: 'id'"},
    {"t": 20, "action": "edit_file", "target": "src/a.py"},
]
BODY = {"task_id": "T-1", "action_log": LOG, "outcome": "success", "git_commit": "abc", "errors_encountered": []}


def episode(key: str, *, age: float, **given: object) -> Memory:
    fields = {"id": f"mem-{key}", "kind": Kind.EPISODE, "body": BODY, "at": NOW - timedelta(days=age), **given}
    return a_memory(f"Tried to mend the lock, number {key}", **fields)


def of(store: Store, memory_id: str) -> Memory:
    memory = store.memory(memory_id)
    assert memory is not None
    return memory


def live(store: Store) -> set[str]:
    return {memory.id for memory in store.select(Where(project="prj-one"))}


def linked(store: Store, source: str, target: str, relation: Relation = Relation.DERIVED_FROM) -> None:
    store.write(lambda tx: tx.apply(Changes(links=(Link(source=source, target=target, relation=relation, at=NOW),))))


#
def test_every_kind_has_a_rule_and_says_why() -> None:
    assert set(RETENTION) == set(Kind)
    assert all(rule.why for rule in RETENTION.values())


@pytest.mark.parametrize(("age", "is_short"), [(7, False), (7.01, True), (29.5, True)])
def test_an_episode_is_summarised_after_a_week_and_once(  # LK-122, LK-123, F-20
    store: Store, tools: Tools, clock: FakeClock, age: float, is_short: bool
) -> None:
    keep(store, episode("a", age=age))

    pruned = prune("prj-one", tools=tools)

    assert [one.id for one in pruned.summarised] == (["mem-a"] if is_short else [])
    body = of(store, "mem-a").body
    assert ("summarised_at" in body) is is_short
    if is_short:
        assert body["action_log"] == [LOG[1]], "what failed is what somebody will ask about"
        assert body["actions"] == "3 steps: 1 × read_file, 1 × run_test, 1 × edit_file; 1 failed"
        assert (body["outcome"], body["git_commit"]) == ("success", "abc")
        assert store.history("mem-a")[0].memory.body == BODY, "the details stay in the history"
        clock.forward(hours=3)
        before = everything(store)
        assert prune("prj-one", tools=tools).summarised == ()
        assert everything(store) == before


def test_after_a_month_an_episode_is_archived_unless_something_refers_to_it(  # LK-124, F-20
    store: Store, tools: Tools
) -> None:
    pattern = a_memory("Locks need a timeout", id="mem-p", kind=Kind.PATTERN, body={"source_episodes": ["mem-named"]})
    names = ("alone", "linked", "named", "young", "by-gone")
    keep(store, pattern, *(episode(name, age=30 if name == "young" else 31) for name in names))
    gone = a_memory("Gone", id="mem-g", kind=Kind.PATTERN, archived_at=NOW)
    keep(store, gone)
    linked(store, "mem-p", "mem-linked")
    linked(store, "mem-g", "mem-by-gone")

    pruned = prune("prj-one", tools=tools)

    assert {one.id for one in pruned.archived} == {"mem-alone", "mem-by-gone"}
    assert {one.id for one in pruned.summarised} == {"mem-linked", "mem-named", "mem-young"}, "referenced ones, too"
    assert "31 days old" in of(store, "mem-alone").archive_reason


@pytest.mark.parametrize(
    "given", [{"is_pinned": True}, {"counters": Counters(recalled=1)}, {"counters": Counters(injected=1)}], ids=str
)
def test_what_is_pinned_or_was_of_use_is_never_pruned(
    store: Store, tools: Tools, given: dict[str, object]
) -> None:
    keep(store, episode("a", age=400, **given))
    assert prune("prj-one", tools=tools).archived == ()
    assert of(store, "mem-a").state is State.LIVE


def test_what_something_refers_to_does_not_fade_away(store: Store, tools: Tools) -> None:
    old = NOW - timedelta(days=60)
    keep(store, a_memory("A doubtful lesson", id="mem-a", at=old, confidence=0.12), a_memory("More", id="mem-b"))
    linked(store, "mem-b", "mem-a", Relation.ELABORATES)

    assert cleanup("prj-one", tools=tools).archived == ()


# ---- merging

ONE = "Run the database migrations before starting the integration tests in the pipeline"
SAME = "Run the database migrations before starting the integration tests, in the pipeline!"


def pattern(key: str, text: str, **given: object) -> Memory:
    return a_memory(text, **({"id": f"mem-{key}", "kind": Kind.PATTERN} | given))


def test_the_surest_of_those_that_say_the_same_stays_with_the_evidence_of_all(  # LK-126, LK-127, LK-128, F-19
    store: Store, tools: Tools
) -> None:
    counters = Counters(evidence=2, injected=2)
    keep(
        store,
        pattern("a", ONE, confidence=0.6, body={"source_episodes": ["e1", "e2"]}, counters=counters),
        pattern("b", SAME, confidence=0.9, body={"source_episodes": ["e2", "e3"]}, counters=Counters(injected=3)),
        pattern("c", "Cache the compiled templates between two requests"),
    )

    tidied = merge("prj-one", tools=tools)

    assert [(one.id, one.others) for one in tidied.merged] == [("mem-b", ("mem-a",))]
    whole = of(store, "mem-b")
    assert whole.body["source_episodes"] == ["e2", "e3", "e1"]
    assert (whole.counters.injected, whole.counters.evidence) == (5, 3)
    before = everything(store)
    assert merge("prj-one", tools=tools).merged == ()
    assert everything(store) == before, "a second run adds nothing up again"


def test_the_others_are_saved_with_their_link_and_hidden(store: Store, tools: Tools) -> None:  # LK-129, F-19, X-05
    keep(store, pattern("a", ONE, confidence=0.6), pattern("b", SAME, confidence=0.9))

    merge("prj-one", tools=tools)

    other = of(store, "mem-a")
    assert (other.superseded_by, other.state, live(store)) == ("mem-b", State.SUPERSEDED, {"mem-b"})
    [link] = store.links("mem-a")
    assert (link.source, link.relation, link.target) == ("mem-b", Relation.SUPERSEDES, "mem-a")


@pytest.mark.parametrize(
    "other",
    [
        ONE.replace("before", "after"),
        ONE.replace("Run", "Do not run"),
        ONE.replace("integration", "unit"),
        ONE + " on port 5433",
        ONE + " of src/db.py",
    ],
)
def test_what_differs_in_a_word_that_matters_is_not_merged(store: Store, tools: Tools, other: str) -> None:  # LK-125
    keep(store, pattern("a", ONE), pattern("b", other))
    assert merge("prj-one", tools=tools).merged == ()


@pytest.mark.parametrize(
    "given", [{"persona": "ed"}, {"kind": Kind.FACT}, {"reach": Reach.EVERYWHERE}, {"is_pinned": True}], ids=str
)
def test_another_voice_kind_or_reach_is_not_hidden_nor_is_what_a_person_pinned(
    store: Store, tools: Tools, given: dict[str, object]
) -> None:
    keep(store, pattern("a", ONE, confidence=0.9, trust=4), pattern("b", SAME, confidence=0.5, **given))
    merge("prj-one", tools=tools)
    assert of(store, "mem-b").state is State.LIVE


@pytest.mark.parametrize(("cosine", "is_merged"), [(0.89, False), (0.91, True)])
def test_where_a_model_has_compared_them_its_number_decides(  # LK-125
    store: Store, tools: Tools, cosine: float, is_merged: bool
) -> None:
    embedder = WordEmbedder()
    dimension = embedder.space.dimension
    one, other = pattern("a", ONE), pattern("b", SAME, confidence=0.9)
    keep(store, one, other)
    straight = [1.0] + [0.0] * (dimension - 1)
    slanted = [cosine, (1 - cosine**2) ** 0.5] + [0.0] * (dimension - 2)
    store.expect(embedder.space)
    vectors = (a_vector(one, straight, space=embedder.space), a_vector(other, slanted, space=embedder.space))
    store.write(lambda tx: tx.apply(Changes(vectors=vectors)))

    assert bool(merge("prj-one", tools=replace(tools, embedder=embedder)).merged) is is_merged


# ---- undo, locks, dry runs


def test_a_dry_run_of_each_job_tells_the_same_and_writes_nothing(store: Store, tools: Tools) -> None:
    keep(store, episode("a", age=40), episode("b", age=10), pattern("c", ONE), pattern("d", SAME))
    before = everything(store)

    told = prune("prj-one", is_dry_run=True, tools=tools), merge("prj-one", is_dry_run=True, tools=tools)

    assert everything(store) == before and runs("prj-one", reader=store) == ()
    done = prune("prj-one", tools=tools), merge("prj-one", tools=tools)
    assert (told[0].archived, told[0].summarised) == (done[0].archived, done[0].summarised)
    assert told[1].merged == done[1].merged != ()
    assert [run.job for run in runs("prj-one", reader=store)] == ["prune", "merge"]


def test_each_job_can_be_taken_back_and_does_not_do_it_again(store: Store, tools: Tools) -> None:
    faint = a_memory("A doubtful lesson", id="mem-f", at=NOW - timedelta(days=60), confidence=0.2)
    keep(store, episode("a", age=40), episode("b", age=10), pattern("c", ONE), pattern("d", SAME), faint)
    past = {key: of(store, key) for key in ("mem-a", "mem-b", "mem-c", "mem-d", "mem-f")}
    done = [job("prj-one", tools=tools).run for job in (cleanup, prune, merge)]

    undone = [undo(run, project="prj-one", tools=tools) for run in reversed(done)]

    assert all(not one.left for one in undone)
    for key, before in past.items():
        after = of(store, key)
        names = ("content", "body", "state", "superseded_by", "tags", "confidence")
        assert [getattr(after, name) for name in names] == [getattr(before, name) for name in names], key
        assert after.counters.evidence == before.counters.evidence
    assert merge("prj-one", tools=tools).merged == (), "a person took them apart"
    assert prune("prj-one", tools=tools).archived == () and cleanup("prj-one", tools=tools).archived == ()
    with pytest.raises(Conflict, match="already"):
        undo(done[0], project="prj-one", tools=tools)


def test_what_somebody_changed_since_is_left_as_it_is(store: Store, tools: Tools) -> None:
    keep(store, episode("a", age=40), episode("b", age=41))
    run = prune("prj-one", tools=tools).run
    changed = of(store, "mem-b")
    again = replace(changed, archived_at=None, archive_reason="", version=changed.version + 1)
    store.write(lambda tx: tx.apply(Changes(memories=(again,))))

    undone = undo(run, project="prj-one", tools=tools)

    assert (undone.restored, undone.left) == (("mem-a",), ("mem-b",))


def test_a_run_can_be_taken_back_for_a_month(store: Store, tools: Tools, clock: FakeClock) -> None:
    keep(store, episode("a", age=40))
    run = prune("prj-one", tools=tools).run
    clock.forward(days=30, seconds=1)

    with pytest.raises(Conflict, match="30 days"):
        undo(run, project="prj-one", tools=tools)
    keep(store, episode("b", age=-20))
    clock.forward(days=60)
    prune("prj-one", tools=tools)
    assert run not in {one.id for one in runs("prj-one", reader=store)}, "old runs are forgotten"
    assert not [name for name in store.cursors("upkeep-part/") if run in name]
    with pytest.raises(BadValue, match="no run"):
        undo("run-nothing", project="prj-one", tools=tools)


def test_two_do_not_look_after_one_project_at_once(store: Store, tools: Tools, tmp_path: Path) -> None:
    keep(store, episode("a", age=40))
    locked = replace(tools, alone=lambda name: one_at_a_time(tmp_path / "locks", name))
    with one_at_a_time(tmp_path / "locks", "upkeep-prj-one"):
        for job in (cleanup, prune, merge):
            with pytest.raises(UpkeepRunning):
                job("prj-one", tools=locked)
        assert prune("prj-one", is_dry_run=True, tools=locked).archived != (), "looking needs no lock"
        prune("prj-two", tools=locked)
    assert prune("prj-one", tools=locked).archived != ()


def test_a_person_hears_how_far_it_is(store: Store, tools: Tools) -> None:
    keep(store, *(episode(f"{number}", age=40) for number in range(450)))
    heard: list[tuple[int, int]] = []
    prune("prj-one", tools=tools, tell=lambda count, total: heard.append((count, total)))
    assert heard == [(200, 450), (200, 450), (50, 450)]


# DX-127 DX-128
def test_upkeep_comes_by_itself_once_a_week(store: Store, tools: Tools, clock: FakeClock) -> None:
    keep(store, a_memory("A doubtful lesson", id="mem-a", at=NOW - timedelta(days=60), confidence=0.2))
    assert (queue_upkeep(tools=tools), due_at("prj-one", reader=store)) == (0, NOW + timedelta(days=7))

    clock.forward(days=6)
    assert queue_upkeep(tools=tools) == 0
    clock.forward(days=1)
    assert queue_upkeep(tools=tools) == 2, "both projects"
    assert queue_upkeep(tools=tools) == 0, "once a week"
    [job, _] = store.jobs(kind="upkeep")
    upkeep_job(job, tools)
    assert of(store, "mem-a").state is State.ARCHIVED
    before = everything(store)
    upkeep_job(job, tools)
    assert everything(store) == before
