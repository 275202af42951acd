"""What one command costs a user who waits for it: a process from nothing to its answer, against an empty Python."""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import hindbrain
from bench.fill import fill, signal
from bench.lessons import lessons, questions
from bench.meter import children_ms, environment, say, told
from bench.report import Part, Table

_MEMORIES = 1_000
_RUNS, _QUICK_RUNS = 30, 5
_FLOOR = "python -c pass"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Command:
    name: str
    line: Callable[[int], list[str]]  # of the numbered run
    heard: Callable[[int], str] = lambda _: ""  # its standard input


def measure(*, is_quick: bool) -> Part:
    runs = _QUICK_RUNS if is_quick else _RUNS
    with tempfile.TemporaryDirectory(prefix="hindbrain-bench-") as folder:
        home = Path(folder)
        project = home / "project"
        project.mkdir()
        with hindbrain.open(home / "hindbrain.db", project) as memory:
            fill(memory, list(lessons(_MEMORIES, seed=1)), label="cold: filling")
        say(f"cold: {runs} runs of {len(_commands())} commands, taking turns")
        spent = _spent(runs, project, store=home / "hindbrain.db")
    return _part(spent, runs=runs)


def _commands() -> list[_Command]:
    asked, taught = list(questions(_RUNS + 1, seed=2)), list(lessons(_RUNS + 1, seed=3))
    ours = _hindbrain()
    return [
        _Command(name=_FLOOR, line=lambda _: [sys.executable, "-c", "pass"]),
        _Command(name="hindbrain --version", line=lambda _: [*ours, "--version"]),
        _Command(name="hindbrain recall", line=lambda n: [*ours, "recall", asked[n], "--limit", "5"]),
        _Command(name="hindbrain capture", line=lambda _: [*ours, "capture"], heard=lambda n: signal(taught[n])),
        _Command(name="hindbrain inject", line=lambda n: [*ours, "inject", "--task-title", asked[n]]),
    ]


def _hindbrain() -> list[str]:
    """The command as it is installed beside this interpreter; the module where it is not installed."""
    script = Path(sys.executable).with_name("hindbrain")
    return [str(script)] if script.exists() else [sys.executable, "-m", "hindbrain"]


def _spent(runs: int, project: Path, *, store: Path) -> dict[str, list[float]]:
    commands = _commands()
    home = store.parent
    known = {**environment(home / "bytecode"), "HINDBRAIN_HOME": str(home), "HINDBRAIN_STORE": str(store)}
    spent: dict[str, list[float]] = {command.name: [] for command in commands}
    for number in told(range(runs + 1), "cold: rounds"):
        for command in commands:
            cpu = children_ms(partial(_run, command, number, project=project, environment=known))
            if number:  # the first round compiles modules and warms the disk's cache
                spent[command.name].append(cpu)
    return spent


def _run(command: _Command, number: int, *, project: Path, environment: dict[str, str]) -> None:
    heard = command.heard(number)
    done = subprocess.run(
        command.line(number), cwd=project, env=environment, input=heard, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{command.name} ended with {done.returncode}: {done.stderr.strip()}")


def _part(spent: dict[str, list[float]], *, runs: int) -> Part:
    least, middle = min(spent[_FLOOR]), median(spent[_FLOOR])
    rows: list[tuple[str, ...]] = []
    figures: dict[str, float] = {}
    for name, values in spent.items():
        ratio = min(values) / least
        key = name.removeprefix("hindbrain ").strip("-").replace(" ", "_")
        figures |= {f"{key}_cpu_ms": min(values), f"{key}_median_cpu_ms": median(values), f"{key}_ratio": ratio}
        cells = (f"{min(values):.1f}", f"{median(values):.1f}", f"{ratio:.2f}", f"{median(values) / middle:.2f}")
        rows.append((f"`{name}`", *cells))
    head = ("command", "CPU ms, least", "CPU ms, median", "× empty Python, least", "median")
    note = f"Whole processes on a store of {_MEMORIES:,} memories, {runs} runs each, taking turns."
    return Part(
        name="cold",
        title="One command, from nothing",
        figures=figures,
        tables=[Table(head=head, rows=rows)],
        notes=[note],
    )
