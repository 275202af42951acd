"""The command line as a process: what a script in another language would see."""

import json
from pathlib import Path

import pytest
from calling import Answer, Cli


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(tmp_path, monkeypatch)


def fine(answer: Answer) -> Answer:
    assert (answer.code, answer.err) == (0, "")
    return answer


# DX-187
def test_the_walk_from_a_sentence_to_a_prompt_in_six_processes(cli: Cli) -> None:
    said = b"Done.\nMEMORY:pitfall:Redis locks in src/jobs/lock.py expire after 30 s\n"
    (receipt,) = fine(cli.child("capture", "-", "--session", "s1", "--json", stdin=said)).data["receipts"]
    assert receipt["verdict"] == "stored" and receipt["line"] == 2

    (found,) = fine(cli.child("recall", "redis lock", "--json")).data["memories"]
    assert found["id"] == receipt["memory_id"]

    told = fine(cli.child("inject", "--session", "s2", "--task-title", "lock timeout", "--json")).data
    assert told["memory_ids"] == [receipt["memory_id"]]

    walk = fine(cli.child("why", receipt["memory_id"], "--json")).data
    assert walk["receipt"]["session"] == "s1" and walk["injections"][0]["id"] == told["injection_id"]

    exported = fine(cli.child("export")).out
    assert json.loads(exported)["memories"][0]["content"].startswith("Redis locks")
    assert fine(cli.child("import", "--json", stdin=exported.encode())).data["unchanged"] == 1


def test_an_error_in_a_process_is_two_lines_and_a_code(cli: Cli) -> None:
    wrong = cli.child("show", "mem-unknown")
    assert (wrong.code, wrong.out) == (67, "") and len(wrong.err.splitlines()) == 2

    wrong = cli.child("show", "mem-unknown", "--json")
    assert wrong.code == 67 and wrong.error["code"] == "unknown_memory"


def test_settings_that_cannot_be_used_are_told_like_any_error(cli: Cli) -> None:
    cli.home.mkdir()
    (cli.home / "config.toml").write_text("strategy = 7\n")
    assert cli("list", "--json", code=79).error["code"] == "bad_settings"


def test_letters_that_the_terminal_cannot_show_do_not_end_the_command(cli: Cli) -> None:
    cli.add("Grüße 漢字")
    answer = cli.child("list", PYTHONIOENCODING="latin-1")
    assert answer.code == 0 and "Grüße \\u6f22\\u5b57" in answer.out


def test_nothing_is_written_into_the_folder_one_works_in(cli: Cli) -> None:
    fine(cli.child("add", "a memory"))
    fine(cli.child("list"))
    assert list(cli.folder.iterdir()) == []
