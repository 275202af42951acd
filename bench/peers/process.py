"""How a store is spoken to from outside: one process, an order and its answer at a time, within a limit of time."""

import json
import os
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from bench.peers.environments import last_line
from bench.report import ROOT

# Opt-outs from calling home, from downloads, and from writing into the user's folders.
_QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "OTEL_SDK_DISABLED": "true",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
# One thread where a library would take one for each core: those that wait for work spin, and CPU time counts that.
_CALM = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class Trouble(RuntimeError):
    """The store's process ended, or took longer than it was given."""


class Process:
    """A store at work in the Python that has it. `folder` is its own: home, caches and error output go there."""

    def __init__(self, python: Path, name: str, *, folder: Path, limit_s: float) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._left_s = limit_s
        self._is_late = False
        self._errors = folder / "stderr.txt"
        with self._errors.open("w", encoding="utf-8") as errors:
            self._process = subprocess.Popen(
                [str(python), "-m", "bench.peers.runner", name],
                cwd=ROOT,
                env=_environment(folder),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                encoding="utf-8",
            )

    def ask(self, order: str, **details: object) -> dict[str, Any]:
        """The answer to `order`. Trouble when there is none."""
        assert self._process.stdin and self._process.stdout
        started = time.monotonic()
        watch = threading.Timer(max(self._left_s, 0.0), self._stop)
        watch.start()
        try:
            self._process.stdin.write(json.dumps({"do": order, **details}) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            watch.cancel()
        self._left_s -= time.monotonic() - started
        if not line:
            raise Trouble(self._why())
        answer: dict[str, Any] = json.loads(line)
        return answer

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _stop(self) -> None:
        self._is_late = True
        self._process.kill()

    def _why(self) -> str:
        self._process.wait()
        if self._is_late:
            return "out of time"
        return f"failed: {last_line(self._errors.read_text(encoding='utf-8', errors='replace'))}"


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of the user's but the path: a key or a proxy in the environment must not change what is measured."""
    paths = {"HOME": str(folder), "TMPDIR": str(folder), "MEM0_DIR": str(folder), "PYTHONPATH": str(ROOT / "src")}
    return {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", **paths, **_QUIET, **_CALM}
