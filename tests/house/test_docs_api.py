"""The page of the service says what the service does: each route, each right, nothing stale."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from hindbrain.core.model.token import Right
from hindbrain.entry.http.table import ROUTES, Route

ROOT = Path(__file__).resolve().parents[2]


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("routes_script_house", ROOT / "scripts" / "routes.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


script = _load()
PAGE = (ROOT / "docs" / "api.md").read_text("utf-8")


def test_the_table_of_routes_is_fresh() -> None:
    assert script.written(PAGE) == PAGE
    assert script.written(PAGE.replace("| `GET /metrics` |", "| `GET /stale` |")) == PAGE


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_every_route_is_documented(route: Route) -> None:
    assert f"| `{route.method} {route.path}` | {route.right} |" in PAGE


def test_every_right_is_documented() -> None:
    assert all(f"| `{right}` |" in PAGE for right in Right)
