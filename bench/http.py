"""What recall costs over HTTP: 32 callers at once against a real service, beside the same calls without one."""

import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import hindbrain
from bench.fill import fill
from bench.lessons import lessons
from bench.meter import environment, say
from bench.report import ROOT, Part, Table
from hindbrain.entry.http import owner
from hindbrain.settings import Settings

_CALLERS = 32
_EACH, _QUICK_EACH = 40, 5  # calls of each caller
_SIZES, _QUICK_SIZES, _FULL_SIZES = (10_000,), (1_000,), (10_000, 100_000)  # memories
_PROJECT = "load"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Load:
    """How a number of callers fared together."""

    waits_ms: tuple[float, ...]  # in order
    seconds: float

    @property
    def p50(self) -> float:
        return self.waits_ms[len(self.waits_ms) // 2]

    @property
    def p99(self) -> float:
        return self.waits_ms[int(len(self.waits_ms) * 0.99)]

    @property
    def per_second(self) -> float:
        return len(self.waits_ms) / self.seconds


def measure(*, is_quick: bool, is_full: bool = False) -> Part:
    sizes = _QUICK_SIZES if is_quick else _FULL_SIZES if is_full else _SIZES
    each = _QUICK_EACH if is_quick else _EACH
    figures: dict[str, float] = {}
    rows: list[tuple[str, ...]] = []
    for size in sizes:
        for name, load in _measured(size, each).items():
            figures |= {
                f"{name}_{size}_p50_ms": load.p50,
                f"{name}_{size}_p99_ms": load.p99,
                f"{name}_{size}_per_second": load.per_second,
            }
            rows.append((f"{size:,}", _TOLD[name], f"{load.p50:.1f}", f"{load.p99:.1f}", f"{load.per_second:.0f}"))
    notes = [
        f"{_CALLERS} callers with a connection each, {each} recalls of each, by words. The service is one process, its "
        f"callers another; all of it on {len(os.sched_getaffinity(0))} cores, so that callers and service take each "
        "other's time.",
    ]
    head = ("memories", "caller", "p50 ms", "p99 ms", "recalls per second")
    table = Table(head=head, rows=rows)
    return Part(
        name="http", title="Recall over HTTP", figures=figures, tables=[table], notes=notes, is_whole=not is_quick
    )


_TOLD = {
    "alone": "one, in the process itself",
    "threads": f"{_CALLERS} threads of the process itself",
    "http_alone": "one, over HTTP",
    "http": f"{_CALLERS}, over HTTP",
}


def _measured(size: int, each: int) -> dict[str, _Load]:
    with tempfile.TemporaryDirectory(prefix="hindbrain-bench-") as folder:
        settings = Settings(home=folder, store=f"{folder}/hindbrain.db", embedder="off")
        texts = list(lessons(size, seed=7))
        questions = [text[:60] for text in texts[:: max(1, size // 200)]]
        with hindbrain.open(settings.store, _PROJECT, settings=settings) as memory:
            fill(memory, texts, label=f"http: {size:,} memories")
            found = {
                "alone": _load(1, 4 * each, lambda number: lambda: memory.recall(questions[number % len(questions)])),
                "threads": _load(_CALLERS, each, lambda n: lambda: memory.recall(questions[n % len(questions)])),
            }
        with _service(settings) as address:
            token = owner.token(settings)
            for name, callers, calls in (("http_alone", 1, 4 * each), ("http", _CALLERS, each)):
                found[name] = _over_http(address, token, questions, callers=callers, each=calls)
        say(f"http: {size:,} memories done")
        return found


def _over_http(address: str, token: str, questions: Sequence[str], *, callers: int, each: int) -> _Load:
    links = [http.client.HTTPConnection(address, timeout=60) for _ in range(callers)]

    def called(number: int) -> Callable[[], object]:
        link = links[number % callers]
        path = f"/api/recall?project={_PROJECT}&q={quote(questions[number % len(questions)])}"

        def call() -> object:
            link.request("GET", path, headers={"Authorization": f"Bearer {token}"})
            answer = link.getresponse()
            body = answer.read()
            if answer.status != 200:
                raise RuntimeError(f"the service answered {answer.status}: {body[:200]!r}")
            return body

        return call

    try:
        return _load(callers, each, called)
    finally:
        for link in links:
            link.close()


def _load(callers: int, each: int, called: Callable[[int], Callable[[], object]]) -> _Load:
    """Let all callers go at once; each makes its calls one after the other."""
    waits: list[float] = []
    together = threading.Barrier(callers + 1)

    def run(caller: int) -> None:
        calls = [called(caller + callers * number) for number in range(each)]
        together.wait()
        own = []
        for call in calls:
            before = time.monotonic()
            call()
            own.append(1000 * (time.monotonic() - before))
        waits.extend(own)

    threads = [threading.Thread(target=run, args=(caller,)) for caller in range(callers)]
    for thread in threads:
        thread.start()
    together.wait()
    started = time.monotonic()
    for thread in threads:
        thread.join()
    if len(waits) != callers * each:
        raise RuntimeError("a caller did not get all its answers")
    return _Load(waits_ms=tuple(sorted(waits)), seconds=time.monotonic() - started)


@contextmanager
def _service(settings: Settings) -> Iterator[str]:
    known = {**environment(Path(settings.home) / "bytecode"), "PYTHONPATH": str(ROOT / "src")}
    known |= {"HINDBRAIN_HOME": settings.home, "HINDBRAIN_EMBEDDER": "off"}
    command = [sys.executable, "-m", "hindbrain", "serve", "--port", "0", "--json"]
    process = subprocess.Popen(
        command, cwd=settings.home, env=known, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        if process.stdout is None:
            raise RuntimeError("a pipe was asked for")
        yield str(json.loads(process.stdout.readline())["address"]).removeprefix("http://")
    finally:
        process.terminate()
        process.communicate()
