"""How one store is made to work and timed, inside its own virtual environment: `python -m bench.peers.runner NAME`.

Each line of standard input is an order in JSON, each line of standard output its answer. Whatever the store itself
prints goes to standard error. Nothing but loopback can be reached: a store that calls home fails, and says so.
"""

import importlib
import json
import os
import sys
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TextIO, TypeVar

from bench.peers.subject import DIMENSIONS, Ask, Item, Lookup, Subject

_T = TypeVar("_T")
_R = TypeVar("_R")
_BATCH = 500  # memories in one call of a store's batch interface

Answer = dict[str, object]


class Runner:
    """One store at work. Its public methods are the orders it takes."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._subject: Subject
        self._folder: Path
        self._items: Sequence[Item]
        self._asks: Sequence[Ask]

    def load(self, *, libraries: Sequence[str]) -> Answer:
        """Import them, as the first lines of a user's program would."""
        cpu, wall = time.process_time(), time.perf_counter()
        for name in libraries:
            importlib.import_module(name)
        return {"cpu_s": time.process_time() - cpu, "wall_s": time.perf_counter() - wall}

    def start(self, *, folder: str, data: str) -> Answer:
        """Read the texts and vectors of the run, open a new store in `folder`."""
        from importlib import metadata  # late: what it loads would be missing from the cost of `load`

        module = importlib.import_module(f"bench.peers.subjects.{self._name}")
        self._items, self._asks = _read(Path(data))
        known = {one.text: one.vector for one in self._items} | {one.text: one.vector for one in self._asks}
        self._folder = Path(folder) / "store"
        self._folder.mkdir(parents=True)
        self._subject = module.open_subject(self._folder, lookup=Lookup(known))
        return {"versions": {name: metadata.version(name) for name in module.PACKAGES}}

    def fill(self, *, first: int, last: int) -> Answer:
        for start in range(first, last, _BATCH):
            self._subject.fill(self._items[start : min(start + _BATCH, last)])
        return {}

    def add(self, *, first: int, last: int) -> Answer:
        return _timed(self._subject.add, self._items[first:last])[0]

    def search(self, *, first: int, last: int, project: str) -> Answer:
        """Ask some of the questions, in `project` or, where that is empty, in all that is kept."""
        asks = [Ask(text=ask.text, vector=ask.vector, project=project) for ask in self._asks[first:last]]
        spent, found = _timed(self._subject.search, asks)
        return {**spent, "found": [list(texts) for texts in found]}

    def size(self) -> Answer:
        files = (path for path in self._folder.rglob("*") if path.is_file())
        return {"bytes": sum(path.stat().st_size for path in files)}

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


def _read(data: Path) -> tuple[list[Item], list[Ask]]:
    """The run's texts from `data`, their vectors from the file beside it, in the same order, questions last."""
    told = json.loads(data.read_text(encoding="utf-8"))
    rows = _rows(data.with_suffix(".f32"))
    items = [
        Item(number=number, text=text, project=project, vector=next(rows))
        for number, (text, project) in enumerate(told["items"])
    ]
    return items, [Ask(text=text, vector=next(rows)) for text in told["questions"]]


def _rows(path: Path) -> Iterator[list[float]]:
    numbers = array("f", path.read_bytes())
    for start in range(0, len(numbers), DIMENSIONS):
        yield numbers[start : start + DIMENSIONS].tolist()


def _timed(operation: Callable[[_T], _R], inputs: Sequence[_T]) -> tuple[Answer, list[_R]]:
    """CPU time of this process, all threads, and wall time, of each run; and what each returned."""
    cpu_ms, wall_ms, returned = [], [], []
    for value in inputs:
        wall, cpu = time.perf_counter_ns(), time.process_time_ns()
        returned.append(operation(value))
        cpu_ms.append((time.process_time_ns() - cpu) / 1e6)
        wall_ms.append((time.perf_counter_ns() - wall) / 1e6)
    return {"cpu_ms": cpu_ms, "wall_ms": wall_ms}, returned


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
