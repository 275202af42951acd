"""What every test may ask for: a clock that stands still, chance that repeats itself, a store in a fresh folder."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from building import FakeChance, FakeClock
from hypothesis import settings

from hindbrain.adapters.sqlite import SqliteStore

settings.register_profile("small", deadline=None)  # machines are noisy: no test may depend on how long it took
settings.register_profile("full", deadline=None, max_examples=10_000)
settings.load_profile("full" if os.environ.get("HINDBRAIN_TIER") == "full" else "small")


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
