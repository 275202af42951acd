"""What an episode holds, how it is written into the body of a memory, and how it reads as prose (LK-022 to LK-041).

Fields of other systems that stand in a body stay there; `read` takes what it knows and forgives the rest.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from hindbrain.core.closed import StrEnum
from hindbrain.core.model.memory import Memory
from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.core.value import dataclass

_TOLD_FILES = 12  # in prose; the body has all
_TOLD_ERRORS = 8
_NAMED = 3  # files that stand for a goal that nobody stated


class Ending(StrEnum):
    """How a task came out."""

    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    t: float  # seconds from the start
    action: str  # read_file, write_file, edit_file, run_test, run_command, commit …
    target: str = ""
    result: str = ""  # pass, fail, or not known
    error: str = ""

    def record(self) -> dict[str, object]:
        known = {"t": self.t, "action": self.action}
        rest = {name: getattr(self, name) for name in ("target", "result", "error")}
        return {**known, **{name: value for name, value in rest.items() if value}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """An error that was met, and what cured it."""

    type: str
    message: str
    resolution: str = ""  # empty: nothing did
    action: str = ""  # what failed: run_test, run_command …
    command: str = ""
    signature: str = ""
    is_slip: bool = False  # of the pen, or of code that was not written yet: it teaches nobody

    def record(self) -> dict[str, object]:
        known: dict[str, object] = {"type": self.type, "message": self.message, "resolution": self.resolution}
        rest = {name: getattr(self, name) for name in ("action", "command", "signature", "is_slip")}
        return {**known, **{name: value for name, value in rest.items() if value}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    name: str  # ep-2026-01-06-001, as the files of Loki call it
    task: str
    began_at: datetime
    duration_s: float
    agent: str = ""
    phase: str = ""
    goal: str = ""
    constraints: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    actions: tuple[Action, ...] = ()
    ending: str = Ending.PARTIAL
    ending_reason: str = ""
    errors: tuple[Trouble, ...] = ()
    artifacts: tuple[str, ...] = ()
    commit: str = ""
    session: str = ""
    left_out: int = 0  # actions in the middle of a very long task


def body_of(episode: Episode) -> dict[str, object]:
    """The document's schema, with a few fields of ours beside it."""
    told: dict[str, object] = {
        "id": episode.name,
        "task_id": episode.task,
        "timestamp": stamp(episode.began_at),
        "duration_seconds": episode.duration_s,
        "agent": episode.agent,
        "context": {
            "phase": episode.phase,
            "goal": episode.goal,
            "constraints": list(episode.constraints),
            "files_involved": list(episode.files),
        },
        "action_log": [action.record() for action in episode.actions],
        "outcome": str(episode.ending),
        "errors_encountered": [error.record() for error in episode.errors],
        "artifacts_produced": list(episode.artifacts),
        "git_commit": episode.commit,
        "outcome_reason": episode.ending_reason,
    }
    return told | ({"actions_left_out": episode.left_out} if episode.left_out else {})


def read(memory: Memory) -> Episode:
    """The episode that a memory tells of; what its body does not say is empty."""
    body = memory.body
    context = body.get("context")
    context = context if isinstance(context, Mapping) else {}
    modified = _texts(body.get("files_modified"))  # as Loki's own program writes it
    return Episode(
        name=_text(body.get("id")) or memory.id,
        task=_text(body.get("task_id")),
        began_at=_moment(body.get("timestamp")) or memory.learned_at,
        duration_s=_number(body.get("duration_seconds")),
        agent=_text(body.get("agent")),
        phase=_text(context.get("phase")),
        goal=_text(context.get("goal")),
        constraints=_texts(context.get("constraints")),
        files=_texts(context.get("files_involved")),
        actions=tuple(_action(one) for one in _maps(body.get("action_log"))),
        ending=_text(body.get("outcome")),
        ending_reason=_text(body.get("outcome_reason")),
        errors=tuple(_trouble(one) for one in _maps(body.get("errors_encountered"))),
        artifacts=_texts(body.get("artifacts_produced")) or modified,
        commit=_text(body.get("git_commit")),
        session=memory.provenance.session,
    )


def prose(episode: Episode) -> str:
    """What happened when somebody tried this, in words that a search finds."""
    goal = episode.goal or f"Work on {', '.join(episode.artifacts[:_NAMED]) or episode.task or 'something'}"
    reason = f" ({episode.ending_reason})" if episode.ending_reason else ""
    errors = [_told(error) for error in episode.errors[:_TOLD_ERRORS] if error.type or error.message]
    files = list(dict.fromkeys((*episode.artifacts, *episode.files)))[:_TOLD_FILES]
    lines = (
        f"Outcome: {episode.ending or 'not known'}{reason}.",
        f"Constraints: {'; '.join(episode.constraints)}." * bool(episode.constraints),
        *errors,
        f"Files: {', '.join(files)}." * bool(files),
        f"Commit: {episode.commit}." * bool(episode.commit),
    )
    return "\n".join((goal.rstrip("."), "", *filter(None, lines)))


def headed(kind: str, message: str) -> str:
    """`RuntimeError in tests: there is no loop`: the kind of an error and its words, without saying either twice."""
    if not kind or message.startswith(kind):
        return message
    name = kind.split(" ")[0]
    return f"{kind}: {message.removeprefix(f'{name}:').strip()}".strip(": ")


def _told(error: Trouble) -> str:
    return f"Error: {headed(error.type, error.message)}\nResolution: {error.resolution or 'none was found'}"


def _action(record: Mapping[str, object]) -> Action:
    rest = {name: _text(record.get(name)) for name in ("action", "target", "result", "error")}
    return Action(t=_number(record.get("t")), **rest)


def _trouble(record: Mapping[str, object]) -> Trouble:
    names = ("type", "message", "resolution", "action", "command", "signature")
    rest = {name: _text(record.get(name)) for name in names}
    return Trouble(is_slip=record.get("is_slip") is True, **rest)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> float:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list | tuple) else ()


def _maps(value: object) -> Iterable[Mapping[str, object]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list | tuple) else []


def _moment(value: object) -> datetime | None:
    try:
        return read_stamp(value) if isinstance(value, str) and value else None
    except (ValueError, OverflowError):
        return None
