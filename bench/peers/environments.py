"""Where a peer lives: a virtual environment of its own, made once and used by every run."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.meter import say
from bench.peers.known import Peer
from bench.report import ROOT

# Not below bench/: what walks through the project's own modules must not meet those of others.
_DEFAULT = ROOT / ".peers"
_PROBE = "import sys; assert sys.version_info >= (3, 11); "  # what bench.peers.runner is written for


@dataclass(frozen=True, slots=True)
class Absent:
    """There is no such environment, and why."""

    why: str


def folder() -> Path:
    return Path(os.environ.get("HINDBRAIN_BENCH_PEERS") or _DEFAULT)


def python_of(peer: Peer, *, is_installing: bool) -> Path | Absent:
    """The interpreter that has `peer`; it is installed first if it is missing and `is_installing`."""
    if not peer.home:
        return Path(sys.executable)
    python = folder() / peer.home / "bin" / "python"
    if _asked(peer) == _installed(peer) and python.exists():
        return python
    if not is_installing:
        return Absent("not installed here")
    return _install(peer, python)


def _install(peer: Peer, python: Path) -> Path | Absent:
    say(f"peers: installing {peer.home}")
    parent = next(_suitable(peer), None)
    if parent is None:
        return Absent(f"did not install: no Python here survives `{peer.needs}`")
    home = folder() / peer.home
    commands = [
        [str(parent), "-m", "venv", "--clear", "--without-pip", str(home)],
        *([sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", *s] for s in peer.steps),
    ]
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return Absent(f"did not install: {last_line(done.stderr or done.stdout)}")
    _note(peer).write_text(_asked(peer), encoding="utf-8")
    return python


def last_line(text: str) -> str:
    """What a failed command has to say: the last line that pip or Python calls an error, or the last of all."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower()]
    return (telling or lines or ["it said nothing"])[-1]


def _suitable(peer: Peer) -> Iterator[Path]:
    """Interpreters that will do, this one before others."""
    for python in _interpreters():
        command = [str(python), "-c", _PROBE + peer.needs]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            yield python


def _interpreters() -> Sequence[Path]:
    names = ("python3", *(f"python3.{minor}" for minor in range(11, 20)))
    folders = os.get_exec_path()
    found = [shutil.which(name, path=place) for place in folders for name in names]
    return [Path(sys.executable), *(Path(path) for path in found if path)]


def _asked(peer: Peer) -> str:
    return json.dumps(peer.steps)


def _installed(peer: Peer) -> str:
    note = _note(peer)
    return note.read_text(encoding="utf-8") if note.exists() else ""


def _note(peer: Peer) -> Path:
    return folder() / peer.home / "installed.json"
