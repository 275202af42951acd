"""What a tool's own closing lines say of how it ended, for when its exit status is hidden or unknown."""

import re
from collections.abc import Mapping
from functools import cache

from hindbrain.core.model.activity import Result

_READ = 20_000  # characters at the end of an output: tools close with their verdict
_LINES = 80
_LINE = 400

P, F = Result.PASSED, Result.FAILED

_PYTEST = (
    (r"^=* ?(?:\d+ \w+, )*\d+ (?:failed|errors?)\b.* in [\d.]+s", F),
    (r"^(?:FAILED|ERROR) \S+(?:::|\.py)", F),
    (r"^=* ?\d+ passed\b.* in [\d.]+s", P),
)
_CARGO = (
    (r"^test result: FAILED\.", F),
    (r"^error(?:\[E\d+\])?: (?:could not compile|test failed|aborting due to)", F),
    (r"^test result: ok\.", P),
)
_CARGO_BUILT = ((r"^error(?:\[E\d+\])?: could not compile", F), (r"^\s*Finished (?:`\w+` profile|\w+ \[)", P))
_GO = ((r"^(?:FAIL\b|--- FAIL:|panic: )", F), (r"^ok\s+\S+\s+(?:[\d.]+s|\(cached\))", P))
_JS = (
    (r"^\s*Tests?:?\s+(?:\d+ \w+[,|]? *)*[1-9]\d* failed", F),
    (r"^\s*Test (?:Files|Suites):?\s+[1-9]\d* failed", F),
    (r"^\s*[1-9]\d* (?:failing|fail)$", F),
    (r"^\s*Tests?:?\s+(?:\d+ (?:skipped|todo)[,|]? *)*\d+ passed", P),
    (r"^\s*\d+ (?:passing \(|pass$)", P),
)
_ESLINT = (
    (r"^✖ \d+ problems? \([1-9]\d* errors?", F),
    (r"^✖ \d+ problems? \(0 errors", P),
)
_CLOSINGS: Mapping[str, tuple[tuple[str, Result], ...]] = {
    "pytest": _PYTEST,
    "unittest": ((r"^FAILED \((?:failures|errors)=", F), (r"^OK(?: \(|$)", P)),
    "tox": ((r"evaluation failed :\(", F), (r"congratulations :\)", P)),
    "nox": ((r"^nox > Session \S+ failed", F), (r"^nox > Session \S+ was successful", P)),
    "ruff": (
        (r"^Found [1-9]\d* errors?(?:\.| \()", F),
        (r"^\d+ files? would be reformatted", F),
        (r"^All checks passed!", P),
        (r"^\d+ files? already formatted", P),
    ),
    "mypy": ((r"^Found \d+ errors? in \d+ files? \(", F), (r"^Success: no issues found", P)),
    "pyright": ((r"^[1-9]\d* errors?, ", F), (r"^0 errors, ", P)),
    "tsc": ((r"\berror TS\d{4,5}:", F), (r"^Found [1-9]\d* errors?(?: in .*)?\.?$", F), (r"^Found 0 errors", P)),
    "eslint": _ESLINT,
    "cargo test": _CARGO,
    "cargo": _CARGO_BUILT,
    "go": _GO,
    "golangci-lint": ((r"^[1-9]\d* issues:", F), (r"^0 issues\.", P)),
    "jest": _JS,
    "gradle": ((r"^BUILD FAILED", F), (r"^BUILD SUCCESSFUL", P)),
    "mvn": ((r"^(?:\[INFO\] )?BUILD FAILURE", F), (r"^(?:\[INFO\] )?BUILD SUCCESS", P)),
    "dotnet": (
        (r"^(?:Failed!|Build FAILED\.)", F),
        (r"^\s*(?:Passed!\s|Build succeeded\.)", P),
    ),
    "rspec": ((r"^\d+ (?:examples?|tests?), [1-9]\d* failures?", F), (r"^\d+ (?:examples?|tests?), 0 failures", P)),
    "phpunit": ((r"^(?:FAILURES|ERRORS)!", F), (r"^OK \(\d+ tests?", P)),
    "prettier": ((r"Code style issues found", F), (r"^All matched files use Prettier", P)),
    "black": ((r"^\d+ files? would be reformatted", F), (r"^\d+ files? would be left unchanged\.", P)),
    "make": ((r"^g?make(?:\[\d+\])?: \*\*\* .*\bError \d+", F),),
    "npm": ((r"^npm (?:ERR!|error) (?:code ELIFECYCLE|Lifecycle script)", F), (r"^ELIFECYCLE\b", F)),
    "just": ((r"^error: [Rr]ecipe `[^`]+` failed", F),),
}
_ALSO = {
    "py.test": ("pytest",),
    "python": ("unittest",),
    "manage.py": ("unittest",),
    "basedpyright": ("pyright",),
    "vue-tsc": ("tsc",),
    "vitest": ("jest",),
    "mocha": ("jest",),
    "bun": ("jest",),
    "mix": ("rspec",),
    "rake": ("rspec",),
    "nextest": ("cargo test",),
    "gradlew": ("gradle",),
    "mvnw": ("mvn",),
}
_WRAPPERS = frozenset({"npm", "pnpm", "yarn", "make", "gmake", "just", "task", "tox", "nox", "pre-commit", "composer"})


def closing(tool: str, output: str) -> Result:
    """How `tool` says that it ended. Any line that tells of a failure outweighs those that do not."""
    found = Result.UNKNOWN
    lines = output[-_READ:].splitlines()[-_LINES:]
    for line in lines:
        said = _said(tool, _ansi().sub("", line[:_LINE]).rstrip())
        if said is F:
            return F
        found = said or found
    return found


def _said(tool: str, line: str) -> Result:
    for pattern, result in _patterns(tool):
        if pattern.search(line):
            return result
    return Result.UNKNOWN


@cache
def _patterns(tool: str) -> tuple[tuple[re.Pattern[str], Result], ...]:
    names = list(_CLOSINGS) if tool in _WRAPPERS else [tool, *_ALSO.get(tool, ())]
    table = [row for name in names for row in _CLOSINGS.get(name, ())]
    table.sort(key=lambda row: row[1] is not F)  # of a line that is read both ways, the failure counts
    return tuple((re.compile(pattern), result) for pattern, result in table)


@cache
def _ansi() -> re.Pattern[str]:
    return re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
