"""Which word of the settings, and which line of routing.yaml, means which model. The only door to any.

Most commands need none, so nothing is loaded before it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.errors import BadSettings

if TYPE_CHECKING:
    from hindbrain.adapters.ai.completing import RoutedModel
    from hindbrain.adapters.ai.exchange import Line
    from hindbrain.adapters.ai.plan import Plan
    from hindbrain.core.model.call import Completion, NoModel, Prompt, Route
    from hindbrain.ports import Chance, Clock, Embedder, Store, Worker
    from hindbrain.settings import Settings

EMBEDDERS = ("auto", "minilm", "off")
_ROUTING = "routing.yaml"


def embedder(name: str) -> Embedder | None:
    """The embedder that is called `name`, of this machine, not loaded yet; None when meaning is switched off."""
    if name not in EMBEDDERS:
        raise BadSettings(f"there is no embedder {name!r}", fix=f"use one of: {', '.join(EMBEDDERS)}")
    if name == "off":
        return None
    from hindbrain.adapters.ai.minilm import MiniLm

    return MiniLm()


class Models:
    """All models of a home, and the port Model. Calls are noted in `store`."""

    def __init__(self, settings: Settings, *, store: Store, clock: Clock, chance: Chance) -> None:
        self._settings = settings
        self._store = store
        self._clock = clock
        self._chance = chance
        self._kept: RoutedModel | None = None

    def embedder(self, *, worker: Callable[[], Worker] | None = None) -> Embedder | None:
        """What compares meanings. One on the network is asked by the worker only: who has none of its own time to
        lose gives `worker`, and is never kept waiting."""
        plan = self._routed_embedding() if self._settings.embedder == "auto" else None
        if plan is None or plan.provider == "local":
            return embedder(self._settings.embedder)
        if worker is not None:
            from hindbrain.adapters.ai.remote import RemoteEmbedder

            return RemoteEmbedder(worker(), plan.space, is_slow=True)
        from hindbrain.adapters.ai.embedding import HttpEmbedder

        return HttpEmbedder(plan, line=self._line())

    def complete(self, use: str, prompt: Prompt, *, schema: Mapping[str, object] | None = None) -> Completion | NoModel:
        return self._routed().complete(use, prompt, schema=schema)

    def routes(self) -> Sequence[Route]:
        routes = self._routed().routes()
        if self._settings.embedder == "auto":
            return routes
        from hindbrain.core.model.call import Route

        own = Route(use="embed", provider="local", model=self._settings.embedder)  # stronger than the file
        return [own if route.use == "embed" else route for route in routes]

    def warnings(self) -> Sequence[str]:
        return self._routed().warnings()

    def _routed_embedding(self) -> Plan | None:
        home = self._settings.home
        if not os.path.exists(os.path.join(home, _ROUTING)):
            return None  # most homes, and then nothing is loaded for it
        from hindbrain.adapters.ai.routing import Routing

        return Routing(home).plan("embed")

    def _routed(self) -> RoutedModel:
        if self._kept is None:
            from hindbrain.adapters.ai.completing import RoutedModel
            from hindbrain.adapters.ai.routing import Routing

            self._kept = RoutedModel(Routing(self._settings.home), line=self._line(), chance=self._chance)
        return self._kept

    def _line(self) -> Line:
        from hindbrain.adapters.ai.exchange import Line
        from hindbrain.adapters.ai.ledger import Ledger

        ledger = Ledger(self._store, most_cost=self._settings.ai_daily_budget, most_calls=self._settings.ai_daily_calls)
        return Line(self._settings.home, ledger=ledger, clock=self._clock, chance=self._chance)
