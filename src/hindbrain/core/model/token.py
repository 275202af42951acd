"""Who may call the service, for which project, to do what; and what a caller was answered once already."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from hindbrain.core.closed import StrEnum
from hindbrain.core.value import dataclass, field

KEPT = timedelta(days=1)  # how long a reply can be asked for again


class Right(StrEnum):
    READ = "read"
    WRITE = "write"
    DECIDE = "decide"  # what only a person may: reviews, verdicts, rules, and what goes to every project


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A caller by name. The secret itself is told once and kept nowhere."""

    name: str
    digest: str  # SHA-256 of the secret
    rights: tuple[Right, ...]
    created_at: datetime
    project: str = ""  # its id; empty: every project
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a write was answered, for whoever sends the same once more."""

    key: str  # of caller, route and the caller's own key
    request: str  # SHA-256 of what was sent
    at: datetime
    status: int = 0  # 0: still being made
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
