"""A developer's desk for one test: a home, a project, no network, and clients that work there."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from clients.agents import Agent, OpenCode, path_with, records
from clients.model import serving
from clients.script import Request, Script

from hindbrain.adapters.lease import Lease
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.core.model.job import JobState
from scripts.clients import Absent, command

ROOT = Path(__file__).resolve().parents[2]
ENOUGH_S = 120.0  # no client takes so long for what a test asks of it; one that does hangs
PATIENCE_S = 40.0  # nor does the worker


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What one process of a client did, and what its model was asked."""

    code: int
    out: str
    err: str
    script: Script
    lasted_s: float

    @property
    def requests(self) -> list[Request]:
        return self.script.requests

    @property
    def last(self) -> Request:
        return self.requests[-1]

    @property
    def records(self) -> list[dict[str, Any]]:
        return records(self.out)

    def told(self, words: str) -> int | None:
        """Before which turn of the model our fenced notes first held `words`; None: never."""
        return next(
            (number for number, one in enumerate(self.requests) if any(words in note for note in one.notes)), None
        )


class Desk:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.project = folder / "app"
        self.memory = folder / "memory"  # HINDBRAIN_HOME
        for place in (self.home, self.project, folder / "tmp"):
            place.mkdir()
        self._git("init", "--quiet")
        (self.project / "README.md").write_text("# app\n")
        self._git("add", ".")
        self._git("commit", "--quiet", "--message", "Begin")

    @property
    def environment(self) -> dict[str, str]:
        """All that a process at this desk knows of the machine."""
        python = str(Path(sys.executable).parent)
        return {
            "HOME": str(self.home),
            "PATH": path_with(str(self.folder / "bin"), python, *node_folder()),
            "TERM": "dumb",
            "LANG": "C.UTF-8",
            "TMPDIR": str(self.folder / "tmp"),  # Codex wants its home elsewhere
            "HINDBRAIN_HOME": str(self.memory),
            "HINDBRAIN_EMBEDDER": "off",
            "PYTHONPATH": str(ROOT / "src"),
        }

    def wire(self, agent: Agent) -> None:
        self.hindbrain("init", "--yes", "--user", "--client", agent.name)

    def set(self, **settings: object) -> None:
        self.memory.mkdir(mode=0o700, exist_ok=True)
        lines = (f"{name} = {json.dumps(value)}\n" for name, value in settings.items())
        (self.memory / "config.toml").write_text("".join(lines))

    def listen(self, agent: Agent, *events: str) -> None:
        """From now on write down what the client tells hooks of those events."""
        heard = self.folder / "heard.jsonl"
        hook = {"type": "command", "command": f"cat >> {heard}; echo >> {heard}", "name": "listen"}
        name = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json"}
        place = self.project / name[agent.name]
        place.parent.mkdir()
        place.write_text(json.dumps({"hooks": {event: [{"hooks": [hook]}] for event in events}}))

    @property
    def heard(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "heard.jsonl").read_text().splitlines() if line]

    def run(
        self,
        agent: Agent,
        prompts: str | Sequence[str],
        script: Script,
        *,
        is_again: bool = False,
        beside: int = 0,
        **more: str,
    ) -> Session:
        """Let a client work through `prompts` in a process of its own, cut off from every network; on request beside
        our service, at that port."""
        program = program_of(agent)
        if beside:
            program = [sys.executable, str(Path(__file__).with_name("beside.py")), str(beside), *program]
        asked = [prompts] if isinstance(prompts, str) else list(prompts)

        def words(port: int) -> list[str]:
            return [*program, *agent.words(asked, is_again=is_again, port=port)]

        return self._cut_off(words, agent, script, talk=lambda process: agent.talk(process, asked), more=more)

    def sit_before(self, agent: OpenCode, prompts: Sequence[str], script: Script) -> Session:
        """Let a person work with it, who stays until all is quiet."""
        seat = str(Path(__file__).with_name("seat.py"))
        whole = [sys.executable, seat, json.dumps(program_of(agent)), *prompts]
        return self._cut_off(lambda _: whole, agent, script, talk=lambda process: process.communicate(), more={})

    def ask(self, agent: Agent, *words: str, script: Script) -> Session:
        """Run our own command line where a client that it starts can reach nothing but the scripted model."""
        whole = [sys.executable, "-m", "hindbrain", *words]
        return self._cut_off(lambda _: whole, agent, script, talk=lambda process: process.communicate(), more={})

    def _cut_off(
        self,
        words: Callable[[int], list[str]],
        agent: Agent,
        script: Script,
        *,
        talk: "Callable[[subprocess.Popen[str]], tuple[str, str]]",
        more: Mapping[str, str],
    ) -> Session:
        began = time.monotonic()
        ours, theirs = socket.socketpair()
        with ours, _launched(theirs) as process:
            raw, (bound, *_), _, _ = socket.recv_fds(ours, 16, 1)
            port = int(raw)
            with serving(script, socket.socket(fileno=bound)):
                known = {**self.environment, **agent.environment(port), **more}
                order = {"words": words(port), "environment": known, "folder": str(self.project)}
                ours.sendall(json.dumps(order).encode())
                ours.shutdown(socket.SHUT_WR)
                out, err = talk(process)
        return Session(code=process.returncode, out=out, err=err, script=script, lasted_s=time.monotonic() - began)

    def hindbrain(self, *words: str, code: int = 0) -> str:
        """Run our own command line at the desk; what it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "hindbrain", *words],
            cwd=self.project,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=ENOUGH_S,
            check=False,
        )
        assert done.returncode == code, (words, done.stdout, done.stderr)
        return done.stdout

    @property
    def memories(self) -> dict[str, dict[str, Any]]:
        """The lessons that memory holds, whatever their state, by what they say; not what merely happened."""
        told = json.loads(self.hindbrain("list", "--all", "--json"))["memories"]
        told = [memory for memory in told if memory["kind"] not in ("episode", "pattern", "anti_pattern", "scar")]
        assert len({memory["content"] for memory in told}) == len(told)  # each once
        return {memory["content"]: memory for memory in told}

    def drained(self) -> None:
        """Wait until the worker has nothing left to do."""
        self.until(lambda: not self._waiting())

    def kill_worker(self) -> bool:
        """End the worker as a crash would; whether there was one."""
        number = self.worker
        if number is None:
            return False
        os.kill(number, signal.SIGKILL)
        self.until(lambda: self.worker != number)
        return True

    @property
    def worker(self) -> int | None:
        """The number of the process that is the worker."""
        return Lease(self.memory / "worker.lock").holder

    def close(self) -> None:
        """No process that was started at this desk outlives it."""
        with contextlib.suppress(AssertionError):
            self.kill_worker()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _waiting(self) -> list[str]:
        """Events that were kept and not yet read, and work that was queued and not yet done."""
        spool = self.memory / "spool"
        new = (path for path in spool.glob("*") if path.name not in ("bad", "kept"))  # those were read
        files = [path.name for path in new if _size(path)]
        store = self.memory / "hindbrain.db"
        if files or not store.exists():
            return files or ["no store yet"]
        with contextlib.closing(SqliteStore(store)) as opened:
            due = [job.kind for job in opened.due(datetime.now(UTC), limit=100)]
            return due + [job.key for job in opened.jobs(states=(JobState.QUEUED,), kind="transcript")]  # or read late

    def until(self, is_so: Callable[[], bool]) -> None:
        """Wait for what happens in another process."""
        end = time.monotonic() + PATIENCE_S
        while not is_so():
            if time.monotonic() > end:
                pytest.fail(f"{self._waiting()}\n{self.trouble}")
            time.sleep(0.02)

    @property
    def trouble(self) -> str:
        """What hooks and the worker had to complain about."""
        logs = (self.memory / name for name in ("hook-trouble", "worker.log"))
        return "\n".join(path.read_text() for path in logs if path.exists())

    def _git(self, *words: str) -> None:
        who = ("-c", "user.name=dev", "-c", "user.email=dev@example.org")
        subprocess.run(["git", *who, *words], cwd=self.project, env={**os.environ, "HOME": str(self.home)}, check=True)


def _size(path: Path) -> int:
    """In bytes; 0 once the worker has put it away."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def program_of(agent: Agent) -> list[str]:
    """What starts the client; the test is skipped where it is not installed."""
    program = command(agent.name)
    if isinstance(program, Absent):
        pytest.skip(program.why)
    return list(program)


@contextlib.contextmanager
def desk() -> Iterator[Desk]:
    """A desk that is cleared when the test is over. Its path is short: a socket's may have few characters."""
    made = Desk(Path(tempfile.mkdtemp(prefix="hb-")))
    try:
        yield made
    finally:
        made.close()


@contextlib.contextmanager
def _launched(channel: socket.socket) -> "Iterator[subprocess.Popen[str]]":
    """The process that will become the client. It and what it started end with the block, or when it hangs."""
    launch = [sys.executable, str(Path(__file__).with_name("launch.py")), str(channel.fileno())]
    process = subprocess.Popen(
        [*(["unshare", "-rn"] if has_own_network() else []), *launch],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=[channel.fileno()],
        start_new_session=True,
    )
    channel.close()
    watch = Timer(ENOUGH_S, os.killpg, (process.pid, signal.SIGKILL))
    watch.start()
    try:
        yield process
    finally:
        watch.cancel()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@cache
def has_own_network() -> bool:
    """Whether this machine lets a process have a network of its own; else clients run in the machine's."""
    if not shutil.which("unshare"):
        return False
    return subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode == 0


@cache
def node_folder() -> list[str]:
    node = command("gemini")
    return [] if isinstance(node, Absent) else [str(Path(node[0]).parent)]
