"""The activity log on the command line: note, list, learn."""

from pathlib import Path

import pytest
from calling import Cli


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(tmp_path, monkeypatch)


# DX-060 DX-067 DX-186 DX-189
def test_a_gate_that_passes_after_a_failure_teaches_a_fix(cli: Cli) -> None:
    note = ("activity", "add", "--session", "s1", "--deed")
    cli(*note, "gate", "--subject", "tests", "--result", "failed", "--detail", "ValueError: no rows for 'x'")
    cli(*note, "edit", "--subject", "src/rows.py", "--detail", "+ rows = rows or []")
    told = cli(*note, "gate", "--subject", "tests", "--result", "passed", "--json").data
    assert [one["verdict"] for one in told["receipts"]] == ["stored"]
    deeds = [(one["deed"], one["subject"], one["result"]) for one in cli("activity", "--json").data["activities"]]
    assert deeds == [("gate", "tests", "failed"), ("edit", "src/rows.py", ""), ("gate", "tests", "passed")]
    assert "Fix for tests failure" in cli("list").out
    assert cli("extract", "--session", "s1").out.strip() == "Nothing new to learn."
    assert cli("extract", "--session", "s1", "--json").data == {"receipts": []}


# DX-059 DX-061 DX-185
def test_changes_of_hats_and_completions_are_noted_and_learned_from(cli: Cli) -> None:
    note = ("activity", "add", "--session", "s1", "--deed")
    cli(*note, "response", "--hat", "critic", "--detail", "Issue: the lock of the queue is never released")
    assert "stored" in cli(*note, "hat", "--subject", "critic->creator").out
    done = cli(*note, "completion", "--detail", "Pattern: handlers in `src/api` return a value and never raise.").out
    assert "handlers in `src/api`" in done
    assert "3 activities" in cli("activity", "--session", "s1").out
    assert "1 activity" in cli("activity", "--session", "s1", "--limit", "1").out


def test_an_empty_log_says_how_it_fills(cli: Cli) -> None:
    assert "hindbrain init" in cli("activity").out


@pytest.mark.parametrize(
    "words",
    [
        ("--deed", "dance"),
        ("--deed", "gate"),
        ("--deed", "hat", "--subject", "planner"),
        ("--deed", "edit", "--result", "maybe"),
    ],
)
def test_a_deed_that_makes_no_sense_is_refused_before_anything_is_written(cli: Cli, words: tuple[str, ...]) -> None:
    cli("activity", "add", "--session", "s1", *words, code=64)
    assert cli("activity", "--json").data == {"activities": []}
