"""Recorded sessions of real agents, in which nothing failed and was cured: they must teach nothing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from working import Log

from hindbrain.core.learn.findings import findings
from hindbrain.core.learn.gates import gates_of
from hindbrain.core.learn.lessons import lessons
from hindbrain.core.model.activity import Activity, Deed, Result

SAMPLES = Path(__file__).resolve().parents[2].parent / "shared" / "samples"
needs_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the recorded sessions are not beside this project")


def blocks(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for line in path.read_text("utf-8").splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if not isinstance(record, dict):
            continue
        message = record["message"] if isinstance(record.get("message"), dict) else record
        content = message.get("content") or []
        content = [{"type": "text", "text": content}] if isinstance(content, str) else content
        yield from ((str(record.get("type")), block) for block in content if isinstance(block, dict))


def session(path: Path) -> list[Activity]:
    """The deeds of a transcript, as hooks would have noted them."""
    log = Log(path.stem)
    calls: dict[str, dict[str, Any]] = {}
    for who, block in blocks(path):
        if block.get("type") == "text":
            log.add("prompt" if who == "user" else "response", detail=block["text"])
        elif block.get("type") == "tool_use":
            calls[str(block.get("id"))] = block
        elif block.get("type") == "tool_result" and block.get("tool_use_id") in calls:
            called(log, calls[block["tool_use_id"]], block)
    log.add("completion", "done")
    return log.activities


def called(log: Log, call: dict[str, Any], answer: dict[str, Any]) -> None:
    given, content = call["input"], answer.get("content") or ""
    output = content if isinstance(content, str) else "\n".join(str(part.get("text", "")) for part in content)
    if call["name"] == "Bash":
        log.ran(given["command"], 1 if answer.get("is_error") else 0, output)
    elif call["name"] in ("Edit", "Write"):
        log.edited(given["file_path"], given.get("old_string", ""), given.get("new_string") or given.get("content", ""))
    elif call["name"] == "Task":
        log.agent(given.get("subagent_type", ""), output)


@needs_samples
def test_sessions_in_which_nothing_was_cured_teach_nothing() -> None:
    logs = [session(path) for path in sorted(SAMPLES.glob("claude-code/*/*.jsonl"))]
    assert sum(len(log) for log in logs) > 100
    assert [lesson.content for log in logs for lesson in lessons(log, after=0)] == []


@needs_samples
def test_the_gates_of_recorded_sessions_are_known() -> None:
    logs = [session(path) for path in sorted(SAMPLES.glob("claude-code/reliability/*.jsonl"))]
    commands = [one for log in logs for one in log if one.deed is Deed.COMMAND]
    found = [
        (gate.tool, gate.name, gate.result)
        for one in commands
        for gate in gates_of(one.subject, output=one.detail, exit_code=0 if one.result is Result.PASSED else 1)
    ]
    assert found == [
        ("pytest", "tests", Result.PASSED),
        ("cargo", "tests", Result.PASSED),
        ("just", "check", Result.PASSED),
        ("just", "lint", Result.PASSED),
    ]


@needs_samples
def test_reviews_of_a_dex_session_give_their_findings_and_not_their_praise() -> None:
    """DX-074"""
    text = (SAMPLES / "dex" / "scratchpad.md").read_text("utf-8")
    sections = [part for part in text.split("\n## ")[1:] if part.startswith("Observer Review")]
    assert len(sections) == 7
    assert [one.title for part in sections for one in findings(part)] == [
        "Error handling could be more specific",
        "Race condition on rapid clicks",
        "Cancel doesn't handle non-session tasks",
        "WebSocket event handling could update UI",
    ]
