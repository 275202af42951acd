"""Each rule of core/outcomes.py, by the smallest session that shows it."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from building import NOW, a_memory

from hindbrain.core.model import Injection, Memory, Score, Shown
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.core.model.outcome import Effect
from hindbrain.core.outcomes import judged
from hindbrain.core.value import replace

BOOM = "ImportError: cannot import name <value>"
PASSED, FAILED = Result.PASSED, Result.FAILED

Step = tuple[Deed, str] | tuple[Deed, str, Result] | tuple[Deed, str, Result, str]


def lesson(text: str = "Run `uv sync --extra dev` before the tests", **given: object) -> Memory:
    return a_memory(text, **{"id": "mem-0lesson1111", **given})


def steps(*done: Step, agent: str = "", start: int = 1) -> list[Activity]:
    """One a second, from `start` seconds after the injection."""
    return [_activity(number, step, agent=agent) for number, step in enumerate(done, start=start)]


def _activity(number: int, step: Step, *, agent: str) -> Activity:
    deed, text, result, signature = (*step, Result.UNKNOWN, "")[:4] if len(step) == 2 else (*step, "")[:4]
    is_said = deed in (Deed.RESPONSE, Deed.PROMPT)
    return Activity(
        id=f"act-{agent}{number:04d}",
        at=NOW + timedelta(seconds=number),
        project="prj-one",
        session="s1",
        deed=deed,
        subject="" if is_said else text,
        detail=text if is_said else "",
        result=Result(result),
        signature=str(signature),
        agent=agent,
        seq=number + 1000,
    )


def told(*memories: Memory, moment: str = "prompt", agent: str = "", is_withheld: bool = False) -> Injection:
    return Injection(
        id="inj-1",
        at=NOW,
        project="prj-one",
        format="default",
        strategy="unified",
        shown=tuple(Shown(memory_id=memory.id, version=1, score=Score(())) for memory in memories),
        left_out=0,
        tokens=10,
        session="s1",
        moment=moment,
        agent=agent,
        is_withheld=is_withheld,
    )


def verdict(memory: Memory, activities: Sequence[Activity], **given: object) -> tuple[str, str]:
    (found,) = judged(told(memory, **given), {memory.id: memory}, activities=activities)  # type: ignore[arg-type]
    return found.how, found.effect


def test_a_memory_that_leaves_no_trace_is_unseen() -> None:
    assert verdict(lesson(), steps((Deed.COMMAND, "ls", PASSED))) == ("unseen", "unknown")
    assert verdict(lesson(), []) == ("unseen", "unknown")


@pytest.mark.parametrize(
    "answer",
    [
        "As mem-0lesson1111 says, the extra comes first.",
        "See mem-0lesson1 for why.",
        "So I run uv sync --extra dev before the tests, every time.",
    ],
)
def test_an_answer_that_names_or_quotes_a_memory_cites_it(answer: str) -> None:
    memory = lesson("First run `uv sync --extra dev` before the tests, every time")
    assert verdict(memory, steps((Deed.RESPONSE, answer))) == ("cited", "helped")


def test_an_answer_with_every_word_of_the_title_cites_the_memory() -> None:
    memory = lesson("Batch inserts for the ledger table", title="Batch inserts for the ledger table")
    said = steps((Deed.RESPONSE, "I will batch the inserts into the table of the ledger."))
    assert verdict(memory, said) == ("cited", "helped")
    assert verdict(memory, steps((Deed.RESPONSE, "I will batch inserts. The ledger is a table."))) == (
        "unseen",
        "unknown",
    )


def test_what_the_person_said_first_is_not_cited_from_memory() -> None:
    memory = lesson("Batch inserts for the ledger table", title="Batch inserts for the ledger table")
    asked = steps((Deed.PROMPT, "Please batch the inserts into the ledger table"), start=-1)
    said = steps((Deed.RESPONSE, "I will batch the inserts into the table of the ledger."))
    assert verdict(memory, asked + said) == ("unseen", "unknown")


def test_the_beginning_of_an_id_that_two_share_names_neither() -> None:
    one, other = lesson("Use tabs", id="mem-0abcdefgh1"), lesson("Use braces", id="mem-0abcdefgh2")
    said = steps((Deed.RESPONSE, "mem-0abcdefgh settles it"))
    found = judged(told(one, other), {one.id: one, other.id: other}, activities=said)
    assert [judgement.how for judgement in found] == ["unseen", "unseen"]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("mem-0lesson1111 is outdated: the extra is gone.", ("contradicted", "hurt")),
        ("The note mem-0lesson1111 is no longer true.", ("contradicted", "hurt")),
        ("mem-0lesson1111 is not wrong, so I follow it.", ("cited", "helped")),
        ("mem-0lesson1111 isn't outdated.", ("cited", "helped")),
        ("I checked whether mem-0lesson1111 is outdated.", ("cited", "helped")),
        ("I was wrong before.\nmem-0lesson1111 helped.", ("cited", "helped")),
        ("The config is outdated.", ("unseen", "unknown")),
    ],
)
def test_only_a_sentence_that_names_the_memory_and_denies_it_contradicts_it(
    sentence: str, expected: tuple[str, str]
) -> None:
    memory = lesson("Run `uv sync --extra dev` first")
    assert verdict(memory, steps((Deed.RESPONSE, sentence))) == expected


def test_words_of_doubt_that_the_memory_itself_has_are_quoted_not_said() -> None:
    memory = lesson("The README is wrong about ports")
    assert verdict(memory, steps((Deed.RESPONSE, "mem-0lesson1111: the README is wrong"))) == ("cited", "helped")


def test_doing_what_a_memory_forbids_shows_that_it_was_not_heeded_and_no_more() -> None:
    memory = lesson("Never run `git push --force` on this branch")
    assert verdict(memory, steps((Deed.COMMAND, "cd a && git push --force", PASSED))) == ("contradicted", "unknown")
    assert verdict(memory, steps((Deed.COMMAND, "git push --force", FAILED))) == ("unseen", "unknown")


def test_a_command_that_a_memory_advises_was_followed() -> None:
    assert verdict(lesson(), steps((Deed.COMMAND, "cd app && uv sync --extra dev -q", PASSED))) == (
        "followed",
        "helped",
    )
    assert verdict(lesson(), steps((Deed.COMMAND, "uv sync --extra dev", FAILED))) == ("followed", "unknown")
    assert verdict(lesson(), steps((Deed.COMMAND, "uv sync --extra docs", PASSED))) == ("unseen", "unknown")


def test_a_command_that_the_agent_ran_before_is_its_habit() -> None:
    habit = steps((Deed.COMMAND, "uv sync --extra dev", PASSED), start=-5)
    again = steps((Deed.COMMAND, "uv sync --extra dev", PASSED))
    assert verdict(lesson(), habit + again) == ("unseen", "unknown")


def test_the_name_of_a_tool_alone_is_no_advice() -> None:
    assert verdict(lesson("`pytest` is slow here"), steps((Deed.COMMAND, "pytest -x", PASSED))) == ("unseen", "unknown")


def test_what_a_memory_warns_of_is_not_its_advice() -> None:
    memory = lesson("Use `uv sync --extra dev` instead of `pip install -e .`")
    assert verdict(memory, steps((Deed.COMMAND, "pip install -e .", PASSED))) == ("unseen", "unknown")


def test_touching_a_file_that_a_memory_names_follows_it_but_proves_nothing() -> None:
    memory = lesson("The lock lives in src/jobs/lock.py", file_refs=("src/jobs/lock.py",))
    assert verdict(memory, steps((Deed.READ, "/app/src/jobs/lock.py"))) == ("followed", "unknown")
    assert verdict(memory, steps((Deed.READ, "/app/src/jobs/other.py"))) == ("unseen", "unknown")
    seen = steps((Deed.READ, "/app/src/jobs/lock.py"), start=-2)
    assert verdict(memory, seen + steps((Deed.EDIT, "/app/src/jobs/lock.py"))) == ("unseen", "unknown")
    assert verdict(memory, steps((Deed.EDIT, "/app/src/jobs/lock.py")), moment="file") == ("unseen", "unknown")


def test_a_failure_that_comes_back_speaks_against_the_advice_only_where_it_was_taken() -> None:
    memory = lesson(error_signature=BOOM)
    back: Step = (Deed.COMMAND, "pytest", FAILED, BOOM)
    assert verdict(memory, steps(back)) == ("recurred", "unknown")
    assert verdict(memory, steps((Deed.COMMAND, "uv sync --extra dev", PASSED), back)) == ("recurred", "hurt")
    assert verdict(memory, steps(back, (Deed.COMMAND, "uv sync --extra dev", PASSED))) == ("recurred", "unknown")


def test_a_known_failure_that_stays_away_while_its_command_passes_was_avoided() -> None:
    memory = lesson("`make e2e` fails with ImportError: sync first", error_signature=BOOM)
    assert verdict(memory, steps((Deed.COMMAND, "make e2e", PASSED))) == ("avoided", "helped")
    assert verdict(memory, steps((Deed.COMMAND, "make lint", PASSED))) == ("unseen", "unknown")
    assert verdict(lesson("`make e2e` is slow"), steps((Deed.COMMAND, "make lint", PASSED))) == ("unseen", "unknown")


def test_a_gate_keeps_its_command_beside_its_name() -> None:
    memory = lesson("`make e2e` fails with ImportError: sync first", error_signature=BOOM)
    (gate,) = steps((Deed.GATE, "tests", PASSED))
    assert verdict(memory, [replace(gate, data={"command": "make e2e"})]) == ("avoided", "helped")


def test_what_failed_and_then_passed_helped_only_where_the_memory_was_used() -> None:
    memory = lesson(error_signature=BOOM)
    failed = steps((Deed.GATE, "tests", FAILED, BOOM), start=0)
    green: Step = (Deed.GATE, "tests", PASSED)
    sync: Step = (Deed.COMMAND, "uv sync --extra dev", PASSED)
    assert verdict(memory, failed + steps(green), moment="failure") == ("gate", "unknown")
    assert verdict(memory, failed + steps(sync, green), moment="failure") == ("gate", "helped")
    cited: Step = (Deed.RESPONSE, "mem-0lesson1111 says what is missing")
    assert verdict(memory, failed + steps(cited, green), moment="failure") == ("gate", "helped")
    assert verdict(memory, failed + steps(green, sync), moment="failure") == ("gate", "unknown")
    assert verdict(memory, failed + steps((Deed.GATE, "lint", PASSED)), moment="failure") == ("unseen", "unknown")


def test_only_what_the_same_agent_did_counts() -> None:
    others = steps((Deed.COMMAND, "uv sync --extra dev", PASSED), agent="sub-1")
    assert verdict(lesson(), others) == ("unseen", "unknown")
    assert verdict(lesson(), others, agent="sub-1") == ("followed", "helped")


def test_what_was_done_before_or_at_the_moment_of_showing_does_not_count() -> None:
    memory = lesson(error_signature=BOOM)
    assert verdict(memory, steps((Deed.COMMAND, "pytest", FAILED, BOOM), start=0)) == ("unseen", "unknown")


def test_a_withheld_memory_is_judged_by_facts_alone() -> None:
    memory = lesson(error_signature=BOOM)
    cited: Step = (Deed.RESPONSE, "mem-0lesson1111 is outdated")
    assert verdict(memory, steps(cited), is_withheld=True) == ("unseen", "unknown")
    back: Step = (Deed.COMMAND, "pytest", FAILED, BOOM)
    sync: Step = (Deed.COMMAND, "uv sync --extra dev", PASSED)
    assert verdict(memory, steps(sync, back), is_withheld=True) == ("recurred", "unknown")


def test_an_erased_memory_is_judged_no_more() -> None:
    assert judged(told(lesson()), {}, activities=[]) == ()


def test_ten_megabytes_are_judged_as_quickly_as_their_beginning() -> None:
    memory = lesson("Never `x y` and `a b` " * 50)
    long = steps((Deed.RESPONSE, "`never " * 1_500_000), (Deed.COMMAND, "x;" * 5_000_000, PASSED))
    assert verdict(memory, long) == ("unseen", "unknown")


def test_the_denial_comes_before_every_other_rule() -> None:
    memory = lesson(error_signature=BOOM)
    found = steps(
        (Deed.COMMAND, "uv sync --extra dev", PASSED),
        (Deed.COMMAND, "pytest", FAILED, BOOM),
        (Deed.RESPONSE, "mem-0lesson1111 is wrong"),
    )
    assert verdict(memory, found) == ("contradicted", Effect.HURT)


@pytest.mark.parametrize(
    ("failed", "passed", "is_green"),
    [
        ("pytest", "pytest", True),
        ("cd app && pytest -x 2>&1 | tail -5", "pytest -q", True),
        ("pytest tests/test_a.py", "pytest", True),
        ("pytest", "pytest tests/test_a.py", False),
        ("pytest", "pytest -k one", False),
        ("python -m pytest tests", "python -m mypy src", False),
        ("make test", "make lint", False),
        ("make test", "cd .. && ls", False),
    ],
)
def test_what_failed_passes_when_the_same_command_or_more_of_it_does(failed: str, passed: str, is_green: bool) -> None:
    before = steps((Deed.COMMAND, failed, FAILED), start=0)
    how, _ = verdict(lesson(), before + steps((Deed.COMMAND, passed, PASSED)), moment="failure")
    assert how == ("gate" if is_green else "unseen")
