"""How Anthropic's Messages API is spoken."""

from hindbrain.adapters.ai.plan import Plan
from hindbrain.adapters.ai.providers.speech import Ask, Outgoing, Points, Reply, count
from hindbrain.core.hints import Any

_VERSION = "2023-06-01"


class Anthropic:
    def asked(self, ask: Ask, plan: Plan, *, key: str) -> Outgoing:
        turns = [("user", ask.material), *ask.turns]
        body = {
            "model": plan.model,
            "max_tokens": plan.max_tokens,
            "system": ask.order,
            "messages": [{"role": role, "content": text} for role, text in turns],
        }
        if plan.temperature >= 0:
            body["temperature"] = plan.temperature
        sent = {"x-api-key": key} if key else {}
        return Outgoing(path="/messages", body=body, headers={"anthropic-version": _VERSION, **sent})

    def replied(self, data: Any) -> Reply:
        said = [block["text"] for block in data["content"] if block["type"] == "text"]
        if not said:
            raise ValueError("the answer holds no text")
        usage = data.get("usage") or {}
        return Reply(
            text="".join(said), tokens_in=count(usage.get("input_tokens")), tokens_out=count(usage.get("output_tokens"))
        )

    def embedded(self, texts: list[str], plan: Plan, *, key: str) -> Outgoing:
        raise ValueError("Anthropic makes no embeddings")

    def points(self, data: Any) -> Points:
        raise ValueError("Anthropic makes no embeddings")
