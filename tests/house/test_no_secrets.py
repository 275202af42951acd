"""No key stands in our code or our docs: our own door finds none."""

import re
from pathlib import Path

import pytest

from hindbrain.core.door import secrets

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("src", "docs", "scripts", "plugin", "bench")
FILES = sorted(
    path
    for place in PLACES
    for path in (ROOT / place).rglob("*")
    if path.is_file()
    and path.suffix in (".py", ".md", ".json", ".js", ".toml", ".sql", ".html", ".css", ".tsv", ".yml")
) + [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "Makefile", "pyproject.toml")]
# What looks like one, and why it is none.
HARMLESS = {
    "src/hindbrain/core/door/names.py": {"passcode", "passkey", "contrase", "kennwort"},  # words for keys
    "src/hindbrain/core/recall/frame.py": {r"\|[\w\s▁.-]{1,60}\|>"},  # the form of a model's own marks
    "src/hindbrain/entry/cli/demo.py": {'sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc'},  # of the demo, in two halves
}
OWN_ID = re.compile(r"(?:mem|sug|rcp|rev|inj)-[0-9a-z]{26}")


# HB-160
@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_key_stands_in_code_or_docs(path: Path) -> None:
    text = path.read_text("utf-8")
    found = {text[span.start : span.end] for span in secrets.find(text)}
    known = HARMLESS.get(str(path.relative_to(ROOT)), set())
    assert {value for value in found if not OWN_ID.fullmatch(value)} <= known


def test_a_key_in_a_page_would_be_found() -> None:
    assert secrets.find("export GITHUB_TOKEN=ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
