"""How Mistral's API is spoken: as OpenAI's, where it is not stricter about words that it does not know."""

from hindbrain.adapters.ai.plan import Plan
from hindbrain.adapters.ai.providers.openai import OpenAi, bearer, messages
from hindbrain.adapters.ai.providers.speech import Ask, Outgoing, Points, Reply
from hindbrain.core.hints import Any


class Mistral:
    def __init__(self) -> None:
        self._alike = OpenAi()

    def asked(self, ask: Ask, plan: Plan, *, key: str) -> Outgoing:
        body = {"model": plan.model, "messages": messages(ask), "max_tokens": plan.max_tokens}
        if plan.temperature >= 0:
            body["temperature"] = plan.temperature
        return Outgoing(path="/chat/completions", body=body, headers=bearer(key))

    def replied(self, data: Any) -> Reply:
        return self._alike.replied(data)

    def embedded(self, texts: list[str], plan: Plan, *, key: str) -> Outgoing:
        return Outgoing(path="/embeddings", body={"model": plan.model, "input": texts}, headers=bearer(key))

    def points(self, data: Any) -> Points:
        return self._alike.points(data)
