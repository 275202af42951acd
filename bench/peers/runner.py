"""How one store is made to work and timed, inside its own virtual environment: `python -m bench.peers.runner NAME`.

Each line of standard input is an order in JSON, each line of standard output its answer. Whatever the store itself
prints goes to standard error. Nothing but loopback can be reached: a store that calls home fails, and says so.
"""

import importlib
import json
import mmap
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO, TypeVar

from bench.peers.subject import DIMENSIONS, Ask, Item, Lookup, Outside, Subject

_T = TypeVar("_T")
_R = TypeVar("_R")
_BATCH = 500  # memories in one call of a store's batch interface
_ADDED_TO = 3  # the project of those that are added one by one

Answer = dict[str, object]


class Runner:
    """One store at work. Its public methods are the orders it takes."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._subject: Subject
        self._folder: Path
        self._items: Sequence[Item]
        self._asks: Sequence[Ask]
        self._before = 0  # bytes that were in use before the store was opened

    def load(self, *, libraries: Sequence[str]) -> Answer:
        """Import them, as the first lines of a user's program would."""
        cpu, wall = time.process_time(), time.perf_counter()
        for name in libraries:
            importlib.import_module(name)
        return {"cpu_s": time.process_time() - cpu, "wall_s": time.perf_counter() - wall}

    def start(self, *, folder: str, data: str) -> Answer:
        """Read the texts of the run, open the store in `folder`: a new one, or the one that is there."""
        from importlib import metadata  # late: what it loads would be missing from the cost of `load`

        module = importlib.import_module(f"bench.peers.subjects.{self._name}")
        self._items, self._asks, known = _read(Path(data))
        self._folder = Path(folder) / "store"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._before = _private_bytes()
        cpu, wall = time.process_time(), time.perf_counter()
        self._subject = module.open_subject(self._folder, lookup=Lookup(known))
        spent = {"cpu_s": time.process_time() - cpu, "wall_s": time.perf_counter() - wall}
        return {**spent, "versions": {name: metadata.version(name) for name in module.PACKAGES}}

    def fill(self, *, first: int, last: int) -> Answer:
        cpu, wall, outside = time.process_time(), time.perf_counter(), self._outside()
        for start in range(first, last, _BATCH):
            self._subject.fill(self._items[start : min(start + _BATCH, last)])
        self._subject.settle()
        other = self._outside().cpu_ms - outside.cpu_ms
        return {"cpu_s": time.process_time() - cpu + other / 1000, "wall_s": time.perf_counter() - wall}

    def add(self, *, first: int, last: int) -> Answer:
        return self._timed(self._subject.add, self._items[first:last])[0]

    def search(self, *, first: int, last: int, project: str) -> Answer:
        """Ask some of the questions, in `project` or, where that is empty, in all that is kept."""
        spent, found = self._timed(self._subject.search, self._asked(first, last, project=project))
        return {**spent, "found": [list(texts) for texts in found]}

    def apart(self, *, way: str, first: int, last: int, project: str) -> Answer:
        """The same by `nearest` or `worded` alone, for a store that has both. Nothing from any other."""
        one: Callable[[Ask], Sequence[str]] | None = getattr(self._subject, way, None)
        if one is None:
            return {"found": []}
        spent, found = self._timed(one, self._asked(first, last, project=project))
        return {**spent, "found": [list(texts) for texts in found]}

    def size(self) -> Answer:
        """What is kept on the disk, and in memory that nothing else could use; and what a store still owes that puts
        work off, in CPU ms for each add."""
        files = (path for path in self._folder.rglob("*") if path.is_file())
        elsewhere: Callable[[], int] = getattr(self._subject, "disk", int)
        owed: Callable[[], float] = getattr(self._subject, "owed", float)
        return {
            "owed_ms": owed(),
            "bytes": sum(path.stat().st_size for path in files) + elsewhere(),
            "memory": max(0, _private_bytes() - self._before) + self._outside().memory,
        }

    def _asked(self, first: int, last: int, *, project: str) -> list[Ask]:
        return [Ask(text=ask.text, vector=ask.vector, project=project) for ask in self._asks[first:last]]

    def _outside(self) -> Outside:
        told: Callable[[], Outside] | None = getattr(self._subject, "outside", None)
        return told() if told else Outside(cpu_ms=0, memory=0)

    def _timed(self, operation: Callable[[_T], _R], inputs: Sequence[_T]) -> tuple[Answer, list[_R]]:
        """CPU time of this process, all threads, and wall time, of each run; and what each returned.

        What a server spent in the meantime is shared out evenly.
        """
        cpu_ms, wall_ms, returned = [], [], []
        before = self._outside().cpu_ms
        for value in inputs:
            wall, cpu = time.perf_counter_ns(), time.process_time_ns()
            returned.append(operation(value))
            cpu_ms.append((time.process_time_ns() - cpu) / 1e6)
            wall_ms.append((time.perf_counter_ns() - wall) / 1e6)
        other = (self._outside().cpu_ms - before) / max(1, len(cpu_ms))
        return {"cpu_ms": [spent + other for spent in cpu_ms], "wall_ms": wall_ms}, returned

    def close(self) -> Answer:
        self._subject.close()
        return {}


def main(name: str) -> int:
    orders, answers = sys.stdin, _private_output()
    sys.addaudithook(_refuse_network)
    runner = Runner(name)
    for line in orders:
        order = json.loads(line)
        answer = getattr(runner, order.pop("do"))(**order)
        print(json.dumps(answer), file=answers, flush=True)
    return 0


def _private_output() -> TextIO:
    """Standard output for answers alone: file descriptor 1, which native code writes to as well, becomes the other."""
    kept = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return kept


def _refuse_network(event: str, arguments: tuple[object, ...]) -> None:
    if event == "socket.connect" and not _is_local(arguments[1]):
        raise PermissionError(f"a benchmark may not reach {arguments[1]}")
    if event == "socket.getaddrinfo" and not _is_local((arguments[0],)):
        raise PermissionError(f"a benchmark may not look up {arguments[0]!r}")


def _is_local(address: object) -> bool:
    if not isinstance(address, tuple):
        return True  # the path of a Unix socket
    host = str(address[0])
    return host in {"localhost", "::1", "0.0.0.0", "None", ""} or host.startswith("127.")


def _read(data: Path) -> tuple[Sequence[Item], Sequence[Ask], Mapping[str, list[float]]]:
    """The run's texts from `data`; their vectors stay in the file beside it, in the same order, questions last."""
    told = json.loads(data.read_text(encoding="utf-8"))
    texts, asked = told["texts"], told["questions"]
    rows = _Rows(data.with_suffix(".f32"))
    items = _Items(texts, rows, count=told["count"], distinct=told["distinct"], projects=told["projects"])
    asks = [Ask(text=text, vector=rows[len(texts) + number]) for number, text in enumerate(asked)]
    return items, asks, _Known({text: number for number, text in enumerate([*texts, *asked])}, rows)


class _Rows:
    """Vectors as they lie in a file, which is not held in memory: there may be more than fit."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._numbers = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)).cast("f")

    def __getitem__(self, number: int) -> list[float]:
        found: list[float] = list(self._numbers[number * DIMENSIONS : (number + 1) * DIMENSIONS])
        return found


class _Items(Sequence[Item]):
    """The first `count` are filled in, projects in turn: where there are fewer texts, they come again, each time in
    other projects. Those behind are added one by one, with texts of their own, and all to one project."""

    def __init__(self, texts: Sequence[str], rows: _Rows, *, count: int, distinct: int, projects: int) -> None:
        self._texts, self._rows = texts, rows
        self._count, self._distinct, self._projects = count, distinct, projects

    def __len__(self) -> int:
        return self._count + len(self._texts) - self._distinct

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, slice):
            return [self[number] for number in range(*which.indices(len(self)))]
        place = text_of(which, count=self._count, distinct=self._distinct)
        project = project_of(which, count=self._count, projects=self._projects)
        return Item(number=which, text=self._texts[place], project=project, vector=self._rows[place])


def project_of(number: int, *, count: int, projects: int) -> str:
    return f"project-{number % projects if number < count else _ADDED_TO % projects}"


def text_of(number: int, *, count: int, distinct: int) -> int:
    """Which of the texts the numbered memory has."""
    if number >= count:
        return distinct + number - count
    return (number + number // distinct) % distinct


class _Known(Mapping[str, list[float]]):
    def __init__(self, numbers: Mapping[str, int], rows: _Rows) -> None:
        self._numbers, self._rows = numbers, rows

    def __getitem__(self, text: str) -> list[float]:
        return self._rows[self._numbers[text]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


def _private_bytes() -> int:
    """Of this process: what it wrote itself, not files that it looks into."""
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.exists() else []
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("RssAnon"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
