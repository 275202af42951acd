"""What a tracer hears of a call, and that there need not be one."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest

from hindbrain.entry.http import spans


class Tracer:
    def __init__(self) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = []

    @contextmanager
    def start_as_current_span(self, name: str, *, attributes: dict[str, Any]) -> Iterator["Tracer"]:
        self.told.append((name, dict(attributes)))
        yield self

    def set_attribute(self, name: str, value: Any) -> None:
        self.told[-1][1][name] = value


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    spans._tracer.cache_clear()
    yield
    spans._tracer.cache_clear()


def test_a_tracer_is_told_the_operation_the_store_and_how_many_but_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    tracer, module = Tracer(), ModuleType("opentelemetry.trace")
    module.get_tracer = lambda _name: tracer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", module)
    with spans.spanned("search_memory", store="/h/h.db") as span:
        span.count(3)
    assert tracer.told == [
        (
            "search_memory",
            {
                "gen_ai.operation.name": "search_memory",
                "gen_ai.memory.store.id": "/h/h.db",
                "gen_ai.memory.record.count": 3,
            },
        )
    ]


def test_without_a_tracer_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    with spans.spanned("search_memory", store="/h/h.db") as span:
        span.count(3)
        span.about("mem-1")
