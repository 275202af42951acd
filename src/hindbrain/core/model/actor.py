"""Who said something: one model for persona (Chorus), hat (Dex), agent id (Loki) or supervisor (Beads)."""

from hindbrain.core.closed import StrEnum
from hindbrain.core.value import dataclass, field

DEFAULT_PERSONA = "agent"  # an agent that never said its name still has its own local learnings


class ActorType(StrEnum):
    HUMAN = "human"
    AGENT = "agent"
    AUTOMATE = "automate"


class Source(StrEnum):
    """How a memory came to be written down; decides its first confidence (DX-029, X-32)."""

    AUTOMATIC = "automatic"
    EXPLICIT = "explicit"
    IMPORTED = "imported"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    type: ActorType = ActorType.AGENT
    persona: str = ""  # "ed"
    hat: str = ""  # "critic"
    instance: str = ""  # "ed-001"
    login: str = ""  # "ada@build-3": whose account, on which machine; known where a store is shared

    @property
    def voice(self) -> str:
        """The persona whose local learnings this actor shares; `ed-001` speaks as `ed`."""
        if self.persona:
            return self.persona
        name, _, number = self.instance.rpartition("-")
        return (name if number.isdigit() and name else self.instance) or DEFAULT_PERSONA


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a memory came from. Trust is computed from this and from nothing else."""

    actor: Actor = field(default_factory=Actor)
    session: str = ""
    task: str = ""
    source: Source = Source.EXPLICIT
    adapter: str = ""  # which reader brought it: text, claude, codex, gemini, chorus, cli, dex
    receipt: str = ""  # id of the receipt whose sentence taught it
