"""What may be loaded before there is anything to say: modules are counted, because a count does not flake."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROBE = """
import json, sys
before = set(sys.modules)
{code}
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def loaded(code: str, *words: str) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", PROBE.format(code=code), *words], capture_output=True, text=True, check=True
    )
    modules: list[str] = json.loads(run.stdout.splitlines()[-1])
    return modules


def test_the_package_alone_loads_nothing() -> None:
    assert loaded("import hindbrain; hindbrain.__version__") == ["hindbrain"]


def test_finding_a_signal_needs_only_the_standard_library() -> None:
    """What a hook does on every turn: decide whether there is anything to capture."""
    modules = loaded("from hindbrain.core.signals import find; find('MEMORY:fix:restart the worker')")
    foreign = {name.partition(".")[0] for name in modules} - sys.stdlib_module_names - {"hindbrain"}
    assert not foreign
    assert not {"json", "asyncio", "urllib.request", "subprocess", "logging", "dataclasses"} & set(modules)
    assert len(modules) <= 50


def test_opening_the_store_loads_one_driver_and_no_command_line(tmp_path: Path) -> None:
    code = "import hindbrain; hindbrain.open(sys.argv[1]).recall('anything')"
    modules = loaded(code, str(tmp_path / "h.db"))
    assert "apsw" in modules and "click" not in modules and "sqlite3" not in modules
    ours = [name for name in modules if name.startswith("hindbrain.core.door")]
    assert not ours  # a question is not stored, so it needs no door
    assert len(modules) <= 115


RUN = "from hindbrain.entry.cli.quick import run; run(sys.argv[1:])"


@pytest.mark.parametrize("words", [["--version"], ["--help"]])
def test_help_opens_no_store(words: list[str]) -> None:
    assert "apsw" not in loaded(RUN, *words)


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
