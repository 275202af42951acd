"""When two failures are the same one, by example."""

import pytest

from hindbrain.core.shape import error_signature_of

TRACEBACK = """Traceback (most recent call last):
  File "/home/a/x.py", line 3, in <module>
    run()
ValueError: invalid literal for int() with base 10: 'abc'"""


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        (TRACEBACK, "ValueError: invalid literal for int() with base <n>: <value>"),
        ("E       AssertionError: assert 1 == 2", "AssertionError: assert <n> == <n>"),
        ("FAILED tests/test_a.py::test_b - assert 1 == 2", "FAILED: test_a.py::test_b"),
        ("ERROR tests/test_x.py::test_q - RuntimeError: boom", "RuntimeError: boom"),
        (
            'src/a.py:10: error: Incompatible return value type (got "int", expected "str")  [return-value]',
            "error: Incompatible return value type (got <value>, expected <value>) [return-value]",
        ),
        (
            "src/a.ts(10,5): error TS2322: Type 'x' is not assignable to type 'y'.",
            "error TS2322: Type <value> is not assignable to type <value>",
        ),
        (
            "error[E0382]: borrow of moved value: `x`\n --> src/main.rs:4:5",
            "error[E0382]: borrow of moved value: <value>",
        ),
        ("thread 'main' panicked at src/main.rs:2:5:\nboom 42", "panicked at: <path>: boom <n>"),
        (
            "panic: runtime error: index out of range [5] with length 3",
            "panic: runtime error: index out of range [<n>] with length <n>",
        ),
        ("./main.go:10:2: undefined: foo", "undefined: foo"),
        ("--- FAIL: TestLogin (0.03s)", "--- FAIL: TestLogin"),
        ("FAIL src/a.test.ts", "FAIL: a.test.ts"),
        ("test foo::bar ... FAILED", "FAILED: foo::bar"),
        ("Error: Cannot find module 'x'", "Error: Cannot find module <value>"),
        ("connect ECONNREFUSED 127.0.0.1:5432", "ECONNREFUSED: <address>"),
        ("bash: foo: command not found", "command not found: foo"),
        ("zsh: command not found: foo", "command not found: foo"),
        ("/usr/bin/python3: No module named pytest", "No module named: pytest"),
        (".venv/bin/python3.12: No module named build.env", "No module named: build.env"),
        ("make: *** [Makefile:10: test] Error 2", "make: [Makefile:<n>: test] Error <n>"),
        ("Process exited with code 137", "exit code 137"),
        ("Segmentation fault (core dumped)", "Segmentation fault"),
        (
            'Exception in thread "main" java.lang.NullPointerException: x is null',
            "java.lang.NullPointerException: x is null",
        ),
        ("sqlite3.OperationalError: database is locked", "sqlite3.OperationalError: database is locked"),
        ("fatal: not a git repository: .git", "fatal: not a git repository: .git"),
        ("KeyboardInterrupt", "KeyboardInterrupt"),
    ],
)
def test_every_kind_of_failure_has_a_signature(text: str, signature: str) -> None:
    assert error_signature_of(text) == signature


@pytest.mark.parametrize(
    ("today", "tomorrow"),
    [
        (
            "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/pytest-1/x.json'",
            "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/pytest-9/y.json'",
        ),
        (
            "RuntimeError: job 3fa85f64-5717-4562-b3fc-2c963f66afa6 died at 0x7f3a after 3.2s",
            "RuntimeError: job 9c858901-8a57-4791-81fe-4c455b099bc9 died at 0x11ff after 17ms",
        ),
        (
            "2024-01-02 10:00:00 ERROR connection to 10.0.0.1:5432 timed out after 30s",
            "2025-11-12 23:59:01 ERROR connection to 10.0.0.7:5432 timed out after 31s",
        ),
        ("OSError: cannot bind localhost:3000", "OSError: cannot bind localhost:4000"),
        ("ImportError: bad file /home/a/p/y.py:12", "ImportError: bad file /srv/b/y.py:99"),
        ("\x1b[31mTypeError: x is 3\x1b[0m", "TypeError: x is 4"),
    ],
)
def test_the_same_failure_is_recognised_tomorrow(today: str, tomorrow: str) -> None:
    assert error_signature_of(today) is not None
    assert error_signature_of(today) == error_signature_of(tomorrow)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("exit code 1", "exit code 137"),
        ("OSError: [Errno 2] missing", "OSError: [Errno 13] missing"),
        ("error TS2322: bad", "error TS2345: bad"),
        ("FAILED a.py::test_x", "FAILED a.py::test_y"),
    ],
)
def test_codes_and_test_names_keep_failures_apart(a: str, b: str) -> None:
    assert error_signature_of(a) != error_signature_of(b)


def test_a_lesson_that_quotes_an_error_meets_the_error() -> None:
    lesson = "`ModuleNotFoundError: No module named 'foo'` means that `uv sync` was not run"
    assert error_signature_of(lesson) == error_signature_of("ModuleNotFoundError: No module named 'bar'")


def test_a_traceback_is_named_by_what_was_raised_last() -> None:
    chained = "KeyError: 'a'\n\nDuring handling of the above exception:\n\nRuntimeError: no a"
    assert error_signature_of(chained) == "RuntimeError: no a"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Store error codes in the database",
        "Raises ValueError when x is None",
        "Use Result for error handling",
        "All endpoints return consistent error format",
        "Always use tabs. Exception: Makefiles",
        "exit code 0",
        "Tests fail when the cache is warm",
    ],
)
def test_prose_about_errors_is_no_error(text: str) -> None:
    assert error_signature_of(text) is None


def test_what_pytest_cuts_to_the_width_of_a_terminal_is_not_taken_for_the_error() -> None:
    wide = "E       RuntimeError: There is no current event loop\n\nsrc/pool.py:14: RuntimeError\n"
    for cut in ("FAILED tests/test_pool.py::test_a - RuntimeError: There is no cur...", ""):
        assert error_signature_of(wide + cut) == "RuntimeError: There is no current event loop"
