"""What sixteen agents get who write into one store at once: speed, fair shares, and the longest wait of all.

`python -m bench.writers STORE NAME COUNT` is one of them; it starts when its standard input is closed.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import hindbrain
from bench.fill import signal
from bench.lessons import lessons
from bench.meter import children_ms, environment, say
from bench.report import ROOT, Part, Table

_WRITERS = 16
_EACH, _QUICK_EACH = 500, 25


@dataclass(frozen=True, slots=True, kw_only=True)
class _Share:
    """How one writer fared."""

    seconds: float  # from its first capture to the end of its last
    waits_ms: tuple[float, ...]  # wall time of every capture
    stored: int  # receipts, each of which promises a memory


def measure(*, is_quick: bool) -> Part:
    each = _QUICK_EACH if is_quick else _EACH
    say(f"writers: {_WRITERS} processes × {each} captures")
    shares: list[_Share] = []
    with tempfile.TemporaryDirectory(prefix="hindbrain-bench-") as folder:
        store = Path(folder) / "hindbrain.db"
        started = time.monotonic()
        cpu = children_ms(lambda: shares.extend(_all(store, each)))
        wall = time.monotonic() - started
        with hindbrain.open(store, "load") as memory:
            kept = len(memory.list(with_all=True))
    return _part(shares, each=each, cpu_ms=cpu / (_WRITERS * each), wall_s=wall, kept=kept)


def _all(store: Path, each: int) -> list[_Share]:
    """Start all, let them go together, wait for all."""
    read_end, write_end = os.pipe()
    known = environment(store.with_name("bytecode"))
    command = [sys.executable, "-m", "bench.writers", str(store)]
    running = [
        subprocess.Popen(
            [*command, str(number), str(each)], cwd=ROOT, env=known, stdin=read_end, stdout=subprocess.PIPE, text=True
        )
        for number in range(_WRITERS)
    ]
    os.close(read_end)
    os.close(write_end)
    shares = []
    for process in running:
        out, _ = process.communicate()
        if process.returncode:
            raise RuntimeError(f"a writer ended with {process.returncode}")
        told = json.loads(out)
        shares.append(_Share(**{**told, "waits_ms": tuple(told["waits_ms"])}))
    return shares


def _part(shares: list[_Share], *, each: int, cpu_ms: float, wall_s: float, kept: int) -> Part:
    waits = sorted(wait for share in shares for wait in share.waits_ms)
    longest = max(share.seconds for share in shares)
    figures = {
        "per_second": _WRITERS * each / longest,
        "fairness": min(share.seconds for share in shares) / longest,
        "slowest_write_ms": waits[-1],
        "p99_write_ms": waits[int(len(waits) * 0.99)],
        "median_write_ms": median(waits),
        "cpu_ms_per_capture": cpu_ms,
        "promised": float(sum(share.stored for share in shares)),
        "kept": float(kept),
        "wall_s": wall_s,
    }
    rows = [
        ("captures per second, all writers", f"{figures['per_second']:.0f}"),
        ("fairness: fastest writer's time / slowest's", f"{figures['fairness']:.2f}"),
        ("one capture, median wall ms", f"{figures['median_write_ms']:.1f}"),
        ("one capture, 99th percentile wall ms", f"{figures['p99_write_ms']:.0f}"),
        ("one capture, slowest wall ms", f"{figures['slowest_write_ms']:.0f}"),
        ("CPU ms per capture, with the start of the process", f"{cpu_ms:.2f}"),
        ("captures promised", f"{figures['promised']:,.0f}"),
        ("memories in the store", f"{kept:,}"),
    ]
    note = f"{_WRITERS} processes, {each} captures each, into one new store of one project."
    table = Table(head=("measure", "value"), rows=rows)
    return Part(name="writers", title="Sixteen writers at once", figures=figures, tables=[table], notes=[note])


def main(store: str, name: str, *, count: int) -> None:
    texts = list(lessons(count, seed=1000 + int(name)))
    with hindbrain.open(store, "load") as memory:
        sys.stdin.read()
        waits, stored = [], 0
        started = time.monotonic()
        for number, text in enumerate(texts):
            before = time.monotonic()
            captured = memory.capture(signal(text), session=f"session-{name}-{number // 40}", persona=f"w{name}")
            waits.append(1000 * (time.monotonic() - before))
            stored += len(captured.receipts)
        seconds = time.monotonic() - started
    print(json.dumps({"seconds": seconds, "waits_ms": waits, "stored": stored}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], count=int(sys.argv[3]))
