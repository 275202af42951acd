"""How work is handed over, and how a project moves in from Loki and goes on sharing its files, on the command line."""

import json
from pathlib import Path

import pytest
from calling import Cli


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(tmp_path, monkeypatch)


def test_a_handoff_is_written_listed_shown_and_taken(cli: Cli) -> None:  # LK-111..121
    assert cli("handoff").out == "Nothing has been handed over yet.\n"
    words = ("--from", "eng-001", "--to", "qa-001", "--done", "POST works", "--needs", "contract tests")
    more = ("--issue", "lint", "--artifact", "a.ts", "--pattern", "sem-001", "--git", "abc123")
    assert "handoff-001 waits for qa-001" in cli("handoff", "write", *words, *more).out

    listed = cli("handoff", "list").out
    assert "eng-001 -> qa-001" in listed and "waits" in listed and "POST works" in listed
    shown = cli.json("handoff", "show", "handoff-001")
    assert shown["data"]["context"]["known_issues"] == ["lint"] and shown["to"] == "qa-001"
    assert "contract tests" in cli("handoff", "show", "handoff-001").out
    assert "Taken: handoff-001" in cli("handoff", "take", "handoff-001").out
    assert "taken" in cli("handoff").out and cli.json("handoff")["handoffs"][0]["is_stale"] is False
    assert "no handoff handoff-7" in cli("handoff", "take", "handoff-7", code=67).err


def test_a_ledger_is_saved_and_shown(cli: Cli) -> None:  # LK-100..110
    assert cli("ledger").out == "No agent has a ledger yet.\n"
    state = {"tasks_completed": 12, "current_task": "task-042", "state": {"uncommitted_changes": True}}
    assert "eng-001" in cli("ledger", "save", "eng-001", "--file", "-", stdin=json.dumps(state)).out
    assert cli.json("ledger", "show", "eng-001")["data"]["current_task"] == "task-042"
    assert "task-042" in cli("ledger").out and '"uncommitted_changes": true' in cli("ledger", "show", "eng-001").out
    assert "no JSON" in cli("ledger", "save", "x", stdin="{", code=64).err
    assert "no JSON object" in cli("ledger", "save", "x", stdin="[]", code=64).err


def test_working_memory_is_printed_and_written_only_where_loki_follows(cli: Cli) -> None:  # LK-001, LK-133
    cli("add", "Express handlers need explicit return types", "--kind", "pattern")
    assert "- [sem-001] Express handlers need" in cli("continuity").out
    assert "no file follows loki" in cli("continuity", "--write", code=64).err
    assert "Express" in cli("show", "sem-001").out and "Express" in cli("show", "[sem-001]").out

    cli("sync", "on", "loki")
    assert "Written to" in cli("continuity", "--write").out
    document = (cli.folder / ".loki" / "CONTINUITY.md").read_text()
    assert "## Relevant Memories (Auto-Retrieved)\n\n- [sem-001] Express handlers need" in document


LESSON = {"id": "sem-007", "pattern": "Retry uploads with jitter", "correct_approach": "sleep a random time"}


def test_a_project_moves_in_and_goes_on_sharing_its_files(cli: Cli) -> None:  # LK-009, X-27
    semantic = cli.folder / ".loki" / "memory" / "semantic"
    semantic.mkdir(parents=True)
    (semantic / "patterns.json").write_text(json.dumps({"patterns": [LESSON]}))
    (semantic.parent / "handoffs").mkdir()
    (semantic.parent / "handoffs" / "handoff-001.json").write_text(json.dumps({"from_agent": "a", "to_agent": "b"}))
    report = cli.json("import", "loki", ".")["report"]
    assert (report["read"], report["rejected"]) == (2, 0)
    assert "Retry uploads" in cli("show", "sem-007").out and "a -> b" in cli("handoff").out

    cli("sync", "on", "loki")
    assert cli.json("sync", "--quick")["synced"][0]["written"] == []
    cli("add", "Manifests are cached for an hour", "--type", "pitfall")
    patterns = semantic / "patterns.json"
    patterns.write_text(patterns.read_text().replace("with jitter", "with jitter, three times"))
    (semantic.parent / "ledgers").mkdir()
    (semantic.parent / "ledgers" / "eng.json").write_text(json.dumps({"agent_id": "eng", "current_task": "t-9"}))
    synced = cli.json("sync", "--quick")["synced"][0]

    assert (synced["added"], synced["reworded"], synced["removed"]) == (0, 1, 0)
    assert "with jitter, three times" in cli("show", "sem-007").out and "t-9" in cli("ledger").out
    facts = json.loads((semantic / "facts.json").read_text())["facts"]
    assert [(one["fact"], one["type"]) for one in facts] == [("Manifests are cached for an hour", "pitfall")]
    assert cli.json("sync", "--quick")["synced"][0]["written"] == []
    before = {path: path.read_bytes() for path in semantic.parent.rglob("*.json")}
    cli("rebuild")
    assert {path: path.read_bytes() for path in semantic.parent.rglob("*.json")} == before
