"""What a failing command's output says went wrong, in one line, and which advice it gives."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from hindbrain.core.shape.error_signature import error_signature_of

_LONGEST = 300  # characters of a summary
_HALF = 30_000  # characters read at either end of a long output
_LINE = 300
_TESTS = 3
_EDGE = 300  # lines read at either end


def summary(output: str, *, signature: str = "") -> str:
    """The line that names the error, and which tests failed; the first line that says anything where there is none."""
    lines = list(_lines(output))
    tests = _tests(lines)
    head = _named_line(lines, signature or error_signature_of(output) or "")
    if not head and not tests:
        head = next((line for line in lines if _has_words().search(line)), "")
    if not tests or tests in head:
        return _short(head)
    return _short(f"{head} ({tests})" if head else f"failed: {tests}")


def _named_line(lines: Sequence[str], signature: str) -> str:
    """The last line with that error; empty where there is none."""
    return next((line for line in reversed(lines) if error_signature_of(line) == signature), "") if signature else ""


def _tests(lines: Sequence[str]) -> str:
    found = (_test().match(line) for line in lines)
    failed = list(dict.fromkeys(match[1] or match[2] or match[3] for match in found if match))
    more = len(failed) - _TESTS
    return ", ".join(failed[:_TESTS]) + (f" and {more} more" if more > 0 else "")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def advice(output: str) -> tuple[str, tuple[str, ...]]:
    """A line in which the failure itself tells what to do instead, and the names that it gives; else nothing."""
    for line in _lines(output):
        if _advice().search(line) and (names := tuple(_named().findall(line))):
            return line, tuple(name.strip("`'\"") for name in names)
    return "", ()


def _lines(output: str) -> Iterator[str]:
    text = output if len(output) <= 2 * _HALF else output[:_HALF] + "\n" + output[-_HALF:]
    lines = text.splitlines()
    for line in lines if len(lines) <= 2 * _EDGE else lines[:_EDGE] + lines[-_EDGE:]:
        bare = _ansi().sub("", line[:_LINE]).strip().removeprefix("E  ").strip()
        if bare:
            yield bare


@cache
def _has_words() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z]{3,}.*\s\w")


@cache
def _test() -> re.Pattern[str]:
    return re.compile(r"(?:FAILED|ERROR) ([\w./\\-]+::\S+)|\s*--- FAIL: (\S+)|test (\S+) \.\.\. FAILED")


@cache
def _ansi() -> re.Pattern[str]:
    return re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@cache
def _advice() -> re.Pattern[str]:
    return re.compile(
        r"^(?:=\s+)?(?:hint|help)\b:?|\buse\b.{1,80}\binstead\b|\bdid you forget\b|\bis deprecated\b", re.I
    )


@cache
def _named() -> re.Pattern[str]:
    return re.compile(r"`[^`]{3,80}`|'[^']{3,80}'|\"[^\"]{3,80}\"|\b\w+\.\w+\(\)|--[a-z][a-z-]{2,40}")
