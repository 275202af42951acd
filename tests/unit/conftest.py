"""What tests of the verbs may ask for: every store that needs no server, and the tools around it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from building import FakeChance, FakeClock, a_project

from hindbrain.adapters.dictionary import DictStore
from hindbrain.adapters.files import LocalFiles
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.tools import Tools
from hindbrain.ports import Store
from hindbrain.settings import Settings


@pytest.fixture(params=["dict", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made: Store = DictStore() if request.param == "dict" else SqliteStore(tmp_path / "home" / "hindbrain.db")
    a_project(made, "one")
    a_project(made, "two")
    yield made
    made.close()


@pytest.fixture
def tools(store: Store, clock: FakeClock, chance: FakeChance, tmp_path: Path) -> Tools:
    settings = Settings(home=str(tmp_path), store=str(tmp_path / "hindbrain.db"))
    return Tools(store=store, clock=clock, chance=chance, files=LocalFiles(), settings=settings)
