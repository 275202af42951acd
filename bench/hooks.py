"""What an agent pays for being remembered: the CPU of each kind of hook, and what very many events leave behind.

Whole processes that take turns, against an empty Python and against a shell that appends its input to a file.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import hindbrain
from bench.fill import fill
from bench.lessons import lessons, questions
from bench.meter import children_ms, environment, say, told
from bench.report import ROOT, SEED, Part, Table
from hindbrain.adapters.service import Service
from hindbrain.core.message import written
from hindbrain.entry.hooks import spool
from hindbrain.entry.hooks.run import Hook

_MEMORIES = 1_000
_RUNS, _QUICK_RUNS = 30, 5
_EVENTS, _QUICK_EVENTS = 100_000, 2_000
_SESSION = 200  # events of one session
_HOOK = ROOT / "src" / "hindbrain" / "hook.py"
_FLOOR, _SHELL = "python -I -S -c pass", "cat >> file"
_SILENT = "keeps the event"
_MOST = 2.0  # what we set ourselves for the hook that has nothing to say
_ANSWER = b'{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"%b"}}' % (b"x" * 2_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    name: str
    line: list[str]
    heard: Callable[[int], bytes]
    has_worker: bool = False
    is_answered: bool = False  # with what the worker said


def measure(*, is_quick: bool) -> Part:
    runs, events = (_QUICK_RUNS, _QUICK_EVENTS) if is_quick else (_RUNS, _EVENTS)
    with tempfile.TemporaryDirectory(prefix="hb-") as folder:
        spent = _spent(runs, Path(folder))
    with tempfile.TemporaryDirectory(prefix="hb-") as folder:
        sizes = _sizes(events, Path(folder))
    return _part(spent, sizes, runs=runs, is_whole=not is_quick)


def _kinds(project: Path, file: Path) -> list[_Kind]:
    asked = list(questions(_RUNS + 1, seed=2))
    hook = [sys.executable, "-I", "-S", str(_HOOK), "claude"]
    at = {"session_id": "bench", "cwd": str(project), "transcript_path": ""}

    def event(name: str, **fields: object) -> bytes:
        return json.dumps({**at, "hook_event_name": name, **fields}).encode()

    ran = event("PostToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_response={"stdout": "x" * 1_000})
    ended = event("SessionEnd", reason="other")

    def prompt(number: int) -> bytes:
        return event("UserPromptSubmit", prompt=asked[number])

    return [
        _Kind(name=_FLOOR, line=[sys.executable, "-I", "-S", "-c", "pass"], heard=lambda _: ran),
        _Kind(name=_SHELL, line=["sh", "-c", f"cat >> '{file}'"], heard=lambda _: ran),
        _Kind(name=_SILENT, line=hook, heard=lambda _: ran),
        _Kind(name="keeps it, safe from a power cut", line=hook, heard=lambda _: ended, has_worker=True),
        _Kind(name="answers, by the worker", line=hook, heard=prompt, has_worker=True, is_answered=True),
        _Kind(name="answers by itself", line=hook, heard=prompt),
    ]


def _spent(runs: int, home: Path) -> dict[str, list[float]]:
    project = home / "project"
    project.mkdir()
    with hindbrain.open(home / "hindbrain.db", project) as memory:
        fill(memory, list(lessons(_MEMORIES, seed=SEED)), label="hooks: filling")
    kinds = _kinds(project, home / "file")
    known = {**environment(home / "bytecode"), "HINDBRAIN_HOME": str(home), "HINDBRAIN_EMBEDDER": "off"}
    say(f"hooks: {runs} runs of {len(kinds)} kinds, taking turns")
    spent: dict[str, list[float]] = {kind.name: [] for kind in kinds}
    for number in told(range(runs + 1), "hooks: rounds"):
        for kind in kinds:
            (home / "worker-start").write_bytes(b"." * 20)  # no hook starts a worker: that is another process's time
            with _worker(home) if kind.has_worker else _nobody():
                cpu = children_ms(partial(_run, kind, number, project=project, known=known))
            if number:  # the first round compiles modules and warms the disk's cache
                spent[kind.name].append(cpu)
    return spent


def _run(kind: _Kind, number: int, *, project: Path, known: dict[str, str]) -> None:
    done = subprocess.run(kind.line, cwd=project, env=known, input=kind.heard(number), capture_output=True, check=False)
    if done.returncode or done.stderr:
        raise RuntimeError(f"{kind.name} ended with {done.returncode}: {done.stderr.decode()}")
    if kind.is_answered and done.stdout != _ANSWER:
        raise RuntimeError(f"{kind.name} printed {done.stdout[:200]!r}")


@contextmanager
def _nobody() -> Iterator[None]:
    yield


@contextmanager
def _worker(home: Path) -> Iterator[None]:
    """One that answers at once, in this process: what is measured is the hook's part."""
    service, is_over = Service(home / "worker.sock"), threading.Event()

    def serve() -> None:
        while not is_over.is_set():
            service.serve(lambda _: written({"body": _ANSWER}), for_s=60)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        service.wake()
        thread.join()
        service.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sizes:
    events: int
    half: int  # bytes of the spool after half of them
    spool: int
    store: int | None  # bytes of the store and its log once the spool is drained; None: nothing drains it here


def _sizes(events: int, home: Path) -> _Sizes:
    half = 0
    hook = Hook("claude", environ={b"HINDBRAIN_HOME": os.fsencode(home)})
    for number in told(range(events), "hooks: events"):
        spool.append(str(home), hook.record(_event(number, home)), is_synced=False)
        if number == events // 2 - 1:
            half = _size(home / "spool")
    full = _size(home / "spool")
    return _Sizes(events=events, half=half, spool=full, store=_drained(home))


def _event(number: int, home: Path) -> bytes:
    """A session as they are: it begins, a person asks, tools run, one in ten fails, and it ends."""
    place = number % _SESSION
    base = {"session_id": f"session-{number // _SESSION}", "cwd": str(home), "transcript_path": ""}
    call = {"tool_name": "Bash", "tool_input": {"command": f"make test-{place % 7}"}, "tool_use_id": f"call-{number}"}
    if place == 0:
        told_of: dict[str, object] = {"hook_event_name": "SessionStart", "source": "startup"}
    elif place == 1:
        told_of = {"hook_event_name": "UserPromptSubmit", "prompt": "make the tests pass", "prompt_id": f"p-{number}"}
    elif place == _SESSION - 1:
        told_of = {"hook_event_name": "SessionEnd", "reason": "other"}
    elif place % 10 == 9:
        told_of = {"hook_event_name": "PostToolUseFailure", **call, "error": "Exit code 1\nE  assert 1 == 2"}
    elif place % 2:
        told_of = {"hook_event_name": "PreToolUse", **call}
    else:
        told_of = {"hook_event_name": "PostToolUse", **call, "tool_response": {"stdout": "ok\n" * 100, "stderr": ""}}
    return json.dumps({**base, **told_of}).encode()


def _drained(home: Path) -> int | None:
    say("hooks: draining")
    known = {**os.environ, "HINDBRAIN_HOME": str(home), "PYTHONPATH": str(ROOT / "src")}
    subprocess.run([sys.executable, "-m", "hindbrain", "worker", "--once"], env=known, capture_output=True, check=False)
    waiting = (path for path in (home / "spool").iterdir() if path.name not in ("bad", "kept"))
    is_empty = not any(path.stat().st_size for path in waiting)
    return sum(path.stat().st_size for path in home.glob("hindbrain.db*")) if is_empty else None


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def _part(spent: dict[str, list[float]], sizes: _Sizes, *, runs: int, is_whole: bool) -> Part:
    least, shell = min(spent[_FLOOR]), min(spent[_SHELL])
    rows: list[tuple[str, ...]] = []
    figures: dict[str, float] = {}
    for name, values in spent.items():
        key = name.replace(",", "").replace(" ", "_").strip("_")
        figures |= {f"{key}_cpu_ms": min(values), f"{key}_ratio": min(values) / least}
        cells = (
            f"{min(values):.1f}",
            f"{median(values):.1f}",
            f"{min(values) / least:.2f}",
            f"{min(values) / shell:.1f}",
        )
        rows.append((f"`{name}`" if name in (_FLOOR, _SHELL) else name, *cells))
    figures |= {"events": sizes.events, "spool_bytes": sizes.spool, "spool_bytes_at_half": sizes.half}
    if sizes.store is not None:
        figures["store_bytes"] = sizes.store
    ratio = min(spent[_SILENT]) / least
    head = ("a hook that", "CPU ms, least", "CPU ms, median", "× empty Python, least", "× shell, least")
    return Part(
        name="hooks",
        title="One hook, and a hundred thousand of them",
        figures=figures,
        tables=[Table(head=head, rows=rows)],
        notes=[
            f"The hook that only keeps its event ÷ `{_FLOOR}`: {ratio:.2f}; we set ourselves at most {_MOST:g}. Whole "
            f"processes on a store of {_MEMORIES:,} memories, {runs} runs each, taking turns; the worker answers at "
            "once, and its own time is not the hook's.",
            _grown(sizes),
        ],
        is_whole=is_whole,
    )


def _grown(sizes: _Sizes) -> str:
    text = (
        f"{sizes.events:,} events of sessions of {_SESSION}: {sizes.spool / 1e6:.1f} MB of spool, "
        f"{sizes.spool / sizes.events:.0f} bytes each, of which the first half took {sizes.half / 1e6:.1f} MB."
    )
    if sizes.store is None:
        return f"{text} Nothing has drained them."
    return f"{text} Drained: {sizes.store / 1e6:.1f} MB of store, {sizes.store / sizes.events:.0f} bytes an event."
