"""When a real client counts as installed, and what is said where it is not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.clients import CLIENTS, Absent, command

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HINDBRAIN_TEST_CLIENTS", str(tmp_path / "clients"))
    return tmp_path / "clients"


def without_network(place: Path) -> "subprocess.CompletedProcess[str]":
    closed = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "npm_config_offline": "true"}
    known = {**os.environ, **closed, "npm_config_cache": str(place / "npm")}
    script = [sys.executable, str(ROOT / "scripts" / "clients.py")]
    return subprocess.run(script, env=known, capture_output=True, text=True, timeout=120, check=False)


def test_a_client_that_could_not_be_installed_says_why_and_leaves_nothing_half_done(place: Path) -> None:
    done = without_network(place)

    assert done.returncode == 1
    for client in CLIENTS:
        absent = command(client.name)
        assert isinstance(absent, Absent) and "not installed: " in absent.why
        assert absent.why.partition("not installed: ")[2] in done.stdout
    assert [path for path in place.iterdir() if path.is_dir() and path.name != "npm"] == []


def test_a_client_nobody_tried_to_install_names_the_command_that_does(place: Path) -> None:
    absent = command("claude")

    assert isinstance(absent, Absent) and "make clients" in absent.why


def test_a_client_that_lies_in_its_place_is_run_from_there(place: Path) -> None:
    client = next(known for known in CLIENTS if known.name == "claude")
    program = client.folder / "claude_agent_sdk" / "_bundled" / "claude"
    program.parent.mkdir(parents=True)
    program.touch()

    assert command("claude") == [str(program)]
    assert client.folder.is_relative_to(place)


def test_a_folder_without_its_program_is_not_taken_for_a_client(place: Path) -> None:
    client = next(known for known in CLIENTS if known.name == "codex")
    client.folder.mkdir(parents=True)

    absent = command("codex")

    assert isinstance(absent, Absent) and str(client.folder) in absent.why
