"""How texts become points by a model on the network, without anybody having to wait for it.

It is never warm: what is kept gets its vector from the worker, later, and a question asks the network only where words
leave it open. A single text is a question, or may be one: it gets one try and little time, and for a while after a
failure none, because the worker answers one after the other.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from hindbrain.adapters.ai import keys
from hindbrain.adapters.ai.clean import clean
from hindbrain.adapters.ai.exchange import Line
from hindbrain.adapters.ai.plan import Plan
from hindbrain.adapters.ai.providers import NONE
from hindbrain.core.model import Space
from hindbrain.core.recall.meaningful import MOST
from hindbrain.core.value import replace
from hindbrain.errors import BudgetSpent, EmbedderMissing, KeyMissing, ModelFailed

BATCH = 50  # texts in one request
_QUESTION_S = 5.0
_REST_S = 30.0  # after a failure


class HttpEmbedder:
    """The model that a plan for `embed` names."""

    is_warm = False

    def __init__(self, plan: Plan, *, line: Line) -> None:
        self._plan = plan
        self._line = line
        self._rests_until = -math.inf  # by the monotonic clock

    @property
    def space(self) -> Space:
        return self._plan.space

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """What is sent has passed the door once more, and is cut where a memory's meaningful text is."""
        sent = [clean(text[:MOST])[:MOST] or " " for text in texts]
        is_question = len(sent) == 1
        if is_question and time.monotonic() < self._rests_until:
            raise EmbedderMissing(f"{self._plan.provider} did not answer a moment ago", fix="try again in a minute")
        points: list[list[float]] = []
        for start in range(0, len(sent), BATCH):
            points += self._embedded(sent[start : start + BATCH], is_question=is_question)
        return points

    def check(self) -> str:
        plan = self._plan
        if plan.key != NONE:
            try:
                keys.find(plan.key, self._line.home)
            except KeyMissing as error:
                raise EmbedderMissing(error.what, fix=error.fix) from error
        return f"{plan.model} of {plan.provider} at {plan.base_url}, asked by the worker"

    def _embedded(self, texts: list[str], *, is_question: bool) -> list[list[float]]:
        plan = self._plan
        try:
            if is_question:
                hurried = replace(plan, timeout_s=min(plan.timeout_s, _QUESTION_S))
                points = self._line.embed(hurried, texts, retries=0)
            else:
                points = self._line.embed(plan, texts)
        except (ModelFailed, KeyMissing, BudgetSpent) as error:
            self._rests_until = time.monotonic() + _REST_S
            raise EmbedderMissing(error.what, fix=error.fix) from error
        return [_of_length_one(vector) for vector in points.vectors]


def _of_length_one(vector: Sequence[float]) -> list[float]:
    length = math.sqrt(sum(value * value for value in vector))
    if not math.isfinite(length) or not length:
        raise EmbedderMissing("the model gave a vector without a direction", fix="name another model for embed")
    return [value / length for value in vector]
