"""How tests call the command line: in this process for the many small claims, as a child for the few that need one."""

import io
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hindbrain.entry.cli.quick import run

SRC = Path(__file__).resolve().parents[1] / "src"
_PROGRAM = (sys.executable, "-W", "error", "-m", "hindbrain")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    out: str
    err: str
    code: int

    @property
    def data(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        return json.loads(self.err)["error"]


class Cli:
    """The command line, with a home of its own, in the folder of a project called `app`."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = tmp_path / "home"
        self.folder = tmp_path / "app"
        self.folder.mkdir(parents=True)
        self._monkeypatch = monkeypatch
        monkeypatch.chdir(self.folder)
        monkeypatch.setenv("HINDBRAIN_HOME", str(self.home))
        monkeypatch.setenv("HOME", str(tmp_path / "user"))  # nobody's own clients may be seen, or written to
        for name in ("HINDBRAIN_STORE", "HINDBRAIN_PROJECT", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
            monkeypatch.delenv(name, raising=False)

    def __call__(self, *arguments: str, stdin: str | bytes | io.BytesIO = "", code: int = 0) -> Answer:
        """Run a command in this process; it must end with `code`."""
        answer = self.through(run, *arguments, stdin=stdin)
        assert answer.code == code, answer
        return answer

    def through(
        self, way: Callable[[Sequence[str]], int], *arguments: str, stdin: str | bytes | io.BytesIO = ""
    ) -> Answer:
        """Run a command in this process, by the whole command line or by one part of it."""
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        stream = raw if isinstance(raw, io.BytesIO) else io.BytesIO(raw)
        out, err = _stream(), _stream()
        with self._monkeypatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.setattr(sys, "stdin", io.TextIOWrapper(stream, "utf-8"))
            ended = way(arguments)
        return Answer(out=_text(out), err=_text(err), code=ended)

    def json(self, *arguments: str, stdin: str | bytes = "", code: int = 0) -> Any:
        """What a command answers with --json."""
        return self(*arguments, "--json", stdin=stdin, code=code).data

    def command(self, *arguments: str) -> list[str]:
        return [*_PROGRAM, *arguments]

    def child(self, *arguments: str, stdin: bytes = b"", **environment: str) -> Answer:
        """Run a command as a process of its own."""
        return _process(self.command(*arguments), stdin=stdin, environment=environment)

    def shell(self, line: str, **environment: str) -> Answer:
        """Run a line of bash in which `$HB` is the command line."""
        return _process(["bash", "-c", line.replace("$HB", shlex.join(self.command()))], environment=environment)

    def add(self, content: str, *options: str) -> str:
        """Keep a memory; its id."""
        return str(self.json("add", *options, content)["memory_id"])

    def contents(self, *arguments: str) -> list[str]:
        return [memory["content"] for memory in self.json(*arguments)["memories"]]


def _process(command: Sequence[str], *, environment: Mapping[str, str], stdin: bytes = b"") -> Answer:
    known = {**os.environ, "PYTHONPATH": str(SRC), **environment}
    done = subprocess.run(command, input=stdin, capture_output=True, env=known, timeout=60, check=False)
    encoding = environment.get("PYTHONIOENCODING", "utf-8")
    return Answer(out=done.stdout.decode(encoding), err=done.stderr.decode(encoding), code=done.returncode)


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    raw = stream.buffer
    assert isinstance(raw, io.BytesIO)
    return raw.getvalue().decode()
