"""What a cost is: CPU time, because a shared machine's wall clock tells how busy the others are."""

import os
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

_T = TypeVar("_T")
_QUIET = 2.0  # seconds; shorter work reports nothing


@dataclass(frozen=True, slots=True)
class Cost:
    """What one operation took, over many runs of it."""

    cpu_ms: tuple[float, ...]  # of each run
    wall_s: float  # of all runs together

    @property
    def best(self) -> float:
        return min(self.cpu_ms)

    @property
    def median(self) -> float:
        return statistics.median(self.cpu_ms)

    @property
    def mean(self) -> float:
        return statistics.fmean(self.cpu_ms)

    @property
    def per_cpu_second(self) -> float:
        return 1000 / self.mean

    @property
    def per_second(self) -> float:
        """By the wall clock, so waiting for the disk counts and so do the neighbours."""
        return len(self.cpu_ms) / self.wall_s


def cost(operation: Callable[[_T], object], inputs: Iterable[_T]) -> Cost:
    """Run `operation` on each of `inputs` and count this process's CPU time, all threads."""
    spent = []
    started = time.monotonic()
    for value in inputs:
        before = time.process_time_ns()
        operation(value)
        spent.append((time.process_time_ns() - before) / 1e6)
    return Cost(tuple(spent), time.monotonic() - started)


def children_ms(run: Callable[[], object]) -> float:
    """CPU time of the processes that `run` starts and waits for, in milliseconds."""
    before = _children_s()
    run()
    return 1000 * (_children_s() - before)


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def environment(cache: Path) -> dict[str, str]:
    """For child processes as users have them: bytecode comes from `cache` once one run has put it there."""
    quirks = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PYTHONPATH", "HINDBRAIN_PROJECT")
    kept = {name: value for name, value in os.environ.items() if name not in quirks}
    return {**kept, "PYTHONPYCACHEPREFIX": str(cache)}


def told(items: Sequence[_T], label: str) -> Iterator[_T]:
    """`items`, with a line on stderr every two seconds that says how far it is."""
    last = time.monotonic()
    for done, item in enumerate(items):
        yield item
        if time.monotonic() - last >= _QUIET:
            last = time.monotonic()
            say(f"{label}: {done + 1:,} of {len(items):,}")


def say(line: str) -> None:
    print(f"  {line}", file=sys.stderr, flush=True)
