"""How cost grows with what is kept: captures and recalls at four sizes, against the least that the engine could do."""

import math
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw

import hindbrain
from bench.fill import fill, signal
from bench.lessons import lessons, questions
from bench.meter import Cost, cost, say, told
from bench.plot import Line, lines
from bench.report import Part, Plot, Table
from hindbrain.core.model import State
from hindbrain.core.recall.index import scope_token
from hindbrain.core.words import query_terms
from hindbrain.facade import Hindbrain

_SIZES, _QUICK_SIZES = (1_000, 10_000, 100_000), (300, 1_000, 3_000)
_PROJECTS, _QUICK_PROJECTS = 100, 10
_RUNS, _QUICK_RUNS = 200, 30
_WARM = 5  # first operations that are not counted: statements get compiled, pages read
_ANSWERS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    """What was measured at one size."""

    memories: int
    projects: int
    capture: Cost
    recall: Cost
    insert: Cost  # floor: a row with the same text, durable
    query: Cost  # floor: the same words, the row numbers of the best
    bytes_per_memory: float

    @property
    def name(self) -> str:
        return f"{self.memories:,} in {self.projects} project{'s' if self.projects > 1 else ''}"


def measure(*, is_quick: bool) -> Part:
    sizes = _QUICK_SIZES if is_quick else _SIZES
    projects = _QUICK_PROJECTS if is_quick else _PROJECTS
    runs = _QUICK_RUNS if is_quick else _RUNS
    points = [*_one_project(sizes, runs=runs), _many_projects(sizes[-1], projects, runs=runs)]
    return _part(points, runs=runs)


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The b of cost = a · size^b, by least squares on the logarithms: 0 is flat, 1 is linear."""
    x, y = [math.log(size) for size in sizes], [math.log(cost) for cost in costs]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    spread = sum((a - mean_x) ** 2 for a in x)
    if not spread:
        raise ValueError("one size alone has no growth")
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread


def _one_project(sizes: Sequence[int], *, runs: int) -> Iterator[_Point]:
    """One store that grows: what is measured at a size stays in it, and is too little to matter at the next."""
    texts = list(lessons(sizes[-1], seed=1))
    with _folder() as folder:
        store, filled = folder / "hindbrain.db", 0
        for size in sizes:
            with hindbrain.open(store, "bench") as memory:
                fill(memory, texts[filled:size], label=f"growth: filling to {size:,}")
                filled = size
                yield _measured(memory, store, size=size, projects=1, runs=runs)


def _many_projects(size: int, projects: int, *, runs: int) -> _Point:
    """The same memories, spread: what a machine with many code bases holds. One of them is asked."""
    texts = list(lessons(size, seed=1))
    each = size // projects
    with _folder() as folder:
        store = folder / "hindbrain.db"
        for number in told(range(projects), f"growth: filling {projects} projects"):
            with hindbrain.open(store, f"bench-{number}") as memory:
                fill(memory, texts[number * each : (number + 1) * each], label="growth: filling")
        with hindbrain.open(store, f"bench-{projects // 2}") as memory:
            return _measured(memory, store, size=size, projects=projects, runs=runs)


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="hindbrain-bench-") as folder:
        yield Path(folder)


def _measured(memory: Hindbrain, store: Path, *, size: int, projects: int, runs: int) -> _Point:
    say(f"growth: {runs} captures and recalls at {size:,} in {projects}")
    texts = list(lessons(_WARM + runs, seed=size + projects))
    asked = list(questions(_WARM + runs, seed=1))
    with closing(_second(store)) as db:
        bytes_per_memory = _size(db, store) / size
        project_id = memory.project.id if memory.project else ""
        matches = [_match(words, db, project=project_id) for words in asked]
        query = _after_warming(cost(lambda match: db.execute(_BARE, (match, _ANSWERS)).fetchall(), matches))
    insert = _after_warming(_inserts(store.with_name("floor.db"), texts))
    recall = _after_warming(cost(lambda words: memory.recall(words, limit=_ANSWERS), asked))
    capture = _after_warming(cost(lambda text: memory.capture(signal(text), session="bench"), texts))
    return _Point(
        memories=size,
        projects=projects,
        capture=capture,
        recall=recall,
        insert=insert,
        query=query,
        bytes_per_memory=bytes_per_memory,
    )


def _after_warming(whole: Cost) -> Cost:
    kept = whole.cpu_ms[_WARM:]
    return Cost(kept, whole.wall_s * len(kept) / len(whole.cpu_ms))


def _second(store: Path) -> apsw.Connection:
    """A connection of the bench's own to the file: the floor asks it with nothing of ours in between."""
    db = apsw.Connection(str(store), flags=apsw.SQLITE_OPEN_READWRITE)
    db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    return db


def _size(db: apsw.Connection, store: Path) -> int:
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return store.stat().st_size


_BARE = "SELECT rowid FROM memory_words WHERE memory_words MATCH ? ORDER BY bm25(memory_words, 0, 2, 1, 1) LIMIT ?"


def _match(words: str, db: apsw.Connection, *, project: str) -> str:
    """What the store would ask the word index, without memories that belong to every project."""
    found = db.execute("SELECT seq FROM project WHERE id = ?", (project,)).fetchall()
    token = scope_token(int(str(found[0][0])), State.LIVE)
    any_word = " OR ".join(f'"{word}"' for word in query_terms(words))
    return f'scope : "{token}" AND {{title_words content_words extra_words}} : ({any_word})'


def _inserts(path: Path, texts: Sequence[str]) -> Cost:
    path.unlink(missing_ok=True)
    with closing(apsw.Connection(str(path))) as db:
        db.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL").fetchall()
        db.execute("CREATE TABLE lesson (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
        return cost(lambda text: db.execute("INSERT INTO lesson (text) VALUES (?)", (text,)), texts)


def _part(points: Sequence[_Point], *, runs: int) -> Part:
    line = [point for point in points if point.projects == 1]
    figures = {name: value for point in points for name, value in _figures(point).items()}
    rows = []
    for verb in ("capture", "recall"):
        spent = [getattr(point, verb).median for point in line]
        whole = exponent([p.memories for p in line], spent)
        last = exponent([p.memories for p in line[-2:]], spent[-2:])
        figures |= {f"{verb}_exponent": whole, f"{verb}_exponent_last": last}
        rows.append((verb, f"{whole:.2f}", f"{last:.2f}"))
    last_sizes = f"{line[-2].memories:,} to {line[-1].memories:,}"
    notes = [
        "Through the public façade, one operation a transaction. The floors: one durable insert of the same text "
        "into a table without an index; the row numbers of the ten best by BM25 for the same words in the same file.",
        f"{runs} operations each, CPU ms as the median; per second by the CPU that all of them took, and by the wall. "
        "An exponent of 0 is flat, 1 is linear.",
    ]
    tables = [
        Table(head=_HEAD, rows=[_row("capture", point) for point in points], title="Capture"),
        Table(head=_HEAD, rows=[_row("recall", point) for point in points], title="Recall"),
        Table(
            head=("growth exponent, one project", f"{line[0].memories:,} to {line[-1].memories:,}", last_sizes),
            rows=rows,
            title="Growth",
        ),
        Table(
            head=("memories", "bytes per memory"),
            rows=[(p.name, f"{p.bytes_per_memory:,.0f}") for p in points],
            title="Disk",
        ),
    ]
    return Part(
        name="growth", title="As the store grows", figures=figures, tables=tables, plots=[_plot(line)], notes=notes
    )


def _plot(points: Sequence[_Point]) -> Plot:
    title = "CPU ms of one operation, as one project grows"
    series = [
        Line(label="capture", points=[(p.memories, p.capture.median) for p in points]),
        Line(label="recall", points=[(p.memories, p.recall.median) for p in points]),
        Line(label="one insert, the floor", points=[(p.memories, p.insert.median) for p in points]),
        Line(label="one FTS5 query, the floor", points=[(p.memories, p.query.median) for p in points]),
    ]
    return Plot(
        name="growth", title=title, svg=lines(title, series, x_title="memories", y_title="CPU ms", is_log_y=True)
    )


_HEAD = ("memories", "CPU ms", "least", "per CPU second", "per second", "floor, CPU ms", "× floor")


def _row(verb: str, point: _Point) -> tuple[str, ...]:
    ours: Cost = getattr(point, verb)
    floor = point.insert if verb == "capture" else point.query
    return (
        point.name,
        f"{ours.median:.2f}",
        f"{ours.best:.2f}",
        f"{ours.per_cpu_second:,.0f}",
        f"{ours.per_second:,.0f}",
        f"{floor.median:.3f}",
        f"{ours.median / floor.median:.1f}",
    )


def _figures(point: _Point) -> dict[str, float]:
    prefix = f"{point.memories}x{point.projects}"
    return {
        f"{prefix}_capture_cpu_ms": point.capture.median,
        f"{prefix}_capture_ratio": point.capture.median / point.insert.median,
        f"{prefix}_captures_per_cpu_second": point.capture.per_cpu_second,
        f"{prefix}_captures_per_second": point.capture.per_second,
        f"{prefix}_recall_cpu_ms": point.recall.median,
        f"{prefix}_recall_ratio": point.recall.median / point.query.median,
        f"{prefix}_recalls_per_cpu_second": point.recall.per_cpu_second,
        f"{prefix}_recalls_per_second": point.recall.per_second,
        f"{prefix}_insert_floor_cpu_ms": point.insert.median,
        f"{prefix}_query_floor_cpu_ms": point.query.median,
        f"{prefix}_bytes_per_memory": point.bytes_per_memory,
    }
