"""What a tracer is told, where the program runs under one: the GenAI memory attributes, and never a text."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

from hindbrain.core.address import shown

_ATTRIBUTES = "gen_ai.memory"


class Span:
    """One call of a verb; silent where nobody traces."""

    def __init__(self, span: Any) -> None:
        self._span = span

    def count(self, records: int) -> None:
        if self._span is not None:
            self._span.set_attribute(f"{_ATTRIBUTES}.record.count", records)

    def about(self, memory_id: str) -> None:
        if self._span is not None:
            self._span.set_attribute(f"{_ATTRIBUTES}.record.id", memory_id)


@contextmanager
def spanned(operation: str, *, store: str) -> Iterator[Span]:
    """A span that is named for the operation: search_memory, create_memory, update_memory, upsert_memory …"""
    tracer = _tracer()
    if tracer is None:
        yield Span(None)
        return
    told = {"gen_ai.operation.name": operation, f"{_ATTRIBUTES}.store.id": shown(store)}
    with tracer.start_as_current_span(operation, attributes=told) as span:
        yield Span(span)


@cache
def _tracer() -> Any:
    """None without the package. With it but without an exporter, its spans cost next to nothing and go nowhere."""
    try:
        return import_module("opentelemetry.trace").get_tracer("hindbrain")
    except ModuleNotFoundError:
        return None
