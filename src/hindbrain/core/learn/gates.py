"""Which commands are quality gates, and how each of them ended.

A result is only ever one that the exit status or the tool's own closing lines bear out; anything less is unknown.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from hindbrain.core.learn.closing import closing
from hindbrain.core.learn.launch import Run, runs_of
from hindbrain.core.model.activity import Result
from hindbrain.core.value import dataclass
from hindbrain.core.words import listed


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    name: str  # tests, lint, types, format, build, check
    result: Result
    tool: str = ""  # pytest, ruff, make …; empty where only the name is known
    detail: str = ""  # what it printed, where a payload brings it


def gate_of(command: str, *, output: str = "", exit_code: int | None = None) -> Gate | None:
    """The gate that decides how `command` ended: the first that failed, else the last; None where none was run."""
    found = gates_of(command, output=output, exit_code=exit_code)
    failed = [gate for gate in found if gate.result is Result.FAILED]
    return failed[0] if failed else found[-1] if found else None


def gates_of(command: str, *, output: str = "", exit_code: int | None = None) -> tuple[Gate, ...]:
    """Every gate that `command` names, each with its own result. `exit_code` None: unknown."""
    gates: list[Gate] = []
    for run in runs_of(command):
        name, tool = sort_of(run)
        has_run = not (run.is_chained and gates and gates[-1].result is Result.FAILED)
        if name and has_run:
            gates.append(Gate(name=name, tool=tool, result=_result(run, tool, output=output, exit_code=exit_code)))
    return tuple(gates)


def gates_in(payload: Mapping[str, object]) -> tuple[Gate, ...]:
    """The gates of Dex' own report: `{passed, tests, lint, build}`, each check with `passed`, `output`, `skipped`."""
    checks = [_check(name, payload[name]) for name in ("tests", "lint", "build", "types", "format") if name in payload]
    found = tuple(gate for gate in checks if gate)
    if found or not isinstance(payload.get("passed"), bool):
        return found
    result = Result.PASSED if payload["passed"] else Result.FAILED
    return (Gate(name=str(payload.get("gate") or "check"), result=result, detail=str(payload.get("feedback") or "")),)


def _check(name: str, check: object) -> Gate | None:
    if isinstance(check, Mapping):
        if check.get("skipped") or not isinstance(check.get("passed"), bool):
            return None
        return Gate(name=name, result=_of(bool(check["passed"])), detail=str(check.get("output") or ""))
    if isinstance(check, bool):
        return Gate(name=name, result=_of(check))
    words = {"passed": True, "pass": True, "ok": True, "failed": False, "fail": False}
    known = words.get(str(check).strip().lower())
    return None if known is None else Gate(name=name, result=_of(known))


def _of(is_passed: bool) -> Result:
    return Result.PASSED if is_passed else Result.FAILED


STOPPED = frozenset({124, 130, 137, 143})  # timed out, interrupted, killed: nothing was decided
_NOT_RUN = frozenset({126, 127})  # the shell found no such program
_EMPTY = {"pytest": frozenset({4, 5}), "py.test": frozenset({4, 5})}  # wrong arguments, or no test collected


def _result(run: Run, tool: str, *, output: str, exit_code: int | None) -> Result:
    if exit_code in STOPPED:
        return Result.UNKNOWN
    said = closing(_closer(run, tool), output)
    if exit_code == 0 and run.zero_tells:  # an exit status that its own words deny decides nothing
        return Result.UNKNOWN if said is Result.FAILED else Result.PASSED
    if exit_code and run.other_tells:
        is_void = exit_code in _NOT_RUN or exit_code in _EMPTY.get(tool, ())
        return Result.UNKNOWN if is_void else Result.FAILED
    return said


def _closer(run: Run, tool: str) -> str:
    if tool == "cargo" and {"test", "nextest"} & set(run.words[1:3]):
        return "cargo test"
    return tool


_PROGRAMS = {
    name: gate
    for gate, names in {
        "tests": "pytest py.test unittest tox nox jest vitest mocha ava rspec phpunit pest ctest karma nose2 minitest",
        "lint": "flake8 pylint eslint shellcheck stylelint hadolint rubocop golangci-lint staticcheck ansible-lint "
        "yamllint "
        "markdownlint oxlint tflint pyflakes pycodestyle bandit phpcs swiftlint ktlint detekt credo",
        "types": "mypy pyright basedpyright tsc vue-tsc pytype pyre phpstan psalm ty",
    }.items()
    for name in listed(names)
}
_SUBCOMMANDS = {
    "cargo": {
        "test": "tests",
        "nextest": "tests",
        "check": "build",
        "build": "build",
        "clippy": "lint",
        "c": "build",
        "t": "tests",
        "b": "build",
    },
    "go": {"test": "tests", "vet": "lint", "build": "build"},
    "ruff": {"check": "lint"},
    "dotnet": {"test": "tests", "build": "build"},
    "swift": {"test": "tests", "build": "build"},
    "zig": {"test": "tests", "build": "build"},
    "bazel": {"test": "tests", "build": "build"},
    "deno": {"test": "tests", "lint": "lint", "check": "types"},
    "bun": {"test": "tests"},
    "mix": {"test": "tests", "credo": "lint", "compile": "build"},
    "flutter": {"test": "tests", "analyze": "lint", "build": "build"},
    "dart": {"test": "tests", "analyze": "lint"},
    "biome": {"check": "lint", "lint": "lint", "ci": "lint"},
    "pre-commit": {"run": "lint"},
    "playwright": {"test": "tests"},
    "cypress": {"run": "tests"},
    "hatch": {"test": "tests"},
    "manage.py": {"test": "tests"},
    "next": {"build": "build", "lint": "lint"},
    "vite": {"build": "build"},
    "terraform": {"validate": "build"},
    "stack": {"test": "tests", "build": "build"},
    "cabal": {"test": "tests", "build": "build"},
    "sbt": {"test": "tests", "compile": "build"},
    "react-scripts": {"test": "tests", "build": "build"},
}
_CHECKING = {
    "ruff": ("--check", "--diff"),
    "cargo": ("--check",),
    "black": ("--check", "--diff"),
    "isort": ("--check", "--check-only", "-c", "--diff"),
    "prettier": ("--check", "-c", "--list-different", "-l"),
    "dotnet": ("--verify-no-changes",),
    "mix": ("--check-formatted",),
    "deno": ("--check",),
    "terraform": ("-check",),
}  # formatters that only look when they are told so
_RUNNERS = frozenset(
    listed("npm pnpm yarn bun make gmake just task rake invoke inv gradle gradlew mvn mvnw composer ninja meson poe")
)
_NO_GATE = frozenset(
    listed("--version -V --help -h --collect-only --co --fixtures --init --showConfig --watch --list --list-tests")
)
_TAKES_VALUE = frozenset(listed("-C -f --file --prefix --filter -w --workspace --directory -d --justfile -j -p --cwd"))


def sort_of(run: Run) -> tuple[str, str]:
    """The name of the gate that `run` is, and its tool; twice nothing where it is none."""
    program, rest = run.program, run.words[1:]
    if program.startswith("python") and rest[:1] and rest[0].endswith("manage.py"):
        program, rest = "manage.py", rest[1:]
    name = _sort(program, rest)
    return (name, program) if name else ("", "")


def _sort(program: str, rest: Sequence[str]) -> str:
    bare = _bare(rest)
    if program in _RUNNERS and program not in _SUBCOMMANDS:
        return _target(program, bare)
    if _NO_GATE & set(rest):
        return ""
    sub = bare[0] if bare else ""
    known = _PROGRAMS.get(program) or _SUBCOMMANDS.get(program, {}).get(sub)
    if known:
        return known
    if any(flag in rest for flag in _CHECKING.get(program, ())) and _is_formatter(program, sub):
        return "format"
    return _target(program, bare) if program in _RUNNERS else ""


def _is_formatter(program: str, sub: str) -> bool:
    return program in ("black", "isort", "prettier") or sub in ("format", "fmt")


def _bare(words: Sequence[str]) -> list[str]:
    """Without flags and their values, and without `+nightly` and the like."""
    bare: list[str] = []
    is_value = False
    for word in words:
        if not is_value and not word.startswith(("-", "+")):
            bare.append(word)
        is_value = not is_value and word in _TAKES_VALUE
    return bare


def _target(program: str, bare: Sequence[str]) -> str:
    """What a runner of scripts is asked for: `npm run lint:ci`, `make check`, `./gradlew test`."""
    if program in ("npm", "pnpm", "yarn", "bun", "composer", "poe"):
        if bare[:1] in (["run"], ["run-script"]):
            bare = bare[1:]
        elif program == "npm" and bare[:1] not in (["test"], ["t"]):
            return ""
        bare = bare[:1]
    if not bare:
        return "build" if program in ("make", "gmake", "ninja") else ""
    names = [_named(word) for word in bare if "=" not in word]
    return next((name for name in names if name), "")


def _named(target: str) -> str:
    pieces = [piece for piece in _separators().split(target.lower()) if piece]
    if not pieces or _NOT_ONCE & set(pieces):
        return ""
    if {"format", "fmt", "prettier"} & set(pieces):
        return "format" if "check" in pieces else ""
    if {"type", "types"} & set(pieces) or "typecheck" in pieces:
        return "types"
    return next((_TARGETS[piece] for piece in pieces if piece in _TARGETS), "check" if _CHECKS & set(pieces) else "")


_NOT_ONCE = frozenset(listed("watch dev serve fix clean install deploy publish release start"))
_CHECKS = frozenset(listed("check checks ci verify validate qa precommit"))
_TARGETS = {
    name: gate
    for gate, names in {
        "tests": "test tests t unit spec specs e2e coverage cov integration pytest jest vitest check-test",
        "lint": "lint eslint clippy ruff stylelint flake8 vet",
        "types": "typecheck tsc mypy pyright typing",
        "build": "build compile bundle package assemble all",
    }.items()
    for name in listed(names)
}


@cache
def _separators() -> re.Pattern[str]:
    return re.compile(r"[:_./-]+")
