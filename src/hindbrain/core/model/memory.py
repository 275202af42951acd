"""What a memory is: one statement for a future session, where it came from, and how it has fared."""

from collections.abc import Mapping
from datetime import datetime

from hindbrain.core.closed import StrEnum
from hindbrain.core.model.actor import Actor, Provenance
from hindbrain.core.value import dataclass, field, replace


class Kind(StrEnum):
    LESSON = "lesson"
    PATTERN = "pattern"
    ANTI_PATTERN = "anti_pattern"
    FACT = "fact"
    EPISODE = "episode"
    SKILL = "skill"
    SCAR = "scar"
    REFLEX = "reflex"
    NOTE = "note"
    ITERATION = "iteration"


TELLING = tuple(kind for kind in Kind if kind not in (Kind.EPISODE, Kind.ITERATION))
# What is told unasked: what happened once is for those who ask what happened; what it taught has a kind of its own.


DEX_TYPES = (
    "architecture",
    "dependency",
    "decision",
    "constraint",
    "pattern",
    "convention",
    "pitfall",
    "fix",
)
TYPES = (*DEX_TYPES, "learned", "investigation")  # the second facet beside kind


class Reach(StrEnum):
    """How far a memory travels. Beyond its project only a person may send it."""

    PROJECT = "project"
    EVERYWHERE = "everywhere"


class State(StrEnum):
    LIVE = "live"
    QUARANTINED = "quarantined"  # stored and visible in `review`, never shown to an agent
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"  # deleted or forgotten by retention; `restore` brings it back


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """Kept apart because they mean different things (X-12); none of them ever raises trust."""

    evidence: int = 1  # how often it was taught
    injected: int = 0  # how often it was put into a prompt (Dex: use_count)
    recalled: int = 0  # how often somebody asked and got it
    cited: int = 0  # how often an agent named it afterwards
    confirmed: int = 0  # how often a person or an outcome said it was right


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    id: str
    project: str
    content: str
    title: str
    learned_at: datetime  # when it was said
    created_at: datetime  # when the row was written
    updated_at: datetime
    kind: Kind = Kind.LESSON
    type: str = "learned"  # one of TYPES
    category: str = "General"  # one of the six of Chorus
    category_is_fixed: bool = False  # a person chose it; never detected again (F-05)
    body: Mapping[str, object] = field(default_factory=dict)  # what only this kind has; see bodies.py
    tags: tuple[str, ...] = ()
    file_refs: tuple[str, ...] = ()  # paths and globs
    error_signature: str | None = None
    key: str = ""  # same key, other content: a new version of the same memory
    legacy_key: str = ""  # the key as Beads writes it (F-25)
    content_hash: str = ""  # of the normalised text (F-06)
    chorus_hash: str = ""  # as Chorus computes it (CH-094)
    persona: str | None = None  # None: shared by all; else local to that persona
    reach: Reach = Reach.PROJECT
    provenance: Provenance = field(default_factory=Provenance)
    trust: int = 2  # 0 quarantined, 1 tainted, 2 agent, 3 corroborated, 4 a person agreed
    confidence: float = 0.5  # 0..1
    importance: int = 5  # 0..10
    counters: Counters = field(default_factory=Counters)
    last_used_at: datetime | None = None
    verified_at: datetime | None = None
    decayed_at: datetime | None = None  # up to when decay has been applied (F-09)
    superseded_by: str | None = None  # id of the memory that replaced it
    superseded_at: datetime | None = None
    archived_at: datetime | None = None
    archive_reason: str = ""
    is_pinned: bool = False
    version: int = 1

    @property
    def state(self) -> State:
        if self.archived_at is not None:
            return State.ARCHIVED
        if self.superseded_by is not None:
            return State.SUPERSEDED
        return State.QUARANTINED if self.trust == 0 else State.LIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """A change of a memory's counters or confidence. Not a version: nothing it says has changed."""

    memory_id: str
    evidence: int = 0  # added to the counter of the same name, as all below
    injected: int = 0
    recalled: int = 0
    cited: int = 0
    confirmed: int = 0
    confidence: float | None = None  # the new value, if it moves
    last_used_at: datetime | None = None
    decayed_at: datetime | None = None

    def applied_to(self, memory: Memory) -> Memory:
        """The memory afterwards; its version stays."""
        counters = {name: getattr(memory.counters, name) + getattr(self, name) for name in Counters.__slots__}
        return replace(
            memory,
            counters=Counters(**counters),
            confidence=memory.confidence if self.confidence is None else self.confidence,
            last_used_at=self.last_used_at or memory.last_used_at,
            decayed_at=self.decayed_at or memory.decayed_at,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A memory as it stood for a while, and who changed it into that."""

    memory: Memory
    since: datetime
    until: datetime | None  # None: it still stands
    changed_by: Actor
    change: str  # stored, edited, superseded, deleted, restored, released …
