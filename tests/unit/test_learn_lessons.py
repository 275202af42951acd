"""What is learned from a log of deeds, and, of more weight, what is not."""

import pytest
from working import PYTEST_FAILED, REVIEWED, Log, a_session

from hindbrain.core.learn.hats import hat_of, transitions
from hindbrain.core.learn.lesson import Lesson
from hindbrain.core.learn.lessons import lessons
from hindbrain.core.value import replace

ERROR = "ValueError: no rows for 'users'"


def learned(log: Log, *, after: int = 0) -> tuple[Lesson, ...]:
    return lessons(log.activities, after=after)


def test_a_whole_session_teaches_what_it_shows_and_nothing_else() -> None:
    """DX-062 DX-063 DX-064 DX-065 DX-066"""
    found = [(one.rule, one.type, one.title) for one in lessons(a_session(), after=0)]
    assert found == [
        (
            "hat_transition:explorer->planner",
            "architecture",
            "`Pool` in `src/db/pool.py` owns every connection; nothing else opens one",
        ),
        (
            "hat_transition:explorer->planner",
            "architecture",
            "The HTTP layer talks to the database only through `src/db/queries.py`",
        ),
        (
            "hat_transition:explorer->planner",
            "dependency",
            "`asyncpg` is pinned to 0.29 because 0.30 drops Python 3.8",
        ),
        ("hat_transition:explorer->planner", "dependency", "The worker depends on `redis` 7 for its streams"),
        (
            "hat_transition:planner->creator",
            "decision",
            "We decided to create one loop per process instead of one per call, because asyncpg ties a pool to it...",
        ),
        ("hat_transition:planner->creator", "constraint", "A pool must never be shared between two event loops"),
        ("quality_gate:passed_after_failure", "fix", "Fix for tests failure"),
        ("command:passed_after_failure", "fix", "Fix for npm install failure"),
        ("hat_transition:critic->creator", "pitfall", "Connection leak on error"),
        ("hat_transition:critic->creator", "pitfall", "`close()` is never awaited, so the process hangs at exit"),
        (
            "task:completed",
            "convention",
            "every public coroutine of `src/db` takes the pool as its first argument",
        ),
    ]


# DX-068 DX-069 DX-070 DX-071 DX-072
def test_a_fix_says_what_failed_and_what_really_changed() -> None:
    fix = next(one for one in lessons(a_session(), after=0) if one.type == "fix")
    assert fix.title == "Fix for tests failure"
    assert fix.content == (
        "**Problem:** RuntimeError: There is no current event loop in thread 'MainThread'."
        " (tests/test_pool.py::test_reuse)\n\n"
        "**Fix:** `src/db/pool.py`: replaced `self.loop = asyncio.get_event_loop()`"
        " with `self.loop = asyncio.new_event_loop()`"
    )
    assert fix.tags == ("tests", "quality-gate")
    assert (fix.confidence, fix.hat, fix.file_refs) == (0.7, "creator", ("src/db/pool.py",))
    assert fix.error_signature == "RuntimeError: There is no current event loop in thread <value>"
    assert fix.body == {"activities": ["act-s-one-9", "act-s-one-11", "act-s-one-12"]}


# DX-067 F-32
def test_a_run_of_failures_makes_one_fix_and_another_gate_makes_none() -> None:
    log = Log()
    log.gate("tests", "failed", ERROR)
    log.edited("src/a.py", "x", "rows = load(table)")
    log.gate("tests", "failed", ERROR)
    log.edited("src/a.py", "rows = load(table)", "rows = load(table) or []")
    log.gate("tests", "passed")
    log.gate("tests", "passed")
    assert [one.type for one in learned(log)] == ["fix"]
    other = Log()
    other.gate("lint", "failed", "src/a.py:1:1: E999 something")
    other.edited("src/a.py", "x", "yy = 1")
    other.gate("tests", "passed")
    assert learned(other) == ()


# DX-072
def test_a_fix_carries_the_hat_that_the_session_wore() -> None:
    log = Log()
    log.add("hat", "planner->editor")
    log.gate("tests", "failed", ERROR)
    log.edited("src/a.py", "x", "rows = load(table)")
    log.gate("tests", "passed")
    assert [one.hat for one in learned(log)] == ["editor"]


# F-32 F-33
def test_what_was_set_off_before_the_cursor_is_not_learned_again() -> None:
    whole = a_session()
    last = whole[-1].seq
    assert lessons(whole, after=last) == ()
    for at in range(last):
        early, late = lessons(whole[:at], after=0), lessons(whole, after=at)
        assert [*early, *late] == [*lessons(whole, after=0)]


def test_what_passes_without_a_change_was_flaky() -> None:
    log = Log()
    log.ran("pytest", 1, PYTEST_FAILED)
    log.ran("ls src", 0)
    log.ran("pytest -v", 0)
    assert learned(log) == ()


def test_a_success_of_another_part_cures_nothing() -> None:
    log = Log()
    log.ran("pytest", 1, PYTEST_FAILED)
    log.edited("src/other.py", "a = 1", "b = 2")
    log.ran("pytest tests/test_other.py", 0)
    assert learned(log) == ()
    log.ran("pytest tests/test_pool.py", 0)
    assert [one.title for one in learned(log)] == ["Fix for tests failure"]


def test_nothing_is_learned_where_nothing_is_known_of_the_failure_or_of_the_change() -> None:
    silent = Log()
    silent.gate("tests", "failed")
    silent.edited("src/a.py", "x", "yy = 1")
    silent.gate("tests", "passed")
    assert learned(silent) == ()
    empty = Log()
    empty.gate("tests", "failed", ERROR)
    empty.add("response", detail="Let me look. I will try again.")
    empty.gate("tests", "passed")
    assert learned(empty) == ()


def test_the_agents_own_words_tell_the_change_where_no_edit_was_seen() -> None:
    log = Log()
    log.gate("tests", "failed", ERROR)
    log.add("response", detail="Let me see.\n\nI replaced the lookup in `src/rows.py` by one that allows no rows.")
    log.gate("tests", "passed")
    (fix,) = learned(log)
    assert fix.content.endswith("**Fix:** I replaced the lookup in `src/rows.py` by one that allows no rows.")


@pytest.mark.parametrize(
    ("output", "old", "new"),
    [
        ("E   SyntaxError: invalid syntax", "def f(:", "def f():"),
        ("E   ImportError: cannot import name 'total' from 'shop'", "", "def total(rows):\n    return len(rows)"),
        ("./a.go:3:2: undefined: Total", "", "func Total(rows []int) int {"),
        ("error[E0425]: cannot find function `total` in this scope", "", "pub fn total() -> u8 {"),
    ],
)
def test_slips_and_code_that_was_not_written_yet_teach_nothing(output: str, old: str, new: str) -> None:
    log = Log()
    log.gate("tests", "failed", output)
    log.edited("src/shop.py", old, new)
    log.gate("tests", "passed")
    assert learned(log) == ()


def test_what_a_linter_repairs_by_itself_teaches_nothing() -> None:
    log = Log()
    log.ran("ruff check .", 1, "src/a.py:1:8: F401 `os` imported but unused\nFound 1 error.")
    log.ran("ruff check --fix .", 0, "All checks passed!")
    assert learned(log) == ()


@pytest.mark.parametrize(
    ("command", "code", "output", "data"),
    [
        ("grep -rn main src", 1, "", {}),
        ("test -f a.txt", 1, "error: no such file", {}),
        ("diff a b", 1, "error: files differ", {}),
        ("ls missing", 2, "ls: cannot access 'missing': No such file or directory", {}),
        ("curl localhost:1", 7, "curl: (7) Connection refused", {}),
        ("./deploy.sh", 1, "something odd", {}),
        ("./deploy.sh", 130, "ValueError: x", {}),
        ("./deploy.sh", 1, "ValueError: x", {"is_interrupt": True}),
        ("./deploy.sh", 1, "The user doesn't want to proceed with this tool use. ValueError: x", {}),
    ],
)
def test_failures_that_mean_nothing_teach_nothing(
    command: str, code: int, output: str, data: dict[str, object]
) -> None:
    log = Log()
    one = log.ran(command, code, output)
    log.activities[-1] = replace(one, data={**one.data, **data})
    log.edited("src/a.py", "x", "yy = 1")
    log.ran("touch b", 0)
    log.ran(command, 0)
    assert learned(log) == ()


def test_any_command_that_failed_with_an_error_and_then_ran_teaches_a_fix() -> None:
    log = Log()
    log.ran("python scripts/migrate.py --db dev", 1, "Traceback …\nOperationalError: no such table: users")
    log.ran("alembic upgrade head", 0)
    log.ran("python scripts/migrate.py --db dev -v", 0)
    (fix,) = learned(log)
    assert (fix.title, fix.confidence) == ("Fix for python scripts/migrate.py failure", 0.6)
    assert fix.content.endswith("**Fix:** ran `alembic upgrade head`")
    assert fix.error_signature == "OperationalError: no such table: users"


def test_a_program_that_was_not_there_is_cured_by_calling_it_another_way() -> None:
    log = Log()
    log.ran("pytest -q", 127, "bash: line 1: pytest: command not found")
    log.ran("uv run pytest -q", 0, "3 passed in 0.1s")
    (fix,) = learned(log)
    assert fix.content.endswith("**Fix:** ran `uv run pytest -q` instead of `pytest -q`")


def test_a_command_that_was_recorded_as_a_gate_too_counts_once() -> None:
    log = Log()
    log.ran("pytest", 1, PYTEST_FAILED, ref="t-1")
    log.gate("tests", "failed", PYTEST_FAILED, ref="t-1", data={"command": "pytest"})
    log.edited("src/db/pool.py", "a = 1", "b = 2")
    log.ran("ruff check . && pytest", 0, ref="t-2")
    log.gate("tests", "passed", ref="t-2", data={"command": "ruff check . && pytest"})
    assert [one.title for one in learned(log)] == ["Fix for tests failure"]


def test_a_failure_that_says_what_to_do_is_a_pitfall_only_if_that_was_what_helped() -> None:
    """DX-065"""
    hint = "DeprecationError: `utcnow()` is deprecated, use `datetime.now(UTC)` instead"
    followed, ignored = Log(), Log()
    for log, new in ((followed, "at = datetime.now(UTC)"), (ignored, "at = clock()")):
        log.gate("tests", "failed", hint)
        log.edited("src/at.py", "at = utcnow()", new)
        log.gate("tests", "passed")
    assert [one.type for one in learned(followed)] == ["fix", "pitfall"]
    assert [one.type for one in learned(ignored)] == ["fix"]


# DX-073 DX-074 DX-075 DX-076 DX-077
def test_only_a_critics_answer_is_read_for_findings_one_pitfall_each() -> None:
    review = "Issue: the lock is never released\n\n1. `parse()` crashes on an empty file\n2. The retry loop never ends"
    log = Log()
    log.add("response", detail=review, hat="creator")
    log.add("response", detail=review.replace("lock", "latch"), hat="critic")
    log.add("hat", "critic->creator")
    found = learned(log)
    assert [one.content for one in found] == [
        "the latch is never released",
        "`parse()` crashes on an empty file",
        "The retry loop never ends",
    ]
    assert {(one.type, one.tags, one.confidence, one.hat) for one in found} == {
        ("pitfall", ("review", "critic-finding"), 0.6, "critic")
    }


# F-33
def test_a_second_change_of_hats_does_not_read_the_same_review_again() -> None:
    log = Log()
    log.add("response", detail=REVIEWED, hat="critic")
    log.add("hat", "critic->creator")
    log.add("hat", "creator->critic")
    log.add("hat", "critic->creator")
    assert len(learned(log)) == 2


@pytest.mark.parametrize(
    "review",
    [
        "LGTM. No issues found.\n- Tests pass\n- The code is clean",
        "- I read `a.py`\n- I ran the tests\n- All good",
        "## Issues\n- None",
        "## Suggestions (optional)\n1. Could add a visual indicator\n2. Consider a helper",
        "```\nIssue: the example crashes\n```\n> Issue: a quotation fails",
        "MEMORY:pitfall:The lock is never released",
    ],
)
def test_praise_advice_examples_and_signals_are_no_findings(review: str) -> None:
    log = Log()
    log.add("response", detail=review, hat="critic")
    log.add("hat", "critic->creator")
    assert learned(log) == ()


@pytest.mark.parametrize(
    "answer",
    [
        "The pattern is always the same: factory, decorator, wrapper.",
        "Uses dictionary comprehension: `{v: k for k, v in d.items()}`",
        "I think `Pool` uses `asyncpg`. Does `Pool` depend on `redis`?",
        "## Project structure\n- `src/`\n- `tests/test_a.py` with 3 tests inside",
        "We must hurry. I decided to look at `a.py` and I will go on.",
        "```\n`Pool` uses `asyncpg` for all connections.\n```",
    ],
)
@pytest.mark.parametrize("hats", ["explorer->planner", "planner->creator"])
def test_guesses_lists_and_reports_are_no_statements(answer: str, hats: str) -> None:
    log = Log()
    log.add("response", detail=answer, hat=hats.partition("->")[0])
    log.add("hat", hats)
    log.add("completion", "done")
    assert learned(log) == ()


# DX-062 DX-063
def test_a_transition_teaches_at_most_five_things_each_of_300_characters() -> None:
    items = [f"- `Part{n}` owns the queue number {n} and nobody else writes to it. {'Long. ' * 80}" for n in range(9)]
    log = Log()
    log.add("response", detail="## Architecture\n" + "\n".join(items), hat="explorer")
    log.add("hat", "explorer->planner")
    found = learned(log)
    assert len(found) == 5 and all(len(one.content) <= 300 for one in found)


def test_the_end_of_a_session_completes_a_task_and_once() -> None:
    """DX-066"""
    log = Log()
    log.add("response", detail="Pattern: handlers in `src/api` return a value and never raise.")
    log.add("completion", "TASK_COMPLETED")
    log.add("end", "exit")
    assert [(one.rule, one.type) for one in learned(log)] == [("task:completed", "pattern")]


@pytest.mark.parametrize(
    ("kind", "hat"),
    [
        ("Explore", "explorer"),
        ("Plan", "planner"),
        ("code-reviewer", "critic"),
        ("critic", "critic"),
        ("general-purpose", "creator"),
        ("", "creator"),
        ("plugin-name:code-explorer", "explorer"),
        ("statusline-setup", ""),
    ],
)
def test_the_type_of_an_agent_tells_its_hat(kind: str, hat: str) -> None:
    assert hat_of(kind) == hat


def test_a_subagent_that_ends_hands_over_to_whoever_works_next() -> None:
    log = Log()
    log.agent("Explore", "…")
    log.agent("Plan", "…")
    log.edited("src/a.py", "x", "yy = 1")
    log.agent("code-reviewer", "…")
    log.ran("pytest", 0)
    found = [(one.before, one.after) for one in transitions(log.activities)]
    assert found == [("explorer", "planner"), ("planner", "creator"), ("critic", "creator")]


# DX-059 F-36
def test_a_change_of_hats_may_come_as_dex_writes_it() -> None:
    log = Log()
    log.add("response", detail=REVIEWED, hat="critic")
    log.add("hat", data={"from_hat": "critic", "to_hat": "creator"})
    assert len(learned(log)) == 2
