"""What every test may ask for: a clock that stands still, chance that repeats itself, a store in a fresh folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from building import FakeChance, FakeClock
from hypothesis import settings
from tier import IS_FULL, noted

from hindbrain.adapters.sqlite import SqliteStore

settings.register_profile("small", deadline=None)  # machines are noisy: no test may depend on how long it took
settings.register_profile("full", deadline=None, max_examples=10_000)
settings.load_profile("full" if IS_FULL else "small")


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


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """What became of each test: the worst of its three parts."""
    if report.when == "call" or report.outcome != "passed":
        _ENDED[report.nodeid] = report.outcome


_ENDED: dict[str, str] = {}


def pytest_sessionfinish() -> None:
    """A full run notes each promise of `docs/reliability.md` whose every test has held."""
    if IS_FULL:
        from scripts.reliability import whole_rows

        for row, what in whole_rows(Path(__file__).resolve().parents[1], _ENDED):
            noted(row, what, test="all")
