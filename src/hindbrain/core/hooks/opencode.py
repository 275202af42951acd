"""How OpenCode's events read as those of the others: our plugin there sends what it was called with, as it is."""

from collections.abc import Iterator

from hindbrain.core.hooks.table import EDITS, READS, SHELLS
from hindbrain.core.transcripts import jsonl
from hindbrain.core.transcripts.jsonl import Object
from hindbrain.core.transcripts.opencode import AGENT, COMMAND, USER

_MOST_SAID = 200_000  # characters of one session
_TOOLS = (
    EDITS
    | READS
    | {"apply_patch", "batch", "codesearch", "glob", "grep", "list", "lsp", "question", "skill", "task"}
    | {"todoread", "todowrite", "webfetch", "websearch"}
)
_SOURCES = {"session.created": "startup", "session.deleted": "deleted"}


def flat(event: Object) -> Object:
    """The same fields as the others send."""
    payload = jsonl.mapping(event, "payload")
    return {
        **_whose(event, payload),
        **_called(payload),
        "transcript_path": event.get("transcript_path"),
        "source": jsonl.text(event, "source") or _SOURCES.get(jsonl.text(event, "hook_event_name"), ""),
        "last_assistant_message": event.get("message"),
        "said": _said(event.get("transcript")),
        "stop_hook_active": event.get("stop_hook_active"),
    }


def _whose(event: Object, payload: Object) -> Object:
    """A subagent is a session of its own there, with a parent. After its first event only our plugin knows that."""
    info = jsonl.mapping(payload, "info")
    own = jsonl.text(event, "session_id") or jsonl.text(payload, "sessionID")
    parent = jsonl.text(info, "parentID")
    agent = jsonl.text(event, "agent_id") or (own if parent else "")
    return {
        "session_id": parent or own,
        "agent_id": agent,
        "agent_type": (jsonl.text(event, "agent_type") or jsonl.text(info, "agent") or "subagent") if agent else "",
        "cwd": jsonl.text(event, "cwd") or jsonl.text(info, "directory"),
    }


def _called(payload: Object) -> Object:
    """With which tool or prompt, what it was given and what it gave back."""
    asked, output = jsonl.mapping(payload, "input"), jsonl.mapping(payload, "output")
    return {
        "prompt": _prompt(payload.get("parts") or output.get("parts")),
        "prompt_id": jsonl.text(asked, "messageID"),
        "tool_name": asked.get("tool"),
        "tool_input": jsonl.mapping(output, "args") or jsonl.mapping(asked, "args"),
        "tool_response": payload.get("output"),
        "tool_use_id": asked.get("callID"),
    }


def _said(parts: object) -> tuple[tuple[str, str], ...]:
    """Who said what, oldest first. Of a long session the beginning has no words any more, but the tools that brought
    any are still named: they tell whether foreign text came in."""
    listed = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    spoken = [pair for part in listed for pair in _spoken(part)]
    kept: list[tuple[str, str]] = []
    room = _MOST_SAID
    for who, text in reversed(spoken):
        room -= len(text)
        if room >= 0:
            kept.append((who, text))
        elif who not in (AGENT, COMMAND, USER):
            kept.append((who, ""))
    return tuple(reversed(kept))


def _spoken(part: Object) -> Iterator[tuple[str, str]]:
    tool, text = jsonl.text(part, "tool"), jsonl.text(part, "text")
    if not tool:
        yield (AGENT if part.get("role") == "assistant" else USER), text
        return
    if tool in SHELLS:
        yield COMMAND, jsonl.text(jsonl.mapping(part, "input"), "command")
    is_own = tool in _TOOLS or tool in SHELLS
    yield (tool if is_own else f"mcp_{tool}"), text  # what the client does not know comes from a server


def _prompt(parts: object) -> str:
    """What was typed: the client adds parts of its own, and marks them."""
    listed = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    typed = (part for part in listed if part.get("type") == "text" and part.get("synthetic") is not True)
    return "\n".join(filter(None, (jsonl.text(part, "text") for part in typed)))
