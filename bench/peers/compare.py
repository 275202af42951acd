"""What the same work costs in other stores: all are filled, then they take turns, so that a busy machine hits each.

The peers have virtual environments of their own. A full run makes those that are missing; any other run uses what is
there and says what is not. Ours and the floor are always measured.
"""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from bench.lessons import lessons, questions
from bench.meter import say
from bench.peers.environments import Absent, python_of
from bench.peers.known import KNOWN, Peer
from bench.peers.process import Process, Trouble
from bench.peers.standing import TITLE, Point, Spent, Standing, part
from bench.peers.subject import ANSWERS
from bench.report import SEED, Part

if TYPE_CHECKING:
    from bench.peers.vectors import Matrix

_SIZES, _FULL_SIZES, _QUICK_SIZES = (1_000,), (1_000, 10_000), (200,)
_TURNS, _QUICK_TURNS = 10, 3
_WARM = 2  # operations at the start of each turn that are not counted: the machine was another's until then
_COUNTED = 10  # operations of a turn that are
_IMPORTS = 3
_LIMIT_S = 900.0  # for each store, of its own working time
_PROJECTS = 10
_ONE_PROJECT = "project-3"
_NO_NUMPY = "numpy is not installed (`pip install -e '.[bench]'`)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is done, and to what."""

    sizes: tuple[int, ...]
    turns: int
    texts: Sequence[str]  # all that are filled, then those that are added one by one
    rows: "Matrix"  # the vectors of the texts, then of the questions
    file: Path  # where the stores read them
    limit_s: float = _LIMIT_S

    @property
    def runs(self) -> int:
        return self.turns * _COUNTED

    @property
    def per_size(self) -> int:
        """Operations of one kind, counted or not."""
        return self.turns * (_WARM + _COUNTED)

    def exact(self, place: int, *, project: str) -> list[set[str]]:
        """For each question the texts of the ten nearest that are kept when the numbered size is searched.

        Only those of `project`, if there is one. What was added at a smaller size is still kept.
        """
        filled, added = self.sizes[place], self.sizes[-1] + place * self.per_size
        kept = (*range(filled), *range(self.sizes[-1], added))
        numbers = [number for number in kept if project in ("", _project(number))]
        from bench.peers.vectors import best  # late, as in `planned`

        found = best(self.rows[numbers], self.rows[len(self.texts) :], count=ANSWERS)
        return [{self.texts[numbers[place]] for place in line} for line in found]


def measure(*, is_quick: bool, is_full: bool = False) -> Part:
    if find_spec("numpy") is None:
        return Part(name="peers", title=TITLE, notes=[f"Not measured: {_NO_NUMPY}."], is_whole=False)
    sizes = _QUICK_SIZES if is_quick else _FULL_SIZES if is_full else _SIZES
    with tempfile.TemporaryDirectory(prefix="hindbrain-bench-") as folder:
        plan = planned(sizes, turns=_QUICK_TURNS if is_quick else _TURNS, folder=Path(folder))
        return part(compared(KNOWN, plan, is_installing=is_full), runs=plan.runs, is_whole=is_full)


def planned(sizes: tuple[int, ...], *, turns: int, folder: Path) -> Plan:
    from bench.peers.vectors import vectors  # late: the other benchmarks do without numpy

    operations = turns * (_WARM + _COUNTED)
    texts = list(lessons(sizes[-1] + len(sizes) * operations, seed=SEED))
    asked = list(questions(operations, seed=SEED))
    rows = vectors([*texts, *asked])
    file = folder / "data.json"
    given = {"texts": texts, "count": len(texts), "distinct": len(texts), "projects": _PROJECTS, "questions": asked}
    file.write_text(json.dumps(given), encoding="utf-8")
    file.with_suffix(".f32").write_bytes(rows.tobytes())
    return Plan(sizes=sizes, turns=turns, texts=texts, rows=rows, file=file)


def compared(peers: Sequence[Peer], plan: Plan, *, is_installing: bool) -> list[Standing]:
    """How each of `peers` stands, in their order; one that cannot be measured stands there with its trouble."""
    contenders = [_Contender(peer) for peer in peers]
    for one in contenders:
        one.start(plan, python_of(one.peer, is_installing=is_installing))
    for place, size in enumerate(plan.sizes):
        for one in contenders:
            one.fill(plan.sizes[place - 1] if place else 0, size)
        say(f"peers: {plan.turns} turns at {size:,}")
        for turn in range(plan.turns):
            for one in contenders:
                one.search(turn)
        for turn in range(plan.turns):
            for one in contenders:
                one.add(plan.sizes[-1] + place * plan.per_size + turn * (_WARM + _COUNTED))
        for one in contenders:
            one.settle(plan, place)
    return [one.end() for one in contenders]


class _Contender:
    """A store in the comparison. Once it is in trouble it does nothing more, and its standing says why."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self._process: Process | None = None
        self._standing = Standing(peer=peer)
        self._taken: dict[str, list[dict[str, Any]]] = {}  # answers of the current size

    def start(self, plan: Plan, python: Path | Absent) -> None:
        if isinstance(python, Absent):
            self._standing = replace(self._standing, trouble=python.why)
            return
        folder = plan.file.parent / self.peer.name
        for number in range(_IMPORTS):
            say(f"peers: importing {self.peer.name}, {number + 1} of {_IMPORTS}")
            if self._process:
                self._process.end()
            self._process = Process(python, self.peer.name, folder=folder, limit_s=plan.limit_s)
            self._order("load", libraries=self.peer.libraries)
        loads = self._taken.get("load", [])
        answer = self._order("start", folder=str(folder), data=str(plan.file))
        if answer:
            self._standing = replace(
                self._standing,
                versions=answer["versions"],
                import_cpu_s=median(load["cpu_s"] for load in loads),
                import_wall_s=median(load["wall_s"] for load in loads),
            )

    def fill(self, first: int, last: int) -> None:
        self._taken = {}
        if self._process:
            say(f"peers: filling {self.peer.name} to {last:,}")
        self._order("fill", first=first, last=last)

    def search(self, turn: int) -> None:
        first = turn * (_WARM + _COUNTED)
        for project in ("", _ONE_PROJECT):
            self._order("search", first=first, last=first + _WARM + _COUNTED, project=project)

    def add(self, first: int) -> None:
        self._order("add", first=first, last=first + _WARM + _COUNTED)

    def settle(self, plan: Plan, place: int) -> None:
        """Add up what was taken at the numbered size."""
        kept = self._order("size")
        if not kept:
            return
        searches, adds = self._taken["search"], self._taken["add"]
        point = Point(
            size=plan.sizes[place],
            add=_spent(adds),
            search=_spent(searches[::2]),
            narrow=_spent(searches[1::2]),
            right=_right(searches[::2], plan.exact(place, project="")),
            narrow_right=_right(searches[1::2], plan.exact(place, project=_ONE_PROJECT)),
            bytes=kept["bytes"],
            owed=kept["owed_ms"],
        )
        self._standing = replace(self._standing, points=(*self._standing.points, point))

    def end(self) -> Standing:
        self._order("close")
        if self._process:
            self._process.end()
        return self._standing

    def _order(self, order: str, **details: object) -> dict[str, Any]:
        if not self._process:
            return {}
        try:
            answer = self._process.ask(order, **details)
        except Trouble as trouble:
            self._process.end()
            self._process = None
            self._standing = replace(self._standing, trouble=str(trouble))
            return {}
        self._taken.setdefault(order, []).append(answer)
        return answer


def _project(number: int) -> str:
    return f"project-{number % _PROJECTS}"


def _spent(turns: Sequence[dict[str, Any]]) -> Spent:
    return Spent(
        cpu_ms=tuple(value for turn in turns for value in turn["cpu_ms"][_WARM:]),
        wall_ms=tuple(value for turn in turns for value in turn["wall_ms"][_WARM:]),
    )


def _right(turns: Sequence[dict[str, Any]], exact: Sequence[set[str]]) -> float:
    """The share of the ten truly nearest that was found, over all questions."""
    found = [texts for turn in turns for texts in turn["found"]]
    return fmean(len(true & set(texts)) / len(true) for true, texts in zip(exact, found, strict=True))
