"""What is read of a code base, and what never is; how git is asked, and what happens without it."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from hindbrain.adapters.git import MAX_BYTES, LocalCode

Git = Callable[..., str]
CODE = LocalCode()


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Git in the folder `app`, untouched by the settings of whoever runs the tests."""
    settings = {"HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"]}
    people = {f"GIT_{role}_{what}": "dev@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}

    def run(*words: str, folder: str = "app") -> str:
        command = ["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *words]
        place = tmp_path / folder
        return subprocess.run(
            command, cwd=place, env={**settings, **people}, check=True, capture_output=True, text=True
        ).stdout

    (tmp_path / "app").mkdir()
    return run


@pytest.fixture
def root(tmp_path: Path, git: Git) -> Path:
    """A repository with one commit."""
    root = tmp_path / "app"
    git("init", "--quiet")
    (root / "src").mkdir()
    (root / "src" / "a.py").write_text("def a():\n    return 1\n")
    (root / ".gitignore").write_text("secret.env\n")
    (root / "secret.env").write_text("password\n")
    git("add", "--all")
    git("commit", "--quiet", "--message", "one")
    return root


def text_of(root: Path, path: str) -> str:
    source = CODE.read(str(root), path)
    assert source
    return source.text


def blob_of(root: Path, path: str) -> str:
    source = CODE.read(str(root), path)
    assert source
    return source.blob


def test_a_blob_has_the_name_that_git_gives_it(root: Path, git: Git) -> None:
    assert blob_of(root, "src/a.py") == git("hash-object", "src/a.py").strip()
    assert CODE.was(str(root), blob_of(root, "src/a.py")) == "def a():\n    return 1\n"
    assert CODE.was(str(root), "0" * 40) is None and CODE.was(str(root), "--help") is None


def test_new_files_count_and_ignored_ones_do_not(root: Path) -> None:
    (root / "new.py").write_text("x = 1\n")
    assert CODE.tracked(str(root)) == (".gitignore", "new.py", "src/a.py")


def test_a_rename_is_followed_when_staged_and_when_committed_twice(root: Path, git: Git) -> None:
    git("mv", "src/a.py", "src/b.py")
    assert CODE.renamed(str(root), "src/a.py") == "src/b.py"
    git("commit", "--quiet", "--message", "two")
    git("mv", "src/b.py", "c.py")
    git("commit", "--quiet", "--message", "three")
    assert CODE.renamed(str(root), "src/a.py") == "c.py"
    git("rm", "--quiet", "c.py")
    git("commit", "--quiet", "--message", "four")
    assert CODE.renamed(str(root), "src/a.py") is None


@pytest.mark.parametrize(
    "path",
    ["../outside.txt", "/etc/passwd", "src/../../outside.txt", "link.txt", "folder/outside.txt", ".git/config", "a\0b"],
)
def test_nothing_outside_of_the_root_is_ever_read(root: Path, path: str) -> None:
    (root.parent / "outside.txt").write_text("not yours\n")
    (root / "link.txt").symlink_to(root.parent / "outside.txt")
    (root / "folder").symlink_to(root.parent)
    assert CODE.read(str(root), path) is None


def test_a_link_within_the_root_is_read_and_a_circle_is_not(root: Path) -> None:
    (root / "inside.py").symlink_to(root / "src" / "a.py")
    (root / "circle").symlink_to(root / "circle")
    assert text_of(root, "inside.py") == "def a():\n    return 1\n"
    assert CODE.read(str(root), "circle") is None


def test_what_is_no_text_or_no_plain_file_is_not_there(root: Path) -> None:
    (root / "binary").write_bytes(b"a\0b")
    (root / "large").write_bytes(b"x" * (MAX_BYTES + 1))
    os.mkfifo(root / "pipe")  # would block for ever if it were opened to be read
    for name in ("binary", "large", "pipe", "src", "gone"):
        assert CODE.read(str(root), name) is None


def test_names_that_no_text_can_hold_are_left_out(root: Path, git: Git) -> None:
    for name in (
        b"new\nline.py",
        b'quote".py',
        b"-dash.py",
        b"\xff.py",
        "bidi\u202e.py".encode(),
        "umlaut-ü.py".encode(),
    ):
        Path(os.fsdecode(os.fsencode(root) + b"/" + name)).write_text("x = 1\n")
    git("add", "--all")
    git("commit", "--quiet", "--message", "odd names")
    assert CODE.tracked(str(root)) == ("-dash.py", ".gitignore", 'quote".py', "src/a.py", "umlaut-ü.py")
    assert text_of(root, "-dash.py") == "x = 1\n"
    git("mv", "--", "-dash.py", "--all")
    git("commit", "--quiet", "--message", "another odd name")
    assert CODE.renamed(str(root), "-dash.py") == "--all"
    git("mv", "src/a.py", "src/a\nb.py")
    assert CODE.renamed(str(root), "src/a.py") is None


def test_a_repository_cannot_start_programs(root: Path, git: Git, tmp_path: Path) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path / 'sprung'}\n")
    trap.chmod(0o755)
    for name in ("core.fsmonitor", "diff.external", "core.pager", "filter.x.clean", "core.sshCommand", "gpg.program"):
        git("config", name, str(trap))
    git("config", "diff.x.textconv", str(trap))
    (root / ".gitattributes").write_text("*.py filter=x diff=x\n")
    (root / "src" / "a.py").write_text("def a():\n    return 2\n")
    for answer in (CODE.tracked, CODE.head):
        assert answer(str(root))
    assert text_of(root, "src/a.py") == "def a():\n    return 2\n"
    (root / "src" / "a.py").unlink()
    assert CODE.renamed(str(root), "src/a.py") is None
    assert not (tmp_path / "sprung").exists()


def test_a_caller_within_a_hook_of_git_does_not_lead_astray(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", str(root.parent / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(root.parent / "elsewhere" / "index"))
    assert CODE.tracked(str(root)) == (".gitignore", "src/a.py")


def test_without_git_contents_are_read_and_nothing_else_is_known(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert text_of(root, "src/a.py") == "def a():\n    return 1\n"
    assert CODE.head(str(root)) == ""
    assert CODE.renamed(str(root), "src/a.py") is None and CODE.was(str(root), "f" * 40) is None
    assert "src/a.py" in CODE.tracked(str(root))


def test_a_folder_without_git_inside_a_repository_is_not_that_repository(root: Path) -> None:
    (root / "src" / "node_modules").mkdir()
    (root / "src" / "node_modules" / "b.js").write_text("x\n")
    assert CODE.tracked(str(root / "src")) == ("a.py",)
    assert CODE.head(str(root / "src")) == ""


def test_a_repository_without_commits_has_files_and_no_head(tmp_path: Path, git: Git) -> None:
    git("init", "--quiet")
    (tmp_path / "app" / "a.py").write_text("x = 1\n")
    assert CODE.head(str(tmp_path / "app")) == "" and CODE.tracked(str(tmp_path / "app")) == ("a.py",)
    assert CODE.renamed(str(tmp_path / "app"), "b.py") is None


def test_a_worktree_and_a_submodule_and_a_shallow_clone_are_read(root: Path, git: Git, tmp_path: Path) -> None:
    git("worktree", "add", "--quiet", "../tree", "-b", "other")
    assert CODE.tracked(str(tmp_path / "tree")) == (".gitignore", "src/a.py")
    assert CODE.head(str(tmp_path / "tree")) == CODE.head(str(root))

    (root / "src" / "a.py").write_text("def a():\n    return 2\n")
    git("commit", "--quiet", "--all", "--message", "two")
    git("clone", "--quiet", "--depth", "1", f"file://{root}", "../shallow")
    shallow = str(tmp_path / "shallow")
    assert CODE.head(shallow) == CODE.head(str(root))
    assert CODE.renamed(shallow, "was/here.py") is None

    git("submodule", "--quiet", "add", f"file://{tmp_path / 'shallow'}", "lib", folder="tree")
    git("commit", "--quiet", "--message", "with a part", folder="tree")
    tree = str(tmp_path / "tree")
    assert "lib/src/a.py" in CODE.tracked(tree)
    assert text_of(tmp_path / "tree", "lib/src/a.py") == "def a():\n    return 2\n"
