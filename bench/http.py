"""What recall costs over HTTP: 32 callers at once, beside the same calls without a service, and a peer's server."""

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
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import hindbrain
from bench.fill import fill
from bench.lessons import lessons, questions
from bench.meter import environment, say
from bench.peers.environments import Absent
from bench.peers.server import running
from bench.peers.spread import Given
from bench.peers.subject import ANSWERS, Lookup
from bench.report import ROOT, SEED, Part, Table
from hindbrain.entry.http import owner
from hindbrain.settings import Settings

if TYPE_CHECKING:
    from bench.peers.vectors import Matrix

_CALLERS = 32
_EACH, _QUICK_EACH = 40, 5  # calls of each caller
_SIZES, _QUICK_SIZES, _FULL_SIZES = (10_000,), (1_000,), (10_000, 100_000)  # memories
_QUESTIONS = 200
_PROJECT = "load"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Load:
    """How a number of callers fared together."""

    waits_ms: tuple[float, ...]  # in order
    seconds: float
    cpu_s: float | None  # of the process that answers; None where the system does not tell

    @property
    def cpu(self) -> float | None:
        """Milliseconds that one answer took of a processor."""
        return None if self.cpu_s is None else 1000 * self.cpu_s / len(self.waits_ms)

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
    if find_spec("numpy") is None:
        return Part(name="http", title=_TITLE, notes=["Not measured: numpy is not installed."], is_whole=False)
    sizes = _QUICK_SIZES if is_quick else _FULL_SIZES if is_full else _SIZES
    each = _QUICK_EACH if is_quick else _EACH
    figures: dict[str, float] = {}
    rows: list[tuple[str, ...]] = []
    for size in sizes:
        for name, load in _measured(size, each, is_installing=is_full).items():
            if isinstance(load, Absent):
                rows.append((f"{size:,}", _TOLD[name], load.why, "", "", ""))
                continue
            figures |= {
                f"{name}_{size}_p50_ms": load.p50,
                f"{name}_{size}_p99_ms": load.p99,
                f"{name}_{size}_per_second": load.per_second,
            }
            figures |= {f"{name}_{size}_cpu_ms": load.cpu} if load.cpu is not None else {}
            waits = (f"{load.p50:.1f}", f"{load.p99:.1f}", f"{load.per_second:.0f}")
            rows.append((f"{size:,}", _TOLD[name], *waits, "–" if load.cpu is None else f"{load.cpu:.1f}"))
    notes = [
        f"{_CALLERS} callers with a connection each, {each} recalls of each for the ten best. Each server is one "
        "process, its callers are threads of another, all of them ask the same questions, and they ask one server "
        f"after the other; all of it on {len(os.sched_getaffinity(0))} cores, so that callers and server take each "
        "other's time. Waiting tells how busy the machine was as much as what a server needs; the last column is CPU "
        "time of the process that answers, its callers apart.",
        "Both sides hold the same texts and were given the same vectors of 384 dimensions, for memories and for "
        "questions: no model's time is in here. Ours searches by words and by meaning, joins and weighs what it found, "
        "and answers with every memory whole and the reasons of its score; chromadb's server, a native program, finds "
        "the nearest vectors by an approximate index and answers with their texts.",
    ]
    head = ("memories", "caller", "p50 ms", "p99 ms", "recalls per second", "CPU ms a recall")
    table = Table(head=head, rows=rows)
    is_whole = is_full and bool(figures.get(f"peer_{sizes[-1]}_per_second"))
    return Part(name="http", title=_TITLE, figures=figures, tables=[table], notes=notes, is_whole=is_whole)


_TITLE = "Recall over HTTP"
_TOLD = {
    "alone": "one, in the process itself",
    "threads": f"{_CALLERS} threads of the process itself",
    "http_alone": "one, over HTTP",
    "http": f"{_CALLERS}, over HTTP",
    "peer_alone": "one, chromadb's server",
    "peer": f"{_CALLERS}, chromadb's server",
}
_CROWDS = (("alone", 1, 4), ("", _CALLERS, 1))  # callers, and how many times as often each of them asks


def _measured(size: int, each: int, *, is_installing: bool) -> dict[str, "_Load | Absent"]:
    from bench.peers.vectors import vectors  # late: the other benchmarks do without numpy

    texts = list(lessons(size, seed=SEED))
    asked = list(questions(_QUESTIONS, seed=SEED))
    rows = vectors([*texts, *asked])
    say(f"http: vectors of {size:,} memories made")
    with tempfile.TemporaryDirectory(prefix="hindbrain-bench-") as folder:
        found: dict[str, _Load | Absent] = {}
        found |= _ours(Path(folder) / "ours", texts, asked, rows=rows, each=each)
        found |= _peer(Path(folder) / "peer", texts, rows=rows, each=each, is_installing=is_installing)
        say(f"http: {size:,} memories done")
        return found


def _ours(home: Path, texts: Sequence[str], asked: Sequence[str], *, rows: "Matrix", each: int) -> dict[str, _Load]:
    home.mkdir(mode=0o700)
    settings = Settings(home=str(home), store=str(home / "hindbrain.db"), embedder="off")
    data = home / "questions.json"
    data.write_text(json.dumps(asked), encoding="utf-8")
    data.with_suffix(".f32").write_bytes(rows[len(texts) :].tobytes())
    given = Given(Lookup(dict(zip([*texts, *asked], rows.tolist(), strict=True))))
    with hindbrain.open(settings.store, _PROJECT, settings=settings, embedder=given) as memory:
        fill(memory, texts, label=f"http: {len(texts):,} memories")
        memory.embed()

        def recalled(number: int) -> Callable[[], object]:
            return lambda: memory.recall(asked[number % len(asked)], limit=ANSWERS)

        found = {
            "alone": _load(1, 4 * each, recalled, pid=os.getpid()),
            "threads": _load(_CALLERS, each, recalled, pid=os.getpid()),
        }
    headers = {"Authorization": f"Bearer {owner.token(settings)}"}

    def request(number: int) -> _Request:
        path = f"/api/recall?project={_PROJECT}&limit={ANSWERS}&why=true&q={quote(asked[number % len(asked)])}"
        return _Request(method="GET", path=path, headers=headers)

    with _service(settings, data) as server:
        for name, callers, often in _CROWDS:
            found[f"http_{name}".rstrip("_")] = _over_http(server, request, callers=callers, each=often * each)
    return found


def _peer(
    folder: Path, texts: Sequence[str], *, rows: "Matrix", each: int, is_installing: bool
) -> dict[str, "_Load | Absent"]:
    asked = rows[len(texts) :]
    folder.mkdir()
    with running(folder, is_installing=is_installing) as server:
        if isinstance(server, Absent):
            return {"peer": server}
        server.fill(texts, rows)
        chroma, at = server, (server.address, server.pid)

        def request(number: int) -> _Request:
            path, body = chroma.question(asked[number % len(asked)].tolist())
            return _Request(method="POST", path=path, headers={"Content-Type": "application/json"}, body=body)

        return {
            f"peer_{name}".rstrip("_"): _over_http(at, request, callers=callers, each=often * each)
            for name, callers, often in _CROWDS
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes | None = None


_WARM = 10  # calls that are not counted: a server that has just started loads what it needs


def _over_http(server: tuple[str, int], request: Callable[[int], _Request], *, callers: int, each: int) -> _Load:
    """`server` is where it listens, and which process it is."""
    address, pid = server
    links = [http.client.HTTPConnection(address, timeout=120) for _ in range(callers)]

    def called(number: int) -> Callable[[], object]:
        link, asked = links[number % callers], request(number)

        def call() -> object:
            link.request(asked.method, asked.path, body=asked.body, headers=asked.headers)
            answer = link.getresponse()
            body = answer.read()
            if answer.status != 200:
                raise RuntimeError(f"{address} answered {answer.status}: {body[:200]!r}")
            return body

        return call

    try:
        for number in range(_WARM):
            called(number)()
        return _load(callers, each, called, pid=pid)
    finally:
        for link in links:
            link.close()


def _load(callers: int, each: int, called: Callable[[int], Callable[[], object]], *, pid: int) -> _Load:
    """Let all callers go at once; each makes its calls one after the other. `pid` is who answers."""
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
    before = _cpu_s(pid)
    together.wait()
    started = time.monotonic()
    for thread in threads:
        thread.join()
    if len(waits) != callers * each:
        raise RuntimeError("a caller did not get all its answers")
    seconds, after = time.monotonic() - started, _cpu_s(pid)
    spent = None if before is None or after is None else after - before
    return _Load(waits_ms=tuple(sorted(waits)), seconds=seconds, cpu_s=spent)


def _cpu_s(pid: int) -> float | None:
    """What a process has used so far, all threads, as Linux tells it."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return None
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _service(settings: Settings, data: Path) -> Iterator[tuple[str, int]]:
    """Where it listens, and which process it is."""
    known = {**environment(Path(settings.home) / "bytecode"), "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "bench.served", settings.home, str(data)]
    process = subprocess.Popen(
        command, cwd=settings.home, env=known, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        if process.stdout is None:
            raise RuntimeError("a pipe was asked for")
        yield process.stdout.readline().strip().removeprefix("http://"), process.pid
    finally:
        process.terminate()
        process.communicate()
