"""The answer to every captured line: what became of it, and why. Nothing is dropped in silence."""

from datetime import datetime

from hindbrain.core.closed import StrEnum
from hindbrain.core.value import dataclass

FORGOTTEN = "[forgotten]"  # stands for the text of a receipt whose memory a person has erased


class Verdict(StrEnum):
    STORED = "stored"
    EVIDENCE = "evidence"  # known already: counted once more
    VERSION = "version"  # same key, other words: the memory has a new version
    SUPERSEDED = "superseded"  # stored, and it replaced older memories
    REVIEW = "review"  # stored, and waiting for a person
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    id: str
    key: str  # idempotency key: the same line of the same source never counts twice
    at: datetime
    project: str
    verdict: Verdict
    text: str  # after the door; never a secret
    reason: str
    memory_id: str | None = None
    supersedes: tuple[str, ...] = ()  # ids of memories
    signal: str = ""  # MEMORY, LEARNING_LOCAL, LEARNING_GLOBAL, LEARNED, INVESTIGATION
    said_at: datetime | None = None
    session: str = ""
    task: str = ""
    adapter: str = ""
    origin: str = ""  # file or stream that was read
    line: int = 0  # 1-based, 0 where there is none
    ref: str = ""  # message or tool call id
    removed: tuple[str, ...] = ()  # kinds that the door took out
    is_replay: bool = False  # answered from an earlier receipt; nothing changed
