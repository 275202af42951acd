"""The commands around a person's own files, as a person types them."""

from pathlib import Path

import pytest
from calling import Cli
from filing import reflex_file, write


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    made = Cli(tmp_path, monkeypatch)
    made.home.mkdir()
    brain = write(tmp_path / "brain", {"permanent/locks.md": "# Locks\n\nEvery lock carries a [[token]].\n"})
    (made.home / "config.toml").write_text(f'vault = "{brain}"\nembedder = "off"\n')
    write(made.folder, {"memory/feedback_tests.md": reflex_file("t", "Run tests with -x", "They take an hour.")})
    return made


# HB-013
def test_reflexes_are_listed_approved_and_indexed(cli: Cli) -> None:
    assert "waits  feedback_tests.md  Run tests with -x" in cli("reflex").out
    assert cli.json("reflex", "approve", "feedback_tests.md", "--by", "anna") == {"approved": ["feedback_tests.md"]}
    (entry,) = cli.json("reflex", "sync")["entries"]
    assert entry["is_told"] and entry["is_approved"]
    assert "Which files?" in cli("reflex", "approve", code=2).err
    assert "- [feedback_tests](feedback_tests.md) — Run tests with -x" in cli("reflex", "index").out
    assert not (cli.folder / "memory" / "MEMORY.md").exists()
    cli("reflex", "index", "--write")
    assert (cli.folder / "memory" / "MEMORY.md").exists()


# HB-021 HB-022
def test_notes_are_found_checked_and_written(cli: Cli, tmp_path: Path) -> None:
    assert cli("vault", "sync").out.startswith("1 note: 1 new")
    assert "permanent        1" in cli("vault").out
    assert "[[token]]" in cli("vault", "check", code=1).out
    path = cli.json("vault", "note", "Tokens only grow", "--title", "token")["path"]
    assert (tmp_path / "brain" / path).exists()
    refused = cli("vault", "note", "--permanent", "A rule", code=76)
    assert "person's order" in refused.err
    assert cli.json("vault", "note", "--permanent", "--yes", "A rule")["path"].startswith("permanent/")


# HB-071 HB-082
def test_recall_keeps_to_a_scope(cli: Cli) -> None:
    cli("vault", "sync")
    cli.add("a lock in the code expires")
    assert [m["kind"] for m in cli.json("recall", "lock", "--scope", "brain")["memories"]] == ["note"]
    assert len(cli.json("recall", "lock", "--scope", "all")["memories"]) == 2
    assert "there is no scope" in cli("recall", "lock", "--scope", "tout", code=64).err


# HB-119 HB-131
def test_a_piece_of_work_is_opened_followed_and_closed(cli: Cli) -> None:
    work = cli.json("lesson", "open", "Move the queue", "--estimate", "40000")["id"]
    tasks = [word for n in range(3) for word in ("--task", f"t-{n}")]
    cli("lesson", "add", work, *tasks, "--tokens", "60000", "--iteration", "hangs | run it again | it passes")
    assert "60,000 of 40,000" in cli("lesson").out
    closed = cli.json("lesson", "close", work)
    assert closed["path"].startswith("inbox/") and closed["bundle"]["tasks"] == ["t-0", "t-1", "t-2"]
    small = cli.json("lesson", "open", "Fix a typo")["id"]
    assert "No lesson: 0 of the 3 tasks" in cli("lesson", "close", small).out


# HB-143 HB-149
def test_the_passes_report_what_they_would_do(cli: Cli) -> None:
    for name in ("dream", "hygiene"):
        told = cli.json(name)
        assert not told["is_applied"] and "dry run" in told["text"] and Path(told["report"]).exists()
        assert cli.json(name, "--apply")["is_applied"]


# HB-043 HB-139 HB-144
def test_jobs_are_listed_run_and_printed_for_cron(cli: Cli) -> None:
    assert "every 15 minutes" in cli("jobs").out and "never" in cli("jobs").out
    assert cli("jobs", "run", "vault").out == "vault: 1 notes, 1 new, 0 changed, 0 gone\n"
    assert {job["name"] for job in cli.json("jobs")["jobs"] if job["last_run"]} == {"vault"}
    assert "*/15 * * * * HINDBRAIN_HOME=" in cli("jobs", "install").out
    assert "OnCalendar=" in cli("jobs", "install", "--systemd").out
    assert "there is no job" in cli("jobs", "run", "nap", code=64).err


# HB-091 HB-109 HB-013
def test_a_reflex_that_a_person_agreed_to_need_not_be_approved_again(cli: Cli) -> None:
    (cli.folder / ".git").mkdir()
    cli("scar", "add", "--kind", "failure", "--title", "Cache lost", "--lesson", "Warm the cache first")
    (suggestion,) = cli.json("learn")["suggestions"]
    cli("patch", suggestion["id"], "--destination", "memory")
    cli("apply", suggestion["id"], "--by", "anna")
    told = {entry["name"]: entry["is_told"] for entry in cli.json("reflex")["entries"]}
    assert told.pop("feedback_tests.md") is False
    assert list(told.values()) == [True]
