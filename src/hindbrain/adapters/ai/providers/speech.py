"""What every provider is told and tells, whatever its protocol calls it."""

from collections.abc import Mapping

from hindbrain.core.hints import Any
from hindbrain.core.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    order: str  # what to do
    material: str  # with what
    turns: tuple[tuple[str, str], ...] = ()  # what was said since: (assistant or user, text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    path: str  # below the base URL
    body: Mapping[str, Any]
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    text: str
    tokens_in: int | None = None  # None: it does not tell
    tokens_out: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    vectors: tuple[tuple[float, ...], ...]
    tokens_in: int | None = None


def count(value: object) -> int | None:
    """A number of tokens, if it is one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
