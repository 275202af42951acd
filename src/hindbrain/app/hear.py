"""What a session said, read from the file that its client keeps: the handler of `transcript` jobs."""

from collections.abc import Mapping

from hindbrain.app.capture import Said, capture
from hindbrain.app.tools import Tools
from hindbrain.app.verify import retie
from hindbrain.core.model.job import Job
from hindbrain.core.transcripts import FORMATS
from hindbrain.ports import Changes

MOST_BYTES = 64_000_000  # of a transcript: its end


def hear(job: Job, tools: Tools) -> Changes | None:
    """Capture what the transcript teaches. A file that has not changed since is not read again; what a line taught
    once it does not teach twice, so this may be repeated.

    Where there is no file, the words that came with the hook are all there is: they are the agent's own.
    """
    told = _told(job)
    mark = tools.files.mark(told["path"]) if told["path"] else ""
    cursor = f"transcript/{told['path']}"
    if mark and mark == tools.store.cursor(cursor):
        return Changes()
    _capture(told, is_file=bool(mark), project=job.project, tools=tools)
    return Changes(cursors={cursor: mark}) if mark else Changes()


def _capture(told: Mapping[str, str], *, is_file: bool, project: str, tools: Tools) -> None:
    """Keep what was taught, and tie what is new to the code as it is."""
    text = tools.files.tail(told["path"], most=MOST_BYTES) if is_file else told["text"]
    if not text.strip():
        return
    said = Said(
        text=text,
        format=_format(told, is_file=is_file),
        session=told["session"],
        task=told["taskId"],
        persona=told["persona"],
        instance=told["agent"] or told["agentId"],
        origin=told["path"],
    )
    receipts = capture(said, project=project, tools=tools).receipts
    new = [receipt for receipt in receipts if not receipt.is_replay and receipt.memory_id]
    if new and told["cwd"]:
        retie(new, tools.files.root(told["cwd"]), tools=tools, code=tools.files.code())


def _format(told: Mapping[str, str], *, is_file: bool) -> str:
    """Of a file that is gone, the agent's last words are left, as plain text."""
    is_known = told["format"] in FORMATS and (is_file or not told["path"])
    return told["format"] if is_known else "text"


def _told(job: Job) -> dict[str, str]:
    """The words of the payload; empty where there is none."""
    names = ("path", "format", "session", "agent", "text", "cwd", "taskId", "agentId", "persona")
    return {name: str(job.payload.get(name) or "") for name in names}
