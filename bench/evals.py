"""How the evaluation scripts are run: as a stranger would, each in a process of its own, by their own command lines.

They lie beside the project, never in it. `EVAL_DATA` names another data folder, beside which they may lie as well.
"""

import os
import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from bench.report import ROOT

_BESIDE = ROOT.parent / "shared" / "evals"
_FIGURE = re.compile(r"([A-Za-z][\w@-]*)=\s*(-?\d+(?:\.\d+)?)")


def missing() -> str:
    """What keeps the scripts from running; empty when nothing does."""
    if not (scripts_folder() / "common.py").is_file():
        return "the evaluation scripts are not beside the project (`../shared/evals`) nor beside `EVAL_DATA`"
    if not data_folder().is_dir():
        return "the evaluation data is not there (`EVAL_DATA`, or `data` beside the scripts)"
    if find_spec("numpy") is None:
        return "numpy is not installed (`pip install -e '.[bench]'`)"
    return ""


def data_folder() -> Path:
    """Absolute: the scripts run in another folder than whoever named it."""
    return Path(os.environ.get("EVAL_DATA") or _BESIDE / "data").absolute()


def scripts_folder() -> Path:
    return _BESIDE if _BESIDE.is_dir() else data_folder().parent


def run(script: str, *arguments: str, known: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    """The script's whole output; `known` is added to its environment."""
    with tempfile.TemporaryDirectory(prefix="hindbrain-bench-") as cache:
        paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
        settings = {
            "EVAL_DATA": str(data_folder()),
            "EVAL_CACHE": cache,
            "PYTHONPATH": paths,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return subprocess.run(
            [sys.executable, str(scripts_folder() / script), *arguments],
            cwd=cache,
            env={**os.environ, **settings, **(known or {})},
            capture_output=True,
            text=True,
            check=False,
        )


def figures(line: str) -> dict[str, float]:
    """All that a line says as `name=number`."""
    return {name: float(value) for name, value in _FIGURE.findall(line)}


def kind_of_error(errors: str) -> str:
    """The kind of the last error alone: its text may name folders of this machine."""
    lines = errors.strip().splitlines()
    return lines[-1].partition(":")[0] if lines else "no message"
