"""Which benchmarks run, and where their results go."""

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from bench import (
    cold,
    consolidation,
    decisions,
    embedders,
    growth,
    hooks,
    http,
    lifecycle,
    parts,
    quality,
    recall,
    report,
    scale,
    tune,
    vectors,
    writers,
)
from bench.meter import say
from bench.peers import compare

_PARTS = {
    "cold": cold.measure,
    "growth": growth.measure,
    "vectors": vectors.measure,
    "parts": parts.measure,
    "writers": writers.measure,
    "hooks": hooks.measure,
    "http": http.measure,
    "consolidation": consolidation.measure,
    "lifecycle": lifecycle.measure,
    "quality": quality.measure,
    "decisions": decisions.measure,
    "recall": recall.measure,
    "peers": compare.measure,
    "scale": scale.measure,
}
_ASKED = {  # by name alone
    "embedders": embedders.measure,  # installs seven environments
    "tune": tune.measure,  # changes only when recall does
}
_GROUPS = {"speed": ("cold", "growth", "vectors", "parts", "writers", "hooks", "http")}
_WITH_FULL = (
    "http",
    "lifecycle",
    "parts",
    "recall",
    "peers",
    "scale",
    "vectors",
)  # have more to measure than is worth a wait every time
_FULL = (
    "all sizes, the long sets, and all peers: each that is missing is installed into an environment of its own, under "
    ".peers or HINDBRAIN_BENCH_PEERS, several gigabytes in all. Without this, peers that are installed are measured at "
    f"1,000 memories, and the page keeps the last full run of {', '.join(_WITH_FULL)}"
)


def main(arguments: Sequence[str]) -> int:
    asked = _parser().parse_args(arguments)
    names = _GROUPS.get(asked.only, (asked.only,)) if asked.only else tuple(_PARTS)
    # A quick run is a smoke test: its figures are too rough for a page that people quote.
    page = None if asked.quick else report.PAGE
    known: dict[str, Callable[..., report.Part]] = {**_PARTS, **_ASKED}
    known |= {name: partial(known[name], is_full=asked.full) for name in _WITH_FULL}
    target = report.file_of_run()
    results: list[report.Result] = []
    for name in names:
        say(f"{name}: started")
        before = report.stamp()
        part = known[name](is_quick=asked.quick)
        results.append(report.Result(part=part, stamp=report.settled(before)))
        print(report.plain(part), flush=True)
        report.write(results, to=target, page=page)  # after each, so that a later failure loses nothing
    say(f"written: {target.relative_to(report.ROOT)}{'' if asked.quick else ', docs/benchmarks.md'}")
    if asked.json:
        Path(asked.json).write_text(report.as_json(results), encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure what Hindbrain costs, and how well.")
    how_long = parser.add_mutually_exclusive_group()
    how_long.add_argument("--quick", action="store_true", help="small sizes, in a few minutes; docs stay as they are")
    how_long.add_argument("--full", action="store_true", help=_FULL)
    parser.add_argument("--only", choices=[*_GROUPS, *_PARTS, *_ASKED], help="one part, or speed for all that is timed")
    parser.add_argument("--json", metavar="FILE", help="write the results here too")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
