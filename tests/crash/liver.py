"""A home on an ordinary day: hooks leave events, the worker takes them up, somebody adds, files are written anew.

python liver.py HOME REPO COUNT TOLD

What has been promised is written to the file TOLD the moment it was, one line each.
"""

import os
import sys
from binascii import crc32
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from building import NOW
from hooking import called, ran

from hindbrain.app.add import Noted, add
from hindbrain.app.sync import sync
from hindbrain.entry.hooks import spool
from hindbrain.entry.worker import caught_up
from hindbrain.settings import Settings
from hindbrain.wiring import open_tools


def main() -> None:
    home, repo, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    told = os.open(sys.argv[4], os.O_WRONLY)
    tools = open_tools(Settings(home=str(home), store=str(home / "hindbrain.db"), embedder="off"))
    project = tools.store.projects()[0]
    for number in range(count):
        session = f"s{number}"
        spool.append(str(home), _record(ran(f"./step {number}", session=session, cwd=repo)), is_synced=False)
        stop = called("Stop", session=session, cwd=repo, transcript_path=f"{repo}/transcripts/{session}.jsonl")
        spool.append(str(home), _record(stop), is_synced=True)
        os.write(told, f"heard {number}\n".encode())
        if number % 3 == 2:
            caught_up(tools)
        if number % 4 == 3:
            kept = add(Noted(content=f"Added remark r{number:04d} of the day"), project=project.id, tools=tools)
            os.write(told, f"added {kept.memory_id}\n".encode())
        if number % 6 == 5:
            sync(project.id, name=project.name, tools=tools)
            os.write(told, b"written 0\n")
    tools.store.close()


def _record(payload: bytes) -> bytes:
    return b"1 claude %d %08x %b\n" % (int(NOW.timestamp() * 1000), crc32(payload), payload)


if __name__ == "__main__":
    main()
