"""Who may have said something in a session, and what is kept of it: only two of three voices can teach."""

from datetime import datetime

from hindbrain.core.closed import StrEnum
from hindbrain.core.value import dataclass

OWN = "own:"  # prefix of `Utterance.tool` for what the agent wrote without saying it


class Voice(StrEnum):
    """AGENT speaks, COMMAND is a shell command that the agent ran, OTHER is everything else.

    OTHER is the user, tool results, thoughts, system text, attachments, results of subagents and our own
    injected text.
    """

    AGENT = "agent"
    COMMAND = "command"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """A piece of text with its speaker.

    `tool` of an OTHER voice is the tool that returned the text, "system" or "attachment" for what the client
    added, "own:…" for thoughts and tool inputs, and "" for the user's own prompt, which starts a turn.
    """

    voice: Voice
    text: str
    line: int  # 1-based, of the input
    at: datetime | None = None  # aware, UTC
    session: str = ""
    task: str = ""
    persona: str = ""
    instance: str = ""
    tool: str = ""
    cwd: str = ""
    ref: str = ""  # id of the tool call, or of the message


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """An input line that could not be read."""

    line: int
    reason: str  # malformed_json, not_an_object or wrong_shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    utterances: tuple[Utterance, ...]
    skipped: tuple[Skipped, ...]
