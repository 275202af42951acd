"""Only one folder talks to models: whoever else wants one asks its port."""

import ast
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[2] / "src" / "hindbrain"
NETWORK = {"http.client", "urllib.request", "ssl", "ftplib", "smtplib", "xmlrpc"}
AGENTS = {"claude", "codex", "gemini"}


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


# HB-150
def test_only_the_facades_folder_opens_connections_to_the_network() -> None:
    found = {path.relative_to(SRC).as_posix() for path in SRC.rglob("*.py") if imported(path) & NETWORK}
    assert found == {"adapters/ai/http.py"}


# HB-150
def test_nobody_but_the_wiring_knows_what_is_behind_the_door() -> None:
    outside = [path for path in SRC.rglob("*.py") if not path.is_relative_to(SRC / "adapters" / "ai")]
    knows = {
        path.relative_to(SRC).as_posix()
        for path in outside
        if any(name.startswith("hindbrain.adapters.ai") for name in imported(path))
    }
    assert knows == {"wiring.py"}


# HB-157
@pytest.mark.parametrize("path", sorted(SRC.rglob("*.py")), ids=lambda path: path.relative_to(SRC).as_posix())
def test_a_coding_agent_is_started_by_one_module_only(path: Path) -> None:
    words = {node.value for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Constant)}
    if "subprocess" in imported(path) and words & AGENTS:
        assert path.relative_to(SRC).as_posix() == "adapters/ai/agent.py"
