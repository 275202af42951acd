"""Which providers there are, and what each takes for granted. One loads when it is asked, and no other with it."""

from __future__ import annotations

from collections.abc import Mapping

from hindbrain.adapters.ai.plan import Plan
from hindbrain.core.hints import TYPE_CHECKING, Any, Protocol
from hindbrain.core.value import dataclass, field, replace

if TYPE_CHECKING:
    from hindbrain.adapters.ai.providers.speech import Ask, Outgoing, Points, Reply

NONE = "none"  # for a key that is not to be sent


class Provider(Protocol):
    """A protocol of HTTP: what is sent, and how what comes back is read. It sends nothing itself."""

    def asked(self, ask: Ask, plan: Plan, *, key: str) -> Outgoing: ...

    def replied(self, data: Any) -> Reply:
        """ValueError, KeyError, TypeError or LookupError when it is not an answer of this protocol."""

    def embedded(self, texts: list[str], plan: Plan, *, key: str) -> Outgoing: ...

    def points(self, data: Any) -> Points:
        """The same errors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What is known of a provider before it is loaded."""

    where: str = ""  # module:attribute; "" for what needs no network
    base_url: str = ""
    key: str = ""
    can_embed: bool = False
    can_complete: bool = True
    embeds_with: str = ""  # its usual model of each sort
    completes_with: str = ""
    dimensions: Mapping[str, int] = field(default_factory=dict)  # of its models that embed

    def load(self) -> Provider:
        module, _, name = self.where.partition(":")
        made: Provider = getattr(__import__(module, fromlist=[name]), name)()
        return made


_HERE = "hindbrain.adapters.ai.providers"
KINDS: dict[str, Kind] = {
    "local": Kind(can_embed=True, can_complete=False, embeds_with="all-MiniLM-L6-v2"),
    "rules": Kind(),
    "agent": Kind(),
    "openai": Kind(
        where=f"{_HERE}.openai:OpenAi",
        base_url="https://api.openai.com/v1",
        key="OPENAI_API_KEY",
        can_embed=True,
        embeds_with="text-embedding-3-small",
        dimensions={
            "text-embedding-3-small": 1536,
            "text-embedding-3-large": 3072,
            "text-embedding-ada-002": 1536,
            "nomic-embed-text": 768,
            "mxbai-embed-large": 1024,
            "bge-m3": 1024,
            "all-minilm": 384,
        },
    ),
    "anthropic": Kind(
        where=f"{_HERE}.anthropic:Anthropic", base_url="https://api.anthropic.com/v1", key="ANTHROPIC_API_KEY"
    ),
    "mistral": Kind(
        where=f"{_HERE}.mistral:Mistral",
        base_url="https://api.mistral.ai/v1",
        key="MISTRAL_API_KEY",
        can_embed=True,
        embeds_with="mistral-embed",
        completes_with="mistral-small-latest",
        dimensions={"mistral-embed": 1024},
    ),
}
AGENTS = ("claude", "codex", "gemini")


def register(name: str, kind: Kind) -> None:
    """Make a provider known to routing.yaml: for programs that use Hindbrain as a library."""
    KINDS[name] = kind


def completed(plan: Plan) -> Plan:
    """`plan` with what its provider takes for granted; ValueError when it cannot be carried out."""
    kind = KINDS.get(plan.provider)
    if kind is None:
        raise ValueError(f"there is no provider {plan.provider!r} (there are: {', '.join(KINDS)})")
    if plan.use == "embed":
        plan = _embedding(plan, kind)
    elif not kind.can_complete:
        raise ValueError(f"{plan.provider} writes no texts")
    if plan.provider == "agent":
        return _with_agent(plan)
    if kind.where and not (plan.model or kind.completes_with):
        raise ValueError(f"say which model of {plan.provider}: `model: …`")
    return _addressed(replace(plan, model=plan.model or kind.completes_with), kind)


def _embedding(plan: Plan, kind: Kind) -> Plan:
    if not kind.can_embed:
        raise ValueError(f"{plan.provider} makes no embeddings")
    model = plan.model or kind.embeds_with
    if plan.provider == "local" and model != kind.embeds_with:
        raise ValueError(f"the local model is {kind.embeds_with}")
    dimension = plan.dimension or kind.dimensions.get(model.removesuffix(":latest"), 0)
    if kind.where and not dimension:
        raise ValueError(f"say how many numbers {model} gives: `dimension: …`")
    return replace(plan, model=model, dimension=dimension)


def _with_agent(plan: Plan) -> Plan:
    if plan.agent not in AGENTS:
        raise ValueError(f"say which agent: `agent: …`, one of {', '.join(AGENTS)}")
    return plan


def _addressed(plan: Plan, kind: Kind) -> Plan:
    if not kind.where:
        return plan
    for url in filter(None, (plan.base_url, plan.proxy)):
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"{url!r} does not begin with http:// or https://")
    # The key of a provider is for its own address; another gets one only if the person names it.
    key = plan.key or (NONE if plan.base_url else kind.key)
    if key != NONE and not _is_name(key):
        raise ValueError("`key` is the name of a variable, never the key itself")
    return replace(plan, key=key, base_url=(plan.base_url or kind.base_url).rstrip("/"))


def _is_name(key: str) -> bool:
    """Whether it looks like a variable; a key itself has small letters or other signs in it."""
    return key.isascii() and key.replace("_", "").isalnum() and key == key.upper()
