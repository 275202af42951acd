"""What every store promises about what agents do, what is queued, what came of it and where it is tied."""

from dataclasses import replace
from datetime import timedelta

import pytest
from building import NOW, a_memory, keep

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.core.model import Injection, Reach, Receipt, Score, Shown, Verdict
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.core.model.job import SUPERSEDED, Job, JobState
from hindbrain.core.model.outcome import Anchor, Effect, Freshness, Outcome, Standing
from hindbrain.core.model.paper import Paper, Sort
from hindbrain.ports import Changes, Store

SOON, LATER = NOW + timedelta(minutes=1), NOW + timedelta(hours=1)


def written(store: Store, **changes: object) -> None:
    store.write(lambda tx: tx.apply(Changes(**changes)))  # type: ignore[arg-type]


def a_deed(key: str = "act-1", **given: object) -> Activity:
    fields: dict[str, object] = {"at": NOW, "project": "prj-one", "session": "s1", "deed": Deed.COMMAND}
    return Activity(id=key, **(fields | given))  # type: ignore[arg-type]


def a_job(job_id: str = "job-1", **given: object) -> Job:
    fields: dict[str, object] = {"kind": "extract", "key": job_id, "project": "prj-one", "payload": {"n": 1}}
    return Job(id=job_id, **(fields | {"created_at": NOW, "due_at": NOW} | given))  # type: ignore[arg-type]


def an_outcome(key: str = "out-1", **given: object) -> Outcome:
    fields: dict[str, object] = {"at": NOW, "project": "prj-one", "memory_id": "mem-a", "how": "followed"}
    return Outcome(id=key, **(fields | {"effect": Effect.HELPED, "injection_id": key} | given))  # type: ignore[arg-type]


def an_anchor(path: str = "src/a.py", **given: object) -> Anchor:
    fields: dict[str, object] = {"memory_id": "mem-a", "project": "prj-one", "tied_at": NOW, "checked_at": NOW}
    return Anchor(path=path, **(fields | given))  # type: ignore[arg-type]


def an_injection(key: str = "inj-1", *, version: int = 1, memory: str = "mem-a", **given: object) -> Injection:
    shown = (Shown(memory_id=memory, version=version, score=Score(())),)
    fields: dict[str, object] = {"at": NOW, "project": "prj-one", "format": "default", "strategy": "unified"}
    return Injection(id=key, **(fields | {"shown": shown, "left_out": 0, "tokens": 1} | given))  # type: ignore[arg-type]


def test_an_activity_comes_back_as_it_was_recorded(store: Store) -> None:
    deed = a_deed(
        subject="pytest -x",
        result=Result.FAILED,
        detail="1 failed — ⚙️",
        signature="abc",
        client="claude",
        agent="a1",
        agent_type="reviewer",
        hat="critic",
        task="ch-1",
        ref="toolu_1",
        data={"deep": [1, None, {"x": "y"}]},
    )
    written(store, activities=(deed,))
    (kept,) = store.activities("prj-one")
    assert replace(kept, seq=0) == deed and kept.seq > 0


def test_activities_are_followed_with_a_cursor_and_narrowed(store: Store) -> None:
    deeds = [
        a_deed("act-b", session="s2", deed=Deed.EDIT),
        a_deed("act-a"),
        a_deed("act-c", deed=Deed.GATE),
        a_deed("act-d", project="prj-two"),
    ]
    written(store, activities=tuple(deeds))
    first, second, third = store.activities("prj-one")
    assert [first.id, second.id, third.id] == ["act-b", "act-a", "act-c"]
    assert list(store.activities("prj-one", after=first.seq)) == [second, third]
    assert list(store.activities("prj-one", session="s1", limit=1)) == [second]
    assert list(store.activities("prj-one", deeds=(Deed.EDIT, Deed.GATE))) == [first, third]
    assert not store.activities("prj-one", session="s1", deeds=(Deed.EDIT,))


def test_an_activity_that_is_there_already_stays_as_it_is(store: Store) -> None:
    written(store, activities=(a_deed(subject="first"),))
    written(store, activities=(a_deed(subject="second"), a_deed("act-2")))
    assert [deed.subject for deed in store.activities("prj-one")] == ["first", ""]


def test_jobs_come_back_in_the_order_in_which_they_were_queued(store: Store) -> None:  # CH-073 CH-075 CH-079
    first = a_job("job-z", payload={"task": "t", "path": "log.jsonl", "deep": [1]}, updated_at=SOON, error="e", tries=2)
    written(store, jobs=(first, a_job("job-a", kind="judge"), a_job("job-b", project="")))
    kept = store.jobs()
    assert [job.id for job in kept] == ["job-z", "job-a", "job-b"]
    assert replace(kept[0], seq=0) == first and kept[0].seq < kept[1].seq
    assert [job.id for job in store.jobs(kind="judge")] == ["job-a"]
    assert [job.id for job in store.jobs(states=(JobState.QUEUED,), limit=2)] == ["job-z", "job-a"]
    assert not store.jobs(states=(JobState.DEAD, JobState.DONE))


def test_a_key_that_is_queued_or_running_is_not_queued_again(store: Store) -> None:
    job = a_job("job-1", key="k")
    for state in (JobState.QUEUED, JobState.RUNNING):
        written(store, jobs=(replace(job, state=state), a_job("job-2", key="k")))
        assert [(one.id, one.state) for one in store.jobs()] == [("job-1", state)]


@pytest.mark.parametrize("state", [JobState.DONE, JobState.DEAD])
def test_a_key_is_free_again_once_its_job_is_done_or_parked(store: Store, state: JobState) -> None:
    written(store, jobs=(a_job("job-1", key="k", state=state), a_job("job-2", key="k")))
    assert [(one.id, one.state) for one in store.jobs()] == [("job-1", state), ("job-2", JobState.QUEUED)]


def test_a_parked_job_does_not_come_back_beside_one_with_its_key(store: Store) -> None:
    dead = a_job("job-1", key="k", state=JobState.DEAD)
    written(store, jobs=(dead, a_job("job-2", key="k")))
    written(store, jobs=(replace(dead, state=JobState.QUEUED),))
    settled, waiting = store.jobs()
    assert (settled.state, settled.error) == (JobState.DONE, SUPERSEDED) and waiting.state is JobState.QUEUED


def test_the_next_state_of_a_job_keeps_its_place(store: Store) -> None:
    written(store, jobs=(a_job("job-1"), a_job("job-2")))
    written(store, jobs=(a_job("job-1", tries=1, due_at=LATER, updated_at=SOON, error="boom"),))
    first, second = store.jobs()
    assert (first.id, first.tries, first.due_at, first.error) == ("job-1", 1, LATER, "boom")
    assert first.seq < second.seq


def test_due_are_those_whose_time_has_come_and_those_whose_worker_died(store: Store) -> None:  # F-03
    states = {
        "job-late": a_job("job-late", due_at=SOON),
        "job-now": a_job("job-now"),
        "job-orphan": a_job("job-orphan", state=JobState.RUNNING, due_at=SOON),
        "job-dead": a_job("job-dead", state=JobState.DEAD),
        "job-done": a_job("job-done", state=JobState.DONE),
    }
    written(store, jobs=tuple(states.values()))
    assert [job.id for job in store.due(NOW, limit=9)] == ["job-now", "job-orphan"]
    assert [job.id for job in store.due(SOON, limit=9)] == ["job-late", "job-now", "job-orphan"]
    assert [job.id for job in store.due(SOON)] == ["job-late"]


def test_a_job_and_its_effects_are_written_together_or_not_at_all(store: Store) -> None:
    written(store, jobs=(a_job(),))

    def work(tx: object) -> None:
        tx.apply(  # type: ignore[attr-defined]
            Changes(jobs=(a_job(state=JobState.DONE),), activities=(a_deed(),), cursors={"c": "1"})
        )
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.write(work)
    assert [job.state for job in store.jobs()] == [JobState.QUEUED]
    assert not store.activities("prj-one") and store.cursor("c") == ""


def test_an_outcome_is_judged_once(store: Store) -> None:
    keep(store, a_memory("a", id="mem-a"))
    first = an_outcome("out-1", injection_id="inj-1", session="s1", note="its file was edited", is_withheld=True)
    again = an_outcome("out-2", injection_id="inj-1", effect=Effect.HURT)
    other = an_outcome("out-3", injection_id="inj-1", how="gate", at=SOON)
    written(store, outcomes=(first, again, other))
    assert list(store.outcomes("prj-one")) == [first, other]
    assert list(store.outcomes("prj-one", session="s1")) == [first]
    assert not store.outcomes("prj-one", memory_id="mem-b") and not store.outcomes("prj-two")


def test_anchors_of_a_memory_take_the_place_of_those_it_had(store: Store) -> None:
    keep(store, a_memory("a", id="mem-a"), a_memory("b", id="mem-b"))
    spot = an_anchor("src/z.py", blob="b1", symbol="Lock.take", start=3, end=9, digest="d", note="n")
    written(store, anchors=(spot, an_anchor("src/a.py"), an_anchor("src/z.py", memory_id="mem-b")))
    assert [a.path for a in store.anchors("prj-one", memory_id="mem-a")] == ["src/a.py", "src/z.py"]
    assert store.anchors("prj-one", memory_id="mem-a")[1] == spot
    written(store, anchors=(replace(spot, freshness=Freshness.GONE, checked_at=LATER),))
    (left,) = store.anchors("prj-one", memory_id="mem-a")
    assert (left.freshness, left.checked_at, left.tied_at) == (Freshness.GONE, LATER, NOW)
    assert [a.memory_id for a in store.anchors("prj-one", paths=("src/z.py", "x"))] == ["mem-a", "mem-b"]
    assert not store.anchors("prj-two")


def test_a_session_counts_once_with_what_it_says_last(store: Store) -> None:
    keep(store, a_memory("a", id="mem-a"), a_memory("b", id="mem-b"), a_memory("c", id="mem-c"))
    outcomes = (
        an_outcome("out-1", session="s1"),
        an_outcome("out-2", session="s1", effect=Effect.HURT, at=SOON),
        an_outcome("out-3", session="s1", effect=Effect.UNKNOWN, at=LATER),  # says nothing: what was said stands
        an_outcome("out-4", session="s2"),
        an_outcome("out-5", session="s3", is_withheld=True),
        an_outcome("out-6", session="s4", effect=Effect.UNKNOWN),
        an_outcome("out-7", how="person"),
        an_outcome("out-8", how="person"),
    )
    written(store, outcomes=outcomes, anchors=(an_anchor(memory_id="mem-b", freshness=Freshness.SUSPECT),))
    assert store.standings(["mem-a", "mem-b", "mem-c", "mem-none"]) == {
        "mem-a": Standing(helped=3, hurt=1, unknown=1),
        "mem-b": Standing(freshness=Freshness.SUSPECT),
    }
    assert store.standings([]) == {}


@pytest.mark.parametrize(
    ("anchors", "expected"),
    [
        ([Freshness.FRESH, Freshness.FRESH], Freshness.FRESH),
        ([Freshness.FRESH, Freshness.SUSPECT], Freshness.SUSPECT),
        ([Freshness.FRESH, Freshness.GONE], Freshness.SUSPECT),
        ([Freshness.GONE, Freshness.GONE], Freshness.GONE),
    ],
)
def test_a_memory_is_gone_only_when_all_that_it_speaks_of_is(
    store: Store, anchors: list[Freshness], expected: Freshness
) -> None:
    keep(store, a_memory("a", id="mem-a"))
    written(store, anchors=tuple(an_anchor(f"src/{n}.py", freshness=found) for n, found in enumerate(anchors)))
    assert store.standings(["mem-a"])["mem-a"].freshness is expected


def test_the_cure_of_a_failure_is_found_by_its_signature(store: Store) -> None:
    keep(
        store,
        a_memory("mine", id="mem-a", error_signature="sig", confidence=0.6),
        a_memory("better", id="mem-b", error_signature="sig", confidence=0.9),
        a_memory("elsewhere", id="mem-c", error_signature="sig", project="prj-two"),
        a_memory("sent", id="mem-d", error_signature="sig", project="prj-two", reach=Reach.EVERYWHERE, confidence=0.1),
        a_memory("old", id="mem-e", error_signature="sig", archived_at=NOW),
        a_memory("other", id="mem-f", error_signature="gis"),
        a_memory("none", id="mem-g"),
    )
    assert [m.id for m in store.cured("prj-one", "sig")] == ["mem-b", "mem-a", "mem-d"]
    assert not store.cured("prj-one", "") and not store.cured("prj-one", "unheard of")


def test_cursors_are_kept_moved_and_removed(store: Store) -> None:
    written(store, cursors={"spool/a": "10", "spool/b%": "20", "judged/x": "y"})
    written(store, cursors={"spool/a": "11"})
    assert store.cursor("spool/a") == "11" and store.cursor("spool/none") == ""
    assert store.cursors("spool/") == {"spool/a": "11", "spool/b%": "20"} and not store.cursors("spool/%")
    written(store, cursors={"spool/a": "", "never": ""})
    assert store.cursors("") == {"judged/x": "y", "spool/b%": "20"}


def test_the_ledger_knows_who_was_shown_which_version(store: Store) -> None:
    keep(store, a_memory("a", id="mem-a"), a_memory("b", id="mem-b"))
    injections = (
        an_injection("inj-1", session="s1", version=2),
        an_injection("inj-2", session="s1", version=1, at=SOON, moment="file"),
        an_injection("inj-3", session="s1", memory="mem-b", agent="a1"),
        an_injection("inj-4", session="s1", memory="mem-b", is_withheld=True),
        an_injection("inj-5", session="s2", memory="mem-b"),
    )
    written(store, injections=injections)
    assert store.shown("s1") == {"mem-a": 2} and store.shown("s1", agent="a1") == {"mem-b": 1}
    assert store.shown("s1", since=SOON) == {"mem-a": 1} and store.shown("s3") == {}


def test_what_was_withheld_was_told_but_not_shown(store: Store) -> None:
    keep(store, a_memory("a", id="mem-a"))
    held = an_injection("inj-1", session="s1", is_withheld=True, moment="prompt", agent="a1", at=SOON)
    told = an_injection("inj-2", session="s2")
    written(store, injections=(held, told))
    assert list(store.told("prj-one")) == [told, held] and list(store.told("prj-one", session="s1")) == [held]
    assert list(store.told("prj-one", since=SOON)) == [held] and not store.told("prj-two")
    assert list(store.injections("mem-a")) == [told] and not store.was_shown("mem-a", "s1")


def test_erasing_takes_the_words_out_of_all_that_agents_did(store: Store) -> None:
    words = 'the "forbidden" sentence is here'
    keep(store, a_memory(words, id="mem-a"), a_memory("another", id="mem-b"))
    written(
        store,
        activities=(
            a_deed("act-1", subject=f"echo {words}", detail="harmless"),
            a_deed("act-2", detail=f"> {words}", data={"deep": [{"said": words}]}),
        ),
        jobs=(a_job("job-1", payload={"text": f"LEARNED: {words}"}), a_job("job-2", error=f"cannot parse {words}")),
        outcomes=(an_outcome("out-1", note="n"), an_outcome("out-2", memory_id="mem-b", note=f"like {words}")),
        anchors=(an_anchor(), an_anchor(memory_id="mem-b", note=words)),
        cursors={"trouble/drain": words, "spool/x": "7"},
    )
    assert not store.erase("mem-a", at=LATER).found_in
    left = [store.activities("prj-one"), store.jobs(), store.outcomes("prj-one"), store.anchors("prj-one")]
    assert "forbidden" not in f"{left} {store.cursors('')}"
    assert store.activities("prj-one")[0].detail == "harmless" and store.cursor("spool/x") == "7"
    assert [job.state for job in store.jobs()] == [JobState.DONE, JobState.QUEUED]
    assert [one.memory_id for one in store.outcomes("prj-one")] == ["mem-b"] and not store.damage()


def test_a_sound_log_and_queue_are_no_damage(store: Store) -> None:
    keep(store, a_memory("a", id="mem-a"))
    written(store, activities=(a_deed(),), jobs=(a_job(),), outcomes=(an_outcome(),), anchors=(an_anchor(),))
    assert not store.damage()


# R8
@pytest.mark.parametrize(("table", "column"), [("activity", "data"), ("job", "payload")])
def test_a_row_that_nobody_could_read_is_damage(sqlite_store: SqliteStore, table: str, column: str) -> None:
    sqlite_store.adopt(["name:one"], name="one", project_id="prj-one", at=NOW)
    written(sqlite_store, activities=(a_deed(),), jobs=(a_job(),))
    sqlite_store._connection().execute(f"UPDATE {table} SET {column} = '{{torn'")
    assert [damage.where for damage in sqlite_store.damage()] == [table]


def test_taking_the_next_job_reads_no_job_that_is_done(sqlite_store: SqliteStore) -> None:
    asked: list[str] = []
    db = sqlite_store._connection()
    db.exec_trace = lambda _, sql, __: asked.append(sql) or True  # type: ignore[func-returns-value]
    sqlite_store.due(NOW)
    db.exec_trace = None
    (plan,) = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {asked[0]}", (None, None))]
    assert "idx_job_open" in plan


def test_a_folder_that_is_no_project_yet_is_shown_nothing_of_others(store: Store) -> None:  # DX-078
    keep(store, a_memory("kept", id="mem-a"))
    receipt = Receipt(id="rcp-1", key="k", at=NOW, project="prj-one", verdict=Verdict.STORED, text="t", reason="")
    paper = Paper(id="p1", project="prj-one", sort=Sort.HANDOFF, agent="ed", at=NOW, data={})
    written(store, receipts=(receipt,), activities=(a_deed(),), outcomes=(an_outcome(),), anchors=(an_anchor(),))
    written(store, injections=(an_injection(),), papers=(paper,))
    for project, count in (("prj-one", 1), ("", 0), ("prj-two", 0)):
        found = (store.receipts, store.activities, store.outcomes, store.anchors, store.told, store.papers)
        assert [len(read(project)) for read in found] == [count] * len(found), project
        assert store.taught(project) == count
        assert not store.suggestions(project) and not store.workstreams(project) and not store.reviews(project)
    assert len(store.papers("", to="")) == 0 and len(store.papers("prj-one", to="")) == 1
