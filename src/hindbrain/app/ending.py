"""What a client's hook leaves unsaid: by then its files tell."""

from hindbrain.core.hooks.notice import Happening, Notice
from hindbrain.core.value import replace
from hindbrain.ports import ProjectFiles

_NEAR = 1_000_000  # bytes of a transcript's end; what has just happened stands among its last lines


def completed(notice: Notice, *, files: ProjectFiles) -> Notice:
    """With what can be known, or as it is."""
    return _with_agent(with_ending(notice, files=files), files=files)


def records(notice: Notice, *, files: ProjectFiles) -> tuple[str, ...]:
    """Where Gemini CLI keeps what the subagents of a session say, the one that spoke last first."""
    folder, _, _ = notice.transcript.rpartition("/")
    is_name = notice.session not in ("", ".", "..") and "/" not in notice.session
    return files.newest(f"{folder}/{notice.session}", ".jsonl") if folder and is_name else ()


def _with_agent(notice: Notice, *, files: ProjectFiles) -> Notice:
    """Gemini CLI does not say which subagent is done; it is the one that spoke last."""
    if notice.client != "gemini" or notice.happening is not Happening.AGENT_STOP or notice.agent:
        return notice
    path = next(iter(records(notice, files=files)), "")
    return replace(notice, agent=agent_of(path), agent_transcript=path) if path else notice


def agent_of(path: str) -> str:
    """A record is named after its subagent."""
    return path.rpartition("/")[2].removesuffix(".jsonl")


def with_ending(notice: Notice, *, files: ProjectFiles) -> Notice:
    """The notice with the exit code, or as it is where nobody knows. Only Codex leaves it out, and writes it down
    before it calls the hook."""
    is_open = notice.happening is Happening.AFTER_TOOL and notice.is_shell and notice.exit_code is None
    if notice.client != "codex" or not is_open or not notice.ref or not notice.transcript:
        return notice
    from hindbrain.core.transcripts.codex import exit_code  # most notices need none of it

    code = exit_code(files.tail(notice.transcript, most=_NEAR), notice.ref)
    return notice if code is None else replace(notice, exit_code=code, is_failure=code != 0)
