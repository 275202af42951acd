"""How the cost of a question by meaning grows: with a project, and with all the projects beside it."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import apsw

from bench.lessons import lessons
from bench.meter import Cost, cost, say, told
from bench.report import Part, Table
from hindbrain.adapters.sqlite import SqliteStore, rows
from hindbrain.adapters.sqlite.engine import teach
from hindbrain.core.model import Memory, Space, Vector
from hindbrain.core.model.vector import quantised
from hindbrain.core.recall.meaningful import digest, meaningful
from hindbrain.ports import Changes, Where

np: Any = import_module("numpy") if find_spec("numpy") else None

_SIZES = ((1_000, 1), (10_000, 1), (10_000, 10), (100_000, 100), (1_000_000, 1_000))  # memories, projects
_QUICK_SIZES = ((300, 1), (1_000, 1), (1_000, 10))
_RUNS, _QUICK_RUNS = 200, 30
_COLD_RUNS = 20
_WARM = 5  # first operations that are not counted
_ANSWERS = 10
_BATCH = 20_000  # rows in one transaction of the filling
_CLUSTERS, _SPREAD = 200, 0.7  # what random points gather around, and how loosely: as topics do
_SPACE = Space(provider="bench", model="random", version="1", dimension=384)
_TITLE = "By meaning"
_AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    """What was measured at one size."""

    memories: int
    projects: int
    cold: Cost  # the first question of a connection
    warm: Cost  # the same project again
    grown: Cost  # after another memory has come into it
    floor: Cost  # the multiplication alone
    bare: Cost  # keeping a memory without a vector
    whole: Cost  # and with one
    bytes_per_vector: float

    @property
    def name(self) -> str:
        return f"{self.memories:,} in {self.projects:,} project{'s' if self.projects > 1 else ''}"


def measure(*, is_quick: bool, is_full: bool = False) -> Part:
    if np is None:
        notes = ["Not measured: `pip install -e '.[bench]'` brings numpy."]
        return Part(name="vectors", title=_TITLE, notes=notes, is_whole=False)
    sizes = _QUICK_SIZES if is_quick else _SIZES if is_full else _SIZES[:-1]
    runs = _QUICK_RUNS if is_quick else _RUNS
    points = [_measured(size, projects, runs=runs) for size, projects in sizes]
    kept = _neighbours_kept(1_000 if is_quick else 10_000, runs=runs)
    return replace(_part(points, kept=kept, runs=runs), is_whole=is_full)


def _measured(size: int, projects: int, *, runs: int) -> _Point:
    with tempfile.TemporaryDirectory(prefix="hindbrain-bench-") as folder:
        path = Path(folder) / "hindbrain.db"
        bytes_per_vector = _fill(path, size=size, projects=projects)
        say(f"vectors: {runs} questions at {size:,} in {projects:,}")
        asked = points_of(_WARM + runs, seed=2).tolist()
        where = Where(project=f"prj-{projects // 2}")
        cold = cost(lambda n: _first_question(path, asked[n], where=where), range(_COLD_RUNS))
        with closing(SqliteStore(path)) as store:
            warm = cost(lambda p: store.nearest(p, _SPACE, where=where, limit=_ANSWERS), asked)
            bare, whole, grown = _writes(store, asked, where=where)
        return _Point(
            memories=size,
            projects=projects,
            cold=_after_warming(cold),
            warm=_after_warming(warm),
            grown=_after_warming(grown),
            floor=_after_warming(_floor(size // projects, asked)),
            bare=_after_warming(bare),
            whole=_after_warming(whole),
            bytes_per_vector=bytes_per_vector,
        )


def _first_question(path: Path, point: Sequence[float], *, where: Where) -> None:
    with closing(SqliteStore(path)) as store:
        store.nearest(point, _SPACE, where=where, limit=_ANSWERS)


def _writes(store: SqliteStore, points: Sequence[Sequence[float]], *, where: Where) -> tuple[Cost, Cost, Cost]:
    """A memory a transaction: without a vector, with one, and the question right after."""
    memories = [_memory(n, text, project=where.project) for n, text in enumerate(lessons(2 * len(points), seed=3))]
    bare, others = memories[: len(points)], memories[len(points) :]
    made = [_vector(memory, point) for memory, point in zip(others, points, strict=True)]
    without = cost(lambda memory: store.write(lambda tx: tx.apply(Changes(memories=(memory,)))), bare)
    whole, grown = [], []
    for memory, vector in zip(others, made, strict=True):
        change = Changes(memories=(memory,), vectors=(vector,))
        whole.append(cost(lambda c: store.write(lambda tx: tx.apply(c)), [change]))
        grown.append(cost(lambda p: store.nearest(p, _SPACE, where=where, limit=_ANSWERS), points[:1]))
    return without, _joined(whole), _joined(grown)


def _joined(costs: Sequence[Cost]) -> Cost:
    return Cost(tuple(spent for one in costs for spent in one.cpu_ms), sum(one.wall_s for one in costs))


def _after_warming(whole: Cost) -> Cost:
    kept = whole.cpu_ms[_WARM:]
    return Cost(kept, whole.wall_s * len(kept) / len(whole.cpu_ms))


def _memory(number: int, text: str, *, project: str) -> Memory:
    name = f"mem-late-{number:06}"
    return Memory(
        id=name, project=project, content=text, title=text[:40], learned_at=_AT, created_at=_AT, updated_at=_AT
    )


def _vector(memory: Memory, point: Sequence[float]) -> Vector:
    code, scale = quantised(point)
    text = meaningful(memory)
    span = {"start": 0, "end": len(text), "digest": digest(text)}
    return Vector(memory_id=memory.id, space=_SPACE, piece=0, code=code, scale=scale, **span)  # type: ignore[arg-type]


def _floor(count: int, asked: Sequence[Sequence[float]]) -> Cost:
    codes, _ = coded(points_of(count, seed=1))
    points = [np.array(point, dtype=np.float32) for point in asked]
    return cost(lambda point: [codes[at : at + 512].astype(np.float32) @ point for at in range(0, count, 512)], points)


def points_of(count: int, *, seed: int) -> Any:
    """Points of length 1 around common centres; the same centres for every seed."""
    centres = np.random.default_rng(0).standard_normal((_CLUSTERS, _SPACE.dimension))
    chance = np.random.default_rng((seed, count))
    points = centres[chance.integers(0, _CLUSTERS, count)]
    points = points + _SPREAD * chance.standard_normal(points.shape)
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def coded(points: Any) -> tuple[Any, Any]:
    """All of `points` as `quantised` would keep each."""
    scales = np.abs(points).max(axis=1) / 127
    return np.rint(points / scales[:, None]).astype(np.int8), scales


def _fill(path: Path, *, size: int, projects: int) -> float:
    """Memories of all projects in turn, as they come in use, with a vector each; bytes of the file per vector.

    The rows are copies of one, made by the engine: a question by meaning reads only the few that it answers with.
    """
    with closing(SqliteStore(path)) as store:
        for number in range(projects):
            project = f"prj-{number}"
            store.adopt([f"name:{project}"], name=project, project_id=project, at=_AT)
        template = _memory(0, next(iter(lessons(1, seed=1))), project="prj-0")
        change = Changes(memories=(template,), vectors=(_vector(template, points_of(1, seed=1)[0].tolist()),))
        store.write(lambda tx: tx.apply(change))
        store.erase(template.id, at=_AT)
    with _bare(path) as db:
        values = rows.to_row(template, project_number=1)
        _copy_memories(db, dict(zip(rows.WRITTEN, values, strict=True)), size=size, projects=projects)
        before = _size(db, path)
        _add_vectors(db, size=size, projects=projects)
        return (_size(db, path) - before) / size


@contextmanager
def _bare(path: Path) -> Iterator[apsw.Connection]:
    """A connection of the bench's own, in a hurry: what a power cut would take is only a bench's."""
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as db:
        teach(db)
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        db.execute("PRAGMA synchronous = OFF").fetchall()
        yield db


def _size(db: apsw.Connection, path: Path) -> int:
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return path.stat().st_size


def _copy_memories(db: apsw.Connection, template: dict[str, Any], *, size: int, projects: int) -> None:
    others = [name for name in template if name not in {"id", "project", "scope"}]
    sql = (
        f"INSERT INTO memory (seq, id, project, scope, {', '.join(others)})"
        " SELECT value, printf('mem-%09d', value), 'prj-' || (value % :projects),"
        f" printf('p%dlive', value % :projects + 1), {', '.join(f':{name}' for name in others)}"
        " FROM (WITH RECURSIVE n (value) AS (VALUES (:low) UNION ALL SELECT value + 1 FROM n WHERE value < :high)"
        " SELECT value FROM n)"
    )
    for low in told(range(1, size + 1, _BATCH), "vectors: memories, batches"):
        high = min(size, low + _BATCH - 1)
        db.execute(sql, {**{n: template[n] for n in others}, "projects": projects, "low": low, "high": high})
        _size_is_kept(db)


def _add_vectors(db: apsw.Connection, *, size: int, projects: int) -> None:
    key = (_SPACE.provider, _SPACE.model, _SPACE.version, _SPACE.dimension)
    db.execute("INSERT OR IGNORE INTO space VALUES (NULL, ?, ?, ?, ?, 0, 0)", key)
    ((space,),) = db.execute("SELECT seq FROM space").fetchall()
    for low in told(range(1, size + 1, _BATCH), "vectors: vectors, batches"):
        count = min(_BATCH, size + 1 - low)
        codes, scales = coded(points_of(count, seed=low))
        with db:
            db.executemany(
                "INSERT INTO vector VALUES (?, ?, ?, 0, 0, 100, zeroblob(32), ?, ?, NULL)",
                (
                    ((low + n) % projects + 1, space, low + n, float(scales[n]), codes[n].tobytes())
                    for n in range(count)
                ),
            )
        _size_is_kept(db)


def _size_is_kept(db: apsw.Connection) -> None:
    """The log is folded in between, or it would grow as large as the file."""
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _neighbours_kept(count: int, *, runs: int) -> float:
    """Of the ten nearest by exact arithmetic, how many the store finds too."""
    points, asked = points_of(count, seed=1), points_of(runs, seed=2)
    with tempfile.TemporaryDirectory(prefix="hindbrain-bench-") as folder:
        path = Path(folder) / "hindbrain.db"
        with closing(SqliteStore(path)) as store:
            store.adopt(["name:bench"], name="bench", project_id="prj-0", at=_AT)
            memories = [replace(_memory(n, f"lesson {n}", project="prj-0"), id=f"{n}") for n in range(count)]
            made = tuple(_vector(m, p) for m, p in zip(memories, points.tolist(), strict=True))
            store.write(lambda tx: tx.apply(Changes(memories=tuple(memories), vectors=made)))
            kept = 0
            for point in asked:
                exact = set(np.argsort(-(points.astype(np.float32) @ point.astype(np.float32)))[:_ANSWERS].tolist())
                near = store.nearest(point.tolist(), _SPACE, where=Where(project="prj-0"), limit=_ANSWERS)
                kept += len(exact & {int(one.memory_id) for one in near})
    return kept / (_ANSWERS * runs)


def _part(points: Sequence[_Point], *, kept: float, runs: int) -> Part:
    figures = {name: value for point in points for name, value in _figures(point).items()}
    notes = [
        f"{_SPACE.dimension} dimensions, one piece a memory, the {_ANSWERS} nearest with their rows; CPU ms, the "
        f"median of {runs} ({_COLD_RUNS} cold). Cold: a connection's first question, with its opening; numpy is loaded "
        "and the pages are in the system's cache. After a write: another memory has come into the project since the "
        "last question. The floor multiplies the project's vectors and does nothing else.",
        f"Of the ten nearest by single-precision floats, {kept:.1%} are found, on random points around "
        f"{_CLUSTERS} centres.",
    ]
    ask = ("memories", "cold", "warm", "after a write", "floor", "warm × floor", "least warm")
    write = ("memories", "without a vector", "with one", "more", "bytes per vector")
    tables = [
        Table(head=ask, rows=[_asked_row(point) for point in points], title="A question by meaning, CPU ms"),
        Table(head=write, rows=[_written_row(point) for point in points], title="Keeping a memory, CPU ms"),
    ]
    figures |= {"recall_at_10": kept}
    return Part(name="vectors", title=_TITLE, figures=figures, tables=tables, notes=notes)


def _asked_row(point: _Point) -> tuple[str, ...]:
    spent = (point.cold, point.warm, point.grown, point.floor)
    ratio = point.warm.median / point.floor.median
    return (point.name, *(f"{one.median:.2f}" for one in spent), f"{ratio:.1f}", f"{point.warm.best:.2f}")


def _written_row(point: _Point) -> tuple[str, ...]:
    bare, whole = point.bare.median, point.whole.median
    return (point.name, f"{bare:.2f}", f"{whole:.2f}", f"{whole - bare:.2f}", f"{point.bytes_per_vector:,.0f}")


def _figures(point: _Point) -> dict[str, float]:
    prefix = f"{point.memories}x{point.projects}"
    return {
        f"{prefix}_cold_cpu_ms": point.cold.median,
        f"{prefix}_warm_cpu_ms": point.warm.median,
        f"{prefix}_after_write_cpu_ms": point.grown.median,
        f"{prefix}_floor_cpu_ms": point.floor.median,
        f"{prefix}_keep_bare_cpu_ms": point.bare.median,
        f"{prefix}_keep_with_vector_cpu_ms": point.whole.median,
        f"{prefix}_bytes_per_vector": point.bytes_per_vector,
    }
