"""Which word of the settings means which model."""

from collections.abc import Callable, Mapping

from hindbrain.errors import BadSettings
from hindbrain.ports import Embedder


def embedder(name: str) -> Embedder | None:
    """The embedder that is called `name`, not loaded yet; None when meaning is switched off."""
    if name not in EMBEDDERS:
        raise BadSettings(f"there is no embedder {name!r}", fix=f"use one of: {', '.join(EMBEDDERS)}")
    return EMBEDDERS[name]()


def _minilm() -> Embedder:
    from hindbrain.adapters.ai.minilm import MiniLm

    return MiniLm()


def _off() -> None:
    return None


EMBEDDERS: Mapping[str, Callable[[], Embedder | None]] = {"minilm": _minilm, "off": _off}
