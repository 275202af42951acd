"""The public API is typed: a user's checker sees what comes back."""

import subprocess
import sys
from pathlib import Path

SAMPLE = """
import hindbrain

with hindbrain.open("x.db", project="p") as memory:
    reveal_type(memory)
    reveal_type(memory.capture("text", session="s").receipts)
    reveal_type(memory.recall("words", limit=3).memories[0].score.total)
    reveal_type(memory.inject(task_title="t").text)
    reveal_type(memory.list()[0].title)
    memory.capture("text", sesion="s")
"""


def test_a_checker_sees_the_facade(tmp_path: Path) -> None:
    sample = tmp_path / "sample.py"
    sample.write_text(SAMPLE)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(sample)]
    said = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path).stdout
    for revealed in ("hindbrain.facade.Hindbrain", "Receipt, ...]", '"float"', '"str"'):
        assert revealed in said, said
    assert 'Unexpected keyword argument "sesion"' in said and said.count("error:") == 1, said
