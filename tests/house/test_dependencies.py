"""What we depend on: nothing with a hole that is known and closed, and nothing that acts while it is installed."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

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
