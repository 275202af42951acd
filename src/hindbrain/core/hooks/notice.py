"""What a hook can say and hear, whichever client it belongs to."""

from datetime import datetime

from hindbrain.core.closed import StrEnum
from hindbrain.core.value import dataclass


class Happening(StrEnum):
    SESSION_START = "session_start"
    PROMPT = "prompt"
    BEFORE_TOOL = "before_tool"
    AFTER_TOOL = "after_tool"  # also where it failed: `is_failure`, `exit_code`
    AGENT_START = "agent_start"
    AGENT_STOP = "agent_stop"
    STOP = "stop"  # the agent is done with a turn
    BEFORE_COMPACT = "before_compact"
    AFTER_COMPACT = "after_compact"
    SESSION_END = "session_end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One hook call. Texts are as the client gave them: nothing has been through the door yet."""

    client: str  # claude, codex, gemini, opencode
    happening: Happening
    session: str
    at: datetime
    cwd: str = ""
    transcript: str = ""  # path of the session's own transcript; empty where the client names none
    agent: str = ""  # id of the subagent that it happened in; empty: the main agent
    agent_type: str = ""
    agent_transcript: str = ""
    is_internal: bool = False  # a fork of the client's own making (compaction): never told, never held
    source: str = ""  # of a session: startup, resume, clear, compact, fork; of an end: its reason
    prompt: str = ""  # without what we had put into it
    is_person: bool = True  # whether a person wrote the prompt
    tool: str = ""  # as the client calls it
    is_shell: bool = False
    is_edit: bool = False
    is_read: bool = False
    command: str = ""  # of a shell tool
    paths: tuple[str, ...] = ()  # files that the tool is about, as given
    old_text: str = ""  # what an edit takes out
    new_text: str = ""  # what it puts in
    output: str = ""  # what the tool gave back
    exit_code: int | None = None  # None: unknown
    is_failure: bool = False
    is_interrupt: bool = False
    is_errand: bool = False  # the tool call was all that a subagent did, and its record is whole now
    message: str = ""  # the agent's last words, at a stop
    said: tuple[tuple[str, str], ...] = ()  # who, and what: the whole session, where the client keeps no transcript
    is_stop_active: bool = False  # the client goes on because a stop hook held it
    ref: str = ""  # id of the tool call, of the prompt, or of the turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a hook answers. Both empty: nothing at all is printed."""

    context: str = ""  # told to the agent
    hold: str = ""  # why it may not stop yet
