"""Setting clients up and back on the command line, in the home of a user who has all four."""

import json
import tomllib
from pathlib import Path

import pytest
from calling import Cli

from hindbrain.entry.cli.quick import run

FOLDERS = (".claude", ".codex", ".gemini", ".config/opencode")
CLAUDE = b"""{
  // mine
  "model": "opus",
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}], // theirs
  },
}
"""
CODEX = b'# mine\r\nmodel = "gpt"\r\n'
GEMINI = b'\xef\xbb\xbf{"ui": {"theme": "dark"}}'


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    return Cli(tmp_path, monkeypatch)


@pytest.fixture
def user(cli: Cli, tmp_path: Path) -> Path:
    user = tmp_path / "user"
    for folder in FOLDERS:
        (user / folder).mkdir(parents=True)
    (user / ".claude" / "settings.json").write_bytes(CLAUDE)
    (user / ".codex" / "config.toml").write_bytes(CODEX)
    (user / ".gemini" / "settings.json").write_bytes(GEMINI)
    return user


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every file with its bytes, and every folder."""
    found = sorted(folder.rglob("*"))
    return {str(one.relative_to(folder)): one.read_bytes() if one.is_file() else None for one in found}


# BD-064, DX-013: set up twice, one entry each; a project gets no new folder
def test_all_four_are_set_up_and_restored_byte_by_byte(cli: Cli, user: Path) -> None:
    before = tree(user)
    made = cli.json("init", "--yes")
    assert made["clients"] == ["claude", "codex", "gemini", "opencode"] and made["is_written"]
    assert {change["path"].rpartition("/")[2] for change in made["changes"]} >= {"settings.json", "SKILL.md"}

    text = (user / ".claude" / "settings.json").read_text()
    assert text.startswith('{\n  // mine\n  "model": "opus",') and "// theirs" in text and "say done" in text
    assert (user / ".config" / "opencode" / "plugins" / "hindbrain.js").exists()
    assert list(cli.folder.iterdir()) == []
    between = tree(user)
    again = cli.json("init", "--yes")
    assert again["changes"] == [] and not again["is_written"] and tree(user) == between

    cli("uninit", "--yes")
    assert tree(user) == before
    assert cli.json("uninit", "--yes")["changes"] == []


# S16
def test_nothing_is_written_without_a_yes(cli: Cli, user: Path) -> None:
    before = tree(user)
    shown = cli("init", "--dry-run").out
    assert "+++ " in shown and '+    "SessionStart": [' in shown
    refused = cli("init", code=87)
    assert refused.out.startswith(shown.rstrip()) and "--yes" in refused.err
    assert cli("init", "--json", code=87).error["code"] == "unconfirmed"
    assert tree(user) == before


def test_only_the_named_client_is_touched_whether_it_is_found_or_not(cli: Cli, tmp_path: Path) -> None:
    assert "--client" in cli("init", "--yes").err
    made = cli.json("init", "--client", "gemini", "--yes")
    assert made["clients"] == ["gemini"]
    assert sorted(one.name for one in (tmp_path / "user").iterdir()) == [".gemini"]
    cli("uninit", "--client", "claude", "--yes")
    assert (tmp_path / "user" / ".gemini" / "settings.json").exists()
    cli("uninit", "--client", "gemini", "--yes")
    assert not (tmp_path / "user").exists()


@pytest.mark.parametrize("words", [["--project"], ["--project", "."], ["--project=."]])
def test_a_project_can_be_set_up_alone(cli: Cli, user: Path, words: list[str]) -> None:
    before = tree(user)
    cli("init", *words, "--yes")
    made = {name for name, content in tree(cli.folder).items() if content is not None}
    skills = {f"{place}/skills/hindbrain/SKILL.md" for place in (".claude", ".agents", ".gemini", ".opencode")}
    hooks = {".claude/settings.json", ".codex/hooks.json", ".gemini/settings.json", ".opencode/plugins/hindbrain.js"}
    servers = {".mcp.json", ".codex/config.toml", ".gemini/settings.json", "opencode.json"}
    assert made == skills | hooks | servers and tree(user) == before

    cli("uninit", "--yes")  # of the user: there is nothing
    assert (cli.folder / ".codex" / "hooks.json").exists()
    cli("uninit", *words, "--yes")
    assert tree(cli.folder) == {}


def test_user_and_project_or_dry_run_and_yes_are_not_both_meant(cli: Cli) -> None:
    assert "only one" in cli("init", "--user", "--project", code=2).err
    assert "only one" in cli("init", "--dry-run", "--yes", code=2).err
    assert "there is no client" in cli("init", "--client", "emacs", code=64).err


def test_a_broken_configuration_stops_it_before_anything_is_written(cli: Cli, user: Path) -> None:
    (user / ".gemini" / "settings.json").write_bytes(b'{"a": ')
    before = tree(user)
    error = cli("init", "--yes", "--json", code=86).error
    assert error["code"] == "config_broken" and ".gemini/settings.json" in error["what"]
    assert tree(user) == before

    cli("init", "--client", "claude", "--yes")
    assert b"hindbrain" in (user / ".claude" / "settings.json").read_bytes()


def test_changes_of_a_person_survive_uninit(cli: Cli, user: Path) -> None:
    cli("init", "--yes")
    path = user / ".claude" / "settings.json"
    path.write_bytes(path.read_bytes().replace(b'"opus"', b'"haiku"'))
    cli("uninit", "--yes")
    left = path.read_bytes()
    assert b'"haiku"' in left and b"// mine" in left and b"say done" in left and b"hindbrain" not in left


def test_the_hooks_lead_to_the_home_they_were_set_up_with(cli: Cli, user: Path) -> None:
    cli("init", "--yes")
    hooks = json.loads((user / ".codex" / "hooks.json").read_text())["hooks"]
    assert hooks["Stop"][0]["hooks"][0]["command"].startswith(f"HINDBRAIN_HOME={cli.home} ")
    assert str(cli.home) in (user / ".config" / "opencode" / "plugins" / "hindbrain.js").read_text()


def test_the_server_is_named_where_it_is_installed(cli: Cli, user: Path) -> None:
    cli("init", "--yes")
    servers = tomllib.loads((user / ".codex" / "config.toml").read_text()).get("mcp_servers", {})
    assert servers["hindbrain"]["args"][-1] == "mcp"


def test_doctor_knows_what_is_wired(cli: Cli, user: Path) -> None:
    before = {finding["name"]: finding for finding in cli.json("doctor")["findings"]}
    assert before["claude"]["is_ok"] and before["claude"]["fix"] == "hindbrain init --client claude"

    cli("init", "--yes")
    answer = cli.json("doctor", code=1)  # Codex' user has not trusted anything yet
    found = [finding["what"] for finding in answer["findings"] if finding["name"] == "codex"]
    assert any("not trusted" in what for what in found)


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "opencode"])
def test_a_test_event_goes_through_the_command_line_of_each_client(cli: Cli, user: Path, client: str) -> None:
    cli("init", "--client", client, "--yes")
    found = cli.through(run, "doctor", "--wire", client, "--json").data["findings"]
    assert [one["is_ok"] for one in found if "test event" in one["what"]] == [True]
    assert not (cli.home / "spool").exists()
