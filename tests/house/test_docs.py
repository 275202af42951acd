"""The reference pages say what the code says: every command, error and setting, nothing stale."""

import importlib.util
import re
import sys
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import pytest

from hindbrain.core.growth import Growth
from hindbrain.entry.cli.commands import COMMANDS
from hindbrain.settings import ENVIRONMENT, Settings

ROOT = Path(__file__).resolve().parents[2]


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference_script_house", ROOT / "scripts" / "reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


script = _load()


def page(name: str) -> str:
    return (ROOT / "docs" / "reference" / name).read_text("utf-8")


def test_the_reference_pages_are_fresh() -> None:
    assert script.check(ROOT) == []


def test_a_stale_or_missing_page_is_found(tmp_path: Path) -> None:
    assert len(script.check(tmp_path)) == 3


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name: str) -> None:
    assert f"\n### hindbrain {name}\n" in page("cli.md") and f"\n### JSON of {name}\n" in page("cli.md")


def test_every_error_is_documented_and_has_an_exit_code_of_its_own() -> None:
    kinds = script.kinds_of_error()
    assert len(kinds) == len(
        re.findall(r"^class \w+\(HindbrainError\)", (ROOT / "src/hindbrain/errors.py").read_text(), re.M)
    )
    for error in kinds:
        row = rf"^\| `{error.__name__}` \| `{error.code}` \| {error.exit_code} \| {error.http_status} \| \w"
        assert re.search(row, page("errors.md"), re.MULTILINE)
        assert f"| {error.exit_code} | `{error.code}` |" in page("cli.md")
    codes = [error.exit_code for error in kinds]
    assert len(set(codes)) == len(codes) and not {0, 1, 2, 130} & set(codes)


def test_every_setting_is_documented_with_its_meaning() -> None:
    from_environment = {"home", "store", "growth"}
    names = [f.name for f in fields(Settings) if f.name not in from_environment] + [f.name for f in fields(Growth)]
    for name in names:
        assert re.search(rf"^\| `{name}` \| \w+ \| `[^`]+` \| \S", page("settings.md"), re.MULTILINE), name
    for name in ENVIRONMENT:
        assert f"| `{name}` |" in page("settings.md")
