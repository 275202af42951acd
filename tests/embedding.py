"""An embedder for tests: a text is where its words fall, so like words lie close together. No file, no waiting."""

import math
import zlib
from collections.abc import Mapping, Sequence

from hindbrain.core.model import Space
from hindbrain.errors import EmbedderMissing

DIMENSION = 32


def space_of(model: str = "words") -> Space:
    return Space(provider="test", model=model, version="1", dimension=DIMENSION)


class WordEmbedder:
    """Remembers what it was given; fails from the text on that holds `fails_on`."""

    is_warm = True

    def __init__(self, model: str = "words", *, fails_on: str = "") -> None:
        self.space = space_of(model)
        self.calls: list[list[str]] = []
        self.fails_on = fails_on

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self.fails_on and any(self.fails_on in text for text in texts):
            raise EmbedderMissing("the model was taken away", fix="put it back")
        self.calls.append(list(texts))
        return [point(text) for text in texts]

    def check(self) -> str:
        if self.fails_on:
            raise EmbedderMissing("the model was taken away", fix="put it back")
        return self.space.model


def point(text: str) -> list[float]:
    values = [0.0] * DIMENSION
    for word in text.lower().split() or [""]:
        values[zlib.crc32(word.encode("utf-8", "surrogatepass")) % DIMENSION] += 1.0
    length = math.sqrt(sum(value * value for value in values))
    return [value / length for value in values]


class AngleEmbedder:
    """A text lies in a plane, at the angle that the test says, else straight up; cosines can be done in the head."""

    def __init__(self, angles: Mapping[str, float] | None = None, *, model: str = "flat", is_warm: bool = True) -> None:
        self.space = Space(provider="test", model=model, version="1", dimension=2)
        self.is_warm = is_warm
        self.calls: list[list[str]] = []
        self._angles = angles or {}

    def embed(self, texts: Sequence[str]) -> list[tuple[float, float]]:
        self.calls.append(list(texts))
        return [at(self._angles.get(text, 90.0)) for text in texts]

    def check(self) -> str:
        return self.space.model


def at(degrees: float) -> tuple[float, float]:
    return math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
