"""What agents did, one line each: the log from which lessons are drawn and outcomes are judged."""

from collections.abc import Mapping
from datetime import datetime

from hindbrain.core.closed import StrEnum
from hindbrain.core.value import dataclass, field


class Deed(StrEnum):
    """What kind of thing was done."""

    SESSION = "session"  # began, or went on after a resume or a compaction; `subject` says which
    PROMPT = "prompt"  # a person asked for something
    RESPONSE = "response"  # an agent answered; `hat` says as whom
    READ = "read"  # `subject` is the file
    EDIT = "edit"  # `subject` is the file
    COMMAND = "command"  # `subject` is the command line, `result` how it ended
    GATE = "gate"  # a quality gate; `subject` is its name (tests, lint, types, build), `result` how it ended
    HAT = "hat"  # `subject` is "explorer->planner"
    COMMIT = "commit"  # `subject` is the hash where it is known
    COMPLETION = "completion"  # a task is done
    AGENT = "agent"  # a subagent began; `subject` is its type
    COMPACTION = "compaction"  # the context was shortened: what was shown before is out of sight
    END = "end"  # of the session, or of a subagent


class Result(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """Everything textual has been through the door and is cut to a sensible length."""

    id: str
    at: datetime
    project: str
    session: str
    deed: Deed
    subject: str = ""
    result: Result = Result.UNKNOWN
    detail: str = ""  # output of a failing command, an agent's answer, the old and new text of an edit
    signature: str = ""  # of the error, where there was one
    client: str = ""  # claude, codex, gemini, opencode, chorus
    agent: str = ""  # id of the subagent; empty: the main agent
    agent_type: str = ""
    hat: str = ""
    task: str = ""
    ref: str = ""  # id of the tool call or of the prompt
    data: Mapping[str, object] = field(default_factory=dict)
    seq: int = 0  # given by the store; the cursor
