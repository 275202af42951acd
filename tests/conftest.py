"""What every test may ask for: a clock that stands still, chance that repeats itself, a store in a fresh folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from building import FakeChance, FakeClock
from hindbrain.adapters.sqlite import SqliteStore


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def chance() -> FakeChance:
    return FakeChance()


@pytest.fixture
def db_path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "hindbrain.db"


@pytest.fixture
def sqlite_store(db_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(db_path)
    yield store
    store.close()
