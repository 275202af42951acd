"""What may be loaded before there is anything to say: modules are counted, because a count does not flake."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROBE = """
import sys
before = set(sys.modules)
{code}
print(*sorted(set(sys.modules) - before))
"""


RUN = "from hindbrain.entry.cli.quick import run; run(sys.argv[1:])"
# Each costs a new process a millisecond or more, and an empty Python takes ten.
HEAVY = {
    *("asyncio", "click", "dataclasses", "enum", "hashlib", "importlib.metadata", "inspect", "json", "logging"),
    *("pathlib", "re", "shutil", "sqlite3", "subprocess", "textwrap", "tomllib", "traceback", "typing", "urllib.parse"),
}


def loaded(code: str, *words: str, home: Path | None = None) -> list[str]:
    command = [sys.executable, "-c", PROBE.format(code=code), *words]
    environment = os.environ | ({"HINDBRAIN_HOME": str(home), "HINDBRAIN_PROJECT": "app"} if home else {})
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return run.stdout.splitlines()[-1].split()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """With a memory in it, and a store that need not be made any more."""
    loaded(RUN, "add", "The lock of `src/jobs/lock.py` – RedisLock – expires after 30s", home=tmp_path)
    return tmp_path


def test_the_package_alone_loads_nothing() -> None:
    assert loaded("import hindbrain; hindbrain.__version__") == ["hindbrain"]


def test_finding_a_signal_needs_only_the_standard_library() -> None:
    """What a hook does on every turn: decide whether there is anything to capture."""
    modules = loaded("from hindbrain.core.signals import find; find('MEMORY:fix:restart the worker')")
    foreign = {name.partition(".")[0] for name in modules} - sys.stdlib_module_names - {"hindbrain"}
    assert not foreign
    assert HEAVY & set(modules) <= {"enum", "re"}
    assert len(modules) <= 48


def test_opening_the_store_and_recalling_loads_one_driver_and_nothing_heavy(home: Path) -> None:
    code = "import hindbrain; assert len(hindbrain.open().recall('when does the redis lock expire?'))"
    modules = loaded(code, home=home)
    assert "apsw" in modules and not HEAVY & set(modules)
    assert not [name for name in modules if name.startswith("hindbrain.core.door")]  # a question is not stored
    assert len(modules) <= 85


def test_the_recall_command_loads_little_more(home: Path) -> None:
    modules = loaded(RUN, "recall", "when does the redis lock expire?", "--limit", "5", home=home)
    assert "apsw" in modules and not (HEAVY | {"threading", "weakref"}) & set(modules)
    assert len(modules) <= 99


@pytest.mark.parametrize("words", [["--version"], ["--help"]])
def test_help_opens_no_store(words: list[str]) -> None:
    assert "apsw" not in loaded(RUN, *words)


EVENT = '{"session_id":"s","cwd":"/","hook_event_name":"%s","tool_name":"Bash","tool_response":{"stdout":"x"}}'


def loaded_by_hook(event: str, home: Path) -> set[str]:
    """All that the process loads after Python itself has."""
    environment = {"HINDBRAIN_HOME": str(home), "PATH": os.environ["PATH"]}
    flags = [sys.executable, "-I", "-S", "-X", "importtime"]
    start, hook = (
        subprocess.run(
            [*flags, *words], input=EVENT % event, capture_output=True, text=True, check=True, env=environment
        )
        for words in (["-c", "pass"], [str(ROOT / "src" / "hindbrain" / "hook.py"), "claude"])
    )
    names = [{line.rpartition("|")[2].strip() for line in run.stderr.splitlines()[1:]} for run in (start, hook)]
    return names[1] - names[0]


def test_a_hook_that_only_keeps_its_event_loads_almost_nothing(tmp_path: Path) -> None:
    modules = loaded_by_hook("PostToolUse", tmp_path)
    foreign = {name for name in modules if not name.startswith("hindbrain")}
    assert foreign <= {"posix", "time", "_signal", "fcntl", "binascii", "zlib"}  # written in C, all of them
    assert len(modules) <= 16
    assert (tmp_path / "spool" / "current").read_bytes().count(b"\n") == 1


def test_a_hook_that_captures_loads_little_more(tmp_path: Path) -> None:
    (tmp_path / "worker-start").touch()  # somebody has just started a worker
    modules = loaded_by_hook("SessionEnd", tmp_path)
    foreign = {name for name in modules if not name.startswith("hindbrain")}
    assert foreign <= {"posix", "time", "_signal", "fcntl", "binascii", "zlib", "_socket"}
    assert len(modules) <= 19


def test_the_base_install_has_at_most_five_dependencies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert len(project["dependencies"]) <= 5


def test_no_test_replaces_code_of_ours() -> None:
    words = ["mock" + ".patch", "Magic" + "Mock", "unittest" + ".mock"]
    found = [
        f"{path.name}: {word}"
        for path in (ROOT / "tests").rglob("*.py")
        for word in words
        if word in path.read_text("utf-8")
    ]
    assert not found
