"""How the protocol that OpenAI began is spoken: by it, by Ollama, vLLM, LM Studio and most vendors."""

from collections.abc import Mapping

from hindbrain.adapters.ai.plan import Plan
from hindbrain.adapters.ai.providers.speech import Ask, Outgoing, Points, Reply, count
from hindbrain.core.hints import Any

_OWN = "https://api.openai.com/"


class OpenAi:
    def asked(self, ask: Ask, plan: Plan, *, key: str) -> Outgoing:
        # Its newer models take the one name only, most other servers know only the other.
        most = "max_completion_tokens" if plan.base_url.startswith(_OWN) else "max_tokens"
        body = {"model": plan.model, "messages": messages(ask), most: plan.max_tokens, "stream": False}
        if plan.temperature >= 0:
            body["temperature"] = plan.temperature
        return Outgoing(path="/chat/completions", body=body, headers=bearer(key))

    def replied(self, data: Any) -> Reply:
        said = data["choices"][0]["message"]["content"]
        if not isinstance(said, str):
            raise ValueError("the answer holds no text")
        usage = data.get("usage") or {}
        return Reply(
            text=said, tokens_in=count(usage.get("prompt_tokens")), tokens_out=count(usage.get("completion_tokens"))
        )

    def embedded(self, texts: list[str], plan: Plan, *, key: str) -> Outgoing:
        body = {"model": plan.model, "input": texts, "encoding_format": "float"}
        return Outgoing(path="/embeddings", body=body, headers=bearer(key))

    def points(self, data: Any) -> Points:
        rows = sorted(data["data"], key=lambda row: int(row["index"]))
        if [row["index"] for row in rows] != list(range(len(rows))):
            raise ValueError("the vectors are not numbered from 0")
        return Points(
            vectors=tuple(tuple(map(float, row["embedding"])) for row in rows),
            tokens_in=count((data.get("usage") or {}).get("prompt_tokens")),
        )


def messages(ask: Ask) -> list[dict[str, str]]:
    head = [{"role": "system", "content": ask.order}, {"role": "user", "content": ask.material}]
    return head + [{"role": role, "content": text} for role, text in ask.turns]


def bearer(key: str) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}
