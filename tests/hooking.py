"""Hook calls for tests, as Claude Code makes them, and transcripts as it writes them."""

import fcntl
import json
import os
from binascii import crc32
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from building import NOW

from hindbrain.adapters.spool import FileSpool
from hindbrain.ports import Record

FOLDER = "/home/dev/shop"


def called(event: str, *, session: str = "s1", cwd: str = FOLDER, **fields: object) -> bytes:
    return json.dumps({"hook_event_name": event, "session_id": session, "cwd": cwd, **fields}).encode()


def ran(command: str, *, session: str = "s1", failing: str = "", out: str = "", cwd: str = FOLDER) -> bytes:
    """A shell command that ended, in failure if it printed anything of the kind."""
    given = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": f"toolu_{abs(hash(command))}"}
    if failing:
        return called("PostToolUseFailure", session=session, cwd=cwd, **given, error=f"Exit code 1\n{failing}")
    response = {"stdout": out, "stderr": "", "interrupted": False}
    return called("PostToolUse", session=session, cwd=cwd, **given, tool_response=response)


def left(folder: Path, payloads: Iterable[bytes], *, at: datetime = NOW) -> None:
    """In the spool, as very many hooks would have left it: each of them alone would wait for the disk."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    head = b"1 claude %d" % int(at.timestamp() * 1000)
    raw = b"".join(b"%b %08x %b\n" % (head, crc32(payload), payload) for payload in payloads)
    current, is_left = folder / "current", False
    while not is_left:
        with current.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            if current.exists() and current.stat().st_ino == os.fstat(file.fileno()).st_ino:
                file.write(raw)
                is_left = True


def transcript(path: Path, *sayings: str, session: str = "s1") -> Path:
    """What the agent of a session said, one message each."""
    lines = (
        {
            "type": "assistant",
            "uuid": f"u-{session}-{number}",
            "sessionId": session,
            "timestamp": f"2026-01-10T08:{number % 60:02d}:00.000Z",
            "message": {"id": f"m-{number}", "role": "assistant", "content": [{"type": "text", "text": said}]},
        }
        for number, said in enumerate(sayings)
    )
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def read_all(spool: FileSpool, name: str) -> Iterable[bytes | None]:
    """The payloads in a file of the spool; None for a line that is no record."""
    return [line.payload if isinstance(line, Record) else None for line in spool.records(name)]
