"""One suite, every store: a new backend is one more entry of STORES."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from building import a_project
from database import give_back, take_url

from hindbrain.adapters.dictionary import DictStore
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.ports import Store


def _lent(_folder: Path) -> Store:
    """On the server, in a place that is given back in the end."""
    url = take_url()
    from hindbrain.adapters.postgres import PostgresStore  # its driver is an extra

    class Lent(PostgresStore):
        def close(self) -> None:
            super().close()
            give_back(url)

    return Lent(url)


STORES: dict[str, Callable[[Path], Store]] = {
    "dict": lambda folder: DictStore(),
    "sqlite": lambda folder: SqliteStore(folder / "hindbrain.db"),
    "postgres": _lent,
}


@pytest.fixture(params=STORES)
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[str], Store]]:
    """Makes stores without a project, of one kind, each in a folder of its own."""
    made: list[Store] = []

    def make(name: str) -> Store:
        (tmp_path / name).mkdir()
        made.append(STORES[request.param](tmp_path / name))
        return made[-1]

    yield make
    for store in made:
        store.close()


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made = STORES[request.param](tmp_path)
    a_project(made, "one")
    a_project(made, "two")
    yield made
    made.close()
