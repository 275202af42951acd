"""How files that a person owns are kept in the index: the file wins, and the memory is only where it can be found.

A file is read when its times or its size changed, and taken in when its bytes did. One file is one memory, known by its
source and path; when the file goes, the memory is put away, and comes back with it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from hindbrain.app.compose import MAX_CHARACTERS, Draft, compose
from hindbrain.app.revise import revised
from hindbrain.app.tools import Tools
from hindbrain.core.digest import sha256
from hindbrain.core.door import admit
from hindbrain.core.model import Actor, ActorType, Event, Kind, Link, Memory, Provenance, Reach, Relation, Source, State
from hindbrain.core.shape import title_of
from hindbrain.core.value import dataclass, field, replace
from hindbrain.core.vault import Map
from hindbrain.errors import BadValue
from hindbrain.ports import Changes, Folders, Seen, Transaction, Where

_BATCH = 50  # files that are written together
_READ = 20_000  # characters that pass the door before the cut, so that none falls into a secret
_BY = Actor(type=ActorType.AUTOMATE)
_GONE = "its file is gone"
_ADDED, _CHANGED = "added", "changed"
_SAME = (
    *("content", "title", "kind", "type", "body", "tags", "file_refs", "trust", "reach", "archived_at"),
    *("superseded_by", "content_hash", "provenance"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filed:
    """What one file is to be in the index."""

    title: str
    text: str
    source: str  # `memory`, `brain-inbox` …
    type: str = "learned"
    tags: tuple[str, ...] = ()
    body: Mapping[str, object] = field(default_factory=dict)
    is_human: bool = True  # a person stands for it
    trust: int | None = None  # at most; None: what its provenance is worth


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """One folder of such files."""

    name: str  # reflex, vault
    folder: str
    project: str
    kind: Kind
    wants: Callable[[str], bool]
    read: Callable[[str, bytes], Filed]
    reach: Reach = Reach.PROJECT
    patience_s: float | None = None  # with other writers; None: as the settings say


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """What came of one look."""

    files: int
    read: int = 0  # that had another time or size than at the last look
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    left: int = 0  # changed, but not looked at this time


def folders_of(tools: Tools) -> Folders:
    if tools.folders is None:
        raise BadValue("files are not read or written here", fix="open Hindbrain with open_hindbrain()")
    return tools.folders


def index(shelf: Shelf, *, tools: Tools, is_all: bool = False, most: int = 0) -> Indexed:
    """Take in what changed. `is_all` reads every file again, whatever its times say; `most` is how many files are read
    at most, 0 for all. Unreadable when the folder is not there: nothing is put away for a disk that is not mounted."""
    seen = folders_of(tools).seen(shelf.folder, wants=shelf.wants)
    known = cards(shelf, tools=tools)
    marks = {path: card.mark for path, card in known.items()}
    due = [path for path, one in seen.items() if is_all or marks.get(path) != one.mark]
    taken = due[:most] if most else due
    look = _Look(shelf=shelf, tools=tools, at=tools.clock.now(), is_all=is_all)
    fates: list[tuple[str, str]] = []
    for start in range(0, len(taken), _BATCH):
        fates += look.taken([(path, seen[path], known.get(path)) for path in taken[start : start + _BATCH]])
    gone = {path: card for path, card in known.items() if path not in seen}
    if gone:
        look.removed(gone)
    if fates:
        look.linked()
    return Indexed(
        files=len(seen),
        read=len(taken),
        added=tuple(path for path, fate in fates if fate == _ADDED),
        changed=tuple(path for path, fate in fates if fate != _ADDED),
        removed=tuple(gone),
        left=len(due) - len(taken),
    )


def put_away(shelf: Shelf, *, tools: Tools) -> Indexed:
    """The same where the folder is empty, or not there any more."""
    known = cards(shelf, tools=tools)
    if known:
        _Look(shelf=shelf, tools=tools, at=tools.clock.now(), is_all=False).removed(known)
    return Indexed(files=0, removed=tuple(known))


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What is remembered of a file."""

    mark: str
    digest: str
    memory_id: str


def cards(shelf: Shelf, *, tools: Tools) -> dict[str, Card]:
    """By path; what stands in the index at present."""
    start = _cursor(shelf, "")
    found = {name[len(start) :]: value.split(" ") for name, value in tools.store.cursors(start).items()}
    return {path: Card(mark=parts[0], digest=parts[1], memory_id=parts[2]) for path, parts in found.items()}


def _cursor(shelf: Shelf, path: str) -> str:
    return f"file/{shelf.name}/{shelf.project}/{path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """One look at one folder."""

    shelf: Shelf
    tools: Tools
    at: datetime
    is_all: bool

    def taken(self, batch: Sequence[tuple[str, Seen, Card | None]]) -> list[tuple[str, str]]:
        """Read and write these; the paths that are new or say something else."""
        steps = [step for path, seen, card in batch if (step := self._step(path, seen, card=card))]
        return self.tools.store.write(
            lambda tx: [(s.path, fate) for s in steps if (fate := self._put(s, tx))], patience_s=self.shelf.patience_s
        )

    def _step(self, path: str, seen: Seen, *, card: Card | None) -> "_Step | None":
        content = folders_of(self.tools).content(self.shelf.folder, path)
        if content is None:
            return None
        digest = sha256(content)
        memory = None
        if card is None or card.digest != digest or self.is_all:
            memory = self._memory(path, self.shelf.read(path, content), changed_at=seen.changed_at)
        return _Step(path=path, mark=seen.mark, digest=digest, card=card, memory=memory)

    def _memory(self, path: str, filed: Filed, *, changed_at: datetime) -> Memory:
        text = admit(filed.text[:_READ]).text.strip()[:MAX_CHARACTERS] or admit(filed.title).text
        actor = Actor(type=ActorType.HUMAN if filed.is_human else ActorType.AUTOMATE)
        source = Source.MANUAL if filed.is_human else Source.IMPORTED
        draft = Draft(
            text=text,
            project=self.shelf.project,
            provenance=Provenance(actor=actor, source=source, adapter=self.shelf.name),
            type=filed.type,
            kind=self.shelf.kind,
            said_at=min(changed_at, self.at),
            body={**filed.body, "path": path},
        )
        memory_id = self.tools.chance.id("mem", self.at)
        memory, judged = compose(draft, memory_id=memory_id, now=self.at, settings=self.tools.settings)
        return replace(
            memory,
            title=title_of(admit(filed.title).text) or memory.title,
            key=f"{filed.source}:{path}",
            tags=tuple(dict.fromkeys((*filed.tags, *memory.tags))),
            trust=judged.level if filed.trust is None else min(judged.level, filed.trust),
            reach=self.shelf.reach,
        )

    def _put(self, step: "_Step", tx: Transaction) -> str:
        """What became of it; "" when nothing that is said has changed."""
        fresh = step.memory
        known = self._known(step, tx) if fresh else None
        after = _merged(known, fresh, at=self.at) if fresh else None
        memory_id = after.id if after else known.id if known else step.card.memory_id if step.card else ""
        cursors = {_cursor(self.shelf, step.path): f"{step.mark} {step.digest} {memory_id}"}
        if after is None:
            tx.apply(Changes(cursors=cursors))
            return ""
        fate = _CHANGED if known else _ADDED
        tx.apply(Changes(memories=(after,), cursors=cursors, by=after.provenance.actor, change=fate))
        return fate

    def _known(self, step: "_Step", tx: Transaction) -> Memory | None:
        """The memory that this file has been so far, if it has been one."""
        if step.card and (known := tx.memory(step.card.memory_id)):
            return known
        return tx.same_key(step.memory) if step.memory else None

    def removed(self, gone: Mapping[str, Card]) -> None:
        def work(tx: Transaction) -> None:
            for path, card in gone.items():
                self._put_away(path, card, tx=tx)

        self.tools.store.write(work, patience_s=self.shelf.patience_s)

    def _put_away(self, path: str, card: Card, *, tx: Transaction) -> None:
        memory = tx.memory(card.memory_id)
        cursors = {_cursor(self.shelf, path): ""}
        if memory is None or memory.state is State.ARCHIVED:
            tx.apply(Changes(cursors=cursors))
            return
        data = {"memory_id": memory.id, "reason": _GONE}
        event = Event(name="memory_archived", at=self.at, project=memory.project, memory_id=memory.id, data=data)
        away = revised(memory, at=self.at, archived_at=self.at, archive_reason=_GONE)
        tx.apply(Changes(memories=(away,), cursors=cursors, events=(event,), by=_BY, change="archived"))

    def linked(self) -> None:
        """Tie notes that name each other; both may have come at any time."""
        store = self.tools.store
        where = Where(project=self.shelf.project, kinds=(self.shelf.kind,), with_everywhere=False)
        memories = store.select(where)
        links = tuple(_links({str(memory.body.get("path")): memory for memory in memories}, at=self.at))
        if links:
            store.write(lambda tx: tx.apply(Changes(links=links)), patience_s=self.shelf.patience_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """One file that was read."""

    path: str
    mark: str
    digest: str
    card: Card | None
    memory: Memory | None  # None: its bytes are those of the last look


def _merged(known: Memory | None, fresh: Memory | None, *, at: datetime) -> Memory | None:
    """The next version of `known`, which says what the file does; None when it says so already."""
    if known is None or fresh is None:
        return fresh
    if all(getattr(known, name) == getattr(fresh, name) for name in _SAME):
        return None
    own = {name: getattr(known, name) for name in ("id", "created_at", "counters", "last_used_at", "is_pinned")}
    kept = {name: getattr(known, name) for name in ("confidence", "importance", "verified_at", "version")}
    return revised(replace(fresh, **own, **kept), at=at)


def _links(by_path: Mapping[str, Memory], *, at: datetime) -> Iterator[Link]:
    where = Map(by_path)
    for path, memory in by_path.items():
        named = memory.body.get("links")
        for target in named if isinstance(named, list) else ():
            other = by_path.get(where.find(str(target), beside=path) or "")
            if other and other.id != memory.id:
                yield Link(source=memory.id, target=other.id, relation=Relation.RELATED_TO, at=at, reason="wikilink")
