"""What a session said, read from the file that its client keeps: the handler of `transcript` jobs."""

from collections.abc import Mapping
from datetime import timedelta

from hindbrain.app.capture import Said, capture
from hindbrain.app.tools import Tools
from hindbrain.app.verify import retie
from hindbrain.core.model.job import Job
from hindbrain.core.transcripts import FORMATS
from hindbrain.core.transcripts.jsonl import is_told
from hindbrain.ports import Changes

MOST_BYTES = 64_000_000  # of a transcript: its end
_NEAR = 1_000_000  # characters at its end, among which the last words stand
PAUSES_S = (1, 4, 15)  # until a file is looked at again that does not hold the agent's last words yet


def hear(job: Job, tools: Tools) -> Changes | None:
    """Capture what the transcript teaches. A file that has not changed since is not read again; what a line taught
    once it does not teach twice, so this may be repeated.

    Where there is no file, the words that came with the hook are all there is: they are the agent's own. A client may
    call its hook before it has written them down: then the file is looked at again, and in the end they are taken as
    they came.
    """
    told = _told(job)
    mark = tools.files.mark(told["path"]) if told["path"] else ""
    cursor = f"transcript/{told['path']}"
    is_known = bool(mark) and mark == tools.store.cursor(cursor)
    text = _written(told, is_file=bool(mark), is_known=is_known, tools=tools)
    if not is_known:
        _capture(told, text, is_file=bool(mark), project=job.project, tools=tools)
    cursors = {cursor: mark} if mark and not is_known else {}
    if not mark or is_told(text[-_NEAR:], told["text"]):
        return Changes(cursors=cursors)
    return Changes(cursors=cursors, jobs=_again(job, told, tools=tools))


def _written(told: Mapping[str, str], *, is_file: bool, is_known: bool, tools: Tools) -> str:
    if not is_file:
        return told["text"]
    if is_known and not told["text"]:
        return ""  # there is nothing to look for in it
    return tools.files.tail(told["path"], most=_NEAR if is_known else MOST_BYTES)


def _again(job: Job, told: Mapping[str, str], *, tools: Tools) -> tuple[Job, ...]:
    """The next look at the file; after the last one, what it still lacks is taken from the hook."""
    looks = int(told["looks"] or 0)
    if looks >= len(PAUSES_S):
        _capture(told, told["text"], is_file=False, project=job.project, tools=tools)
        return ()
    now = tools.clock.now()
    look = Job(
        id=tools.chance.id("job", now),
        kind=job.kind,
        key=f"{job.key}+",  # this one is still at work under its own
        project=job.project,
        payload={**job.payload, "looks": looks + 1},
        created_at=now,
        due_at=now + timedelta(seconds=PAUSES_S[looks]),
    )
    return (look,)


def _capture(told: Mapping[str, str], text: str, *, is_file: bool, project: str, tools: Tools) -> None:
    """Keep what was taught, and tie what is new to the code as it is."""
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
    names = ("path", "format", "session", "agent", "text", "cwd", "taskId", "agentId", "persona", "looks")
    return {name: str(job.payload.get(name) or "") for name in names}
