"""What counts as an example that is true: it was run, in order, and printed what the page says.

Runs README.md, docs/tutorial.md and docs/howto.md, each in a fresh home and an empty folder, on a terminal of
COLUMNS columns. In a `console` block a line that begins with `$ ` is a command, also over several lines with a
backslash at the end or a heredoc; what follows is its output. A `python` block runs as well; a `text` block right
after it is what it prints. A line `...` stands for any lines. Blocks of other kinds are left alone.

Without arguments the outputs that differ are written anew. With --check nothing is written: one that differs
exits with 1. What differs from run to run (ids, times, sizes, paths) is no difference.
"""

import difflib
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "docs/tutorial.md", "docs/howto.md")
COLUMNS = 96
ANY = "..."  # a line of output that stands for any lines

_TIMEOUT_S = 120
_RECORD = "\x1e"  # between two outputs; no command of ours prints one
_HOME = "/home/ada"  # how the home of the run is called on the page
_TEMPORARY = "/tmp"  # and the folder around it
_FENCE = re.compile(r"```(\w*)\s*")
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")

# What may differ between two runs, and what to read in its place.
_VARYING: Mapping[re.Pattern[str], str] = {
    re.compile(pattern): mask
    for pattern, mask in {
        r"\b(mem|rcp|rev|inj|prj|out|sug)-[0-9a-z]{26}\b": r"\1-ID",
        r"\b[0-9a-f]{32}\b": "FENCE",
        r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| UTC)?)?": "TIME",
        r"\b[\d.,]+ (?:bytes|kB|MB|GB)\b": "SIZE",
        r"\b[\d,]+ rows?\b": "ROWS",
        r"\bSQLite \d+\.\d+\.\d+": "SQLite VERSION",
        r"/(?:tmp|var/folders|private)/[^\s'\",;:]*": "TEMPORARY",
    }.items()
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command of a page, and the lines that the page gives as its output."""

    script: str  # for bash
    line: int  # of the command in the page, from 1
    start: int  # of the output: index of its first line
    end: int  # and of the first line after it
    expected: tuple[str, ...]
    is_fenced: bool = False  # the output needs a fence of its own


def main(arguments: Sequence[str]) -> int:
    if list(arguments) == ["--check"]:
        problems = [problem for page in PAGES for problem in check(ROOT / page)]
        for problem in problems:
            print(problem, file=sys.stderr)
        return 1 if problems else 0
    if arguments:
        print("usage: docs_refresh.py [--check]", file=sys.stderr)
        return 2
    for name in PAGES:
        page = ROOT / name
        text = page.read_text("utf-8")
        fresh = refreshed(text, outputs(steps(text)))
        if fresh != text:
            page.write_text(fresh, encoding="utf-8")
            print(f"wrote {name}")
    return 0


def check(page: Path) -> list[str]:
    """One paragraph for each command that prints something else than the page says."""
    found = steps(page.read_text("utf-8"))
    return [
        f"{page.name}:{step.line}: this printed something else; `python scripts/docs_refresh.py` writes it anew\n"
        f"{_difference(step, printed)}"
        for step, printed in zip(found, outputs(found), strict=True)
        if not agrees(step.expected, printed)
    ]


def steps(text: str) -> list[Step]:
    """The commands of a page, in order."""
    lines = text.splitlines()
    found: list[Step] = []
    all_blocks = list(blocks(lines))
    for number, (kind, start, end) in enumerate(all_blocks):
        if kind == "console":
            found += _typed(lines, start, end)
        elif kind == "python":
            after = all_blocks[number + 1] if number + 1 < len(all_blocks) else ("", 0, 0)
            found.append(_program(lines, start, end, after=after))
    return found


def blocks(lines: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Kind, first line and line after the last of each fenced block."""
    kind, start = "", -1
    for number, line in enumerate(lines):
        fence = _FENCE.fullmatch(line)
        if fence and start < 0:
            kind, start = fence[1], number + 1
        elif fence:
            yield kind, start, number
            start = -1
    if start >= 0:
        raise ValueError(f"the block that begins in line {start} never ends")


def _typed(lines: Sequence[str], start: int, end: int) -> Iterator[Step]:
    at = start
    while at < end:
        if not lines[at].startswith("$ "):
            raise ValueError(f"line {at + 1} is output of no command")
        after = _after_command(lines, at, end)
        script = "\n".join([lines[at][2:], *lines[at + 1 : after]])
        output = next((n for n in range(after, end) if lines[n].startswith("$ ")), end)
        yield Step(script=script, line=at + 1, start=after, end=output, expected=tuple(lines[after:output]))
        at = output


def _after_command(lines: Sequence[str], at: int, end: int) -> int:
    """The line after a command: behind its heredoc, or behind the last line that a backslash continues."""
    while at < end:
        if heredoc := _HEREDOC.search(lines[at]):
            return next(n for n in range(at + 1, end) if lines[n] == heredoc[1]) + 1
        at += 1
        if not lines[at - 1].endswith("\\"):
            return at
    return end


def _program(lines: Sequence[str], start: int, end: int, *, after: tuple[str, int, int]) -> Step:
    kind, first, last = after
    script = "python - <<'END OF PROGRAM'\n" + "\n".join(lines[start:end]) + "\nEND OF PROGRAM"
    if kind == "text" and first - end == 3:  # the end of one block, a blank line, the beginning of the next
        return Step(script=script, line=start + 1, start=first, end=last, expected=tuple(lines[first:last]))
    return Step(script=script, line=start + 1, start=end + 1, end=end + 1, expected=(), is_fenced=True)


def outputs(found: Sequence[Step]) -> list[str]:
    """What each command prints, when all are typed one after the other on one terminal."""
    with tempfile.TemporaryDirectory(prefix="docs") as name:
        top = Path(name).resolve()
        home = top / "home"
        for folder in (home, top / "bin"):
            folder.mkdir()
        _put_on_path(top / "bin")
        script = top / "page.sh"
        script.write_text("".join(map(_recorded, found)), encoding="utf-8")
        seen = _on_a_terminal(
            ["bash", "--noprofile", "--norc", str(script)], folder=home, environment=_environment(top)
        )
    told = _COLOUR.sub("", seen).replace("\r\n", "\n").replace(str(home), _HOME).replace(str(top), _TEMPORARY)
    printed = told.split(_RECORD)[1:]
    if len(printed) != len(found):
        raise RuntimeError(f"the shell ended after {len(printed)} of {len(found)} commands:\n{printed[-1:]}")
    return printed


def _recorded(step: Step) -> str:
    """The command, with its beginning marked and `$?` left as it was."""
    return f"_ended=$?; printf '\\036'; (exit $_ended)\n{step.script}\n"


def _put_on_path(folder: Path) -> None:
    """`hindbrain` and `python`, as an installation would have them, but of this working tree."""
    python = shlex.quote(sys.executable)
    for name, call in {"hindbrain": f"{python} -m hindbrain", "python": python, "python3": python}.items():
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {call} "$@"\n', encoding="utf-8")
        program.chmod(0o755)


def _environment(top: Path) -> dict[str, str]:
    return {
        "PATH": f"{top / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "HOME": str(top / "home"),
        "TMPDIR": str(top),
        "PYTHONPATH": str(ROOT / "src"),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "COLUMNS": str(COLUMNS),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
    }


def _on_a_terminal(command: Sequence[str], *, folder: Path, environment: Mapping[str, str]) -> str:
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (50, COLUMNS))
    shell = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,  # so that one that hangs can be ended with all that it started
    )
    os.close(theirs)
    alarm = Timer(_TIMEOUT_S, os.killpg, (shell.pid, signal.SIGKILL))
    alarm.start()
    try:
        return b"".join(_read(ours)).decode("utf-8")
    finally:
        alarm.cancel()
        shell.wait()
        os.close(ours)


def _read(terminal: int) -> Iterator[bytes]:
    """Until nobody holds the other end, which Linux tells by an error and others by an empty read."""
    try:
        while piece := os.read(terminal, 65536):
            yield piece
    except OSError:
        return


def agrees(expected: Sequence[str], printed: str) -> bool:
    """Whether the page says what was printed, but for what varies; `...` may be any lines."""
    return _matches(_plain("\n".join(expected)), _plain(printed))


def _matches(wanted: Sequence[str], seen: Sequence[str]) -> bool:
    if ANY not in wanted:
        return list(wanted) == list(seen)
    gap = list(wanted).index(ANY)
    head, rest = wanted[:gap], wanted[gap + 1 :]
    if list(seen[:gap]) != list(head):
        return False
    return any(_matches(rest, seen[at:]) for at in range(gap, len(seen) + 1))


def _plain(text: str) -> list[str]:
    for varying, mask in _VARYING.items():
        text = varying.sub(mask, text)
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def _difference(step: Step, printed: str) -> str:
    return "\n".join(
        difflib.unified_diff(_plain("\n".join(step.expected)), _plain(printed), "page", "run", lineterm="")
    )


def refreshed(text: str, printed: Sequence[str]) -> str:
    """The page with the outputs that differ replaced; the others stay as they are, ids and all."""
    lines = text.splitlines()
    for step, output in reversed(list(zip(steps(text), printed, strict=True))):
        if agrees(step.expected, output):
            continue
        fresh = [line.rstrip() for line in output.strip("\n").splitlines()]
        if step.expected and not step.expected[-1]:
            fresh.append("")  # the page sets the next command apart
        lines[step.start : step.end] = ["", "```text", *fresh, "```"] if step.is_fenced else fresh
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
