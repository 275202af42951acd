"""Which code base is which."""

import shutil
import subprocess
from pathlib import Path

import pytest
from building import NOW

from hindbrain.adapters.dictionary import DictStore
from hindbrain.adapters.files import LocalFiles
from hindbrain.app.projects import locate, relative
from hindbrain.errors import AmbiguousProject, BadValue

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def a_repository(folder: Path, remote: str = "") -> Path:
    folder.mkdir(parents=True)
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", "first")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder


def identities(path: Path, *, per_worktree: bool = False) -> tuple[str, ...]:
    return LocalFiles().identities(path, per_worktree=per_worktree)


# R24
@needs_git
def test_twenty_worktrees_are_one_project(tmp_path: Path) -> None:
    """RELIABILITY R24."""
    main = a_repository(tmp_path / "app", "git@host.example:team/app.git")
    for number in range(20):
        git(main, "worktree", "add", str(tmp_path / f"tree{number}"), "-b", f"b{number}")
    found = {identities(tmp_path / f"tree{number}") for number in range(20)}
    assert found == {identities(main)}
    git(main, "worktree", "remove", "--force", str(tmp_path / "tree0"))
    assert identities(main) in found


@needs_git
def test_two_clones_are_one_project_whatever_their_url_looks_like(tmp_path: Path) -> None:
    urls = ["git@Host.example:team/app.git", "https://u:t@host.example/team/app", "ssh://git@host.example:22/team/app/"]
    first = {identities(a_repository(tmp_path / str(n) / "app", url))[0] for n, url in enumerate(urls)}
    assert first == {"remote:host.example/team/app"}


@needs_git
def test_a_clone_of_a_repository_without_a_remote_is_the_same_project(tmp_path: Path) -> None:
    origin = a_repository(tmp_path / "app")
    git(tmp_path, "clone", str(origin), "copy")
    assert set(identities(tmp_path / "copy")) & set(identities(origin))


# R24
@needs_git
def test_a_remote_added_later_does_not_lose_the_project(tmp_path: Path) -> None:
    folder = a_repository(tmp_path / "app")
    store = DictStore()
    before = store.adopt(identities(folder), name="app", project_id="prj-1", at=NOW)
    git(folder, "remote", "add", "origin", "https://host.example/team/app")
    assert store.adopt(identities(folder), name="app", project_id="prj-2", at=NOW) == before


# R24
@needs_git
def test_two_repositories_in_folders_of_the_same_name_are_two(tmp_path: Path) -> None:
    one = a_repository(tmp_path / "a" / "app")
    two = a_repository(tmp_path / "b" / "app")
    assert not set(identities(one)) & set(identities(two))
    assert LocalFiles().name(one) == LocalFiles().name(two) == "app"


@needs_git
def test_worktrees_can_be_separated_on_request(tmp_path: Path) -> None:
    main = a_repository(tmp_path / "app", "https://host.example/team/app")
    git(main, "worktree", "add", str(tmp_path / "tree"), "-b", "b")
    assert identities(main, per_worktree=True) != identities(tmp_path / "tree", per_worktree=True)


def test_a_folder_without_git_is_a_project_by_its_path(tmp_path: Path) -> None:
    assert identities(tmp_path) == (f"folder:{tmp_path.resolve()}",)
    assert LocalFiles().root(tmp_path) == str(tmp_path)


def test_a_deeper_folder_belongs_to_the_repository_around_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    inside = tmp_path / "src" / "deep"
    inside.mkdir(parents=True)
    assert identities(inside) == identities(tmp_path)


def test_a_broken_git_file_is_still_a_project(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("nonsense")
    assert identities(tmp_path)
    assert LocalFiles().name(tmp_path)


def test_a_project_is_found_by_name_id_or_path(tmp_path: Path) -> None:
    store, files = DictStore(), LocalFiles()
    made = store.adopt(["folder:/x"], name="app", project_id="prj-1", at=NOW)

    def found(wanted: str | None) -> str | None:
        located = locate(wanted, here=tmp_path, reader=store, files=files, per_worktree=False)
        project = store.project_of(located.identities)
        return project.id if project else None

    assert found("app") == found("prj-1") == made.id
    assert found(None) is found(str(tmp_path)) is found("other") is None
    with pytest.raises(BadValue, match="no folder"):
        found("no/such/folder")
    store.adopt(["folder:/y"], name="app", project_id="prj-2", at=NOW)
    with pytest.raises(AmbiguousProject, match="2 projects"):
        found("app")


def test_texts_of_a_folder_come_sorted_and_missing_ones_are_empty(tmp_path: Path) -> None:  # CH-115 CH-122
    (tmp_path / "b.md").write_text("B")
    (tmp_path / "a.md").write_text("A")
    (tmp_path / "c.txt").write_text("C")
    files = LocalFiles()
    assert files.texts(tmp_path, ".md", within=tmp_path) == (("a.md", "A"), ("b.md", "B"))
    assert files.texts(tmp_path / "none", ".md", within=tmp_path) == ()
    assert files.text(tmp_path / "none", within=tmp_path) == files.text(tmp_path, within=tmp_path) == ""
    assert files.text(tmp_path / ("x" * 5000), within=tmp_path) == ""


def test_a_link_that_leads_out_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "private").write_text("the key")
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "prompt.md").symlink_to(tmp_path / "private")
    assert LocalFiles().text(tmp_path / "app" / "prompt.md", within=tmp_path / "app") == ""


@pytest.mark.parametrize("remote", ["https://[foo/bar", "https://u:TOKEN@host.example", "::", "https://"])
def test_an_odd_remote_is_no_error_and_tells_no_password(tmp_path: Path, remote: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {remote}\n')
    assert "TOKEN" not in f"{identities(tmp_path)} {LocalFiles().name(tmp_path)}"


@pytest.mark.parametrize(
    ("path", "here", "expected"),
    [
        ("/srv/shop/src/a.py", "", "src/a.py"),
        ("a.py", "/srv/shop/src", "src/a.py"),
        ("src/../b.py", "/srv/shop", "b.py"),
        ("../a.py", "/srv/shop", ""),
        ("/srv/shopping/a.py", "/srv/shop", ""),
        ("/srv/shop", "/srv/shop", ""),
        ("a\0b", "/srv/shop", ""),
        ("", "/srv/shop", ""),
    ],
)
def test_a_file_is_named_from_the_top_of_its_code_base(path: str, here: str, expected: str) -> None:
    assert relative(path, root="/srv/shop", here=here) == expected


def test_a_link_to_the_code_base_leads_there(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert relative(f"{tmp_path}/link/a.py", root=f"{tmp_path}/real", here="") == "a.py"


def test_the_end_of_a_file_begins_with_a_whole_line(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("first line\nsecond\nthird\n", "utf-8")
    files = LocalFiles()
    assert files.tail(str(tmp_path / "log"), most=1000) == "first line\nsecond\nthird\n"
    assert files.tail(str(tmp_path / "log"), most=15) == "second\nthird\n"
    assert files.tail(str(tmp_path / "log"), most=3) == ""
    assert [files.tail(path, most=9) for path in (str(tmp_path), str(tmp_path / "none"), "a\0b")] == ["", "", ""]
