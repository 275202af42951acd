"""What is said of the model that answers one use: which it is, where it is reached, and what it may take and cost."""

from hindbrain.core.model import Space
from hindbrain.core.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The fields are the options of routing.yaml; what is empty there is as the provider has it."""

    provider: str
    model: str = ""
    base_url: str = ""  # of the provider's API, up to and with its version
    key: str = ""  # name of the variable or file that holds the key; "none": none is sent
    timeout_s: float = 60.0  # for the whole of one try, from the name of the host to the last byte
    max_tokens: int = 2000  # of an answer
    price_in: float = 0.0  # money for a million tokens
    price_out: float = 0.0
    temperature: float = -1.0  # below 0: as the provider has it
    dimension: int = 0  # of an embedding
    version: str = "1"  # of an embedding's weights: another one makes all vectors anew
    agent: str = ""  # which coding agent: claude, codex, gemini
    command: str = ""  # where its program is, if not on the path
    proxy: str = ""  # http://host:port through which to go; the environment's are not used
    use: str = ""  # given by its place, not an option

    @property
    def space(self) -> Space:
        """Of a plan for `embed`."""
        return Space(provider=self.provider, model=self.model, version=self.version, dimension=self.dimension)

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1_000_000
