"""Memories as the files of another system tell them, and what became of each line of those files."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from hindbrain.core.closed import StrEnum
from hindbrain.core.model.link import Link, Relation
from hindbrain.core.model.memory import Kind, Memory
from hindbrain.core.model.paper import Paper
from hindbrain.core.value import dataclass, field


class Fate(StrEnum):
    READ = "read"
    REPAIRED = "repaired"  # read, after something in it was put right; the reason says what
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One line, or one file where a file is one thing. Each counts once."""

    where: str  # path, or path:line, within what was imported
    fate: Fate
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A memory as a file tells it. Texts are as they stand there: nothing has been through the door yet."""

    where: str
    content: str
    kind: Kind = Kind.LESSON
    type: str = "learned"
    title: str = ""  # empty: made from the content, as are category, tags and file references where they are None
    category: str | None = None
    tags: tuple[str, ...] | None = None
    file_refs: tuple[str, ...] | None = None
    body: Mapping[str, object] = field(default_factory=dict)
    id: str = ""  # as the other system calls it
    persona: str | None = None
    hat: str = ""
    instance: str = ""
    session: str = ""
    task: str = ""
    learned_at: datetime | None = None
    confidence: float | None = None
    importance: int | None = None
    evidence: int = 1
    used: int = 0
    last_used_at: datetime | None = None
    superseded_by: str = ""  # id in the same files, or the hash of the newer text
    superseded_at: datetime | None = None
    is_archived: bool = False
    links: tuple[tuple[Relation, str], ...] = ()  # to ids in the same files


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    told: tuple[Told, ...]
    items: tuple[Item, ...]  # every line or file, once
    papers: Mapping[str, Paper] = field(default_factory=dict)  # by where they stand; of no project yet


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a dialect may write down: the memories of one project, whatever their state, oldest first."""

    project: str  # its name
    memories: Sequence[Memory]
    links: Sequence[Link]
    at: datetime  # of the newest change, so that the same memories give the same bytes
    ids: Mapping[str, str] = field(default_factory=dict)  # a memory's id -> what the other system calls it
    papers: Sequence[Paper] = ()  # oldest first
    present: Mapping[str, bytes] = field(default_factory=dict)  # what stands in the place that will be written
    has_scripts: bool = False  # also what stands in the places of the other system's own scripts
