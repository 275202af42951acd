"""A desk for each test."""

from collections.abc import Iterator

import pytest
from clients.desk import Desk
from clients.desk import desk as made


@pytest.fixture
def desk() -> Iterator[Desk]:
    with made() as one:
        yield one
