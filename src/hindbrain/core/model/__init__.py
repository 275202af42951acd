"""The values that everything else speaks of: what a memory is, where it came from, what happened to it."""

from hindbrain.core.model.actor import Actor, ActorType, Provenance, Source
from hindbrain.core.model.event import Event
from hindbrain.core.model.injection import Injection, Shown
from hindbrain.core.model.link import Link, Relation
from hindbrain.core.model.memory import (
    DEX_TYPES,
    TYPES,
    Counters,
    Kind,
    Memory,
    Pulse,
    Reach,
    State,
    Version,
)
from hindbrain.core.model.receipt import Receipt, Verdict
from hindbrain.core.model.review import Review, ReviewKind
from hindbrain.core.model.score import Reason, Score
from hindbrain.core.model.vector import Space, Vector

__all__ = [
    "DEX_TYPES",
    "TYPES",
    "Actor",
    "ActorType",
    "Counters",
    "Event",
    "Injection",
    "Kind",
    "Link",
    "Memory",
    "Provenance",
    "Pulse",
    "Reach",
    "Reason",
    "Receipt",
    "Relation",
    "Review",
    "ReviewKind",
    "Score",
    "Shown",
    "Source",
    "Space",
    "State",
    "Vector",
    "Verdict",
    "Version",
]
