"""How OpenCode's events read as those of the others: our plugin there sends what it was called with, as it is."""

from hindbrain.core.transcripts import jsonl
from hindbrain.core.transcripts.jsonl import Object

_SOURCES = {"session.created": "startup", "session.deleted": "deleted"}


def flat(event: Object) -> Object:
    """The same fields as the others send."""
    payload = jsonl.mapping(event, "payload")
    return {
        **_whose(event, payload),
        **_called(payload),
        "transcript_path": event.get("transcript_path"),
        "source": _SOURCES.get(jsonl.text(event, "hook_event_name"), ""),
        "last_assistant_message": event.get("message"),
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


def _prompt(parts: object) -> str:
    """What was typed: the client adds parts of its own, and marks them."""
    listed = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    typed = (part for part in listed if part.get("type") == "text" and part.get("synthetic") is not True)
    return "\n".join(filter(None, (jsonl.text(part, "text") for part in typed)))
