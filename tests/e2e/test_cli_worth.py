"""How a person says whether a memory helped, and reads what memory is worth."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from calling import Cli

import hindbrain
from hindbrain.core.model import Injection, Score, Shown
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.ports import Changes


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(tmp_path, monkeypatch)


def test_a_verdict_is_kept_told_and_counted(cli: Cli) -> None:
    memory_id = cli.add("Postgres listens on port 5433 here")

    said = cli("verdict", memory_id, "helped", "--note", "found it at once", "--by", "Ada").out

    assert "helped: Postgres listens" in said
    assert cli.json("show", memory_id)["standing"] == {"helped": 1, "hurt": 0, "unknown": 0, "freshness": ""}
    assert "helped 1×, hurt 0×" in cli("show", memory_id).out
    assert "a person says: helped: found it at once" in cli("why", memory_id).out
    (outcome,) = cli.json("outcomes", memory_id)["outcomes"]
    assert (outcome["effect"], outcome["how"], outcome["memory_id"]) == ("helped", "person", memory_id)
    assert "found it at once" in cli("outcomes").out
    assert cli.json("outcomes", "--session", "nowhere")["outcomes"] == []
    assert "helped" in cli("recall", "which port does postgres use?", "--why").out


def test_a_verdict_of_harm_names_the_decision_that_waits(cli: Cli) -> None:
    memory_id = cli.add("Postgres listens on port 5433 here")

    answer = cli.json("verdict", memory_id, "hurt", "--note", "it moved")

    assert answer["review_id"] in cli("review").out
    assert f"hindbrain review keep|refuse {answer['review_id']}" in cli("review").out
    assert "Decided: kept" in cli("review", "keep", answer["review_id"]).out


def test_a_verdict_that_does_not_exist_is_refused_with_those_that_do(cli: Cli) -> None:
    memory_id = cli.add("Postgres listens on port 5433 here")

    assert "helped, hurt, unknown" in cli("verdict", memory_id, "great", code=64).err
    assert cli("outcomes").out == "Nothing has come of any memory yet.\n"


def test_worth_says_in_words_that_there_is_nothing_to_compare_yet(cli: Cli) -> None:
    memory_id = cli.add("Postgres listens on port 5433 here")
    cli("verdict", memory_id, "helped")

    told = cli("worth").out

    assert "1 × helped, 0 × hurt" in told and "Postgres listens" in told
    assert "Too few sessions to compare." in told and "holdout = 0.05" in told
    record = cli.json("worth", "--since", "2020-01-01")
    assert record["is_clear"] == {"recurrence": False, "calls": False}
    assert record["recurrence"]["change"] is None and record["best"][0]["memory_id"] == memory_id


AT = datetime(2026, 1, 10, 9, 30, tzinfo=UTC)
BOOM = "ImportError: cannot import name 'Lock' from 'jobs'"


def a_session(
    number: int, project: str, *, memory_id: str, signature: str, is_withheld: bool, is_back: bool
) -> Changes:
    shared = {"project": project, "session": f"s{number}"}
    shown = (Shown(memory_id=memory_id, version=1, score=Score(())),)
    told = Injection(
        id=f"inj-{number}",
        at=AT,
        format="default",
        strategy="unified",
        shown=shown,
        left_out=0,
        tokens=1,
        moment="prompt",
        is_withheld=is_withheld,
        **shared,
    )
    ran = Activity(
        id=f"act-{number}",
        at=AT + timedelta(seconds=5),
        deed=Deed.COMMAND,
        subject="pytest",
        result=Result.FAILED if is_back else Result.PASSED,
        signature=signature if is_back else "",
        **shared,
    )
    return Changes(injections=(told,), activities=(ran,))


def test_worth_compares_with_and_without_and_says_what_follows(cli: Cli) -> None:
    memory_id = cli.add(f"Install the extra before the tests, or: {BOOM}")
    signature = cli.json("show", memory_id)["error_signature"]
    with hindbrain.open() as memory:
        assert memory.project is not None
        project = memory.project.id
        sessions = [
            a_session(
                number,
                project,
                memory_id=memory_id,
                signature=signature,
                is_withheld=number % 4 == 0,
                is_back=number % 4 == 0 and number % 8 == 0,
            )
            for number in range(80)
        ]
        memory.store.write(lambda tx: [tx.apply(one) for one in sessions])

    told = cli("worth").out

    assert "with memory     0% (0% to 6%) in 60 sessions" in told
    assert "without it      50% (30% to 70%) in 20 sessions" in told
    assert "-50 points of 100" in told and "Memory helps" in told
    assert cli.json("worth")["is_clear"]["recurrence"] is True
    few = cli("worth", "--since", "2026-01-11").out
    assert "0 sessions" in few and "Too few" in few
