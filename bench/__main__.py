"""Which benchmarks run, and where their results go."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bench import cold, growth, quality, report, vectors, writers
from bench.meter import say

_PARTS = {
    "cold": cold.measure,
    "growth": growth.measure,
    "vectors": vectors.measure,
    "writers": writers.measure,
    "quality": quality.measure,
}
_GROUPS = {"speed": ("cold", "growth", "vectors", "writers")}


def main(arguments: Sequence[str]) -> int:
    asked = _parser().parse_args(arguments)
    names = _GROUPS.get(asked.only, (asked.only,)) if asked.only else tuple(_PARTS)
    # A quick run is a smoke test: its figures are too rough for a page that people quote.
    page = None if asked.quick else report.PAGE
    target = report.file_of_run()
    results: list[report.Result] = []
    for name in names:
        say(f"{name}: started")
        before = report.stamp()
        part = _PARTS[name](is_quick=asked.quick)
        results.append(report.Result(part=part, stamp=report.settled(before)))
        print(report.plain(part), flush=True)
        report.write(results, to=target, page=page)  # after each, so that a later failure loses nothing
    say(f"written: {target.relative_to(report.ROOT)}{'' if asked.quick else ', docs/benchmarks.md'}")
    if asked.json:
        Path(asked.json).write_text(report.as_json(results), encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure what Hindbrain costs, and how well.")
    parser.add_argument("--quick", action="store_true", help="small sizes, in about a minute; docs stay as they are")
    parser.add_argument("--only", choices=[*_GROUPS, *_PARTS], help="one part, or speed for all but quality")
    parser.add_argument("--json", metavar="FILE", help="write the results here too")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
