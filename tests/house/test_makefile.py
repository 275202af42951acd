"""What `make` would run, asked of make itself: a comma in a call of its own splits what follows it."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = {".installed": ".[serve]", ".installed-dev": ".[dev]", ".installed-bench": ".[dev,bench]"}


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
@pytest.mark.parametrize(("mark", "extras"), ENVIRONMENTS.items())
def test_each_environment_is_installed_with_all_of_its_extras(mark: str, extras: str) -> None:
    command = ["make", "--dry-run", "--always-make", f".venv/{mark}"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    ways = [line for line in told.splitlines() if f"--editable '{extras}'" in line]
    assert (
        len(ways) == 1 and ways[0].count(f"--editable '{extras}'") == 2
    )  # the locked versions, and others without them
