"""What we depend on: nothing with a hole that is known and closed, and nothing that acts while it is installed."""

import importlib.util
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

# The first version of each that has none of the holes published for it; what is older must not be installed.
CLOSED_IN = {
    "apsw": "3.51.3.0",  # the engine's WAL-reset bug
    "mcp": "1.29.0",  # CVE-2026-52869, CVE-2026-52870, CVE-2026-59950
    "jinja2": "3.1.6",  # CVE-2025-27516
    "starlette": "0.49.1",  # CVE-2025-62727
    "h11": "0.16.0",  # CVE-2025-43859
    "urllib3": "2.6.0",  # CVE-2025-66418
    "requests": "2.32.4",  # CVE-2024-47081
    "anyio": "4.4.0",
    "click": "8.1.0",
}


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text.partition("+")[0])[:4])


@pytest.mark.parametrize("name", CLOSED_IN)
def test_no_version_with_a_known_hole_is_installed(name: str) -> None:  # S16
    try:
        found = version(name)
    except PackageNotFoundError:
        return  # not even that
    assert numbers(found) >= numbers(CLOSED_IN[name])


def test_what_we_ask_for_ourselves_allows_none_with_a_known_hole() -> None:  # S16
    wanted = [*PROJECT["project"]["dependencies"]]
    wanted += [one for extra in PROJECT["project"]["optional-dependencies"].values() for one in extra]
    lowest = {m[1].lower(): m[2] for one in wanted if (m := re.match(r"([A-Za-z0-9_-]+)(?:\[\w+\])?>=([0-9.]+)", one))}
    assert {"apsw", "mcp"} <= lowest.keys()
    for name in ("apsw", "mcp"):
        assert numbers(lowest[name]) >= numbers(CLOSED_IN[name])


def test_nothing_of_ours_runs_while_it_is_installed() -> None:  # S16
    assert not (ROOT / "setup.py").exists() and "cmdclass" not in (ROOT / "pyproject.toml").read_text("utf-8")
    assert PROJECT["build-system"]["requires"] == ["setuptools>=77"] and "backend-path" not in PROJECT["build-system"]


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lock_script_house", ROOT / "scripts" / "lock.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


script = _load()


def test_the_lock_names_all_that_we_ask_for_each_file_by_its_hash() -> None:  # S16
    assert script.check(ROOT) == []
    pins = script.read(ROOT)
    assert len(pins) > len(script.wanted(ROOT)), "and what those ask for in turn"
    assert all(len(set(pin.hashes)) == len(pin.hashes) for pin in pins)
    assert not re.search(r"://|^-", (ROOT / script.LOCK).read_text("utf-8"), re.MULTILINE), "and no address"


def test_the_installer_itself_is_one_version_by_its_hash() -> None:  # S16
    text = (ROOT / "requirements" / "pip.txt").read_text("utf-8")
    (line,) = [line for line in text.splitlines() if not line.startswith("#")]
    assert re.fullmatch(r"pip==[0-9.]+ --hash=sha256:[0-9a-f]{64}", line)


def test_no_version_of_the_lock_has_a_known_hole() -> None:  # S16
    versions = {pin.name: pin.version for pin in script.read(ROOT)}
    for name in CLOSED_IN.keys() & versions.keys():
        assert numbers(versions[name]) >= numbers(CLOSED_IN[name])


def test_what_is_installed_is_what_the_lock_says() -> None:  # S16
    if not script.is_made_here(ROOT):
        pytest.skip("the lock was made with another Python; `make lock` makes one with this")
    if Path(sys.prefix, script.UNLOCKED).exists():
        pytest.skip("these versions could not all be had here")
    builders = {re.split(r"\W", one)[0] for one in PROJECT["build-system"]["requires"]}  # they build elsewhere
    pins = [pin for pin in script.read(ROOT) if pin.name not in builders]
    assert script.differing(pins) == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("--hash=sha256:", "--hash=md5:"),
        ("click==", "click>="),
        ("apsw==", "apse=="),
        ("    --hash=sha256:0", "    --hash=sha256:x"),
    ],
)
def test_a_lock_that_would_let_something_else_in_is_found(tmp_path: Path, before: str, after: str) -> None:  # S16
    for name in ("pyproject.toml", str(script.LOCK), str(script.VERSIONS)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text("utf-8"), "utf-8")
    assert script.check(tmp_path) == []

    text = (tmp_path / script.LOCK).read_text("utf-8")
    assert before in text
    (tmp_path / script.LOCK).write_text(text.replace(before, after, 1), "utf-8")

    assert script.check(tmp_path) != []


def test_a_file_is_of_the_version_that_it_is_named_for() -> None:
    assert script._is_of("Jinja2-3.1.6.tar.gz", "jinja2", "3.1.6")
    assert script._is_of("pydantic_core-2.50.4-cp311-cp311-linux_x86_64.whl", "pydantic-core", "2.50.4")
    assert not script._is_of("pydantic_core-2.50.40-cp311-cp311-linux_x86_64.whl", "pydantic-core", "2.50.4")
    assert not script._is_of("pydantic-2.50.4-py3-none-any.whl", "pydantic-core", "2.50.4")
