"""What a session said is captured from its client's file, once, and from the agent's own words only."""

import json
from pathlib import Path

import pytest
from building import NOW
from hooking import transcript

from hindbrain.app.answer import answer
from hindbrain.app.hear import PAUSES_S, hear
from hindbrain.app.jobs import run_due
from hindbrain.app.tasks import Task, complete, queued
from hindbrain.app.tools import Tools
from hindbrain.core.hooks.notice import Notice, Reply
from hindbrain.core.model import Event
from hindbrain.core.model.job import Job, JobState
from hindbrain.core.value import replace
from hindbrain.ports import Changes, Where

LESSON = "MEMORY:pitfall:The lock expires after 30 seconds"


def job(**payload: object) -> Job:
    return Job(id="job-1", kind="transcript", key="k", project="prj-one", payload=payload, created_at=NOW, due_at=NOW)


def heard(tools: Tools, **payload: object) -> Changes:
    changes = hear(job(**payload), tools)
    assert changes is not None
    tools.store.write(lambda tx: tx.apply(changes))
    return changes


def lessons(tools: Tools) -> list[str]:
    return sorted(memory.content for memory in tools.store.select(Where(project="prj-one")))


def test_a_transcript_is_read_again_only_when_it_has_grown(tools: Tools, tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", LESSON)
    about = {"path": str(path), "format": "claude", "session": "s1"}
    assert heard(tools, **about).cursors and heard(tools, **about) == Changes()
    transcript(path, LESSON, "MEMORY:fix:Restart the worker after a deploy")
    heard(tools, **about)
    assert lessons(tools) == ["Restart the worker after a deploy", "The lock expires after 30 seconds"]
    assert len(tools.store.receipts("prj-one", session="s1")) == 2


def test_what_a_subagent_said_is_its_own(tools: Tools, tmp_path: Path) -> None:
    path = transcript(tmp_path / "agent-1.jsonl", LESSON)
    heard(tools, path=str(path), format="claude", session="s1", agent="a1")
    (memory,) = tools.store.select(Where(project="prj-one"))
    assert (memory.provenance.actor.instance, memory.provenance.session) == ("a1", "s1")


def test_without_a_file_the_words_that_came_along_are_heard(tools: Tools, tmp_path: Path) -> None:
    heard(tools, path=str(tmp_path / "gone.jsonl"), format="claude", session="s1", text=LESSON)
    assert lessons(tools) == ["The lock expires after 30 seconds"]
    heard(tools, path="", format="text", session="s1", text=LESSON)
    assert len(tools.store.receipts("prj-one", session="s1")) == 1


def late(tools: Tools, path: Path) -> Job:
    """A file that did not hold the agent's last words when it was read for the first time."""
    (again,) = heard(tools, path=str(path), format="claude", session="s1", text=f"Done.\n\n{LESSON}").jobs
    assert lessons(tools) == [] and again.due_at > NOW
    return again


def test_a_file_that_its_client_writes_late_is_read_again(tools: Tools, tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", "I look into it.")
    again = late(tools, path)
    transcript(path, "I look into it.", f"Done.\n\n{LESSON}\n")
    assert heard(tools, **again.payload).jobs == ()
    assert lessons(tools) == ["The lock expires after 30 seconds"]


def test_last_words_that_never_reach_the_file_are_taken_as_they_came(tools: Tools, tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", "I look into it.")
    again: tuple[Job, ...] = (late(tools, path),)
    looks = 0
    while again:
        assert lessons(tools) == []
        again = tuple(heard(tools, **again[0].payload).jobs)
        looks += 1
    assert looks == len(PAUSES_S) and lessons(tools) == ["The lock expires after 30 seconds"]
    transcript(path, "I look into it.", f"Done.\n\n{LESSON}\n")  # and if they do, they say nothing new
    heard(tools, path=str(path), format="claude", session="s1")
    assert len(tools.store.receipts("prj-one", session="s1")) == 1


def test_one_look_does_not_stand_in_the_way_of_the_next(tools: Tools, tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", "I look into it.")
    again = late(tools, path)
    assert again.key != job().key
    (waiting,) = tools.store.jobs()
    assert waiting == replace(again, seq=waiting.seq)


@pytest.mark.parametrize(
    "words", ["", " \n", LESSON, f"Done.\n\n{LESSON}", 'She said "no"\tand left', "Größe: 5\u2028cm", "back\\slash"]
)
def test_words_are_found_however_a_client_writes_them_down(tools: Tools, tmp_path: Path, words: str) -> None:
    for is_ascii in (True, False):
        path = tmp_path / f"{is_ascii}.jsonl"
        said = {"type": "assistant", "uuid": "u", "message": {"content": [{"type": "text", "text": f"{words}\n"}]}}
        path.write_text(json.dumps(said, ensure_ascii=is_ascii) + "\n")
        assert heard(tools, path=str(path), format="claude", session="s1", text=words).jobs == ()


def test_what_stands_in_a_file_or_a_result_teaches_nothing(tools: Tools, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"type":"user","uuid":"u1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"x",'
        f'"content":"{LESSON}"}}]}}}}\n'
        f'{{"type":"user","uuid":"u2","message":{{"role":"user","content":"{LESSON}"}}}}\n'
    )
    heard(tools, path=str(path), format="claude", session="s1")
    assert lessons(tools) == []


CHORUS = (
    '{"event":"iteration","number":1,"timestamp":"2026-01-09T08:00:00.000Z","input":"go","output":'
    '"<chorus>LEARNING_LOCAL:Use batch inserts</chorus> <chorus>PROGRESS:50</chorus>'
    ' <chorus>LEARNING_GLOBAL:The API limits rates</chorus> <chorus>BLOCKED:no key</chorus>"}\n'
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / ".chorus" / "agents" / "ed" / "logs" / "ch-7.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(CHORUS)
    return path


def attempt(run: object) -> str:
    run()  # type: ignore[operator]
    return ""


def test_a_task_that_is_done_is_queued_told_and_read(tools: Tools, log: Path) -> None:
    # CH-061 CH-062 CH-063 CH-065 CH-073 CH-075 CH-076 CH-077 CH-078 CH-079 CH-084 F-04
    task = Task(log_path=str(log), task_id="ch-7", agent_id="ed-001", persona="ed", timestamp=NOW)
    waiting = complete(task, project="prj-one", tools=tools)
    assert [one.id for one in tools.store.jobs(states=(JobState.QUEUED,))] == [waiting.id]
    fields = {
        "taskId": "ch-7",
        "agentId": "ed-001",
        "persona": "ed",
        "logPath": str(log),
        "timestamp": int(NOW.timestamp() * 1000),
    }
    assert {name: waiting.payload[name] for name in fields} == fields
    (fired,) = [event for event in tools.store.events() if event.name == "TASK_COMPLETED"]
    assert replace(fired, seq=0) == Event(name="TASK_COMPLETED", at=NOW, project="prj-one", data=fields)

    assert run_due({"transcript": hear}, tools=tools, attempt=attempt).done == 1
    assert lessons(tools) == ["The API limits rates", "Use batch inserts"]  # and nothing of the other signals
    local = next(one for one in tools.store.select(Where(project="prj-one")) if one.persona)
    assert (local.persona, local.provenance.task) == ("ed", "ch-7")
    assert f"{local.learned_at:%Y-%m-%d %H:%M}" == "2026-01-09 08:00"  # of the line, not of the reading


def test_a_task_that_waits_is_not_queued_twice(tools: Tools, log: Path) -> None:
    first, second = (complete(Task(log_path=str(log)), project="prj-one", tools=tools) for _ in range(2))
    assert first.id == second.id and len(tools.store.jobs()) == 1


def test_two_agents_that_learn_the_same_at_once_make_one_memory(tools: Tools, tmp_path: Path) -> None:
    # CH-067 CH-068 CH-085 CH-086
    for name in ("one", "two"):
        (tmp_path / f"{name}.jsonl").write_text(CHORUS.replace("LEARNING_LOCAL", "LEARNING_GLOBAL"))
        complete(
            Task(log_path=str(tmp_path / f"{name}.jsonl"), task_id=name, agent_id=f"{name}-1"),
            project="prj-one",
            tools=tools,
        )
    assert run_due({"transcript": hear}, tools=tools, attempt=attempt).done == 2
    assert lessons(tools) == ["The API limits rates", "Use batch inserts"]
    verdicts = [str(receipt.verdict) for receipt in tools.store.receipts("prj-one")]
    assert sorted(verdicts) == ["evidence", "evidence", "stored", "stored"]


def test_a_newer_statement_of_a_later_task_replaces_the_older(tools: Tools, tmp_path: Path) -> None:  # CH-087
    for name, said in (("one", "Use redis for the queue"), ("two", "Use rabbit instead of redis for the queue")):
        path = tmp_path / f"{name}.jsonl"
        path.write_text(CHORUS.replace("Use batch inserts", said).replace("LEARNING_LOCAL", "LEARNING_GLOBAL"))
        complete(Task(log_path=str(path), task_id=name), project="prj-one", tools=tools)
    run_due({"transcript": hear}, tools=tools, attempt=attempt)
    marked = [str(receipt.verdict) for receipt in tools.store.receipts("prj-one")]
    assert "superseded" in marked or "review" in marked


def test_a_completion_can_come_through_a_hook(tools: Tools, log: Path) -> None:  # CH-063
    payload = {"taskId": "ch-7", "agentId": "ed-001", "persona": "ed", "logPath": str(log), "cwd": str(log.parent)}
    changes = queued({**payload, "timestamp": 1_700_000_000_000}, at=NOW, tools=tools)
    (waiting,) = changes.jobs
    assert waiting.payload["timestamp"] == 1_700_000_000_000 and waiting.payload["taskId"] == "ch-7"


def test_a_hook_is_answered_with_exactly_what_its_client_reads(tools: Tools) -> None:
    asked: list[tuple[str, str]] = []

    def told(notice: Notice, *, project: str, root: str, tools: Tools) -> Reply:
        asked.append((notice.prompt, project))
        return Reply(context="Mind the lock.")

    payload = b'{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":"/home/dev/shop","prompt":"go"}'
    said = answer("claude", payload, at=NOW, tools=tools, told=told)
    assert b"Mind the lock." in said and said.startswith(b"{")
    assert asked[0][0] == "go" and tools.store.project_of(["folder:/home/dev/shop"]) is not None


@pytest.mark.parametrize("payload", [b"", b"nonsense", b"[]", b"{}", b'{"hook_event_name":"Stop"}', b"[" * 200_000])
def test_what_is_no_event_has_no_answer(tools: Tools, payload: bytes) -> None:
    def never(notice: Notice, *, project: str, root: str, tools: Tools) -> Reply:
        raise AssertionError

    assert answer("claude", payload, at=NOW, tools=tools, told=never) == b""
