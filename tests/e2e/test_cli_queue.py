"""The worker's jobs on the command line: looked at, tried again, and brought about by a finished task."""

from contextlib import closing
from pathlib import Path

import pytest
from building import NOW
from calling import Cli

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.core.model.job import Job, JobState
from hindbrain.ports import Changes


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setenv("HINDBRAIN_EMBEDDER", "off")
    return Cli(tmp_path, monkeypatch)


def queue(cli: Cli, *jobs: tuple[str, JobState]) -> None:
    made = tuple(
        Job(
            id=key,
            kind="extract",
            key=key,
            project="",
            payload={"session": "s1"},
            created_at=NOW,
            due_at=NOW,
            state=state,
            tries=5 if state is JobState.DEAD else 0,
            error="it is broken" if state is JobState.DEAD else "",
        )
        for key, state in jobs
    )
    with closing(SqliteStore(cli.home / "hindbrain.db")) as store:
        store.write(lambda tx: tx.apply(Changes(jobs=made)))


def test_an_empty_queue_says_so(cli: Cli) -> None:
    assert cli.json("queue") == {"jobs": [], "counts": {}}
    assert "Nothing waits" in cli("queue").out


def test_jobs_are_listed_by_state(cli: Cli) -> None:
    queue(cli, ("job-a", JobState.QUEUED), ("job-b", JobState.DONE), ("job-c", JobState.DEAD))
    listed = cli.json("queue")
    assert [job["id"] for job in listed["jobs"]] == ["job-a", "job-c"]
    assert listed["counts"] == {"queued": 1, "done": 1, "dead": 1} and listed["jobs"][1]["error"] == "it is broken"
    assert [job["id"] for job in cli.json("queue", "--state", "done", "--state", "dead")["jobs"]] == ["job-b", "job-c"]
    assert [job["id"] for job in cli.json("queue", "--limit", "1")["jobs"]] == ["job-a"]
    told = cli("queue").out
    assert "job-c" in told and "it is broken" in told and "1 dead" in told
    assert cli("queue", "--state", "lost", "--json", code=64).error["code"] == "bad_value"


def test_what_was_given_up_is_tried_again(cli: Cli) -> None:
    queue(cli, ("job-a", JobState.DEAD), ("job-b", JobState.DEAD), ("job-c", JobState.DEAD))
    (job,) = cli.json("queue", "retry", "job-b")["jobs"]
    assert (job["id"], job["state"], job["tries"]) == ("job-b", "queued", 0)
    assert "2 jobs will be tried again" in cli("queue", "retry", "--dead").out
    assert cli.json("queue", "retry", "--dead") == {"jobs": []}


def test_a_job_that_is_not_parked_cannot_be_tried_again(cli: Cli) -> None:
    queue(cli, ("job-a", JobState.QUEUED))
    assert cli("queue", "retry", "job-a", "--json", code=67).error["code"] == "unknown_memory"
    assert "Give the ids" in cli("queue", "retry", code=2).err
    assert "Give the ids" in cli("queue", "retry", "job-a", "--dead", code=2).err


def test_a_finished_task_is_queued_once_and_read_by_the_worker(cli: Cli) -> None:
    # CH-063 CH-065 CH-073 CH-075 CH-076 CH-077 CH-078 CH-079
    log = cli.folder / "ch-7.jsonl"
    log.write_text('{"event":"iteration","number":1,"output":"<chorus>LEARNING_GLOBAL:The API limits</chorus>"}\n')
    words = ("queue", "task", str(log), "--task", "ch-7", "--agent", "ed-001", "--persona", "ed")
    job = cli.json(*words)
    assert cli.json(*words)["id"] == job["id"]
    payload = job["payload"]
    assert (payload["taskId"], payload["agentId"], payload["persona"]) == ("ch-7", "ed-001", "ed")
    assert payload["logPath"] == str(log) and isinstance(payload["timestamp"], int)
    assert cli.json("worker", "--once")["jobs"]["done"] == 1
    assert cli.contents("list") == ["The API limits"] and cli.json("queue")["jobs"] == []
