"""An embedder for tests: a text is where its words fall, so like words lie close together. No file, no waiting."""

import math
import zlib
from collections.abc import Sequence

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


def point(text: str) -> list[float]:
    values = [0.0] * DIMENSION
    for word in text.lower().split() or [""]:
        values[zlib.crc32(word.encode("utf-8", "surrogatepass")) % DIMENSION] += 1.0
    length = math.sqrt(sum(value * value for value in values))
    return [value / length for value in values]
