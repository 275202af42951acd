"""How the comparison is told: a table for each size, ratios to ours, and a row for every store, measured or not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from bench.peers.known import FLOOR, LATER, OURS, Peer
from bench.plot import Bar, Tone, bars
from bench.report import Part, Plot, Table

TITLE = "Beside other stores of memories"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one kind of operation took, run by run."""

    cpu_ms: tuple[float, ...]  # of the process, all threads
    wall_ms: tuple[float, ...]

    @property
    def cpu(self) -> float:
        return median(self.cpu_ms)

    @property
    def mean(self) -> float:
        """What a store puts off to every hundredth add is in here, and not in the median."""
        return fmean(self.cpu_ms)

    @property
    def wall(self) -> float:
        return median(self.wall_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One store at one size."""

    size: int
    add: Spent
    search: Spent  # in all that is kept
    narrow: Spent  # in one project of ten
    right: float  # 0..1, share of the ten nearest by exact comparison that the search found
    narrow_right: float
    bytes: int
    owed: float = 0.0  # CPU ms for each add that the store puts off until later


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One store, and all that is known about it."""

    peer: Peer
    versions: Mapping[str, str] = field(default_factory=dict)
    import_cpu_s: float = 0.0
    import_wall_s: float = 0.0
    points: tuple[Point, ...] = ()
    trouble: str = ""  # why there are no more points than there are

    def at(self, size: int) -> Point | None:
        return next((point for point in self.points if point.size == size), None)


def part(standings: Sequence[Standing], *, runs: int, is_whole: bool) -> Part:
    sizes = sorted({point.size for one in standings for point in one.points})
    figures = {name: value for one in standings for point in one.points for name, value in _figures(one, point).items()}
    figures |= {f"{one.peer.name}_import_cpu_s": one.import_cpu_s for one in standings if one.versions}
    return Part(
        name="peers",
        title=TITLE,
        figures=figures,
        tables=[*(_costs(standings, size) for size in sizes), _who(standings)],
        plots=_plots(standings, sizes[-1]) if sizes else (),
        notes=_notes(standings, runs=runs),
        is_whole=is_whole,
    )


def _figures(one: Standing, point: Point) -> dict[str, float]:
    prefix = f"{point.size}_{one.peer.name}"
    spent = {"add": point.add, "search": point.search, "narrow_search": point.narrow}
    return {
        **{f"{prefix}_{verb}_cpu_ms": cost.cpu for verb, cost in spent.items()},
        **{f"{prefix}_{verb}_mean_cpu_ms": cost.mean for verb, cost in spent.items()},
        **{f"{prefix}_{verb}_wall_ms": cost.wall for verb, cost in spent.items()},
        f"{prefix}_right": point.right,
        f"{prefix}_narrow_right": point.narrow_right,
        f"{prefix}_bytes": point.bytes,
        f"{prefix}_owed_ms": point.owed,
    }


_CELL = 60  # characters
_HEAD = (
    *("store", "add one, CPU ms", "mean", "wall ms", "× ours"),
    *("search, CPU ms", "× ours", "in one project, CPU ms", "× ours"),
    *("exact ten found", "in one project", "MB"),
)


def _costs(standings: Sequence[Standing], size: int) -> Table:
    ours = next((one.at(size) for one in standings if one.peer.name == OURS), None)
    rows = [_row(one, one.at(size), ours) for one in standings]
    return Table(head=_HEAD, rows=rows, title=f"{size:,} memories")


def _row(one: Standing, point: Point | None, ours: Point | None) -> tuple[str, ...]:
    if point is None:
        return (one.peer.title, _short(one.trouble), *[""] * (len(_HEAD) - 2))
    shares = (point.right, point.narrow_right)
    return (
        one.peer.title,
        f"{point.add.cpu:.2f}",
        f"{point.add.mean:.2f}",
        f"{point.add.wall:.2f}",
        _ratio(point.add, ours.add if ours else None),
        f"{point.search.cpu:.2f}",
        _ratio(point.search, ours.search if ours else None),
        f"{point.narrow.cpu:.2f}",
        _ratio(point.narrow, ours.narrow if ours else None),
        *(f"{share:.0%}" if one.peer.is_vector_only else "–" for share in shares),
        f"{point.bytes / 1e6:.1f}",
    )


def _short(trouble: str) -> str:
    """As much as a cell holds; the notes have all of it."""
    return trouble if len(trouble) <= _CELL else trouble[: _CELL - 1] + "…"


def _ratio(spent: Spent, ours: Spent | None) -> str:
    return f"{spent.cpu / ours.cpu:.2f}" if ours else ""


def _who(standings: Sequence[Standing]) -> Table:
    rows = [
        (
            one.peer.title,
            ", ".join(f"{name} {version}" for name, version in one.versions.items()) or _short(one.trouble),
            one.peer.kept,
            f"{one.import_cpu_s:.2f}" if one.versions else "",
            f"{one.import_wall_s:.2f}" if one.versions else "",
        )
        for one in standings
    ]
    head = ("store", "version", "where a memory is when its add returns", "import, CPU s", "wall s")
    return Table(head=head, rows=rows, title="The stores")


def _notes(standings: Sequence[Standing], *, runs: int) -> list[str]:
    notes = [
        "All hold the same texts and are given the same vectors of 384 dimensions, ten projects in turn, and every "
        "store with its defaults. They are filled by their batch interface where they have one, then they take turns: "
        f"{runs} searches for ten, as many within one project, as many single adds. CPU time is that of the whole "
        "process, as the median, for adds as the mean too: some stores put work off to every hundredth. Numeric "
        "libraries had one thread each, since those that wait would spin and be counted. A ratio above 1 is dearer "
        "than ours.",
        "Exact ten found: how many of the ten nearest memories, by comparing all vectors, a search by vectors alone "
        "brought back. Ours and the floor weigh words as well, and rightly find others.",
        "The floor is the least that the job takes: a row, its words and its vector in one synced transaction, words "
        "and vectors searched apart, the vectors from memory, and their ranks joined; nothing is checked or explained.",
    ]
    notes += [_owing(one) for one in standings if any(point.owed for point in one.points)]
    short = [f"{one.peer.title}: {one.trouble}." for one in standings if one.trouble]
    if any(one.trouble == "not installed here" for one in standings):
        short.append("`make bench-full` installs what is missing, each store in an environment of its own.")
    return notes + ([" ".join(short)] if short else [])


def _owing(one: Standing) -> str:
    """A promise is cheap because somebody else keeps it."""
    told = ", ".join(f"{point.owed:.2f} ms at {point.size:,}" for point in one.points)
    return f"{one.peer.title}: what was written down is kept by the worker afterwards, for {told} of CPU each."


def _plots(standings: Sequence[Standing], size: int) -> tuple[Plot, ...]:
    measured = [(one.peer, point) for one in standings if (point := one.at(size))]
    kinds = (
        ("add", "Adding one memory", [(peer, point.add.cpu) for peer, point in measured]),
        ("search", "Searching all for ten", [(peer, point.search.cpu) for peer, point in measured]),
        ("narrow", "Searching one project of ten", [(peer, point.narrow.cpu) for peer, point in measured]),
    )
    return tuple(
        Plot(
            name=f"peers-{name}",
            title=f"{title}, {size:,} memories kept",
            svg=bars(f"{title}, {size:,} memories kept: CPU ms, median", _bars(values), is_log=True),
        )
        for name, title, values in kinds
    )


def _bars(values: Sequence[tuple[Peer, float]]) -> list[Bar]:
    tones = {OURS: Tone.OURS, LATER: Tone.OURS, FLOOR: Tone.FLOOR}
    return [
        Bar(label=peer.title, value=value, tone=tones.get(peer.name, Tone.OTHER))
        for peer, value in sorted(values, key=lambda pair: pair[1])
    ]
