"""Which keys scripts may rely on: the documented ones, no more and no fewer."""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from calling import Cli

from hindbrain.entry.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference_script_e2e", ROOT / "scripts" / "reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


reference = _load()


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(tmp_path, monkeypatch)


def arguments(name: str, memory_id: str) -> list[str]:
    rest = {
        "search": ["lock"],
        "recall": ["lock"],
        "why": [memory_id],
        "links": [memory_id],
        "verdict": [memory_id, "helped"],
        "forget": [memory_id, "--hard", "--yes"],
        "purge": ["--session", "s1"],
        "completion": ["bash"],
        "inject": ["--task-title", "lock"],
        "extract": ["--session", "s1"],
        "init": ["--dry-run"],
        "uninit": ["--dry-run"],
        "apply": ["--all-safe"],
        "before-task": ["lock"],
        "migrate": [f"{os.environ['HINDBRAIN_HOME']}/hindbrain.db", "carried.db"],
    }
    return [name, *rest.get(name, [])]


@pytest.mark.parametrize("name", list(reference.SHAPES))
def test_an_answer_has_just_the_keys_that_are_documented(cli: Cli, name: str) -> None:
    memory_id = cli.add("Redis locks expire after 30 s")
    stdin = cli("export").out if name == "import" else "MEMORY:fix:Restart the worker\n"
    answer = cli.json(*arguments(name, memory_id), stdin=stdin)

    assert set(answer) == set(reference.SHAPES[name])


def test_every_command_has_its_json_documented() -> None:
    assert set(reference.SHAPES) | set(reference.ELSEWHERE) == set(COMMANDS)
    assert not set(reference.SHAPES) & set(reference.ELSEWHERE)


def documented(name: str) -> set[str]:
    return {key for keys in reference.RECORDS[name] for key in keys.split(", ")}


def test_a_memory_has_just_the_keys_that_are_documented(cli: Cli) -> None:
    memory_id = cli.add("Redis locks expire after 30 s")
    memory = documented("memory")

    assert set(cli.json("show", memory_id)) == memory | {"standing", "anchors"}
    assert set(cli.json("show", memory_id, "--history")) == memory | {"standing", "anchors", "history"}
    assert set(cli.json("edit", memory_id, "--importance", "7")) == memory
    assert set(cli.json("delete", memory_id)) == memory
    assert set(cli.json("restore", memory_id)) == memory
    assert set(cli.json("list")["memories"][0]) == memory
    assert set(cli.json("search", "lock")["memories"][0]) == memory
    found = cli.json("recall", "lock")["memories"][0]
    judged = {"score", "reasons", "similarity", "label", "piece", "gate"}
    assert set(found) == memory | judged
    assert set(found["reasons"][0]) == {"name", "value", "weight", "note"}
    assert set(found["gate"]) == {"value", "least", "is_open"} and found["piece"] is None
    assert set(cli.json("inject", "--task-title", "lock")["shown"][0]) == {"memory_id"} | judged


def test_a_receipt_has_just_the_keys_that_are_documented(cli: Cli) -> None:
    receipt = documented("receipt")

    assert set(cli.json("add", "Redis locks expire")) == receipt
    captured = cli.json("capture", "--format", "claude", stdin="no JSON\n")
    assert captured["receipts"] == [] and set(captured["skipped"][0]) == {"line", "reason"}
    captured = cli.json("capture", stdin="MEMORY:fix:Restart the worker\n")
    assert set(captured["receipts"][0]) == receipt
    assert {r["verdict"] for r in cli.json("receipts")["receipts"]} == {"stored"}


def test_a_suggestion_has_just_the_keys_that_are_documented(cli: Cli) -> None:
    suggestion = documented("suggestion")
    cli("scar", "add", "--kind", "failure", "--title", "Locks", "--lesson", "Look into `src/lock.py` first")
    (made,) = cli.json("learn")["suggestions"]
    assert set(made) == suggestion and set(cli.json("feed")["suggestions"][0]) == suggestion | {"is_stale"}
    assert set(cli.json("patch", made["id"], "--text", "Look first")) == suggestion
    assert set(cli.json("apply", made["id"])["suggestions"][0]) == suggestion
    assert set(cli.json("rules")["rules"][0]) == suggestion | {"signature", "effect"}
    assert set(cli.json("undo", made["id"])["suggestions"][0]) == suggestion
    assert set(cli.json("snooze", made["id"], "--until", "2999-01-01")["suggestions"][0]) == suggestion
    assert set(cli.json("refuse", made["id"])["suggestions"][0]) == suggestion


def test_options_that_all_commands_share_work_everywhere(cli: Cli) -> None:
    memory_id = cli.add("Redis locks expire after 30 s", "--project", "shared")
    positional: dict[str, list[str]] = {
        **{name: [memory_id] for name in ("show", "why", "delete", "restore")},
        "edit": [memory_id, "--importance", "6"],
        "split": [memory_id, "--into", "Redis locks expire", "--into", "30 s are long for a lock"],
        "links": [memory_id],
        "verdict": [memory_id, "helped"],
        "add": ["a second one"],
        "search": ["lock"],
        "recall": ["lock"],
        "completion": ["fish"],
        "extract": ["--session", "s1"],
        "migrate": [f"{os.environ['HINDBRAIN_HOME']}/hindbrain.db", "carried.db"],
        "before-task": ["lock"],
        "worker": ["--status"],  # without an option it would serve
        "init": ["--dry-run"],
        "uninit": ["--dry-run"],
        "forget": [memory_id, "--hard", "--yes"],
        "purge": ["--session", "s1"],
        "apply": ["--all-safe"],
    }
    exported = cli("export", "--project", "shared").out
    needs_a_suggestion = {"patch", "refuse", "snooze", "undo"}  # tests/e2e/test_cli_learning.py has some
    apart = {
        "forget",
        "mcp",
        "serve",
        "hub",
        *needs_a_suggestion,
    }  # two of them answer others until they are told to end
    for name in [*(name for name in COMMANDS if name not in apart), "forget"]:
        stdin = exported if name == "import" else ""
        answer: Any = cli.json(name, *positional.get(name, []), "--project", "shared", stdin=stdin)
        assert isinstance(answer, dict), name
