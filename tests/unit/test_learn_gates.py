"""Which commands are quality gates, and how they ended, for command lines as agents really write them."""

import pytest

from hindbrain.core.learn.gates import Gate, gate_of, gates_in, gates_of
from hindbrain.core.model.activity import Result

P, F, U = Result.PASSED, Result.FAILED, Result.UNKNOWN
ONE_FAILED = "FAILED tests/test_a.py::test_b - ValueError: x\n1 failed, 2 passed in 0.12s"


@pytest.mark.parametrize(
    ("command", "name", "tool"),
    [
        ("pytest -q", "tests", "pytest"),
        ("python -m pytest tests", "tests", "pytest"),
        ("python -W error -m pytest", "tests", "pytest"),
        ("uv run --with hypothesis pytest -x", "tests", "pytest"),
        ("poetry run pytest", "tests", "pytest"),
        ("CI=1 timeout -k 5 60 .venv/bin/pytest", "tests", "pytest"),
        ("time nice -n 10 tox -e py311", "tests", "tox"),
        ("nox -s tests", "tests", "nox"),
        ("python -m unittest discover", "tests", "unittest"),
        ("python manage.py test shop", "tests", "manage.py"),
        ("docker compose exec -T web pytest", "tests", "pytest"),
        ("bash -lc 'cd api && pytest -q'", "tests", "pytest"),
        ("ruff check src --fix", "lint", "ruff"),
        ("ruff format --check .", "format", "ruff"),
        ("black --check .", "format", "black"),
        ("npx prettier --check src", "format", "prettier"),
        ("mypy --strict src", "types", "mypy"),
        ("pyright", "types", "pyright"),
        ("npx tsc --noEmit", "types", "tsc"),
        ("./node_modules/.bin/eslint src", "lint", "eslint"),
        ("cargo +nightly test --all", "tests", "cargo"),
        ("cargo clippy -- -D warnings", "lint", "cargo"),
        ("cargo check", "build", "cargo"),
        ("cargo build --release", "build", "cargo"),
        ("go test ./...", "tests", "go"),
        ("go vet ./...", "lint", "go"),
        ("go build ./cmd/app", "build", "go"),
        ("npm test", "tests", "npm"),
        ("npm run lint:ci", "lint", "npm"),
        ("pnpm --filter web run type-check", "types", "pnpm"),
        ("yarn build", "build", "yarn"),
        ("bun test", "tests", "bun"),
        ("make -C sub test", "tests", "make"),
        ("make check", "check", "make"),
        ("make lint", "lint", "make"),
        ("npx vitest run", "tests", "vitest"),
        ("jest --ci", "tests", "jest"),
        ("./gradlew test", "tests", "gradlew"),
        ("mvn -q test", "tests", "mvn"),
        ("dotnet test", "tests", "dotnet"),
        ("just test", "tests", "just"),
    ],
)
def test_a_gate_is_known_by_its_command_and_judged_by_its_exit_status(command: str, name: str, tool: str) -> None:
    assert gate_of(command, exit_code=0) == Gate(name=name, result=P, tool=tool)
    assert gate_of(command, exit_code=1) == Gate(name=name, result=F, tool=tool)
    assert gate_of(command) == Gate(name=name, result=U, tool=tool)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "git status",
        "pip install pytest",
        "grep -rn pytest .",
        "echo 'pytest -q'",
        "cat pytest.ini",
        "ruff format .",
        "prettier --write .",
        "pytest --version",
        "pytest --collect-only",
        "npm install",
        "npm run dev",
        "npm run test:watch",
        "npm run lint:fix",
        "x=$(pytest)",
        "git commit -m 'make test pass'",
        "# pytest",
    ],
)
def test_other_commands_are_no_gates(command: str) -> None:
    assert gate_of(command, exit_code=1) is None


@pytest.mark.parametrize(
    ("command", "code", "output", "result"),
    [
        ("cd x && pytest -q 2>&1 | tail -5", 0, ONE_FAILED, F),
        ("cd x && pytest -q 2>&1 | tail -5", 0, "========= 3 passed, 1 skipped in 0.12s =========", P),
        ("pytest -q | tail -5", 0, "", U),
        ("pytest -q | tail -5", 1, "", U),
        ("set -o pipefail; pytest | tee log", 1, "", F),
        ("pytest || true", 0, "", U),
        ("pytest || true", 0, ONE_FAILED, F),
        ("pytest || exit 1", 0, "", P),
        ("pytest; echo done", 0, "2 passed in 1.00s\ndone", P),
        ("pytest; echo done", 0, "done", U),
        ("if pytest; then echo yes; fi", 0, "", U),
        ("pytest && git push", 1, "2 passed in 1.00s", P),
        ("pytest && git push", 1, "", U),
        ("make setup && pytest", 2, "", U),
        ("cd api && export A=1 && pytest", 1, "", F),
        ("pytest", 127, "pytest: command not found", U),
        ("pytest", 130, ONE_FAILED, U),
        ("pytest", 124, "", U),
        ("pytest", 5, "no tests ran in 0.01s", U),
        ("pytest", 0, ONE_FAILED, U),
        ("pytest", None, ONE_FAILED, F),
        ("python -m unittest", None, "Ran 3 tests in 0.1s\n\nOK", P),
        ("python -m unittest", None, "Ran 3 tests in 0.1s\n\nFAILED (failures=1)", F),
        ("ruff check .", None, "All checks passed!", P),
        ("ruff check .", None, "Found 3 errors.", F),
        ("mypy src", None, "Success: no issues found in 3 source files", P),
        ("mypy src", None, "Found 2 errors in 1 file (checked 3 source files)", F),
        ("npx tsc", None, "src/a.ts(1,2): error TS2322: Type 'x'", F),
        ("npx tsc", None, "", U),
        ("eslint .", None, "✖ 3 problems (1 error, 2 warnings)", F),
        ("eslint .", None, "✖ 2 problems (0 errors, 2 warnings)", P),
        ("cargo test", None, "test result: ok. 3 passed; 0 failed;\ntest result: ok. 0 passed;", P),
        ("cargo test", None, "test result: FAILED. 2 passed; 1 failed;\nerror: test failed", F),
        ("cargo build", None, "    Finished `dev` profile [unoptimized] target(s) in 0.30s", P),
        ("cargo build", None, "error: could not compile `x` (lib) due to 1 previous error", F),
        ("go test ./...", None, "ok  \texample.com/a\t0.1s\nFAIL\texample.com/b [build failed]", F),
        ("go test ./...", None, "ok  \texample.com/a\t0.1s\nok  \texample.com/b\t(cached)", P),
        ("npx jest", None, "Tests:       1 failed, 5 passed, 6 total", F),
        ("npx jest", None, "Tests:       5 passed, 5 total", P),
        ("npx vitest run", None, " Test Files  1 failed | 2 passed (3)", F),
        ("make test", None, "make: *** [Makefile:3: test] Error 1", F),
        ("make test", None, "===== 4 passed in 0.2s =====", P),
        ("./gradlew build", None, "BUILD SUCCESSFUL in 3s", P),
        ("mvn verify", None, "[INFO] BUILD FAILURE", F),
        ("pytest", None, "\x1b[31m1 failed\x1b[0m, 2 passed in 0.3s", F),
    ],
)
def test_a_hidden_exit_status_leaves_it_to_the_closing_lines(
    command: str, code: int | None, output: str, result: Result
) -> None:
    gate = gate_of(command, output=output, exit_code=code)
    assert gate is not None and gate.result is result


def test_each_gate_of_a_chain_has_a_result_of_its_own_up_to_the_one_that_failed() -> None:
    chain = "ruff check . && mypy src && pytest -q"
    assert [(g.name, g.result) for g in gates_of(chain, exit_code=0)] == [("lint", P), ("types", P), ("tests", P)]
    failed = gates_of(chain, output="All checks passed!\nFound 1 error in 1 file (checked 3)", exit_code=1)
    assert [(g.name, g.result) for g in failed] == [("lint", P), ("types", F)]
    assert gate_of(chain, output="All checks passed!\nFound 1 error in 1 file (checked 3)", exit_code=1) == failed[1]


# F-32
def test_the_report_of_dex_is_a_gate_for_each_check_that_was_made() -> None:
    report = {
        "passed": False,
        "tests": {"passed": False, "output": "ValueError: x", "duration_ms": 12, "skipped": False},
        "lint": {"passed": True, "output": ""},
        "build": {"passed": False, "skipped": True, "skip_reason": "no build command"},
    }
    assert gates_in(report) == (
        Gate(name="tests", result=F, detail="ValueError: x"),
        Gate(name="lint", result=P),
    )
    assert gates_in({"passed": True, "tests": True, "lint": "failed"}) == (
        Gate(name="tests", result=P),
        Gate(name="lint", result=F),
    )
    assert gates_in({"passed": False, "feedback": "nope"}) == (Gate(name="check", result=F, detail="nope"),)
    assert gates_in({"gate": "tests"}) == ()
