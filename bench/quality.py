"""How well we decide, on texts that nobody here wrote: the evaluation scripts, run on our decisions and on others'."""

import re
from dataclasses import dataclass, field
from importlib.util import find_spec

from bench import evals, scorers
from bench.meter import say
from bench.report import ROOT, Part, Table

_OURS = ROOT / "bench" / "scorers.py"
_LINE = re.compile(r"^(?:dup/|update/pairs )(\w+)", re.MULTILINE)
_ALARMS = re.compile(r"benign false alarms (\d+)/(\d+)")
_SETS = ("mrpc", "stsb", "beads", "lessons", "consolidate")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """A decision, the script that judges it, who makes it, and which of its figures are shown."""

    name: str
    title: str
    script: str
    option: str  # of the script, naming who decides
    ours: str  # function in scorers.py
    others: tuple[str, ...]  # that the script knows
    runs: tuple[tuple[str, ...], ...]  # further arguments, one tuple a run
    shown: tuple[str, ...]


_TASKS = (
    _Task(
        name="secrets",
        title="Secrets at the door",
        script="secrets_eval.py",
        option="--detector",
        ours="secret",
        others=("basic", "detect-secrets"),
        runs=((),),
        shown=("n", "P", "R", "F1", "benign"),
    ),
    _Task(
        name="same",
        title="The same lesson",
        script="dup_pairs.py",
        option="--scorer",
        ours="duplicate",
        others=("jaccard",),
        runs=tuple(("--sets", name) for name in _SETS),
        shown=("n", "pos", "AUC", "P", "R", "F1", "R@P95"),
    ),
    _Task(
        name="update",
        title="An update or a contradiction",
        script="update_eval.py",
        option="--scorer",
        ours="update",
        others=("jaccard",),
        runs=(("--task", "pairs"),),
        shown=("n", "pos", "AUC", "P", "R", "F1", "R@P95"),
    ),
)
_SLOW = {"detect-secrets"}


@dataclass(slots=True)
class _Findings:
    """What the runs have shown so far; the one value here that grows."""

    figures: dict[str, float] = field(default_factory=dict)
    rows: list[tuple[str, ...]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def measure(*, is_quick: bool) -> Part:
    """Scores of every task whose script and data are there; a note for each that is not."""
    if missing := evals.missing():
        say(f"quality: {missing}")
        return Part(name="quality", title=_TITLE, notes=[f"Not measured: {missing}."])
    figures: dict[str, float] = {}
    tables, notes = [], [_NOTE]
    for task in _TASKS:
        found = _Findings()
        for who in (task.ours, *task.others):
            if not (is_quick and who in _SLOW):
                _try(task, who, found=found)
        figures |= found.figures
        notes += dict.fromkeys(found.notes)
        tables.append(Table(head=("set, system", *task.shown), rows=found.rows, title=task.title))
    return Part(name="quality", title=_TITLE, figures=figures, tables=tables, notes=notes)


_TITLE = "How well it decides"
_NOTE = (
    "One half of each public set; thresholds are chosen on its train part and judged on its test part. "
    "P precision, R recall, R@P95 recall at 95% precision, benign: share of harmless texts with a false alarm."
)


def _try(task: _Task, who: str, *, found: _Findings) -> None:
    is_ours = who == task.ours
    label = "hindbrain" if is_ours else who
    if is_ours and not hasattr(scorers, who):
        found.notes.append(f"Not measured: bench/scorers.py has no `{who}` yet.")
        return
    if who == "detect-secrets" and find_spec("detect_secrets") is None:
        found.notes.append("Not measured: detect-secrets is not installed.")
        return
    system = f"{_OURS}:{who}" if is_ours else who
    for arguments in task.runs:
        say(f"quality: {task.script} {label} {' '.join(arguments)}")
        done = evals.run(task.script, task.option, system, *arguments)
        _collect(task, done.stdout, label=label, found=found)
        if done.returncode:
            asked = arguments[-1] if arguments else "all"
            found.notes.append(
                f"{task.title}, `{asked}`: not every set is whole in this data, and the script stopped at the first "
                f"that is not ({evals.kind_of_error(done.stderr)})."
            )


def _collect(task: _Task, output: str, *, label: str, found: _Findings) -> None:
    for line in output.splitlines():
        named = _LINE.match(line)
        is_summary = named or line.startswith("secrets ")
        if not is_summary:
            continue
        set_name = named[1] if named else "vectors"
        values = evals.figures(line)
        if alarms := _ALARMS.search(line):
            values["benign"] = int(alarms[1]) / int(alarms[2])
        found.figures |= {f"{task.name}_{set_name}_{label}_{name}": value for name, value in values.items()}
        cells = (_cell(name, values.get(name)) for name in task.shown)
        found.rows.append((f"{set_name}, {label}", *cells))


def _cell(name: str, value: float | None) -> str:
    if value is None:
        return "–"
    if name in ("n", "pos"):
        return f"{value:,.0f}"
    return f"{value:.2%}" if name == "benign" else f"{value:.3f}"
