"""What a user meets on a full disk, a read-only one and a folder that is not theirs: a clear error, nothing lost."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from building import a_memory, a_project, keep

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.errors import HindbrainError
from hindbrain.ports import Where


def mount(*words: str) -> bool:
    return subprocess.run(["mount", *words], capture_output=True, check=False).returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or not mount("-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)):
        pytest.skip("mounting a small disk needs root and a kernel that allows it")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def hindbrain(home: Path, *words: str, said: str = "") -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"HINDBRAIN_HOME": str(home), "HINDBRAIN_PROJECT": "p"}
    command = [sys.executable, "-m", "hindbrain", *words, "--json"]
    return subprocess.run(command, input=said, capture_output=True, text=True, env=environment, check=False)


def error_of(run: subprocess.CompletedProcess[str]) -> dict[str, str]:
    error: dict[str, str] = json.loads(run.stderr)["error"]
    assert set(error) == {"code", "what", "fix"} and error["fix"] and "Traceback" not in run.stderr
    return error


# R6
def test_a_full_disk_loses_nothing_and_writing_resumes(small_disk: Path) -> None:
    """RELIABILITY R6."""
    assert hindbrain(small_disk / "home", "add", "kept before the disk was full").returncode == 0
    ballast = small_disk / "ballast"
    with ballast.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        while file.write(b"x" * 4096):
            pass
    text = "MEMORY:pattern:" + "lost on a full disk " * 80
    run = hindbrain(small_disk / "home", "capture", "-", said=text)
    assert (run.returncode, error_of(run)["code"]) == (73, "disk_full")
    found = json.loads(hindbrain(small_disk / "home", "recall", "kept before").stdout)["memories"]
    assert [memory["content"] for memory in found] == ["kept before the disk was full"]
    ballast.unlink()
    assert hindbrain(small_disk / "home", "capture", "-", said=text).returncode == 0
    assert hindbrain(small_disk / "home", "doctor").returncode == 0


# R7
def test_a_read_only_disk_answers_and_says_that_nothing_was_saved(small_disk: Path) -> None:
    """RELIABILITY R7. The log has not been folded in: what it holds must be found all the same."""
    home = small_disk / "home"
    assert hindbrain(home, "add", "kept before the disk was read-only").returncode == 0
    assert mount("-o", "remount,ro", str(small_disk))
    try:
        run = hindbrain(home, "recall", "kept before")
        assert run.returncode == 0, run.stderr
        assert [memory["content"] for memory in json.loads(run.stdout)["memories"]] == [
            "kept before the disk was read-only"
        ]
        assert len(json.loads(hindbrain(home, "list").stdout)["memories"]) == 1
        told = json.loads(hindbrain(home, "inject", "--task-title", "kept before").stdout)
        assert "kept before" in told["text"] and told["injection_id"] is None and told["notices"]
        assert hindbrain(home, "doctor").returncode == 1
        for words in (["add", "lost"], ["capture", "-"], ["delete", "mem-x"]):
            failed = hindbrain(home, *words, said="MEMORY:fix:lost too")
            assert failed.returncode != 0 and error_of(failed)["code"] in ("read_only", "unknown_memory"), words
    finally:
        assert mount("-o", "remount,rw", str(small_disk))
    assert hindbrain(home, "add", "kept afterwards").returncode == 0


# R7
def test_a_new_store_on_a_read_only_disk_is_an_error_with_a_fix(small_disk: Path) -> None:
    assert mount("-o", "remount,ro", str(small_disk))
    try:
        run = hindbrain(small_disk / "home", "list")
        assert (run.returncode, error_of(run)["code"]) == (77, "read_only")
        assert "HINDBRAIN_HOME" in error_of(run)["fix"]
    finally:
        assert mount("-o", "remount,rw", str(small_disk))


NOBODY = 65534


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else, and nobody's rights stop root")
@pytest.mark.parametrize("closed", ["folder", "file", "all"])
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_rights_that_are_missing_are_told_and_what_can_be_read_is(closed: str) -> None:  # R7
    with TemporaryDirectory(prefix="hb-") as place:
        Path(place).chmod(0o755)
        home = Path(place) / "home"
        with closing(SqliteStore(home / "hindbrain.db")) as store:
            a_project(store)
            keep(store, a_memory("kept before", id="mem-a"))
        for path in (home, *home.iterdir()):
            os.chown(path, NOBODY, NOBODY)
        for path in home.iterdir():
            path.chmod(0o400 if closed == "folder" else 0)
        home.chmod(0 if closed == "all" else 0o500 if closed == "folder" else 0o700)
        told = as_nobody(lambda: tried(home / "hindbrain.db"))
    assert told == ("1 ReadOnly" if closed == "folder" else "ReadOnly")


def tried(path: Path) -> str:
    """How many memories could be read, and what became of one that should be kept."""
    said = []
    try:
        with closing(SqliteStore(path)) as store:
            said.append(str(store.count(Where(project="prj-one"))))
            keep(store, a_memory("not kept", id="mem-b"))
            said.append("kept")
    except HindbrainError as error:
        assert error.fix
        said.append(type(error).__name__)
    return " ".join(said)


def as_nobody(act: Callable[[], str]) -> str:
    """In a child without rights. It has loaded already what it needs: it may not be able to read that either."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        os.write(write, act().encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as said:
        told = said.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return told
