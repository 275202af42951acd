"""What a hook call says about the work: the lines of the log, and what is queued about it."""

from datetime import timedelta
from pathlib import Path

import pytest
from building import NOW
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindbrain.app.observe import observed
from hindbrain.app.tools import Tools
from hindbrain.core.hooks.notice import Happening, Notice
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.core.model.job import Job

FOLDER = "/home/dev/shop"


def seen(tools: Tools, happening: Happening, **fields: object) -> tuple[tuple[Activity, ...], tuple[Job, ...]]:
    known: dict[str, object] = {"client": "claude", "session": "s1", "at": NOW, "cwd": FOLDER}
    notice = Notice(happening=happening, **(known | fields))  # type: ignore[arg-type]
    return observed(notice, project="prj-one", tools=tools)


def shell(tools: Tools, command: str, **fields: object) -> tuple[tuple[Activity, ...], tuple[Job, ...]]:
    return seen(tools, Happening.AFTER_TOOL, tool="Bash", is_shell=True, command=command, **fields)


def told(activities: tuple[Activity, ...]) -> list[tuple[str, str, str]]:
    return [(str(one.deed), one.subject, str(one.result)) for one in activities]


def test_the_beginning_the_prompts_and_the_end_of_a_session_are_kept(tools: Tools) -> None:
    assert told(seen(tools, Happening.SESSION_START, source="resume")[0]) == [("session", "resume", "")]
    (asked,), jobs = seen(tools, Happening.PROMPT, prompt="\nMake it green\nand soon", ref="p1")
    assert (asked.deed, asked.subject, asked.detail, asked.ref) == (
        Deed.PROMPT,
        "Make it green",
        "\nMake it green\nand soon",
        "p1",
    )
    assert jobs == () and asked.at == NOW and asked.client == "claude"
    assert told(seen(tools, Happening.SESSION_END, source="exit")[0]) == [("end", "exit", "")]


def test_what_no_person_asked_is_no_prompt(tools: Tools) -> None:
    assert seen(tools, Happening.PROMPT, prompt="<task-notification>", is_person=False) == ((), ())


def test_a_fork_of_the_clients_own_is_not_there(tools: Tools) -> None:
    for happening in Happening:
        assert seen(tools, happening, is_internal=True, message="MEMORY:fix:nothing", transcript="/t") == ((), ())


def test_an_edit_is_kept_with_the_lines_that_differ(tools: Tools) -> None:
    (edit,), jobs = seen(
        tools,
        Happening.AFTER_TOOL,
        is_edit=True,
        tool="Edit",
        paths=(f"{FOLDER}/a.py",),
        old_text="x = 1\ny = 2",
        new_text="x = 3\ny = 2",
    )
    assert (edit.deed, edit.subject, edit.detail) == (Deed.EDIT, f"{FOLDER}/a.py", "- x = 1\n+ x = 3")
    assert edit.data["cwd"] == FOLDER and jobs == ()


def test_every_file_that_was_read_is_kept_and_none_that_could_not_be(tools: Tools) -> None:
    read = {"is_read": True, "tool": "Read", "paths": ("a.py", "b.py")}
    assert told(seen(tools, Happening.AFTER_TOOL, **read)[0]) == [("read", "a.py", ""), ("read", "b.py", "")]
    assert seen(tools, Happening.AFTER_TOOL, is_failure=True, **read) == ((), ())
    assert seen(tools, Happening.AFTER_TOOL, tool="WebFetch") == ((), ())
    assert seen(tools, Happening.BEFORE_TOOL, **read) == ((), ())


FAILED = "tests/test_a.py F\nE   KeyError: 'price'\n=== 1 failed in 0.02s ==="


def test_a_failing_gate_is_kept_with_its_output_and_its_signature(tools: Tools) -> None:
    (command, gate), jobs = shell(tools, "pytest -q", output=FAILED, exit_code=1, is_failure=True)
    assert (command.deed, command.result, command.detail) == (Deed.COMMAND, Result.FAILED, FAILED)
    assert (gate.deed, gate.subject, gate.result, gate.detail) == (Deed.GATE, "tests", Result.FAILED, FAILED)
    assert gate.signature == command.signature != "" and gate.data["command"] == "pytest -q"
    assert jobs == ()


def test_what_passed_needs_no_output(tools: Tools) -> None:
    (command, gate), _ = shell(tools, "pytest -q", output="=== 3 passed in 0.02s ===", exit_code=0)
    assert (command.result, command.detail, command.signature) == (Result.PASSED, "", "")
    assert (gate.result, gate.detail) == (Result.PASSED, "")


def test_what_a_person_interrupted_has_neither_failed_nor_passed(tools: Tools) -> None:
    (command,), _ = shell(tools, "pytest", output="", is_failure=True, is_interrupt=True)
    assert command.result is Result.UNKNOWN


@pytest.mark.parametrize(
    ("command", "output", "code", "expected"),
    [
        ("git commit -m 'x'", "[main 1a2b3c4] x\n 1 file changed", 0, "1a2b3c4"),
        ("git -C lib commit -qm x", "", 0, ""),
        ("git add . && git commit -m x", "[feature/a (root-commit) 0a1b2c3] x", None, "0a1b2c3"),
    ],
)
def test_after_a_commit_the_anchors_are_to_be_checked(
    tools: Tools, command: str, output: str, code: int | None, expected: str
) -> None:
    activities, jobs = shell(tools, command, output=output, exit_code=code)
    assert (activities[-1].deed, activities[-1].subject) == (Deed.COMMIT, expected)
    assert [(job.kind, job.key) for job in jobs] == [("verify", "verify/prj-one")]


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        ("git commit -m x", {"exit_code": 1, "output": "nothing to commit"}),
        ("git commit -m x", {"output": "nothing to commit, working tree clean"}),
        ("git log", {"exit_code": 0}),
        ("echo git; commit", {"exit_code": 0}),
    ],
)
def test_what_is_no_commit_checks_nothing(tools: Tools, command: str, fields: dict[str, object]) -> None:
    activities, jobs = shell(tools, command, **fields)
    assert jobs == () and Deed.COMMIT not in {one.deed for one in activities}


@pytest.mark.parametrize(
    "happening", [Happening.STOP, Happening.AGENT_STOP, Happening.SESSION_END, Happening.BEFORE_COMPACT]
)
def test_when_a_session_rests_it_is_heard_learned_from_and_judged(tools: Tools, happening: Happening) -> None:
    _, jobs = seen(tools, happening, transcript="/t/s1.jsonl", message="Done.")
    left = ["handoff"] if happening in (Happening.SESSION_END, Happening.BEFORE_COMPACT) else []  # LK-121
    assert [job.kind for job in jobs] == ["transcript", "extract", "judge", "episode", *left]
    heard, extract, *_ = jobs
    assert heard.key.startswith("transcript//t/s1.jsonl/") and heard.payload["format"] == "claude"
    assert {name: heard.payload[name] for name in ("path", "session", "cwd", "text")} == {
        "path": "/t/s1.jsonl",
        "session": "s1",
        "cwd": FOLDER,
        "text": "Done.",
    }
    assert (extract.key, extract.payload) == ("extract/prj-one/s1", {"session": "s1"})


def test_a_subagent_is_heard_by_its_own_transcript(tools: Tools) -> None:
    activities, jobs = seen(
        tools,
        Happening.AGENT_STOP,
        transcript="/t/s1.jsonl",
        agent_transcript="/t/agent-1.jsonl",
        agent="a1",
        agent_type="reviewer",
        message="Looks fine.",
    )
    assert told(activities) == [("response", "", ""), ("end", "agent", "")]
    assert {one.agent for one in activities} == {"a1"} and {one.agent_type for one in activities} == {"reviewer"}
    assert (jobs[0].payload["path"], jobs[0].payload["agent"]) == ("/t/agent-1.jsonl", "a1")
    assert told(seen(tools, Happening.AGENT_START, agent="a1", agent_type="reviewer")[0]) == [("agent", "reviewer", "")]


def test_where_there_is_no_transcript_each_answer_is_heard_by_itself(tools: Tools) -> None:
    one, two = (seen(tools, Happening.STOP, client="opencode", message=said)[1][0] for said in ("one", "two"))
    assert one.key != two.key and one.payload["format"] == "text" and one.payload["text"] == "one"
    assert [job.kind for job in seen(tools, Happening.STOP, client="opencode")[1]] == ["extract", "judge", "episode"]


def test_a_shortened_context_is_told_before_and_after(tools: Tools) -> None:
    assert told(seen(tools, Happening.BEFORE_COMPACT)[0]) == [("compaction", "begins", "")]
    assert told(seen(tools, Happening.AFTER_COMPACT)[0]) == [("compaction", "done", "")]


SECRET = "ghp_" + "a1B2c3D4e5" * 4


def test_no_secret_gets_into_the_log_or_the_queue(tools: Tools) -> None:
    everything = {
        name: f"{name} with {SECRET} in it"
        for name in ("session", "cwd", "agent", "agent_type", "source", "prompt", "tool", "command", "ref", "message")
    } | {"old_text": "a = 1", "new_text": f"token = {SECRET}", "output": f"Error: {SECRET}", "paths": (f"/x/{SECRET}",)}
    for happening in Happening:
        for kind in ("is_shell", "is_edit", "is_read"):
            made = seen(tools, happening, **everything, **{kind: True}, exit_code=1)
            assert SECRET not in repr(made)


def test_long_texts_are_cut_and_keep_both_ends(tools: Tools) -> None:
    output = "first line\n" + "x" * 5_000_000 + "\nlast line"
    (command, *_), _ = shell(tools, "make " + "y" * 2_000_000, output=output, exit_code=2)
    assert len(command.subject) <= 500 and len(command.detail) <= 4_000
    assert command.detail.startswith("first line") and command.detail.endswith("last line")


TEXT = st.text(max_size=60)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    happening=st.sampled_from(list(Happening)),
    words=st.fixed_dictionaries({name: TEXT for name in ("prompt", "command", "output", "message", "source", "tool")}),
    flags=st.fixed_dictionaries({name: st.booleans() for name in ("is_shell", "is_edit", "is_read", "is_failure")}),
)
def test_any_call_makes_lines_that_the_store_takes(
    tools: Tools, happening: Happening, words: dict[str, str], flags: dict[str, bool]
) -> None:
    activities, jobs = seen(tools, happening, **words, **flags, at=NOW + timedelta(seconds=1), paths=("a",))
    assert all(one.project == "prj-one" and one.session == "s1" and len(one.subject) <= 500 for one in activities)
    assert len({one.id for one in activities}) == len(activities)
    assert len({job.key for job in jobs}) == len(jobs)


def test_when_a_subagent_of_gemini_is_over_its_record_is_read(tools: Tools, tmp_path: Path) -> None:
    folder = tmp_path / "chats" / "s1"
    folder.mkdir(parents=True)
    (folder / "agent-1.jsonl").write_text("{}\n")
    main = str(tmp_path / "chats" / "session.jsonl")
    used = {"client": "gemini", "tool": "invoke_agent", "transcript": main}

    _, (job,) = seen(tools, Happening.AFTER_TOOL, is_errand=True, **used)
    _, none = seen(tools, Happening.AFTER_TOOL, **used)

    assert (job.kind, job.payload["path"], job.payload["agent"]) == (
        "transcript",
        str(folder / "agent-1.jsonl"),
        "agent-1",
    )
    assert job.payload["format"] == "gemini" and none == ()
