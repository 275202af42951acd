"""The requirements page tells the truth about the tests as they stand."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT.parent / "shared" / "REQUIREMENTS.md"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("requirements_script_house", ROOT / "scripts" / "requirements.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up while they are made
    spec.loader.exec_module(module)
    return module


script = _load()


def test_the_requirements_page_is_fresh_and_every_citation_names_a_row() -> None:
    assert script.check(ROOT) == []


def test_every_row_fits_on_a_line() -> None:
    rows = script.read(ROOT).rows
    assert {row: len(text) for row, text in rows.items() if len(text) > 120} == {}


def test_our_list_of_rows_is_the_list_of_the_requirements() -> None:
    if not SOURCE.exists():
        pytest.skip("the requirements document is not beside this project")
    text = SOURCE.read_text(encoding="utf-8")
    ids = re.findall(r"^\| ((?:CH|DX|LK|BD|HB|X|F|Q)-\d+) \|", text, re.MULTILINE)
    ids += re.findall(r"^\*\*(G-\d+) ", text, re.MULTILINE)

    listed = (ROOT / "docs" / "requirements.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert [line.partition("\t")[0] for line in listed] == ids
