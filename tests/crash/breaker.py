"""Captures on a disk that fails: once for each point that it is told, each time in a store and a process of its own.

python breaker.py FOLDER WORK HOW IS_LASTING POINT...

For each point a line of JSON: the point, whether the process was killed, what it said it kept, what it was told
instead, and how much it did to files. Point 0 fails nowhere.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from faulty import KILL, FaultyDisk

import hindbrain
from hindbrain.adapters.sqlite import schema, store
from hindbrain.errors import DiskFailed, DiskFull, HindbrainError

CAPTURES = 10
SLOW_S = 0.05  # what a sync takes longer on a slow disk: at twenty a second
Say = Callable[..., None]


def main() -> None:
    folder, work, how, is_lasting, *points = sys.argv[1:]
    disk = FaultyDisk()
    store.CHECKPOINT_BYTES = 150_000  # so that a few captures meet some
    for point in points:
        print(json.dumps(_tried(Path(folder), int(point), disk, work=work, fault=(how, is_lasting == "lasting"))))
        sys.stdout.flush()


def _tried(folder: Path, point: int, disk: FaultyDisk, *, work: str, fault: tuple[str, bool]) -> dict[str, object]:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        disk.sync_s = SLOW_S if fault[0] == "slow" else 0.0
        disk.fail(KILL if fault[0] == "slow" else fault[0], at=point, is_lasting=fault[1])
        _WORKS[work](folder / f"{point}.db", disk, lambda *said: _tell(write, said))
        _tell(write, ("count", disk.count))
        os._exit(0)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as said:
        lines = [json.loads(line) for line in said if line.endswith("\n")]
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    told: dict[str, list[object]] = {"kept": [], "failed": [], "count": [0], "resumed": []}
    for word, what in lines:
        told[word].append(what)
    return {"point": point, "ended": ended, **told}


def _tell(pipe: int, said: tuple[object, ...]) -> None:
    os.write(pipe, json.dumps(said).encode() + b"\n")


def _capture(path: Path, disk: FaultyDisk, say: Say) -> None:
    """What was promised is told after it was, what was refused with its class; then the disk is well again."""
    memory = None
    for number in range(CAPTURES):
        try:
            memory = memory or hindbrain.open(path, project="load")
            text = f"MEMORY:pattern:Lesson{number} of the disk " + f"about module{number} " * 40
            say("kept", memory.capture(text, session="s1").receipts[0].memory_id)
        except (DiskFull, DiskFailed) as error:
            say("failed", type(error).__name__)
        except HindbrainError as error:
            say("failed", f"{type(error).__name__}: {error}")
    disk.heal()
    memory = memory or hindbrain.open(path, project="load")
    say("resumed", memory.capture("MEMORY:pattern:The disk is well again", session="s2").receipts[0].memory_id)
    memory.close()


def _migrate(path: Path, disk: FaultyDisk, say: Say) -> None:
    """The store has an older schema, whose number stands in the name of the folder."""
    opened = store.SqliteStore(path)
    say("kept", schema.version(opened._connection()))
    opened.close()


def _forget(path: Path, disk: FaultyDisk, say: Say) -> None:
    """The disk fails once somebody is to be forgotten, and not before."""
    fault = (disk.how, disk.at, disk.is_lasting)
    disk.heal()
    memory = hindbrain.open(path, project="load")
    kept = [memory.add(f"Lesson{number} about the launch code") for number in range(3)]
    disk.fail(fault[0], at=fault[1], is_lasting=fault[2])
    try:
        memory.forget(kept[0].memory_id)
    except (DiskFull, DiskFailed) as error:
        say("failed", type(error).__name__)
    disk.heal()
    if [receipt for receipt in kept[:1] if receipt.memory_id in {one.id for one in memory.list()}]:
        memory.forget(kept[0].memory_id)
    for one in memory.list():
        say("kept", one.id)
    memory.close()


_WORKS = {"capture": _capture, "migrate": _migrate, "forget": _forget}


if __name__ == "__main__":
    main()
