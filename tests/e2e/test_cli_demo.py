"""The story that `hindbrain demo` tells is what really happens."""

from pathlib import Path

import pytest
from calling import Cli


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(tmp_path, monkeypatch)


def test_each_step_of_the_story_happens(cli: Cli) -> None:
    learned, told, newer, walk = (step["data"] for step in cli.json("demo")["steps"])

    assert [receipt["verdict"] for receipt in learned] == ["stored", "stored", "rejected", "stored", "evidence"]
    assert any(receipt["removed"] for receipt in learned) and "sk_live" not in str(learned)
    assert len(told["memory_ids"]) == 2
    assert newer["verdict"] == "superseded" and newer["supersedes"] == [learned[0]["memory_id"]]
    assert walk["receipt"]["id"] == newer["id"] and len(walk["injections"]) == 1


def test_the_story_fits_a_page_and_touches_nothing_of_the_users(cli: Cli) -> None:
    told = cli("demo").out

    assert all(len(line) <= 80 for line in told.splitlines())
    assert "\x1b" not in told and "sk_live_4eC39" not in told
    assert not cli.home.exists() and list(cli.folder.iterdir()) == []
    assert told.rstrip().splitlines()[-3].split()[:2] == ["hindbrain", "add"]
