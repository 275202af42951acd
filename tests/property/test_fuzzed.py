"""No input that a machine comes up with, led by the branches it has reached, breaks a reader of ours."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tier import IS_FULL, a_seed, reached

FUZZING = Path(__file__).parents[1] / "fuzzing.py"
MINUTES = int(os.environ.get("HINDBRAIN_MINUTES", "10"))  # of each target in a full run


@pytest.mark.skipif(find_spec("atheris") is None, reason="atheris, which leads the inputs, is not for this Python")
@pytest.mark.parametrize(
    ("target", "few"), [("signals", 1_500), ("front", 1_500), ("import", 300), ("hook", 1_500), ("query", 1_500)]
)
def test_no_input_breaks_a_reader_or_holds_it_up(tmp_path: Path, target: str, few: int) -> None:  # R20
    seed = a_seed() if IS_FULL else 1  # a few are the same ones every time; many are others
    enough = f"-max_total_time={60 * MINUTES}" if IS_FULL else f"-runs={few}"
    slow = "-timeout=1" if IS_FULL else "-timeout=60"  # seconds; a machine that does other work may take its time
    command = [sys.executable, str(FUZZING), target, str(tmp_path), enough, slow, f"-seed={seed}"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0 and "Done" in done.stderr + done.stdout, done.stderr[-3_000:]
    if IS_FULL:
        told = next(line for line in (done.stderr + done.stdout).splitlines() if line.startswith("Done "))
        reached("R20", f"{target}: {told.removeprefix('Done ')}, 0 uncaught, none over a second or 256 MB", seed=seed)
