"""How a whole store is carried into another: step by step, from where it stopped, and compared in the end.

Memories go with every version that they had, rows that followers count by with their numbers. How far it has come is
written in the target with what was carried, so that whatever cuts it short costs a batch at most.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from hindbrain.core.digest import sha256
from hindbrain.core.model import Counters, Memory, Pulse, Vector
from hindbrain.core.model.record import canonical, to_record
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import BadValue, Conflict
from hindbrain.ports import Changes, Movable, Reader, Whole

Tell = Callable[[int], None]  # so many more rows are there
_BATCH = 200  # rows
_MARK = "migrate/step"
_EVERY = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One sort of rows, in both stores."""

    name: str
    rows: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    parts: tuple[Part, ...]

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    """What is written together, and how far it goes."""

    name: str
    rows: Sequence[Any]
    mark: Mapping[str, str]


def migrate(source: Whole, target: Movable, *, tell: Tell = lambda _: None) -> Moved:
    """Carry everything. BadValue when the target holds something else; Conflict when the two differ in the end."""
    step, at = _begun(source, target)
    for number, name in enumerate(_STEPS):
        if number < step:
            continue
        rows = islice(_STEPS[name](source), at if number == step else 0, None)
        done = at if number == step else 0
        while batch := list(islice(rows, _BATCH)):
            done += len(batch)
            _LOADS.get(name, _load)(target, _Batch(name=name, rows=batch, mark={_MARK: f"{number} {done}"}))
            tell(len(batch))
    moved = _compared(source, target)
    target.carry([(Changes(cursors={_MARK: ""}), {})])
    return moved


def left(source: Whole, target: Movable) -> int:
    """How many rows are to be carried: all, unless it was cut short."""
    step, at = _marked(target.cursor(_MARK))
    return sum(1 for rows in list(_STEPS.values())[step:] for _ in rows(source)) - at


def _begun(source: Whole, target: Movable) -> tuple[int, int]:
    """At which step, and behind how many of its rows, to go on."""
    if mark := target.cursor(_MARK):
        return _marked(mark)
    if target.projects():
        raise BadValue("the target holds memories already", fix="give an empty database: two stores are never mixed")
    if not source.projects():
        raise BadValue("the source holds nothing", fix="give the store that is to be carried first, then the empty one")
    return 0, 0


def _marked(mark: str) -> tuple[int, int]:
    step, _, at = mark.partition(" ")
    return int(step or 0), int(at or 0)


def _compared(source: Whole, target: Movable) -> Moved:
    parts = []
    for name in _STEPS:
        here, there = (_part(name, store) for store in (source, target))
        if here != there:
            raise Conflict(
                f"{name}: {here.rows} rows here and {there.rows} there, or with other values",
                fix="stop whatever writes the source, empty the target, and run it again",
            )
        parts.append(here)
    return Moved(parts=tuple(parts))


def _part(name: str, store: Whole) -> Part:
    count, digest = 0, ""
    for row in _STEPS[name](store):
        count += 1
        digest = sha256(f"{digest}{_text(row)}".encode("utf-8", "surrogatepass"))
    return Part(name=name, rows=count, digest=digest)


def _text(row: Any) -> str:
    return canonical(to_record(row)) if isinstance(row, Memory) else repr(row)


def _by_project(read: Callable[[Reader, str], Sequence[Any]]) -> Callable[[Whole], Iterator[Any]]:
    return lambda store: (row for project in store.projects() for row in read(store, project.id))


def _ids(store: Whole) -> Sequence[str]:
    return store.ids("", limit=_EVERY)


def _by_memory(read: Callable[[Whole, str], Sequence[Any]]) -> Callable[[Whole], Iterator[Any]]:
    return lambda store: (row for key in _ids(store) for row in read(store, key))


def _memories(store: Whole) -> Iterator[Memory]:
    ids = iter(_ids(store))
    while batch := list(islice(ids, _BATCH)):
        yield from store.memories(batch).values()


def _vectors(store: Whole) -> Iterator[tuple[Vector, ...]]:
    """Those of one memory are one row: they are written together."""
    return (tuple(found) for key in _ids(store) if (found := store.vectors([key])))


def _cursors(store: Whole) -> Iterator[tuple[str, str]]:
    return ((name, value) for name, value in store.cursors("").items() if name != _MARK)


# In this order: what speaks of another row comes behind it.
_STEPS: dict[str, Callable[[Whole], Iterator[Any]]] = {
    "projects": lambda store: iter(store.projects()),
    "identities": lambda store: iter(store.identities()),
    "versions": _by_memory(lambda store, key: store.history(key)),
    "memories": _memories,
    "spaces": lambda store: iter(sorted((s for s, is_expected in store.spaces() if is_expected), key=lambda s: s.name)),
    "vectors": _vectors,
    "sayings": _by_memory(lambda store, key: store.sayings(key)),
    "links": _by_memory(lambda store, key: [link for link in store.links(key) if link.source == key]),
    "receipts": _by_project(lambda store, project: store.receipts(project)[::-1]),
    "reviews": _by_project(lambda store, project: store.reviews(project, with_closed=True)),
    "injections": _by_project(lambda store, project: store.told(project)),
    "events": lambda store: iter(store.events()),
    "activities": lambda store: iter(
        sorted((a for p in store.projects() for a in store.activities(p.id)), key=lambda activity: activity.seq)
    ),
    "jobs": lambda store: iter(store.jobs()),
    "outcomes": _by_project(lambda store, project: store.outcomes(project)),
    "anchors": _by_project(lambda store, project: store.anchors(project)),
    "calls": lambda store: iter(store.calls()),
    "papers": _by_project(lambda store, project: store.papers(project)),
    "suggestions": _by_project(lambda store, project: store.suggestions(project)),
    "audits": lambda store: iter(store.audits()),
    "workstreams": _by_project(lambda store, project: store.workstreams(project)),
    "tokens": lambda store: iter(store.tokens()),
    "cursors": _cursors,
}


def _load(target: Movable, batch: _Batch) -> None:
    target.carry([(_changes(batch.name, batch.rows), {}), (Changes(cursors=batch.mark), {})])


def _changes(name: str, rows: Sequence[Any]) -> Changes:
    fields: dict[str, Any] = {name: tuple(rows)}
    return Changes(**fields)


def _load_projects(target: Movable, batch: _Batch) -> None:
    for project in batch.rows:
        target.adopt([f"id:{project.id}"], name=project.name, project_id=project.id, at=project.created_at)
    target.carry([(Changes(cursors=batch.mark), {})])


def _load_identities(target: Movable, batch: _Batch) -> None:
    known = {project.id: project for project in target.projects()}
    for identity, key in batch.rows:
        one = known[key]
        target.adopt([f"id:{key}", identity], name=one.name, project_id=key, at=one.created_at)
    target.carry([(Changes(cursors=batch.mark), {})])


def _load_versions(target: Movable, batch: _Batch) -> None:
    changes = [Changes(memories=(v.memory,), by=v.changed_by, change=v.change) for v in batch.rows]
    target.carry([(change, {}) for change in (*changes, Changes(cursors=batch.mark))])


def _load_memories(target: Movable, batch: _Batch) -> None:
    """They are there, as their last version: what moved without one follows."""
    known = target.memories([memory.id for memory in batch.rows])
    pulses = tuple(_pulse(known[memory.id], memory) for memory in batch.rows if known[memory.id] != memory)
    target.carry([(Changes(pulses=pulses, cursors=batch.mark), {})])


def _pulse(before: Memory, after: Memory) -> Pulse:
    steps = {name: getattr(after.counters, name) - getattr(before.counters, name) for name in Counters.__slots__}
    return Pulse(
        memory_id=after.id,
        **steps,
        confidence=after.confidence,
        last_used_at=after.last_used_at,
        decayed_at=after.decayed_at,
    )


def _load_spaces(target: Movable, batch: _Batch) -> None:
    for space in batch.rows:
        target.expect(space)
    target.carry([(Changes(cursors=batch.mark), {})])


def _load_vectors(target: Movable, batch: _Batch) -> None:
    target.carry([(Changes(vectors=tuple(one for pieces in batch.rows for one in pieces), cursors=batch.mark), {})])


def _load_numbered(target: Movable, batch: _Batch) -> None:
    """In runs without a gap, each under the number that it had."""
    table = {"events": "event", "activities": "activity", "jobs": "job"}[batch.name]
    runs: list[list[Any]] = []
    for row in batch.rows:
        if runs and runs[-1][-1].seq + 1 == row.seq:
            runs[-1].append(row)
        else:
            runs.append([row])
    parts: list[tuple[Changes, Mapping[str, int]]] = [
        (_changes(batch.name, [replace(row, seq=0) for row in run]), {table: run[0].seq}) for run in runs
    ]
    target.carry([*parts, (Changes(cursors=batch.mark), {})])


def _load_cursors(target: Movable, batch: _Batch) -> None:
    target.carry([(Changes(cursors={**dict(batch.rows), **batch.mark}), {})])


_LOADS: dict[str, Callable[[Movable, _Batch], None]] = {
    "projects": _load_projects,
    "identities": _load_identities,
    "versions": _load_versions,
    "memories": _load_memories,
    "spaces": _load_spaces,
    "vectors": _load_vectors,
    "events": _load_numbered,
    "activities": _load_numbered,
    "jobs": _load_numbered,
    "cursors": _load_cursors,
}
