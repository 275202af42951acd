"""A project that shares its memory with agents that use Beads, through the command line and its own scripts."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from calling import SRC, Cli

HOOKS = ("memory-capture.sh", "validate-completion.sh", "session-start.sh")


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(tmp_path, monkeypatch)


def runs(path: Path) -> bool:
    return bool(stat.S_IMODE(path.stat().st_mode) & 0o100)


def ran(cli: Cli, script: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """The script, as a person would run it, with this hindbrain on the PATH."""
    bin_ = cli.home / "bin"
    bin_.mkdir(parents=True, exist_ok=True)
    program = bin_ / "hindbrain"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hindbrain "$@"\n')
    program.chmod(0o755)
    path = f"{bin_}{os.pathsep}{os.environ['PATH']}"
    env = {"PATH": path, "HINDBRAIN_HOME": str(cli.home), "PYTHONPATH": str(SRC), "HOME": str(cli.home)}
    return subprocess.run([str(script), *words], env=env, capture_output=True, text=True, check=False)


def test_the_files_of_beads_lie_where_its_agents_look_for_them(cli: Cli) -> None:  # BD-053 BD-054 BD-055
    cli("add", "Sessions are kept in Redis")
    cli("sync", "on", "beads")

    memory = cli.folder / ".beads" / "memory"
    assert {path.name for path in memory.iterdir()} == {
        ".gitattributes",
        "knowledge.archive.jsonl",
        "knowledge.jsonl",
        "recall.sh",
    }
    assert runs(memory / "recall.sh") and not runs(memory / "knowledge.jsonl")
    assert not (cli.folder / ".claude").exists()
    answer = ran(cli, memory / "recall.sh", "REDIS")
    assert answer.stdout.startswith("[LEARN] learned-sessions-are-kept-in-redis\n  Sessions are kept in Redis\n")
    assert ran(cli, memory / "recall.sh", "-v").stdout == "No knowledge entries matching '-v'\n"
    assert ran(cli, memory / "recall.sh").returncode == 1
    assert cli("beads").out.startswith("## Recent Knowledge (1 entries)\n\n  [LEARN] Sessions are kept in Redis  (")


def test_the_places_of_its_hooks_are_filled_on_request_only(cli: Cli) -> None:  # BD-056 BD-057 BD-058
    cli("sync", "on", "beads", "--with-scripts")
    hooks = cli.folder / ".claude" / "hooks"
    assert {path.name for path in hooks.iterdir()} == set(HOOKS) and all(runs(hooks / name) for name in HOOKS)
    event = json.dumps({"hook_event_name": "PostToolUse", "session_id": "s", "cwd": str(cli.folder)})
    ended = subprocess.run([str(hooks / HOOKS[0])], input=event, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, ""), "where nothing is installed, nothing happens"
    (hooks / "session-start.sh").write_text("#!/bin/sh\necho mine\n")
    cli("sync", "--quick")
    assert "mine" in (hooks / "session-start.sh").read_text(), "somebody else's script stays"


def test_two_systems_copies_of_one_lesson_meet_as_one(cli: Cli) -> None:
    chorus = cli.folder / ".chorus" / "learnings.md"
    chorus.parent.mkdir()
    chorus.write_text(
        "# Project Learnings\n\n## API Design\n- Rate limiting: 100 requests/minute per user\n"
        "  Source: ch-022 (2026-01-11, ed-002)\n"
    )
    beads = cli.folder / "knowledge.jsonl"
    entry = {"key": "k", "type": "learned", "content": "rate limiting: 100 requests/minute per user.", "ts": 1}
    beads.write_text(json.dumps(entry) + "\n")

    first = cli("import", "chorus", str(cli.folder), "--json").data
    second = cli("import", "beads", str(beads), "--json").data

    assert (first["created"], second["created"], second["known"]) == (1, 0, 1)
    assert second["report"] | {"items": []} == {"read": 0, "repaired": 1, "rejected": 0, "items": []}
    [memory] = cli("list", "--json").data["memories"]
    assert memory["counters"]["evidence"] == 2
    walk = cli("why", memory["id"], "--json").out
    assert '"chorus"' in walk and '"beads"' in walk
