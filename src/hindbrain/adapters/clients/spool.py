"""What the files that hooks leave behind say about them, and whether one command line brings an event there."""

import json
import stat
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from hindbrain.adapters.lease import Lease
from hindbrain.ports import Spooled
from hindbrain.settings import environment

TROUBLE = "hook-trouble"  # in the home: a line for each failure of a hook

_MOST_TROUBLES = 3
_MOST_READ = 64 * 1024  # bytes of a file's end
_TRIAL_S = 10.0
_ARRIVAL_S = 1.0  # after the command has ended
_POLL_S = 0.02


def spooled(home: Path) -> Spooled:
    folder = home / "spool"
    waiting = [path for path in (folder / "current", *sorted(folder.glob("drain-*"))) if path.is_file()]
    firsts = [first for first in map(_first, waiting) if first]
    bad = folder / "bad"
    return Spooled(
        waiting=sum(map(_lines, waiting)),
        size_bytes=sum(path.stat().st_size for path in waiting),
        oldest=min(firsts, default=None),
        bad=_lines(bad) if bad.is_file() else 0,
        troubles=_troubles(home / TROUBLE),
        modes={str(path): _mode(path) for path in (folder, home / "clients", *waiting, bad) if path.exists()},
    )


def tried(line: str, event: Mapping[str, object]) -> str:
    """The home of the trial has a worker already, this process: else the hook would start one that outlives it."""
    with tempfile.TemporaryDirectory(prefix="hindbrain-trial-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        with Lease(home / "worker.lock").hold():
            try:
                done = _run(line, event, home=home)
            except subprocess.TimeoutExpired:
                return f"the command did not end within {_TRIAL_S:g} s"
            if _arrives(home, str(event["session_id"])):
                return ""
    said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
    return f"the command ended with {done.returncode}, and nothing arrived" + (f": {said[-1]}" if said else "")


def _run(line: str, event: Mapping[str, object], *, home: Path) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        ["/bin/sh", "-c", line],
        input=json.dumps(event).encode(),
        capture_output=True,
        timeout=_TRIAL_S,
        env={**environment(), "HINDBRAIN_HOME": str(home), "HINDBRAIN_STORE": str(home / "hindbrain.db")},
        check=False,
    )


def _arrives(home: Path, session: str) -> bool:
    until = time.monotonic() + _ARRIVAL_S
    while True:
        files = (path for path in (home / "spool").glob("*") if path.is_file() and path.name != "bad")
        if any(session.encode() in path.read_bytes() for path in files):
            return True
        if time.monotonic() > until:
            return False
        time.sleep(_POLL_S)


def _lines(path: Path) -> int:
    with open(path, "rb") as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))


def _first(path: Path) -> datetime | None:
    """When the oldest record was written, by its own word."""
    with open(path, "rb") as file:
        words = file.read(100).split(b" ", 3)
    if len(words) < 3 or not words[2].isdigit():
        return None
    return datetime.fromtimestamp(min(int(words[2]) / 1000, 4e9), UTC)


def _troubles(path: Path) -> tuple[str, ...]:
    lines: Sequence[bytes] = ()
    if path.is_file():
        with open(path, "rb") as file:
            file.seek(max(0, path.stat().st_size - _MOST_READ))
            lines = file.read().splitlines()[-_MOST_TROUBLES:]
    return tuple(line.decode("utf-8", "replace") for line in lines)


def _mode(path: Path) -> str:
    return f"{stat.S_IMODE(path.stat().st_mode):o}"
