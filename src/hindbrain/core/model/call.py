"""What is asked of a model, what comes back, and what is noted of every call: what it was for and what it cost.

The note never holds a key, nor a word of what was said.
"""

from datetime import datetime

from hindbrain.core.value import dataclass

USES = ("embed", "importance", "suggest", "lesson", "skill", "dream")
OPEN, ANSWERED, FAILED, MISFIT = "open", "answered", "failed", "misfit"  # outcomes of a call


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a model is to do, by the name of a versioned text, and what it is to do it with."""

    name: str
    material: str  # data: whatever stands in it, the model is told not to obey it


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a model answered, without secrets and personal data."""

    text: str
    data: object  # what the text says as JSON, as the schema wants it; None where none was asked for
    provider: str
    model: str
    prompt: str
    prompt_version: int  # to be stored with whatever is made of this
    call_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoModel:
    """Nothing was asked: whoever wanted to know goes by rules."""

    why: str
    is_trouble: bool = False  # a model should have answered; False: none is meant to


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One exchange with a model, tries included."""

    id: str
    at: datetime
    use: str
    provider: str
    model: str
    outcome: str = OPEN  # answered, failed, misfit (not the JSON that was asked for); open: it goes on, or was cut off
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0  # in the money of routing.yaml's prices; of an open call the most that it may cost
    duration_s: float = 0.0
    tries: int = 0
    prompt: str = ""
    prompt_version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Who answers one use, as far as a person needs to know."""

    use: str
    provider: str
    model: str
    key: str = ""  # the variable's name; "" where none is needed
    has_key: bool = True
    warnings: tuple[str, ...] = ()
