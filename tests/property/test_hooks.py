"""No payload can break the reading of it, and no answer is longer, or other, than a client takes."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.hooks.clients import CLIENTS, answer, notice
from hindbrain.core.hooks.fit import MOST, fitted
from hindbrain.core.hooks.notice import Reply
from hindbrain.core.hooks.patch import patch
from hindbrain.core.hooks.table import EVENTS
from hindbrain.core.value import names_of
from hindbrain.entry.hooks import event

AT = datetime(2026, 11, 15, tzinfo=UTC)
FIELDS = [
    *("session_id", "cwd", "agent_id", "agent_type", "prompt", "source", "tool_name", "tool_input", "tool_response"),
    *("error", "is_interrupt", "last_assistant_message", "payload", "trigger", "transcript_path", "message"),
]
INNER = [
    *("command", "cmd", "file_path", "edits", "paths", "stdout", "llmContent", "output", "content", "metadata", "file"),
    *("input", "info", "parts", "args", "tool", "exit", "type", "text", "old_string", "parentID", "sessionID", "error"),
]
TOOLS = st.sampled_from(["Bash", "Edit", "MultiEdit", "apply_patch", "Read", "run_shell_command", "mcp__a__b", "bash"])
texts = st.one_of(st.text(max_size=30), TOOLS, st.sampled_from(["", "Exit code 1\nx", "Output: a\nExit Code: 2", "1"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(INNER), inner, max_size=4),
    max_leaves=12,
)
payloads = st.dictionaries(st.sampled_from(FIELDS), values, max_size=8)
clients = st.sampled_from(CLIENTS)


# R20
@given(clients, payloads, st.data())
def test_a_payload_of_any_shape_is_heard_or_not_and_never_an_error(
    client: str, payload: dict[str, object], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(list(EVENTS[client])))
    found = notice(client, {"session_id": "s", **payload, "hook_event_name": name}, at=AT)
    if found is None:
        return
    for field in names_of(found):
        if field.startswith("is_"):
            assert isinstance(getattr(found, field), bool)
    assert all(isinstance(path, str) and path for path in found.paths)
    assert found.exit_code is None or isinstance(found.exit_code, int)
    assert not (found.is_failure and found.exit_code == 0)
    printed = answer(found, Reply(context="known", hold="wait"))
    assert not printed or isinstance(json.loads(printed), dict)


@given(clients, st.data(), st.text(), st.text())
def test_an_answer_is_one_object_within_the_limit(client: str, data: st.DataObject, context: str, hold: str) -> None:
    name = data.draw(st.sampled_from(list(EVENTS[client])))
    found = notice(client, {"session_id": "s", "hook_event_name": name, "trigger": "manual"}, at=AT)
    assert found is not None
    printed = answer(found, Reply(context=context * 3_000, hold=hold * 3_000))
    told = json.loads(printed) if printed else {}
    for text in (told.get("reason", ""), told.get("hookSpecificOutput", told).get("additionalContext", "")):
        assert len(text.encode("utf-16-le")) // 2 <= MOST


@given(st.text(alphabet=st.characters()), st.integers(100, 300))
def test_what_is_cut_says_so_and_begins_as_it_did(text: str, most: int) -> None:
    long = f"{text}\n" * 20
    kept = fitted(long, most)
    assert len(kept.encode("utf-16-le")) // 2 <= most
    clean = long.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert kept == clean or (kept.split("\n(The rest")[0] in clean and "did not fit" in kept)


@given(
    st.lists(st.tuples(st.sampled_from(["Add", "Update", "Delete"]), st.from_regex(r"[a-z]{1,8}\.py", fullmatch=True)))
)
def test_a_patch_names_its_files_once_and_in_order(files: list[tuple[str, str]]) -> None:
    body = "\n".join(f"*** {kind} File: {name}\n+new {name}\n-old" for kind, name in files)
    found = patch(f"apply_patch <<'EOF'\n*** Begin Patch\n{body}\n*** End Patch\nEOF\n+not this")
    assert found.paths == tuple(dict.fromkeys(name for _, name in files))
    assert found.new == "\n".join(f"new {name}" for _, name in files)
    assert found.old == "\n".join("old" for _ in files)


@given(clients, payloads, st.data(), st.booleans())
def test_what_the_hook_reads_from_the_bytes_is_what_json_says(
    client: str, payload: dict[str, object], data: st.DataObject, is_spaced: bool
) -> None:
    name = data.draw(st.sampled_from([*EVENTS[client], "Other"]))
    raw = json.dumps(
        {"session_id": 'a"hook_event_name":"x"\\', "hook_event_name": name, **payload},
        separators=None if is_spaced else (",", ":"),
    ).encode()
    assert event.word(raw, b"hook_event_name") == name
    heard = event.read(raw, client=client)
    assert (heard is None) == (name == "Other")


# R20
@given(st.binary(), clients)
def test_bytes_that_are_no_event_are_kept_and_ask_nobody(raw: bytes, client: str) -> None:
    heard = event.read(raw, client=client)
    assert heard is not None and heard.asks == event.NEVER


# R21
@pytest.mark.parametrize("client", CLIENTS)
def test_ten_million_characters_on_one_line_are_read_like_any_other(client: str) -> None:
    unit = {"gemini": "<hook_context>x</hook_context>", "codex": "*** Begin Patch\n"}.get(client, '"tool_name":"a\\"')
    text = unit * (10_000_000 // len(unit))
    for name in EVENTS[client]:
        payload = {"session_id": "s", "hook_event_name": name, "prompt": text, "tool_name": "apply_patch"}
        given_ = {"tool_input": {"command": text}, "tool_response": text, "error": text, "payload": {"output": text}}
        found = notice(client, {**payload, **given_, "trigger": "manual"}, at=AT)
        assert found is not None
