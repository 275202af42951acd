"""What a client's hook call means in our words, and how our answer reads in the client's.

A payload is untrusted in every field; whatever its shape, nothing here raises. Traps that the table cannot show:

- Claude Code runs forks of its own (to shorten the context) that stop as subagents do, with no type: they are nobody's.
- It announces a finished subagent as a prompt; Codex fires a prompt for what one agent asks another. Nobody wrote it.
- Gemini shows us our own words inside the next prompt, fires a prompt for the reason we gave to hold it, and says that
  it shortens the context before every turn, whether it does or not. Of a subagent it says neither id nor type.
"""

import json
from collections.abc import Mapping
from datetime import datetime

from hindbrain.core.hooks import opencode, tool
from hindbrain.core.hooks.fit import MOST, fitted
from hindbrain.core.hooks.notice import Happening, Notice, Reply
from hindbrain.core.hooks.table import ERRAND, EVENTS, HELD, REPORT, TOLD
from hindbrain.core.transcripts import jsonl
from hindbrain.core.transcripts.jsonl import Object
from hindbrain.core.value import replace

CLIENTS = tuple(EVENTS)

_AGENTS = (Happening.AGENT_START, Happening.AGENT_STOP)
_TOOLS = (Happening.BEFORE_TOOL, Happening.AFTER_TOOL)
_PEOPLE = ("", "user", "sdk")  # sources of a prompt; the others are clocks and the client itself
_ANNOUNCED = "<task-notification>"
_OURS = ("<hook_context>", "</hook_context>")
_HELD = "(Asked by hindbrain before you stop.)"  # by which a prompt of Gemini's is known as ours


def notice(client: str, payload: Mapping[str, object], *, at: datetime) -> Notice | None:
    """None for what concerns nobody: an unknown client or event, no session, or a compaction that is none."""
    event = jsonl.text(payload, "hook_event_name")
    word = EVENTS.get(client, {}).get(event)
    fields = opencode.flat(payload) if client == "opencode" else payload
    session = jsonl.text(fields, "session_id")
    if word is None or not session:
        return None
    if client == "gemini" and word == Happening.BEFORE_COMPACT and fields.get("trigger") != "manual":
        return None
    known = _known(Notice(client=client, happening=Happening(word), session=session, at=at), fields)
    if known.happening is Happening.PROMPT:
        return _prompted(known, fields)
    return _used(known, fields, event=event) if known.happening in _TOOLS else known


def answer(notice: Notice, reply: Reply) -> str:
    """What the hook prints; empty where there is nothing to say, and where nobody would hear it."""
    if notice.is_internal or notice.client not in EVENTS:
        return ""
    said = {**_held(notice, reply), **_told(notice, reply)}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")) if said else ""


def is_heard(client: str, happening: Happening) -> bool:
    """Whether what is said there reaches the agent."""
    return happening in TOLD.get(client, ())


def _known(base: Notice, fields: Object) -> Notice:
    """With what every event may carry."""
    happening = _in_agent(base, fields)
    agent, agent_type = jsonl.text(fields, "agent_id"), jsonl.text(fields, "agent_type")
    if base.client == "gemini" and happening is Happening.AGENT_STOP:
        agent_type = "subagent"
    return replace(
        base,
        happening=happening,
        cwd=jsonl.text(fields, "cwd"),
        transcript=jsonl.text(fields, "transcript_path"),
        agent=agent,
        agent_type=agent_type,
        agent_transcript=jsonl.text(fields, "agent_transcript_path"),
        is_internal=bool(agent or happening in _AGENTS) and not agent_type,
        source=jsonl.text(fields, "source", "reason"),
        message=_message(base, fields),
        said=_said(base.client, fields),
        is_stop_active=fields.get("stop_hook_active") is True,
        ref=jsonl.text(fields, "tool_use_id", "prompt_id", "turn_id"),
    )


def _said(client: str, fields: Object) -> tuple[tuple[str, str], ...]:
    said = fields.get("said") if client == "opencode" else ()
    return said if isinstance(said, tuple) else ()


def _in_agent(base: Notice, fields: Object) -> Happening:
    """Two have no events of subagents: in OpenCode their sessions begin and rest as others do, in Gemini CLI they call
    a tool when they are done."""
    happening = base.happening
    if base.client == "gemini":
        return Happening.AGENT_STOP if _is_report(base, fields) else happening
    if base.client != "opencode" or not jsonl.text(fields, "agent_id"):
        return happening
    agents = {Happening.SESSION_START: Happening.AGENT_START, Happening.STOP: Happening.AGENT_STOP}
    return agents.get(happening, happening)


def _is_report(base: Notice, fields: Object) -> bool:
    is_asked = base.client == "gemini" and base.happening is Happening.BEFORE_TOOL
    return is_asked and jsonl.text(fields, "tool_name") == REPORT


def _message(base: Notice, fields: Object) -> str:
    if _is_report(base, fields):
        return jsonl.strings(fields.get("tool_input"))
    return jsonl.text(fields, "last_assistant_message", "prompt_response")


def _prompted(known: Notice, fields: Object) -> Notice:
    prompt = jsonl.text(fields, "prompt")
    if known.client == "gemini":
        prompt = _without_ours(prompt)
    is_ours = known.client == "gemini" and _HELD in prompt
    is_person = known.source in _PEOPLE and not known.agent and not prompt.lstrip().startswith(_ANNOUNCED)
    return replace(known, prompt=prompt, is_person=is_person and not is_ours)


def _used(known: Notice, fields: Object, *, event: str) -> Notice:
    name = jsonl.text(fields, "tool_name")
    call = tool.called(name, jsonl.mapping(fields, "tool_input"))
    if event == "PostToolUseFailure":
        ending = tool.failed(name, fields)
    elif known.happening is Happening.AFTER_TOOL:
        ending = tool.ended(name, fields.get("tool_response"), client=known.client)
    else:
        ending = tool.Ending()
    return replace(
        known,
        tool=name,
        is_shell=call.is_shell,
        is_edit=call.is_edit,
        is_read=call.is_read,
        command=call.command,
        paths=call.paths,
        old_text=call.old,
        new_text=call.new,
        output=ending.output,
        exit_code=ending.exit_code,
        is_failure=ending.is_failure,
        is_interrupt=ending.is_interrupt,
        is_errand=known.client == "gemini" and known.happening is Happening.AFTER_TOOL and name == ERRAND,
    )


def _without_ours(prompt: str) -> str:
    """Gemini escapes what it puts between the two tags, so the next closing one is theirs."""
    begin, end = _OURS
    kept: list[str] = []
    at = 0
    while (opened := prompt.find(begin, at)) >= 0 and (closed := prompt.find(end, opened)) >= 0:
        kept.append(prompt[at:opened])
        at = closed + len(end)
    return "".join([*kept, prompt[at:]]).strip() if kept else prompt


def _held(notice: Notice, reply: Reply) -> dict[str, object]:
    word = HELD[notice.client].get(notice.happening, "")
    if not word or not reply.hold.strip():
        return {}
    mark = f"\n{_HELD}" if notice.client == "gemini" else ""
    return {"decision": word, "reason": fitted(reply.hold, MOST - len(mark)) + mark}


def _told(notice: Notice, reply: Reply) -> dict[str, object]:
    if notice.happening not in TOLD[notice.client] or not reply.context.strip():
        return {}
    context = fitted(reply.context)
    if notice.client == "opencode":  # what reads it is our own plugin
        return {"context": context}
    return {"hookSpecificOutput": {"hookEventName": _event(notice), "additionalContext": context}}


def _event(notice: Notice) -> str:
    """The client's own word: with another one, the answer is dropped."""
    if notice.client == "claude" and notice.happening is Happening.AFTER_TOOL:
        return "PostToolUseFailure" if notice.is_failure else "PostToolUse"
    return next(event for event, word in EVENTS[notice.client].items() if word == notice.happening)
