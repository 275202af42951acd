"""An embedder for processes that cannot afford a model: the worker's, as long as it answers in time."""

from collections.abc import Sequence

from hindbrain.core.model import Space
from hindbrain.errors import EmbedderMissing
from hindbrain.ports import Worker

_START = "start one: hindbrain worker --detach; then try again"
_AT_ONCE = 8  # texts in a message: each has the deadline to itself


class RemoteEmbedder:
    """The worker's model, if it is that of `space`. It is asked once whether it is there."""

    def __init__(self, worker: Worker, space: Space, *, is_slow: bool = False) -> None:
        self._worker = worker
        self._space = space
        self._is_warm: bool | None = None
        self._is_slow = is_slow  # the worker itself has to ask the network

    @property
    def space(self) -> Space:
        return self._space

    @property
    def is_warm(self) -> bool:
        return not self._is_slow and self._is_there

    @property
    def _is_there(self) -> bool:
        if self._is_warm is None:
            told = self._worker.ask({"do": "ping"})
            self._is_warm = told is not None and told.get("space") == self._space.name
        return self._is_warm

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """EmbedderMissing when the worker does not answer, or has another model. From then on it is not warm."""
        points: list[list[float]] = []
        for start in range(0, len(texts), _AT_ONCE):
            some = list(texts[start : start + _AT_ONCE])
            told = self._worker.ask({"do": "embed", "space": self._space.name, "texts": some})
            points += self._checked(told.get("vectors") if told else None, count=len(some))
        return points

    def check(self) -> str:
        if not self._is_there:
            raise EmbedderMissing("no worker has the model running", fix=_START)
        return f"{self._space.name} in the worker"

    def _checked(self, vectors: object, *, count: int) -> list[list[float]]:
        if isinstance(vectors, list) and [len(vector) for vector in vectors] == [self._space.dimension] * count:
            return vectors
        self._is_warm = False
        raise EmbedderMissing("the worker did not answer in time, or not with vectors", fix=_START)
