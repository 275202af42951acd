"""What upkeep costs as a project grows: exporting, consolidating, merging and pruning, in time and in memory.

Each job runs in a process of its own, so that its memory can be told: against what the project's memories take by
themselves, once all of them are read.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import hindbrain
from bench.fill import fill
from bench.growth import exponent
from bench.lessons import lessons
from bench.meter import say, told
from bench.plot import Line, lines
from bench.report import ROOT, Part, Plot, Table
from hindbrain.core.model import Kind, State
from hindbrain.facade import Hindbrain
from hindbrain.ports import Changes, Where

_FULL_SIZES, _SIZES, _QUICK_SIZES = (1_000, 10_000, 100_000), (1_000, 3_000, 10_000), (300, 1_000)
_JOBS = ("read", "export", "consolidate", "merge", "prune")
_EPISODES = 0.5  # of the memories
_TWINS = 0.05  # said once more, with another end
_OLD = timedelta(days=400)
_ALIKE = 4  # episodes that met the same error and cured it the same way
_BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    """What one job took at one size."""

    memories: int
    job: str
    cpu_s: float
    peak_mb: float  # above what the process took before the job
    did: int  # memories that it read, wrote, learned, archived or hid


def measure(*, is_quick: bool, is_full: bool = False) -> Part:
    sizes = _QUICK_SIZES if is_quick else _FULL_SIZES if is_full else _SIZES
    points = [point for size in sizes for point in _measured(size)]
    return _part(points, sizes, is_whole=is_full)


def _measured(size: int) -> list[_Point]:
    with tempfile.TemporaryDirectory(prefix="hindbrain-bench-") as folder:
        store = Path(folder) / "hindbrain.db"
        with hindbrain.open(store, "bench") as memory:
            _filled(memory, size)
        return [_run(job, _apart(store) if job == "consolidate" else store, size=size) for job in _JOBS]


def _apart(store: Path) -> Path:
    """A copy, with its log: episodes that a pattern stands on would not be pruned."""
    copy = store.with_name("consolidated") / store.name
    copy.parent.mkdir()
    for file in store.parent.glob(f"{store.name}*"):
        if file.is_file():
            shutil.copy(file, copy.parent)
    return copy


def _filled(memory: Hindbrain, size: int) -> None:
    """Half lessons, some of them twice, half episodes that are old enough to be put away."""
    twins, episodes = int(size * _TWINS), int(size * _EPISODES)
    texts = list(lessons(size - twins, seed=1))
    ours = texts[: size - twins - episodes]
    fill(memory, [*ours, *(f"{text.rstrip('.')}!" for text in ours[:twins])], label=f"lifecycle: {size:,}")
    project = memory.project
    if project is None:
        raise RuntimeError("nothing was kept")
    model = memory.store.select(Where(project=project.id), limit=1)[0]
    old = model.learned_at - _OLD
    found = [
        replace(
            model,
            id=f"mem-episode-{number:07d}",
            kind=Kind.EPISODE,
            content=text,
            title=text[:60],
            learned_at=old,
            created_at=old,
            updated_at=old,
            content_hash=f"{number:064x}",
            body=_body(number, text, cause=texts[number // _ALIKE]),
        )
        for number, text in enumerate(texts[size - twins - episodes :])
    ]
    starts = list(range(0, len(found), _BATCH))
    for start in told(starts, f"lifecycle: {len(found):,} episodes, batches of {_BATCH}"):
        batch = tuple(found[start : start + _BATCH])
        memory.store.write(lambda tx, batch=batch: tx.apply(Changes(memories=batch)))  # type: ignore[misc]


def _body(number: int, text: str, *, cause: str) -> dict[str, object]:
    """A task of its own, whose error others have met."""
    words = cause.split()
    trouble = {"type": "RuntimeError", "message": " ".join(words[:12]), "resolution": " ".join(words[12:])}
    return {
        "task_id": f"task-{number}",
        "context": {"goal": text},
        "action_log": [{"t": step, "action": "read_file"} for step in range(5)],
        "outcome": "success",
        "errors_encountered": [trouble],
    }


def _run(job: str, store: Path, *, size: int) -> _Point:
    say(f"lifecycle: {job} at {size:,}")
    call = [sys.executable, "-m", "bench.lifecycle", str(store), job]
    said = json.loads(subprocess.run(call, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    return _Point(memories=size, job=job, **said)


def _child(store: Path, job: str) -> None:
    """One job, and what it took, as JSON."""
    with hindbrain.open(store, "bench") as memory:
        before, began = _peak_mb(), time.process_time()
        did = _done(memory, job, folder=store.parent / "out")
        spent = time.process_time() - began
    print(json.dumps({"cpu_s": spent, "peak_mb": _peak_mb() - before, "did": did}))


def _done(memory: Hindbrain, job: str, *, folder: Path) -> int:
    match job:
        case "read":
            project = memory.project.id if memory.project else ""
            return len(memory.store.select(Where(project=project, states=frozenset(State))))
        case "export":
            memory.hand_out("beads", str(folder))
            return sum(1 for path in folder.rglob("*.jsonl") for _ in path.open())
        case "consolidate":
            learned = memory.consolidate(since=2 * _OLD)
            return len(learned.patterns) + len(learned.anti_patterns)
        case "merge":
            return sum(len(one.others) for one in memory.merge().merged)
        case _:
            return len(memory.prune().archived)


def _peak_mb() -> float:
    """By what the kernel says of this program: what `resource` tells begins with the process that started it."""
    said = Path("/proc/self/status").read_text("utf-8")
    return int(said.partition("VmHWM:")[2].split()[0]) / 1024


def _part(points: Sequence[_Point], sizes: Sequence[int], *, is_whole: bool) -> Part:
    of = {(point.job, point.memories): point for point in points}
    figures: dict[str, float] = {}
    rows = []
    for job in _JOBS:
        grown = exponent(sizes, [max(of[job, size].cpu_s, 1e-3) for size in sizes])
        share = of[job, sizes[-1]].peak_mb / max(of["read", sizes[-1]].peak_mb, 1.0)
        figures |= {f"{job}_exponent": grown, f"{job}_memory_ratio": share}
        figures |= {f"{size}_{job}_cpu_s": of[job, size].cpu_s for size in sizes}
        figures |= {f"{size}_{job}_peak_mb": of[job, size].peak_mb for size in sizes}
        spent = [f"{of[job, size].cpu_s:.2f} s, {of[job, size].peak_mb:.0f} MB" for size in sizes]
        rows.append((job, *spent, f"{of[job, sizes[-1]].did:,}", f"{grown:.2f}", f"{share:.1f}"))
    head = ("job", *(f"{size:,}" for size in sizes), "memories at the last", "growth exponent", "memory, × read")
    notes = [
        "One project: half lessons, a twentieth of them said twice, half old episodes, four of which met the same "
        "error. Read: all memories as values, the working set that the last column is measured in; export: the Beads "
        "files; consolidate: all episodes at once, not those of a day; merge: every duplicate hidden; prune: every "
        "episode archived. CPU seconds, and the memory above that of a process with the store open.",
        "An exponent of 1 is linear; n log n over these sizes is "
        f"{_loglinear(sizes):.2f}. A comparison of all pairs would be 2.",
    ]
    title = "CPU seconds of upkeep, as one project grows"
    series = [Line(label=job, points=[(size, of[job, size].cpu_s) for size in sizes]) for job in _JOBS]
    picture = lines(title, series, x_title="memories", y_title="CPU s", is_log_y=True)
    return Part(
        name="lifecycle",
        title="Upkeep",
        figures=figures | {"loglinear_exponent": _loglinear(sizes)},
        tables=[Table(head=head, rows=rows)],
        plots=[Plot(name="lifecycle", title=title, svg=picture)],
        notes=notes,
        is_whole=is_whole,
    )


def _loglinear(sizes: Sequence[int]) -> float:
    from math import log

    return exponent(sizes, [size * log(size) for size in sizes])


if __name__ == "__main__":
    _child(Path(sys.argv[1]), sys.argv[2])
