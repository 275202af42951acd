"""Four clients in one vocabulary, by what they really sent; and answers in exactly the form that each of them takes."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hindbrain.core.hooks.clients import CLIENTS, answer, is_heard, notice
from hindbrain.core.hooks.fit import MOST
from hindbrain.core.hooks.notice import Happening, Notice, Reply
from hindbrain.core.hooks.table import EVENTS, HELD, TOLD
from hindbrain.core.recall.frame import fenced
from hindbrain.core.value import replace

RECORDED = Path(__file__).resolve().parents[1] / "fixtures" / "hooks"
AT = datetime(2026, 11, 15, 19, 12, tzinfo=UTC)

# What Codex 0.166.0 takes, by the schemas it carries: any other key and the whole answer is void.
CODEX_KEYS = {
    "SessionStart": {"continue", "hookSpecificOutput", "stopReason", "suppressOutput", "systemMessage"},
    "SubagentStart": {"continue", "hookSpecificOutput", "stopReason", "suppressOutput", "systemMessage"},
    "Stop": {"continue", "decision", "reason", "stopReason", "suppressOutput", "systemMessage"},
    "SubagentStop": {"continue", "decision", "reason", "stopReason", "suppressOutput", "systemMessage"},
}
CODEX_WITH_BOTH = CODEX_KEYS["Stop"] | {"hookSpecificOutput"}


def recorded(client: str, event: str, **wanted: object) -> dict[str, Any]:
    """The first recorded payload of that event in which these fields stand."""
    for line in (RECORDED / f"{client}.jsonl").read_text("utf-8").splitlines():
        payload: dict[str, Any] = json.loads(line)
        if payload["hook_event_name"] == event and all(payload.get(name) == held for name, held in wanted.items()):
            return payload
    raise LookupError(f"{client} {event} {wanted}")


def heard(client: str, payload: dict[str, Any]) -> Notice:
    found = notice(client, payload, at=AT)
    assert found is not None
    return found


def of(client: str, event: str, **wanted: object) -> Notice:
    return heard(client, recorded(client, event, **wanted))


def said(client: str, event: str, reply: Reply, **wanted: object) -> Any:
    text = answer(of(client, event, **wanted), reply)
    return json.loads(text) if text else None


TELL, HOLD = Reply(context="known"), Reply(hold="say what you learned")


def test_every_recorded_event_is_heard_or_concerns_nobody() -> None:
    for client in CLIENTS:
        for line in (RECORDED / f"{client}.jsonl").read_text("utf-8").splitlines():
            payload = json.loads(line)
            found = notice(client, payload, at=AT)
            is_known = payload["hook_event_name"] in EVENTS[client] and payload["hook_event_name"] != "PreCompress"
            assert (found is not None) is is_known
            assert found is None or (found.session, found.client, found.at) == ("session-1", client, AT)
            assert found is None or found.cwd.startswith("/home/dev")


def test_a_session_says_how_it_began_and_ended() -> None:
    assert [of(client, "SessionStart").source for client in ("claude", "codex", "gemini")] == ["startup"] * 3
    assert [of(client, "SessionEnd").source for client in ("claude", "codex", "gemini")] == ["other", "other", "exit"]
    assert of("opencode", "session.created").happening is Happening.SESSION_START


def test_a_command_that_failed_in_claude_code_tells_its_code_and_its_output() -> None:
    failed = of("claude", "PostToolUseFailure")
    assert failed.happening is Happening.AFTER_TOOL and failed.is_failure and failed.is_shell
    assert (failed.exit_code, failed.output) == (1, "hello-from-main")
    assert failed.command == "echo hello-from-main; false" and failed.ref == "toolu_8412c263d508464dacd0d4"


@pytest.mark.parametrize(
    ("error", "code", "output"),
    [
        ("Exit code 127\nsh: nope: not found", 127, "sh: nope: not found"),
        ("Exit code 2", 2, ""),
        ("Exit code much\nof it", None, "Exit code much\nof it"),
        ("Command timed out after 2m", None, "Command timed out after 2m"),
    ],
)
def test_what_stands_before_the_output_is_the_code_and_else_nothing_is_assumed(
    error: str, code: int | None, output: str
) -> None:
    payload = {**recorded("claude", "PostToolUseFailure"), "error": error}
    failed = heard("claude", payload)
    assert (failed.exit_code, failed.output, failed.is_failure) == (code, output, True)


def test_an_edit_that_failed_has_no_exit_code() -> None:
    payload = {**recorded("claude", "PostToolUseFailure"), "tool_name": "Edit", "error": "Exit code 1\nno match"}
    failed = heard("claude", payload)
    assert (failed.exit_code, failed.output, failed.is_edit) == (None, "Exit code 1\nno match", True)


def test_a_command_that_claude_code_does_not_call_a_failure_ended_with_0() -> None:
    passed = of("claude", "PostToolUse", tool_name="Bash")
    assert (passed.exit_code, passed.is_failure, passed.output) == (0, False, "from-subagent")
    assert (passed.agent, passed.agent_type) == ("agent-1", "general-purpose")


@pytest.mark.parametrize(
    "response",
    [
        {"stdout": "", "stderr": "", "interrupted": True},
        {"stdout": "", "stderr": "", "backgroundTaskId": "b1"},
        {"stdout": "", "stderr": "", "returnCodeInterpretation": "No matches found"},
    ],
)
def test_a_command_that_was_cut_short_or_still_runs_has_no_exit_code(response: dict[str, object]) -> None:
    payload = {**recorded("claude", "PostToolUse", tool_name="Bash"), "tool_response": response}
    assert heard("claude", payload).exit_code is None


def test_codex_does_not_say_how_a_command_ended_and_nothing_is_guessed() -> None:
    ended = of("codex", "PostToolUse", tool_name="Bash")
    assert ended.command == "sleep 1; exit 3" and ended.is_shell
    assert (ended.exit_code, ended.is_failure) == (None, False)


@pytest.mark.parametrize(
    ("content", "code", "is_failure", "output"),
    [
        ("Output: hi-gemini\nProcess Group PGID: 8835", 0, False, "hi-gemini"),
        ("Output: E1\nE2\nExit Code: 3\nProcess Group PGID: 8835", 3, True, "E1\nE2"),
        ("Output: forged\nExit Code: 3\nmore\nProcess Group PGID: 8835", 0, False, "forged\nExit Code: 3\nmore"),
        ("Output: x\nSignal: 9\nBackground PIDs: 1, 2\nProcess Group PGID: 5", None, True, "x"),
        ("Command moved to background (PID: 7).", None, False, "Command moved to background (PID: 7)."),
    ],
)
def test_gemini_writes_the_code_below_the_output_where_no_command_can_forge_it(
    content: str, code: int | None, is_failure: bool, output: str
) -> None:
    payload = recorded("gemini", "AfterTool", tool_name="run_shell_command")
    payload["tool_response"]["llmContent"] = f"<untrusted_context>\n{content}\n</untrusted_context>"
    ended = heard("gemini", payload)
    assert (ended.exit_code, ended.is_failure, ended.output) == (code, is_failure, output)


def test_opencode_tells_the_code_beside_the_output() -> None:
    ended = of("opencode", "tool.execute.after")
    assert (ended.exit_code, ended.is_failure, ended.output) == (2, True, "hi-opencode\n")
    assert (ended.command, ended.ref, ended.is_shell) == ("echo hi-opencode; exit 2", "call_f0124ac85c1a43de", True)
    before = of("opencode", "tool.execute.before")
    assert (before.command, before.happening) == ("echo hi-opencode; exit 2", Happening.BEFORE_TOOL)


@pytest.mark.parametrize(
    ("client", "event", "tool"),
    [
        ("claude", "PostToolUse", "mcp__mem__recall"),
        ("codex", "PostToolUse", "mcp__mem__recall"),
        ("gemini", "AfterTool", "mcp_mem_recall"),
    ],
)
def test_a_tool_of_a_server_is_neither_shell_nor_file(client: str, event: str, tool: str) -> None:
    used = of(client, event, tool_name=tool)
    assert not (used.is_shell or used.is_edit or used.is_read or used.is_failure)
    assert "rule for" in used.output and used.exit_code is None and "untrusted_context" not in used.output


def test_a_server_that_says_it_failed_failed() -> None:
    payload = recorded("codex", "PostToolUse", tool_name="mcp__mem__recall")
    payload["tool_response"]["isError"] = True
    assert heard("codex", payload).is_failure


@pytest.mark.parametrize(
    ("client", "tool", "given", "paths", "old", "new"),
    [
        ("claude", "Edit", {"file_path": "/p/a.py", "old_string": "x", "new_string": "y"}, ("/p/a.py",), "x", "y"),
        ("claude", "Write", {"file_path": "/p/a.py", "content": "all"}, ("/p/a.py",), "", "all"),
        (
            "claude",
            "MultiEdit",
            {"file_path": "a.py", "edits": [{"old_string": "1", "new_string": "2"}, {"old_string": "3"}]},
            ("a.py",),
            "1\n3",
            "2",
        ),
        ("claude", "NotebookEdit", {"notebook_path": "n.ipynb", "new_source": "y"}, ("n.ipynb",), "", "y"),
        ("gemini", "replace", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, ("a.py",), "x", "y"),
        ("gemini", "write_file", {"file_path": "a.py", "content": "all"}, ("a.py",), "", "all"),
        (
            "codex",
            "apply_patch",
            {
                "command": "*** Begin Patch\n*** Update File: src/a.py\n@@ def f\n-    old\n+    new\n"
                "*** Add File: b.py\n+import a\n*** Delete File: c.py\n*** End Patch"
            },
            ("src/a.py", "b.py", "c.py"),
            "    old",
            "    new\nimport a",
        ),
    ],
)
def test_edits_name_their_files_and_both_texts(
    client: str, tool: str, given: dict[str, object], paths: tuple[str, ...], old: str, new: str
) -> None:
    event = "BeforeTool" if client == "gemini" else "PreToolUse"
    edit = heard(client, {**recorded(client, event), "tool_name": tool, "tool_input": given})
    assert (edit.is_edit, edit.paths, edit.old_text, edit.new_text) == (True, paths, old, new)
    assert edit.command == ""


def test_an_edit_of_opencode_is_read_as_one() -> None:
    payload = recorded("opencode", "tool.execute.before")
    payload["payload"]["input"]["tool"] = "edit"
    payload["payload"]["output"]["args"] = {"filePath": "a.py", "oldString": "x", "newString": "y"}
    edit = heard("opencode", payload)
    assert (edit.is_edit, edit.paths, edit.old_text, edit.new_text) == (True, ("a.py",), "x", "y")


@pytest.mark.parametrize(
    ("client", "tool", "given", "paths"),
    [
        ("claude", "Read", {"file_path": "/p/a.py"}, ("/p/a.py",)),
        ("gemini", "read_file", {"absolute_path": "/p/a.py"}, ("/p/a.py",)),
        ("gemini", "read_many_files", {"include": ["a.py", "b.py", "a.py"]}, ("a.py", "b.py")),
    ],
)
def test_reads_name_their_files(client: str, tool: str, given: dict[str, object], paths: tuple[str, ...]) -> None:
    event = "BeforeTool" if client == "gemini" else "PreToolUse"
    read = heard(client, {**recorded(client, event), "tool_name": tool, "tool_input": given})
    assert (read.is_read, read.is_edit, read.paths) == (True, False, paths)


def test_a_command_given_as_words_reads_as_a_line() -> None:
    base = recorded("codex", "PreToolUse")
    for words, line in ((["bash", "-lc", "make test"], "make test"), (["git", "status"], "git status")):
        assert heard("codex", {**base, "tool_name": "shell", "tool_input": {"command": words}}).command == line
    assert heard("codex", {**base, "tool_name": "exec_command", "tool_input": {"cmd": "ls"}}).command == "ls"


# Traps of the clients.


def test_a_fork_of_the_clients_own_making_is_nobody_and_never_held() -> None:
    """Claude Code shortens the context in a fork that ends as a subagent does, without a type."""
    stopped = recorded("claude", "SubagentStop")
    fork = heard("claude", {**stopped, "agent_type": ""})
    assert fork.is_internal
    assert answer(fork, Reply(context="known", hold="wait")) == ""

    real = heard("claude", stopped)
    assert not real.is_internal and real.agent_transcript.endswith("agent-agent-1.jsonl")
    assert json.loads(answer(real, HOLD)) == {"decision": "block", "reason": "say what you learned"}


def test_what_happens_inside_a_fork_is_the_forks() -> None:
    inside = recorded("claude", "PreToolUse", agent_id="agent-1")
    assert heard("claude", {**inside, "agent_type": ""}).is_internal
    assert not heard("claude", inside).is_internal
    assert not of("claude", "Stop").is_internal


def test_a_finished_subagent_is_not_a_person() -> None:
    announced = of("claude", "UserPromptSubmit", prompt_id="prompt-2")
    assert announced.prompt.startswith("<task-notification>") and not announced.is_person
    asked = of("claude", "UserPromptSubmit")
    assert (asked.prompt, asked.is_person, asked.ref) == ("Please do the MAIN work", True, "prompt-1")


@pytest.mark.parametrize("source", ["system", "loop_wakeup", "schedule_wakeup", "poll_event"])
def test_a_clock_is_not_a_person(source: str) -> None:
    assert not heard("claude", {**recorded("claude", "UserPromptSubmit"), "source": source}).is_person
    assert heard("claude", {**recorded("claude", "UserPromptSubmit"), "source": "user"}).is_person


def test_what_one_agent_asks_another_is_not_a_persons_prompt() -> None:
    asked = of("codex", "UserPromptSubmit", agent_id="agent-1")
    assert (asked.prompt, asked.is_person, asked.agent_type) == ("SUBTASK go", False, "default")
    assert of("codex", "UserPromptSubmit").is_person


def test_what_gemini_was_told_is_not_in_the_prompt() -> None:
    asked = of("gemini", "BeforeAgent")
    assert (asked.prompt, asked.is_person) == ("please work", True)
    payload = recorded("gemini", "BeforeAgent")
    between = {**payload, "prompt": "a<hook_context>&lt;x&gt;</hook_context>b<hook_context>y</hook_context>"}
    assert heard("gemini", between).prompt == "ab"
    assert heard("gemini", {**payload, "prompt": "what is <hook_context>?"}).prompt == "what is <hook_context>?"


def test_the_reason_that_held_gemini_comes_back_as_a_prompt_and_is_known_as_ours() -> None:
    reason = said("gemini", "AfterAgent", HOLD)["reason"]
    again = {**recorded("gemini", "BeforeAgent"), "prompt": reason}
    assert not heard("gemini", again).is_person
    assert len(said("gemini", "AfterAgent", Reply(hold="x" * 20_000))["reason"]) <= MOST


def test_gemini_announces_a_shorter_context_every_turn_and_is_believed_when_a_person_asked() -> None:
    payload = recorded("gemini", "PreCompress")
    assert notice("gemini", payload, at=AT) is None
    assert heard("gemini", {**payload, "trigger": "manual"}).happening is Happening.BEFORE_COMPACT


def test_a_stop_tells_the_last_words_and_whether_it_was_held_before() -> None:
    first, second = of("claude", "Stop"), of("claude", "Stop", stop_hook_active=True)
    assert (first.message, first.is_stop_active) == ("All finished.", False)
    assert (second.message, second.is_stop_active) == ("Finished again after stop hook.", True)
    assert of("gemini", "AfterAgent", stop_hook_active=True).message == "fin1\nfin2"
    assert of("opencode", "session.idle").message == "fin1"


def test_a_session_of_opencode_with_a_parent_is_a_subagent() -> None:
    payload = recorded("opencode", "session.created")
    payload["payload"]["info"]["parentID"] = "session-0"
    begun = heard("opencode", payload)
    assert (begun.happening, begun.session, begun.agent) == (Happening.AGENT_START, "session-0", "session-1")
    idle = heard("opencode", {**recorded("opencode", "session.idle"), "agent_id": "a", "agent_type": "build"})
    assert idle.happening is Happening.AGENT_STOP and not idle.is_internal


# Answers.


def test_a_subagent_of_gemini_is_done_when_it_says_so_by_its_tool() -> None:
    given = {"result": {"response": "It reads 5433.\nMEMORY:fix:it"}}
    payload = {**recorded("gemini", "BeforeTool"), "tool_name": "complete_task", "tool_input": given}
    done = heard("gemini", payload)
    assert (done.happening, done.message) == (Happening.AGENT_STOP, "It reads 5433.\nMEMORY:fix:it")
    assert not done.is_internal  # though the client says neither who it is nor of what type
    assert json.loads(answer(done, Reply(context="known", hold="say it"))).keys() == {"decision", "reason"}
    after = heard("gemini", {**recorded("gemini", "AfterTool"), "tool_name": "complete_task"})
    assert after.happening is Happening.AFTER_TOOL and not after.is_errand


def test_the_tool_that_starts_a_subagent_of_gemini_ends_with_it() -> None:
    payload = {**recorded("gemini", "AfterTool"), "tool_name": "invoke_agent"}
    assert heard("gemini", payload).is_errand
    assert not of("gemini", "AfterTool").is_errand
    assert not heard("claude", {**recorded("claude", "PostToolUse"), "tool_name": "invoke_agent"}).is_errand


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("cat check.py", ("check.py",)),
        ("sed -n '1,200p' src/a.py", ("src/a.py",)),
        ("cd x && head -n 20 'a.py' && /usr/bin/tail -5 b.py", ("a.py", "b.py")),
        ("nl -ba a.py | sed -n 1,9p", ("a.py",)),
        ("sed -i s/a/b/ a.py", ()),
        ("cat > a.py <<EOF", ()),
        ("cat $HOME/a.py", ()),
        ("cat", ()),
        ("make test", ()),
        ("echo cat a.py", ()),
        ("", ()),
    ],
)
def test_a_command_that_only_shows_files_reads_them(command: str, paths: tuple[str, ...]) -> None:
    used = heard("codex", {**recorded("codex", "PostToolUse"), "tool_name": "Bash", "tool_input": {"command": command}})
    assert (used.is_shell, used.is_read, used.paths) == (True, bool(paths), paths)


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"])
@pytest.mark.parametrize("client", ["claude", "codex"])
def test_the_agent_is_told_under_the_name_of_the_event(client: str, event: str) -> None:
    told = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "known"}}
    assert said(client, event, TELL) == told


def test_after_a_failure_claude_code_is_told_under_the_name_of_the_failure() -> None:
    assert said("claude", "PostToolUseFailure", TELL)["hookSpecificOutput"]["hookEventName"] == "PostToolUseFailure"


@pytest.mark.parametrize("event", ["SessionStart", "BeforeAgent", "AfterTool"])
def test_gemini_is_told_where_it_listens(event: str) -> None:
    assert said("gemini", event, TELL)["hookSpecificOutput"] == {"hookEventName": event, "additionalContext": "known"}


def test_gemini_hears_nothing_before_a_tool() -> None:
    assert said("gemini", "BeforeTool", TELL) is None
    assert not is_heard("gemini", Happening.BEFORE_TOOL) and is_heard("claude", Happening.BEFORE_TOOL)


def test_codex_gets_no_key_that_it_does_not_know() -> None:
    both = Reply(context="known", hold="wait")
    for line in (RECORDED / "codex.jsonl").read_text("utf-8").splitlines():
        payload = json.loads(line)
        text = answer(heard("codex", payload), both)
        known = CODEX_KEYS.get(payload["hook_event_name"], CODEX_WITH_BOTH)
        printed: dict[str, Any] = json.loads(text) if text else {}
        assert set(printed) <= known
        assert set(printed.get("hookSpecificOutput", {})) <= {"hookEventName", "additionalContext"}
        assert (
            ("decision" in printed) == ("reason" in printed) == (payload["hook_event_name"] in ("Stop", "SubagentStop"))
        )


def test_no_permission_is_given_or_taken_by_telling_something() -> None:
    for client in ("claude", "codex"):
        assert "permission" not in answer(of(client, "PreToolUse"), TELL)


def test_only_a_stop_can_be_held_and_each_client_has_its_word() -> None:
    words = {client: said(client, event, HOLD)["decision"] for client, event in STOPS.items()}
    assert words == {"claude": "block", "codex": "block", "gemini": "deny", "opencode": "block"}
    for client in ("claude", "codex"):
        assert said(client, "SubagentStop", HOLD)["decision"] == "block"
        assert said(client, "PreToolUse", HOLD) is None and said(client, "UserPromptSubmit", HOLD) is None
    assert said("gemini", "BeforeTool", HOLD) is None and said("gemini", "AfterTool", HOLD) is None


STOPS = {"claude": "Stop", "codex": "Stop", "gemini": "AfterAgent", "opencode": "session.idle"}


def test_nothing_to_say_is_nothing_printed() -> None:
    for client in CLIENTS:
        for line in (RECORDED / f"{client}.jsonl").read_text("utf-8").splitlines():
            found = notice(client, json.loads(line), at=AT)
            assert found is None or answer(found, Reply()) == answer(found, Reply(context=" \n", hold=" ")) == ""


def test_what_nobody_takes_an_answer_for_is_not_answered() -> None:
    for client in ("claude", "codex", "gemini"):
        assert said(client, "SessionEnd", Reply(context="known", hold="wait")) is None


def test_a_long_context_is_cut_at_a_line_and_its_fence_stays_closed() -> None:
    fence = "0123456789abcdef" * 2
    context = fenced("\n".join(f"- {number} " + "lesson " * 20 for number in range(200)), fence=fence)
    for client, event in (("claude", "UserPromptSubmit"), ("codex", "UserPromptSubmit"), ("gemini", "BeforeAgent")):
        kept = said(client, event, Reply(context=context))["hookSpecificOutput"]["additionalContext"]
        lines = kept.split("\n")
        assert len(kept) <= MOST and lines[-1] == context.split("\n")[-1]
        assert "did not fit" in lines[-2]
        assert lines[:-2] == context.split("\n")[: len(lines) - 2]


def test_a_context_that_fits_is_told_whole() -> None:
    whole = "x" * MOST
    assert said("claude", "SessionStart", Reply(context=whole))["hookSpecificOutput"]["additionalContext"] == whole


def test_what_is_no_character_does_not_void_the_answer() -> None:
    text = answer(of("claude", "SessionStart"), Reply(context="a\ud800b"))
    assert "a\ufffdb" in text and text.encode()


def test_the_table_speaks_of_happenings_and_clients_that_exist() -> None:
    words = {str(happening) for happening in Happening}
    for table in (EVENTS, TOLD, HELD):
        assert set(table) == set(CLIENTS) == {"claude", "codex", "gemini", "opencode"}
    for client in CLIENTS:
        assert set(EVENTS[client].values()) | TOLD[client] | set(HELD[client]) <= words


def test_an_unknown_client_or_event_or_no_session_is_nobodys() -> None:
    payload = recorded("claude", "Stop")
    assert notice("emacs", payload, at=AT) is None
    assert notice("claude", {**payload, "hook_event_name": "Notification"}, at=AT) is None
    assert notice("claude", {**payload, "session_id": ""}, at=AT) is None
    assert notice("claude", {}, at=AT) is None
    assert answer(replace(of("claude", "Stop"), client="emacs"), TELL) == ""


def rested(*parts: object) -> Notice:
    return heard("opencode", {**recorded("opencode", "session.idle"), "transcript": list(parts)})


def test_what_was_said_in_opencode_comes_with_who_said_it() -> None:
    told = rested(
        {"role": "user", "text": "do it"},
        {"tool": "bash", "input": {"command": "ls"}, "text": "a b"},
        {"tool": "pages_fetch", "text": "a page"},
        {"tool": "webfetch", "text": "another"},
        {"role": "assistant", "text": "done"},
    )

    assert told.said == (
        ("user", "do it"),
        ("command", "ls"),
        ("bash", "a b"),
        ("mcp_pages_fetch", "a page"),
        ("webfetch", "another"),
        ("agent", "done"),
    )


def test_of_a_session_too_long_to_keep_the_end_and_the_names_of_tools_are_kept() -> None:
    told = rested({"tool": "webfetch", "text": "x" * 150_000}, {"role": "assistant", "text": "y" * 150_000})

    assert told.said == (("webfetch", ""), ("agent", "y" * 150_000))


@pytest.mark.parametrize("transcript", [None, 3, "text", ["x", 1, None], [{}]], ids=str)
def test_a_transcript_of_any_other_shape_says_nothing(transcript: object) -> None:
    event = {**recorded("opencode", "session.idle"), "transcript": transcript}

    assert [text for _, text in heard("opencode", event).said if text] == []


def test_other_clients_cannot_send_what_only_our_plugin_may() -> None:
    assert heard("claude", {**recorded("claude", "Stop"), "said": [["agent", "x"]], "transcript": []}).said == ()
