"""Queued work is done once, one at a time, tried again when it fails, and parked when it keeps failing."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from building import NOW, FakeClock, a_memory, keep

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.jobs import PAUSES_S, Ran, retry, run_due
from hindbrain.app.tools import Tools
from hindbrain.core.logger import Phase
from hindbrain.core.model.activity import Activity, Deed
from hindbrain.core.model.job import MOST_TRIES, Job, JobState
from hindbrain.errors import Conflict, UnknownMemory
from hindbrain.ports import Changes, Where


def attempt(run: Callable[[], None]) -> str:
    try:
        run()
    except ZeroDivisionError as error:
        return str(error)
    return ""


def queue(tools: Tools, *ids: str, kind: str = "work", due_at: datetime = NOW) -> None:
    jobs = tuple(
        Job(id=key, kind=kind, key=f"key of {key}", project="", payload={}, created_at=NOW, due_at=due_at)
        for key in ids
    )
    tools.store.write(lambda tx: tx.apply(Changes(jobs=jobs)))


def states(tools: Tools) -> dict[str, str]:
    return {job.id: str(job.state) for job in tools.store.jobs()}


def deed(key: str) -> Activity:
    return Activity(id=key, at=NOW, project="prj-one", session="s", deed=Deed.COMMAND)


def broken(job: Job, tools: Tools) -> None:
    raise ZeroDivisionError("it is broken")


def test_jobs_are_done_one_at_a_time_in_the_order_of_the_queue(tools: Tools) -> None:  # CH-065 CH-066 CH-073 CH-084
    seen: list[tuple[str, dict[str, str]]] = []
    queue(tools, "job-b", "job-a", "job-c")
    ran = run_due({"work": lambda job, tools: seen.append((job.id, states(tools)))}, tools=tools, attempt=attempt)  # type: ignore[dict-item, return-value]
    assert ran == Ran(done=3)
    assert [key for key, _ in seen] == ["job-b", "job-a", "job-c"]
    assert [list(known.values()).count("running") for _, known in seen] == [1, 1, 1]
    assert set(states(tools).values()) == {"done"} and run_due({}, tools=tools, attempt=attempt) == Ran()


def test_the_machine_processes_until_nothing_is_left(tools: Tools) -> None:  # CH-074 CH-081 CH-083
    phases: list[tuple[str, str]] = []
    queue(tools, "job-a", "job-b")
    run_due(
        {"work": lambda job, tools: None},
        tools=tools,
        attempt=attempt,
        watch=lambda phase, job: phases.append((phase, job.state)),
    )
    processing, idle = Phase.PROCESSING, Phase.IDLE
    assert phases == [(processing, "running"), (processing, "done"), (processing, "running"), (idle, "done")]


def test_a_task_that_comes_meanwhile_is_done_as_well(tools: Tools) -> None:  # CH-082
    done: list[str] = []

    def work(job: Job, tools: Tools) -> None:
        done.append(job.id)
        if job.id == "job-a":
            queue(tools, "job-b")

    queue(tools, "job-a")
    assert run_due({"work": work}, tools=tools, attempt=attempt) == Ran(done=2) and done == ["job-a", "job-b"]


# R14
def test_what_a_job_brings_about_is_written_with_its_end(tools: Tools) -> None:
    queue(tools, "job-a")
    run_due({"work": lambda job, tools: Changes(activities=(deed("act-1"),))}, tools=tools, attempt=attempt)
    assert states(tools) == {"job-a": "done"} and len(tools.store.activities("prj-one")) == 1


# R14
def test_a_job_that_fails_is_tried_again_later_and_later_and_then_parked(  # F-03
    tools: Tools, clock: FakeClock
) -> None:
    queue(tools, "job-a")
    waits = []
    for _ in range(MOST_TRIES - 1):
        assert run_due({"work": broken}, tools=tools, attempt=attempt) == Ran(failed=1)
        (job,) = tools.store.jobs()
        assert (job.state, job.error) == (JobState.QUEUED, "it is broken")
        assert run_due({"work": broken}, tools=tools, attempt=attempt) == Ran()  # not before its time
        waits.append((job.due_at - clock.now()).total_seconds())
        clock.at = job.due_at
    assert tuple(waits) == PAUSES_S == (1, 4, 15, 60)
    assert run_due({"work": broken}, tools=tools, attempt=attempt) == Ran(dead=1)
    clock.forward(days=1)
    assert run_due({"work": broken}, tools=tools, attempt=attempt) == Ran() and states(tools) == {"job-a": "dead"}
    assert tools.store.cursor("trouble/work").endswith("it is broken")


# R14
def test_a_job_that_fails_does_not_hold_up_the_others(tools: Tools) -> None:  # F-03
    queue(tools, "job-bad", kind="bad")
    queue(tools, "job-good", kind="good")
    ran = run_due({"bad": broken, "good": lambda job, tools: None}, tools=tools, attempt=attempt)
    assert ran == Ran(done=1, failed=1) and states(tools) == {"job-bad": "queued", "job-good": "done"}


def test_a_kind_that_nobody_knows_is_parked_in_the_end_and_says_why(tools: Tools, clock: FakeClock) -> None:
    queue(tools, "job-a", kind="sing")
    for _ in range(MOST_TRIES):
        run_due({}, tools=tools, attempt=attempt)
        clock.forward(minutes=2)
    (job,) = tools.store.jobs(states=(JobState.DEAD,))
    assert "sing" in job.error


def test_a_job_whose_worker_died_is_done_by_the_next(tools: Tools) -> None:
    queue(tools, "job-a")
    (job,) = tools.store.jobs()
    tools.store.write(lambda tx: tx.apply(Changes(jobs=(replace(job, state=JobState.RUNNING, tries=1),))))
    assert run_due({"work": lambda job, tools: None}, tools=tools, attempt=attempt) == Ran(done=1)


# R14
def test_a_job_that_takes_every_worker_with_it_is_parked(tools: Tools) -> None:
    queue(tools, "job-a", "job-b")
    (job, _) = tools.store.jobs()
    tools.store.write(lambda tx: tx.apply(Changes(jobs=(replace(job, state=JobState.RUNNING, tries=MOST_TRIES),))))
    ran = run_due({"work": lambda job, tools: None}, tools=tools, attempt=attempt)
    assert ran == Ran(done=1, dead=1) and states(tools) == {"job-a": "dead", "job-b": "done"}


def test_a_worker_that_wakes_up_after_another_took_over_writes_nothing(tools: Tools) -> None:
    queue(tools, "job-a")

    def slow(job: Job, tools: Tools) -> Changes:
        (mine,) = tools.store.jobs()  # while this one sleeps, the next worker takes the job, and does it
        tools.store.write(lambda tx: tx.apply(Changes(jobs=(replace(mine, tries=mine.tries + 1),))))
        return Changes(activities=(deed("act-twice"),))

    def either(run: Callable[[], None]) -> str:
        try:
            run()
        except Conflict as error:
            return str(error)
        return ""

    with pytest.raises(Conflict):
        run_due({"work": slow}, tools=tools, attempt=either)
    assert not tools.store.activities("prj-one")


# R16
@pytest.mark.parametrize("jump", [timedelta(days=-400), timedelta(days=400)])
def test_a_clock_that_jumps_keeps_no_job_waiting(tools: Tools, clock: FakeClock, jump: timedelta) -> None:
    queue(tools, "job-a")
    run_due({"work": broken}, tools=tools, attempt=attempt)
    clock.at += jump
    assert run_due({"work": lambda job, tools: None}, tools=tools, attempt=attempt) == Ran(done=1)


def test_what_was_parked_can_be_tried_again(tools: Tools) -> None:
    queue(tools, "job-a", "job-b", "job-c")
    parked = tuple(replace(job, state=JobState.DEAD, tries=5, error="e") for job in tools.store.jobs())[:2]
    tools.store.write(lambda tx: tx.apply(Changes(jobs=parked)))
    with pytest.raises(UnknownMemory):
        retry(("job-c",), tools=tools)
    (job,) = retry(("job-b",), tools=tools)
    assert (job.id, job.state, job.tries) == ("job-b", JobState.QUEUED, 0)
    assert [job.id for job in retry((), tools=tools)] == ["job-a"]
    assert run_due({"work": lambda job, tools: None}, tools=tools, attempt=attempt) == Ran(done=3)


def test_a_job_that_succeeds_settles_the_parked_one_with_its_key(tools: Tools) -> None:
    queue(tools, "job-a")
    (old,) = tools.store.jobs()
    tools.store.write(lambda tx: tx.apply(Changes(jobs=(replace(old, state=JobState.DEAD),))))
    tools.store.write(lambda tx: tx.apply(Changes(jobs=(replace(old, id="job-b"),))))
    run_due({"work": lambda job, tools: None}, tools=tools, attempt=attempt)
    assert states(tools) == {"job-a": "done", "job-b": "done"}


def test_a_secret_in_an_error_is_not_kept(tools: Tools) -> None:
    def leaking(job: Job, tools: Tools) -> None:
        raise ZeroDivisionError("password=hunter2-and-more-of-it was refused")

    queue(tools, "job-a")
    run_due({"work": leaking}, tools=tools, attempt=attempt)
    assert "hunter2" not in f"{tools.store.jobs()}{tools.store.cursors('')}"


def test_of_all_that_was_done_only_the_latest_is_listed(tools: Tools) -> None:
    jobs = tuple(
        Job(
            id=f"job-{n:04d}",
            kind="work",
            key=str(n),
            project="",
            payload={},
            created_at=NOW,
            due_at=NOW,
            state=JobState.DONE,
        )
        for n in range(1_005)
    )
    tools.store.write(lambda tx: tx.apply(Changes(jobs=jobs)))
    assert tools.store.count_jobs() == {JobState.DONE: 1_000} and tools.store.jobs(limit=1)[0].id == "job-0005"


# R8
@pytest.mark.parametrize("store", ["sqlite"], indirect=True)  # of a dictionary nothing is written anywhere
def test_a_damaged_memory_is_left_out_of_a_job_and_named_and_the_rest_is_done(tools: Tools) -> None:
    assert isinstance(tools.store, SqliteStore)
    keep(tools.store, *(a_memory(f"close harbour {n}", id=f"mem-{n}") for n in range(3)))
    tools.store._connection().execute("UPDATE memory SET content = 'close airport 1' WHERE id = 'mem-1'")

    def renamed(job: Job, tools: Tools) -> Changes:
        known = tools.store.select(Where(project="prj-one"))
        return Changes(memories=tuple(replace(one, title="another", version=one.version + 1) for one in known))

    queue(tools, "job-a", "job-b")
    ran = run_due({"work": renamed}, tools=tools, attempt=attempt)

    assert ran == Ran(done=2)
    found = tools.store.memories([f"mem-{n}" for n in range(3)])
    assert [memory.version for memory in found.values()] == [3, 1, 3]
    assert [one.where for one in tools.store.damage() if "differs" in one.what] == ["memory mem-1"]
    for said in (*(job.error for job in tools.store.jobs()), tools.store.cursor("trouble/work")):
        assert "mem-1" in said and "fsck --repair" in said and "mem-0" not in said
