"""What a client's hook does not say: how a command ended, which subagent is done."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindbrain.adapters.files import LocalFiles
from hindbrain.app.ending import completed as known
from hindbrain.app.ending import records, with_ending
from hindbrain.core.hooks.notice import Happening, Notice
from hindbrain.core.transcripts.codex import exit_code
from hindbrain.core.value import replace


def completed(call: str, code: object, output: str = "") -> str:
    item = {"type": "CommandExecution", "id": call, "aggregated_output": output, "exit_code": code}
    return json.dumps({"type": "event_msg", "payload": {"type": "item_completed", "item": item}})


def called(call: str) -> str:
    return json.dumps({"type": "response_item", "payload": {"type": "function_call", "call_id": call}})


@pytest.fixture
def notice(tmp_path: Path) -> Notice:
    rollout = tmp_path / "rollout.jsonl"
    rollout.write_text("\n".join([called("call_1"), completed("call_1", 2), called("call_2"), completed("call_2", 0)]))
    return Notice(
        client="codex",
        happening=Happening.AFTER_TOOL,
        session="s",
        at=datetime(2026, 1, 2, tzinfo=UTC),
        transcript=str(rollout),
        is_shell=True,
        ref="call_1",
    )


def test_the_rollout_says_how_a_command_of_codex_ended(notice: Notice) -> None:
    failed = with_ending(notice, files=LocalFiles())
    passed = with_ending(replace(notice, ref="call_2"), files=LocalFiles())

    assert (failed.exit_code, failed.is_failure) == (2, True)
    assert (passed.exit_code, passed.is_failure) == (0, False)


@pytest.mark.parametrize(
    "change",
    [
        {"ref": "call_3"},
        {"ref": ""},
        {"transcript": ""},
        {"transcript": "/nowhere/rollout.jsonl"},
        {"client": "claude"},
        {"is_shell": False},
        {"exit_code": 7},
        {"happening": Happening.BEFORE_TOOL},
    ],
    ids=str,
)
def test_where_nobody_knows_or_the_hook_has_said_it_nothing_is_made_up(
    notice: Notice, change: dict[str, object]
) -> None:
    given = replace(notice, **change)

    assert with_ending(given, files=LocalFiles()) == given


def test_the_output_of_a_command_cannot_say_how_another_ended() -> None:
    forged = completed("call_2", 1, output=completed("call_1", 0))

    assert exit_code(forged, "call_1") is None


def test_only_a_number_is_an_exit_code() -> None:
    assert exit_code(completed("call_1", True), "call_1") is None
    assert exit_code(completed("call_1", "0"), "call_1") is None


@given(st.text(), st.text(min_size=1))
def test_no_transcript_and_no_call_is_an_error(source: str, call: str) -> None:
    assert exit_code(source, call) is None


@pytest.fixture
def done(tmp_path: Path) -> Notice:
    """A subagent of Gemini CLI wants to stop; two have records."""
    folder = tmp_path / "chats" / "s"
    folder.mkdir(parents=True)
    for written_s, name in enumerate(("early.jsonl", "late.jsonl", "no-record.txt")):
        (folder / name).write_text("{}\n")
        os.utime(folder / name, (written_s, written_s))
    return Notice(
        client="gemini",
        happening=Happening.AGENT_STOP,
        session="s",
        at=datetime(2026, 1, 2, tzinfo=UTC),
        transcript=str(tmp_path / "chats" / "session-1.jsonl"),
        agent_type="subagent",
    )


def test_the_subagent_of_gemini_that_spoke_last_is_the_one_that_is_done(done: Notice) -> None:
    found = known(done, files=LocalFiles())

    assert (found.agent, Path(found.agent_transcript).name) == ("late", "late.jsonl")
    assert [Path(path).name for path in records(done, files=LocalFiles())] == ["late.jsonl", "early.jsonl"]


@pytest.mark.parametrize(
    "change",
    [
        {"transcript": ""},
        {"transcript": "session-1.jsonl"},
        {"transcript": "/nowhere/session-1.jsonl"},
        {"session": ".."},
        {"session": "../chats/s"},
        {"session": "s\0"},
        {"agent": "known"},
        {"happening": Happening.STOP},
        {"client": "claude"},
    ],
    ids=str,
)
def test_a_subagent_that_left_no_record_stays_unknown(done: Notice, change: dict[str, object]) -> None:
    given = replace(done, **change)

    assert known(given, files=LocalFiles()) == given
