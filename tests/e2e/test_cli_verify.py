"""Memories and the code they speak of, through the command line and real repositories."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from calling import Cli

LOCK = "class Lock:\n    def close(self):\n        return 30\n\n    def open(self):\n        return 1\n"


class Repository:
    """The folder of the command line as a git repository, untouched by the settings of whoever runs the tests."""

    def __init__(self, cli: Cli) -> None:
        self.cli = cli
        self.folder = cli.folder
        self("init", "--quiet")
        self.write("src/lock.py", LOCK)
        self.commit("one")

    def __call__(self, *words: str, folder: Path | None = None) -> str:
        people = {
            f"GIT_{who}_{what}": "dev@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        settings = {"HOME": str(self.cli.home), "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"], **people}
        command = ["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *words]
        place = folder or self.folder
        return subprocess.run(command, cwd=place, env=settings, check=True, capture_output=True, text=True).stdout

    def write(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)

    def commit(self, message: str) -> None:
        self("add", "--all")
        self("commit", "--quiet", "--message", message)

    def look(self, *options: str) -> Any:
        return self.cli.json("verify", *options)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(tmp_path, monkeypatch)


@pytest.fixture
def repository(cli: Cli) -> Repository:
    return Repository(cli)


def counted(told: Any) -> tuple[int, int, int]:
    return told["fresh"], told["suspect"], told["gone"]


def test_what_is_learned_is_tied_at_once_and_suspect_once_its_code_changes(cli: Cli, repository: Repository) -> None:
    memory = cli.add("`Lock.close()` in src/lock.py waits for 30 s")
    (anchor,) = cli.json("show", memory)["anchors"]
    assert (anchor["path"], anchor["symbol"], anchor["start"], anchor["end"]) == ("src/lock.py", "Lock.close", 2, 3)
    assert anchor["blob"] == repository("rev-parse", "HEAD:src/lock.py").strip()

    repository.write("src/lock.py", f"import os\n\n\n{LOCK}")
    repository.commit("what it does not speak of")
    assert counted(repository.look()) == (1, 0, 0)
    repository.write("src/lock.py", LOCK.replace("30", "40"))
    repository.commit("what it speaks of")
    told = cli("verify").out
    assert "suspect src/lock.py:2-3 `Lock.close`" in told
    assert "`Lock.close` in src/lock.py changed: 1 line gone and 1 line new" in told
    assert "1 memory tied to code: 0 fresh, 1 suspect, 0 gone" in told
    assert "suspect src/lock.py:2-3 `Lock.close`" in cli("show", memory).out
    assert "tied to suspect src/lock.py:2-3" in cli("why", memory).out

    assert cli.json("verify", "--confirm", memory)["freshness"] == "fresh"
    assert cli.json("show", memory)["verified_at"]
    assert counted(repository.look("--all")) == (1, 0, 0)


def test_a_capture_is_tied_too(cli: Cli, repository: Repository) -> None:
    cli("capture", stdin="MEMORY:pitfall:src/lock.py:2-3 must not be called twice")
    repository.write("src/lock.py", LOCK.replace("30", "40"))
    assert counted(repository.look()) == (0, 1, 0)


def test_a_deleted_file_is_gone_and_a_renamed_one_is_followed(cli: Cli, repository: Repository) -> None:
    cli.add("src/lock.py is older than the rest")
    repository("mv", "src/lock.py", "src/locks.py")
    repository.commit("rename")
    told = repository.look()
    assert counted(told) == (1, 0, 0)
    assert told["memories"][0]["anchors"][0]["note"] == "src/lock.py is src/locks.py now"
    repository("rm", "--quiet", "src/locks.py")
    repository.commit("delete")
    assert counted(repository.look()) == (0, 0, 1) and counted(repository.look()) == (0, 0, 1)
    assert "gone    src/locks.py  src/locks.py is gone" in cli("verify").out
    repository("revert", "--no-edit", "HEAD")
    assert counted(repository.look()) == (1, 0, 0)


# R24
def test_another_worktree_is_judged_by_its_own_files(
    cli: Cli, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.add("src/lock.py is older than the rest")
    repository("worktree", "add", "--quiet", "../tree", "-b", "other")
    tree = repository.folder.parent / "tree"
    (tree / "src" / "lock.py").write_text("new\n")
    monkeypatch.chdir(tree)
    assert counted(repository.look()) == (0, 1, 0)
    monkeypatch.chdir(repository.folder)
    assert counted(repository.look()) == (1, 0, 0)


def test_odd_names_and_places_do_no_harm(cli: Cli, repository: Repository) -> None:
    for name in ("new\nline.py", 'quote".py', "-dash.py", "--all"):
        repository.write(name, "x = 1\n")
    repository.commit("odd names")
    (repository.folder.parent / "outside.py").write_text("secret\n")
    (repository.folder / "link.py").symlink_to(repository.folder.parent / "outside.py")
    cli.add("the file -dash.py is read by nobody")
    cli.add("../outside.py and link.py are read by nobody", "--file", "/etc/passwd", "--file", "src/../../outside.py")
    told = repository.look()
    assert counted(told) == (1, 0, 0) and told["untied"] == 1
    repository.write("-dash.py", "x = 2\n")
    assert counted(repository.look("--path=-dash.py")) == (0, 1, 0)


def test_a_submodule_and_a_shallow_clone_can_be_verified(
    cli: Cli, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write("src/lock.py", LOCK.replace("30", "40"))
    repository.commit("two")
    repository("clone", "--quiet", "--depth", "1", f"file://{repository.folder}", "../shallow")
    repository("submodule", "--quiet", "add", f"file://{repository.folder.parent / 'shallow'}", "lib")
    repository.commit("with a part")
    cli.add("lib/src/lock.py is a copy")
    repository.write("lib/src/lock.py", "other\n")
    assert counted(repository.look()) == (0, 1, 0)
    monkeypatch.chdir(repository.folder.parent / "shallow")
    cli.add("src/lock.py is small")
    (repository.folder.parent / "shallow" / "src" / "lock.py").unlink()
    assert {one["freshness"] for one in repository.look()["memories"] if "small" in one["title"]} == {"gone"}


@pytest.mark.parametrize("has_git", [True, False])
def test_a_folder_without_commits_or_without_git_is_judged_by_its_contents(cli: Cli, has_git: bool) -> None:
    if has_git:
        subprocess.run(["git", "init", "--quiet"], cwd=cli.folder, check=True)
    (cli.folder / "lock.py").write_text(LOCK)
    cli.add("`Lock.close()` in lock.py waits for 30 s")
    assert counted(cli.json("verify")) == (1, 0, 0)
    (cli.folder / "lock.py").write_text(LOCK.replace("30", "40"))
    told = cli.json("verify")
    assert counted(told) == (0, 1, 0) and told["head"] == ""


def test_nothing_is_tied_where_there_is_nothing(cli: Cli) -> None:
    assert cli("verify").out == "0 memories tied to code: 0 fresh, 0 suspect, 0 gone\n"
    memory = cli.add("be kind")
    assert "1 memory named no file that is here" in cli("verify").out
    assert "Confirmed be kind" in cli("verify", "--confirm", memory).out
    assert "neither --all nor --path" in cli("verify", "--confirm", memory, "--all", code=2).err
