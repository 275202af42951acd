"""What a recall by words and meaning costs beside the least it could: one query, one scan and one text embedded.

All four take turns on the same questions, so that a busy machine hits each.
"""

import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import process_time_ns
from typing import Any

import apsw

import hindbrain
from bench.lessons import questions
from bench.meter import say
from bench.plot import Line, lines
from bench.report import SEED, Part, Plot, Table
from hindbrain.adapters.ai.minilm import SPACE, MiniLm
from hindbrain.core.model import State
from hindbrain.core.recall.index import WEIGHTS, scope_token
from hindbrain.core.words import query_terms
from hindbrain.facade import Hindbrain

_TITLE = "A recall and its parts"
_ALONE = (10_000, 1)  # memories, projects
_SPREAD = ((10_000, 10), (100_000, 100))
_FULL_SPREAD = (*_SPREAD, (1_000_000, 1_000))
_QUICK_ALONE, _QUICK_SPREAD = (1_000, 1), ((1_000, 10), (3_000, 30))
_RUNS, _QUICK_RUNS = 200, 30
_WARM = 10  # first questions that are not counted
_ANSWERS = 10
_BLOCK = 512  # vectors that are widened at once
_MOST, _MOST_GROWTH = 1.5, 2.0  # what we set ourselves


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    """CPU ms at one size, the median of all questions."""

    memories: int
    projects: int
    recall: float
    query: float
    scan: float
    embed: float

    @property
    def name(self) -> str:
        return f"{self.memories:,} in {self.projects:,} project{'s' if self.projects > 1 else ''}"

    @property
    def parts(self) -> float:
        return self.query + self.scan + self.embed


def measure(*, is_quick: bool, is_full: bool = False) -> Part:
    if find_spec("onnxruntime") is None:
        return Part(name="parts", title=_TITLE, notes=["Not measured: onnxruntime is not installed."], is_whole=False)
    runs = _QUICK_RUNS if is_quick else _RUNS
    model = MiniLm()
    alone = _measured(*(_QUICK_ALONE if is_quick else _ALONE), model=model, runs=runs)
    sizes = _QUICK_SPREAD if is_quick else _FULL_SPREAD if is_full else _SPREAD
    spread = [_measured(size, projects, model=model, runs=runs) for size, projects in sizes]
    return _part(alone, spread, runs=runs, is_whole=is_full)


def _measured(size: int, projects: int, *, model: MiniLm, runs: int) -> _Point:
    from bench import bulk  # numpy

    with tempfile.TemporaryDirectory(prefix="hindbrain-bench-") as folder:
        path = Path(folder) / "hindbrain.db"
        bulk.fill(path, size=size, projects=projects, space=SPACE, label=f"parts: filling {size:,} in {projects:,}")
        name = bulk.project_name(projects // 2)
        say(f"parts: {runs} recalls at {size:,} in {projects:,}")
        with hindbrain.open(path, name, embedder=model) as memory, closing(_second(path)) as db:
            asked = list(questions(_WARM + runs, seed=SEED))
            actions: dict[str, Callable[[str], object]] = {
                "recall": lambda text: memory.recall(text, limit=_ANSWERS),
                "query": _query(db, memory, projects=projects),
                "scan": _scan(size // projects),
                "embed": lambda text: model.embed([text]),
            }
            return _Point(memories=size, projects=projects, **_in_turn(actions, asked))


def _in_turn(actions: dict[str, Callable[[str], object]], asked: Sequence[str]) -> dict[str, float]:
    spent: dict[str, list[float]] = {name: [] for name in actions}
    for text in asked:
        for name, action in actions.items():
            before = process_time_ns()
            action(text)
            spent[name].append((process_time_ns() - before) / 1e6)
    return {name: median(values[_WARM:]) for name, values in spent.items()}


def _second(path: Path) -> apsw.Connection:
    """A connection of the bench's own: the part is asked with nothing of ours in between."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    return db


_BEST = (
    "SELECT rowid FROM memory_words WHERE memory_words MATCH ?"
    f" ORDER BY bm25(memory_words, {', '.join(map(str, WEIGHTS))}) LIMIT {_ANSWERS}"
)


def _query(db: apsw.Connection, memory: Hindbrain, *, projects: int) -> Callable[[str], object]:
    """The row numbers of the ten best for any of the words, in the project where there are others."""
    known = memory.project
    if known is None:
        raise RuntimeError("the project was filled under another name")
    ((number,),) = db.execute("SELECT seq FROM project WHERE id = ?", (known.id,)).fetchall()
    scope = f'scope : "{scope_token(int(str(number)), State.LIVE)}" AND ' if projects > 1 else ""

    def ask(text: str) -> object:
        words = " OR ".join(f'"{word}"' for word in query_terms(text))
        match = f"{scope}{{title_words content_words extra_words}} : ({words})"
        return db.execute(_BEST, (match,)).fetchall()

    return ask


def _scan(count: int) -> Callable[[str], object]:
    """All vectors of a project of that size against one, and which ten are nearest."""
    import numpy as np

    from bench.vectors import coded, points_of

    codes, scales = coded(points_of(count, seed=SEED))
    scales = scales.astype(np.float32)
    point: Any = points_of(1, seed=2)[0].astype(np.float32)
    found = np.empty(count, np.float32)

    def scan(_: str) -> object:
        for at in range(0, count, _BLOCK):
            np.dot(codes[at : at + _BLOCK].astype(np.float32), point, out=found[at : at + _BLOCK])
        return np.argpartition(-(found * scales), min(_ANSWERS, count - 1))[:_ANSWERS]

    return scan


def _part(alone: _Point, spread: Sequence[_Point], *, runs: int, is_whole: bool) -> Part:
    ratio, growth = alone.recall / alone.parts, spread[-1].recall / spread[0].recall
    points = [alone, *spread]
    figures = {f"{p.memories}x{p.projects}_{name}_cpu_ms": getattr(p, name) for p in points for name in _NAMES}
    figures |= {"recall_over_parts": ratio, "recall_growth": growth}
    head = ("memories", "recall", "one FTS5 query", "one int8 scan", "one text embedded", "sum", "recall ÷ sum")
    notes = [
        f"Recall ÷ sum of its parts at {alone.name}: {ratio:.2f}; we set ourselves at most {_MOST:g}. A recall at "
        f"{spread[-1].name} ÷ one at {spread[0].name}: {growth:.2f}; at most {_MOST_GROWTH:g}.",
        f"Whole recalls of ten by words and meaning through the public façade, with a running model; CPU ms, the "
        f"median of {runs} that took turns. The parts: the row numbers of the ten best by BM25 for the same words in "
        "the same file; the project's vectors, a byte a dimension, against one, and the ten nearest; the question "
        "embedded. One piece a memory.",
    ]
    table = Table(head=head, rows=[_row(point) for point in points], title="CPU ms")
    return Part(
        name="parts",
        title=_TITLE,
        figures=figures,
        tables=[table],
        plots=[_plot(spread)],
        notes=notes,
        is_whole=is_whole,
    )


_NAMES = ("recall", "query", "scan", "embed")


def _row(point: _Point) -> tuple[str, ...]:
    spent = (*(getattr(point, name) for name in _NAMES), point.parts)
    return (point.name, *(f"{value:.2f}" for value in spent), f"{point.recall / point.parts:.2f}")


def _plot(points: Sequence[_Point]) -> Plot:
    title = (
        f"CPU ms of one recall in a project of {points[0].memories // points[0].projects:,}, as others come beside it"
    )
    series = [
        Line(label="recall", points=[(p.memories, p.recall) for p in points]),
        Line(label="sum of its parts", points=[(p.memories, p.parts) for p in points]),
        Line(label="one FTS5 query", points=[(p.memories, p.query) for p in points]),
        Line(label="one text embedded", points=[(p.memories, p.embed) for p in points]),
        Line(label="one int8 scan", points=[(p.memories, p.scan) for p in points]),
    ]
    return Plot(name="parts", title=title, svg=lines(title, series, x_title="memories in all", y_title="CPU ms"))
