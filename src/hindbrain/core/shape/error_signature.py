"""When two failures are the same one: the error of a text, without what changes from run to run.

Paths, numbers, addresses, times and quoted values become placeholders; the kind of error, its code and its wording
stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

_HALF = 200_000  # characters read at either end of a long output: errors stand at its edges
_LINE = 1_000  # characters of one line
_LONGEST = 200  # characters of a signature


def error_signature_of(text: str) -> str | None:
    """A stable name for the failure in `text`; None when it tells of none.

    The most telling line wins: an exception, then a compiler's error, then a panic, then a failed test, then what the
    shell says, then an exit code. Of several exceptions the last one counts, since a traceback ends with what was
    raised; of other errors the first, since the rest follow from it.
    """
    best: dict[int, re.Match[str]] = {}
    for line in _candidates(text):
        rank, match = _ranked(line)
        if match is not None and (rank == 0 or rank not in best):
            best[rank] = match
    return _signature(best[min(best)])[:_LONGEST].rstrip() if best else None


def _ranked(line: str) -> tuple[int, re.Match[str] | None]:
    for rank, finder in enumerate(_finders()):
        match = finder.search(line)
        if match is not None:
            return rank, match
    return -1, None


def _candidates(text: str) -> Iterator[str]:
    if len(text) > 2 * _HALF:
        text = text[:_HALF] + "\n" + text[-_HALF:]
    hint = _hint()
    lines = text.splitlines()
    for at, line in enumerate(lines):
        line = line[:_LINE]
        if not hint.search(line):
            continue
        if line.endswith(":") and "panicked at" in line:  # Rust says why on the line below
            line += " " + "".join(lines[at + 1 : at + 2])[:_LINE]
        line = _ansi().sub("", line).strip().removeprefix("E  ").strip()
        if line.startswith(("FAILED ", "ERROR ")) and line.endswith("..."):  # pytest cuts it to the terminal's width
            line = line.partition(" - ")[0]
        if not _place().match(line):
            yield line


@cache
def _hint() -> re.Pattern[str]:
    return re.compile(
        r"error|exception|interrupt|panic|fail|fatal|exit|killed|not found|denied|no such|no module|fault|refused"
        r"|in use|undefined|unresolved|warning|abort|timed out|ERR!|FAIL|E[A-Z]{4,}",
        re.IGNORECASE,
    )


@cache
def _place() -> re.Pattern[str]:
    """`src/pool.py:14: RuntimeError`: where it was raised, below a line that says all of it."""
    return re.compile(r"[\w./\\-]{1,300}:\d+: \w{1,100}$")


@cache
def _ansi() -> re.Pattern[str]:
    return re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@cache
def _finders() -> tuple[re.Pattern[str], ...]:
    """Best first. `kind` and `test` are kept as they are, `message` is made stable."""
    span = r"(?P<message>.*)"
    where = r"(?:^|[\s`(])[\w./\\@+-]{1,200}(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\)):"
    patterns = (
        # ValueError: …   java.lang.NullPointerException: …   a lone exception name ends a traceback too
        r"(?:^|(?<=[\s`\"(]))(?P<kind>(?:\w{1,80}[.:]{1,2}){0,8}[A-Z]\w{0,80}(?:Error|Exception|Interrupt|Failure))"
        r"(?:\s\[(?P<code>[A-Z_0-9]+)\])?(?::\s+(?=\S)" + span + r"|$)",
        r"(?:^|`|Uncaught |Unhandled )(?P<kind>Error|Exception):\s+(?=\S)" + span,
        r":\d+:in .{1,80}?: (?P<message>.*) \((?P<kind>[\w:]+Error)\)$",
        # error TS2322: …   error[E0382]: …   error CS0103: …
        r"\b(?P<kind>error ?\[?[A-Z]{1,5}\d{2,5}\]?):?\s+" + span,
        # src/a.py:10: error: …   main.c:5:10: fatal error: …   ./main.go:10:2: undefined: foo
        where + r"\s(?:\d+:\s)?(?P<kind>(?:fatal )?error|undefined|cannot find \w+):?\s+" + span,
        r"(?P<kind>\bundefined reference to)\s" + span,
        # panics
        r"(?:^|[\s`])(?P<kind>panic|fatal error):\s+" + span,
        r"\bthread \S{1,80} (?:\(\d+\) )?(?P<kind>panicked at)\s" + span,
        # failed tests: pytest, go, cargo, jest
        r"^(?P<kind>FAILED|ERROR)\s(?P<test>[\w./\\-]+::\S+)",
        r"^(?P<kind>--- FAIL):\s(?P<test>\S+)",
        r"^test (?P<test>\S+) \.\.\. (?P<kind>FAILED)",
        r"^(?P<kind>FAIL)\s+(?P<test>\S+)",
        # codes of the system, of npm, of git, of the shell, of make, of a log
        r"\b(?P<kind>E(?:ADDRINUSE|CONNREFUSED|CONNRESET|NOENT|ACCES|PERM|EXIST|PIPE|TIMEDOUT|NOTFOUND|MFILE|NOSPC"
        r"|RESOLVE|INTEGRITY|LIFECYCLE|404))\b:?\s*" + span,
        r"(?:^|`)(?P<kind>fatal|FATAL|ERROR|CRITICAL|error)(?: \d+ \(\w+\))?:\s+" + span,
        r"^[\[\d][\d\-:.,TZ+\s\[\]]{6,40}(?P<kind>ERROR|FATAL|CRITICAL)\]?:?\s+" + span,
        r"^(?:\S{1,40}:\s(?:line \d+:\s)?)?(?P<message>\S{1,80}):\s(?P<kind>command not found|Permission denied"
        r"|No such file or directory)$",
        r"^\S{1,40}:\s(?P<kind>command not found):\s" + span,
        # what an interpreter says of a program that it was to run: python -m pytest
        r"^\S{0,200}python[\d.]{0,6}(?:\.exe)?: (?P<kind>No module named) (?P<message>[\w.]{1,100})$",
        r"^(?P<kind>make)(?:\[\d+\])?: \*\*\*\s" + span,
        r"\b(?P<kind>Segmentation fault|Bus error|Killed: 9|Out of memory|core dumped)\b",
        r"\b(?P<plain>[Cc]onnection (?:refused|reset)|[Pp]ermission denied|[Aa]ddress already in use)\b",
        # exit codes: nothing else is known
        r"\b(?:[Ee]xit(?:ed)?(?: with)?(?: status| code| error)*:?|Exit code:?)\s(?P<exit>[1-9]\d{0,9})\b",
    )
    return tuple(re.compile(p) for p in patterns)


def _signature(match: re.Match[str]) -> str:
    part = match.groupdict()
    if part.get("exit"):
        return f"exit code {part['exit']}"
    if part.get("plain"):
        return str(part["plain"].lower())
    if part.get("test"):  # which test failed is what stays; where the repository lies is not
        return f"{part['kind']}: {part['test'].rsplit('/', 1)[-1]}"
    message = part.get("message") or ""
    if match.string[: match.start("kind")].endswith("`"):  # quoted in prose, which goes on after it
        message = message.partition("`")[0]
    kind = f"{part['kind']} [{part['code']}]" if part.get("code") else part["kind"]
    stable = _stable(message)
    return f"{kind}: {stable}" if stable else kind


def _stable(message: str) -> str:
    for pattern, placeholder in _changing():
        message = pattern.sub(placeholder, message)
    return " ".join(message.split()).rstrip(" .:;,")


@cache
def _changing() -> tuple[tuple[re.Pattern[str], str], ...]:
    """What differs between two runs of the same failure, widest first."""
    table = (
        (r"\b[a-z][a-z0-9+.-]{1,20}://[^\s'\"`)>\]]+", "<url>"),
        (r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?", "<time>"),
        (r"\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b", "<time>"),
        (r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b", "<uuid>"),
        (r"(?<!\w)(?:'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*[`'])(?!\w)|‘[^’\n]*’|“[^”\n]*”", "<value>"),
        (r"\b0x[0-9a-fA-F]+\b|\b(?=[a-f]{0,39}\d)(?=\d{0,39}[a-f])[0-9a-f]{7,40}\b", "<hex>"),
        (r"\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b|\blocalhost:\d+\b|(?<!\S):{1,3}\d{2,5}\b|\[::1?\]:\d+", "<address>"),
        (r"(?<![\w<])(?:[A-Za-z]:)?[\w.@~+-]*[/\\][\w./\\@~+\-\[\]]*(?::\d+)*(?:::[\w\[\]-]+)*", "<path>"),
        (r"\b[\w-]+\.[a-z]{1,4}(?::\d+)+", "<path>"),
        (r"\b\d+(?:\.\d+)?\s?(?:ns|us|µs|ms|s|secs?|seconds?|m|min|minutes?|h|hours?)\b", "<duration>"),
        (r"(?<![\w<.])(?<!Errno )(?<!status )(?<!code )-?\d+(?:[.,]\d+)*(?![\w>])", "<n>"),
    )
    return tuple((re.compile(p), placeholder) for p, placeholder in table)
