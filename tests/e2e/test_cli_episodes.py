"""Episodes, consolidation, skills and the briefing before a task, on the command line."""

import json
from pathlib import Path

import pytest
from calling import Cli
from working import DOCUMENT


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(tmp_path, monkeypatch)


def a_session(cli: Cli, name: str) -> None:
    def did(deed: str, *more: str) -> None:
        cli.json("activity", "add", "--session", name, "--deed", deed, *more)

    failed = "E   RuntimeError: There is no current event loop in thread\n1 failed, 2 passed in 0.12s"
    did("prompt", "--detail", "Repair the pool of connections. Do not add new dependencies.")
    did("command", "--subject", "pytest -q", "--result", "failed", "--detail", failed)
    did("edit", "--subject", "src/pool.py", "--detail", "- asyncio.get_event_loop()\n+ asyncio.new_event_loop()")
    did("edit", "--subject", "tests/test_pool.py", "--detail", "+ assert pool")
    did("command", "--subject", "pytest -q", "--result", "passed", "--detail", "3 passed in 0.11s")
    cli.json("episodes", "trace", "--session", name)


def test_an_episode_of_another_program_is_kept_and_found(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "task-042.json"
    file.write_text(json.dumps(DOCUMENT), "utf-8")
    (receipt,) = cli.json("episodes", "add", "--file", str(file))["receipts"]
    assert receipt["verdict"] == "stored"
    (found,) = cli.json("episodes", "todos endpoint")["episodes"]
    assert found["body"] == DOCUMENT
    text = cli("episodes", "todos endpoint").out
    assert "success  Implement POST /api/todos endpoint" in text
    assert "Error: TypeScript compilation: Missing return type annotation" in text
    assert "Resolution: Added explicit :void to route handler" in text
    assert cli.json("episodes", "--outcome", "failure")["episodes"] == []
    assert cli.json("episodes", "--limit", "1", "todos")["episodes"][0]["id"] == found["id"]
    assert cli.json("episodes", "--about", "todos")["episodes"][0]["id"] == found["id"]


@pytest.mark.parametrize("text", ["", "[]", "3", "{", "[1]", '{"context": {}}'])
def test_what_is_no_episode_is_refused(cli: Cli, text: str) -> None:
    answer = cli("episodes", "add", "--json", stdin=text, code=64)
    assert answer.error["fix"]


def test_from_sessions_to_a_briefing(cli: Cli) -> None:
    # LK-055, LK-072, LK-095
    for name in ("a", "b", "c"):
        a_session(cli, name)
    assert "would be consolidated" in cli("consolidate", "--dry-run").out
    done = cli.json("consolidate", "--since", "24h")
    assert {one["fate"] for one in done["patterns"]} == {"new"}
    assert "RuntimeError" in done["patterns"][0]["text"] and "new_event_loop" in done["patterns"][0]["text"]
    again = cli.json("consolidate")
    assert {one["fate"] for kind in ("patterns", "anti_patterns", "skills") for one in again[kind]} == {"known"}

    (skill,) = cli.json("skills")["skills"]
    assert cli.json("skills", "list")["skills"] == [skill]
    assert "## Common Errors & Fixes" in cli("skills", "show", skill["id"]).out
    assert cli.json("before-task", "repair the pool")["applicable_skills"] == []
    assert "candidate" in cli("skills").out
    assert cli.json("skills", "approve", skill["id"])["trust"] == 4
    told = cli.json("before-task", "repair the pool", "--type", "debugging", "--action", "run_test")
    assert told["applicable_skills"] and told["avoid_these"] and told["relevant_patterns"]
    assert "## Avoid these" in told["text"]
    assert "Refused" in cli("skills", "refuse", skill["id"]).out


def test_an_index_first_and_then_several_memories_by_id(cli: Cli) -> None:
    ids = [cli.add("Redis locks expire after a minute"), cli.add("Redis locks need a fencing token")]
    index = cli.json("recall", "redis locks", "--index")["index"]
    assert {one["id"] for one in index} == set(ids)
    assert all(one["tokens"] > 0 and "content" not in one for one in index)
    lines = cli("recall", "redis locks", "--index").out.splitlines()
    assert lines[0].split() == ["ID", "KIND", "TOKENS", "TITLE"] and len(lines) == 5
    shown = cli.json("show", *ids)["memories"]
    assert [one["id"] for one in shown] == ids
    assert cli.json("show", ids[0])["id"] == ids[0]


@pytest.mark.parametrize("since", ["soon", "0h", "-3h", "h", "1w"])
def test_a_time_that_is_none_is_refused(cli: Cli, since: str) -> None:
    assert "90m, 24h or 7d" in cli("consolidate", "--since", since, code=64).err
