"""When the code is looked at again, and what follows for the memories that speak of it.

A memory is tied to the code as it was when it was learned, or when it was first looked at. From then on a change
makes it suspect, until the code is changed back, the same thing is said again, or a person confirms it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby

from hindbrain.app.revise import revised
from hindbrain.app.show import show
from hindbrain.app.tie import Checkout
from hindbrain.app.tools import Tools
from hindbrain.core.model import Actor, ActorType, Event, Memory, Receipt, State
from hindbrain.core.model.job import Job
from hindbrain.core.model.outcome import Anchor, Freshness, standing
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import BadValue, Conflict
from hindbrain.ports import Changes, Code, Reader, Transaction, Where

_BATCH = 100  # memories that are written together

Tell = Callable[[int, int], None]  # how many memories were done since it was last called, and how many there are


@dataclass(frozen=True, slots=True, kw_only=True)
class Which:
    """What to look at; by default every memory whose files are not the same, letter by letter."""

    paths: tuple[str, ...] = ()  # only memories that are tied to one of these files
    memory_id: str = ""
    is_all: bool = False  # also where no file changed


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A memory that is tied to code, as it stands now."""

    memory_id: str
    title: str
    freshness: Freshness
    was: Freshness  # before this look; UNTIED: it has been tied now
    anchors: tuple[Anchor, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    head: str  # the commit that is checked out; "" without git
    checked: tuple[Checked, ...]  # those whose files did not change among them
    untied: int  # live memories that name no file which is there
    read: int  # files
    has_code: bool = True  # False: this is what was known before, nothing was looked at

    def of(self, freshness: Freshness) -> tuple[Checked, ...]:
        return tuple(one for one in self.checked if one.freshness is freshness)


def verify(
    project: str, root: str | None, *, tools: Tools, code: Code, which: Which | None = None, tell: Tell | None = None
) -> Verified:
    """Compare the memories of a project with the code at `root`; tie those that are not tied yet. Repeating it
    changes nothing. Without a `root` it tells what is known.

    Files are read before anything is written; a memory that is changed meanwhile is left to the next look.
    """
    which = which or Which()
    memories = _memories(project, which, reader=tools.store)
    known = _anchors(project, which, reader=tools.store)
    if root is None:
        return _as_left(memories, known)
    head = code.head(root)
    is_same = bool(head) and tools.store.cursor(_cursor(project)) == head and not which.is_all
    look = _Look(which=which, checkout=Checkout(root, code=code), at=tools.clock.now(), is_same_commit=is_same)
    found: list[_Step] = []
    for start in range(0, len(memories), _BATCH):
        batch = memories[start : start + _BATCH]
        found += look.taken(batch, known, tools=tools)
        if tell:
            tell(len(batch), len(memories))
    if not (which.paths or which.memory_id):
        _remember(project, head, tools=tools)
    untied = 0 if which.paths else len(memories) - len(found)
    checked = tuple(step.checked for step in found)
    return Verified(head=head, checked=checked, untied=untied, read=look.checkout.read)


def _as_left(memories: Iterable[Memory], known: Mapping[str, tuple[Anchor, ...]]) -> Verified:
    tied = [(memory, known[memory.id]) for memory in memories if memory.id in known]
    checked = tuple(_Step(memory=memory, before=own, now=own).checked for memory, own in tied)
    return Verified(head="", checked=checked, untied=0, read=0, has_code=False)


def confirm(memory_id: str, root: str | None, *, tools: Tools, code: Code) -> Checked:
    """A person says that a memory still holds: it is tied to the code as it is now."""
    if root is None:
        raise BadValue("the code of this project is not here", fix="run it in the project's folder")
    at = tools.clock.now()
    memory = _live(memory_id, tools.store)
    before = tuple(tools.store.anchors(memory.project, memory_id=memory.id))
    fresh = Checkout(root, code=code).tie(memory, at=at, before=before)
    if before and not fresh:
        raise Conflict(
            f"what {memory.id} speaks of is gone",
            fix=f"name where it is now with `hindbrain edit {memory.id} --file PATH`, or delete the memory",
        )

    def work(tx: Transaction) -> Checked:
        present = _live(memory.id, tx)
        step = _Step(memory=present, before=before, now=fresh)
        after = revised(present, at=at, verified_at=at)
        by = Actor(type=ActorType.HUMAN)
        events = (_event("memory_verified", step, at=at), *_events(step, at=at))
        tx.apply(Changes(memories=(after,), anchors=fresh, events=events, by=by, change="verified"))
        return step.checked

    return tools.store.write(work)


def retie(receipts: Sequence[Receipt], root: str, *, tools: Tools, code: Code) -> tuple[Checked, ...]:
    """Tie what was just learned, or said again, to the code as it is now. Only what counted as said counts here."""
    at = tools.clock.now()
    checkout = Checkout(root, code=code)
    steps = []
    for memory_id in dict.fromkeys(receipt.memory_id for receipt in receipts if receipt.memory_id):
        memory = tools.store.memory(memory_id)
        if memory and memory.state is State.LIVE and _was_said(memory, receipts, reader=tools.store):
            before = tuple(tools.store.anchors(memory.project, memory_id=memory.id))
            steps.append(_Step(memory=memory, before=before, now=checkout.tie(memory, at=at, before=before)))
    _write([step for step in steps if step.now], tools, at=at)
    return tuple(step.checked for step in steps if step.now)


def handle(job: Job, tools: Tools) -> None:
    """What the worker does after a commit. The payload names a folder of the code base as `root` or `cwd`."""
    folder = job.payload.get("root") or job.payload.get("cwd")
    if not isinstance(folder, str) or not folder:
        raise BadValue(f"job {job.id} names no folder", fix="queue it again with `root` in its payload")
    verify(job.project, tools.files.root(folder), tools=tools, code=tools.files.code())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """One memory, with its anchors before and now."""

    memory: Memory
    before: tuple[Anchor, ...]
    now: tuple[Anchor, ...]

    @property
    def checked(self) -> Checked:
        memory = self.memory
        return Checked(
            memory_id=memory.id,
            title=memory.title,
            freshness=_overall(self.now),
            was=_overall(self.before),
            anchors=self.now,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """One look at a code base."""

    which: Which
    checkout: Checkout
    at: datetime
    is_same_commit: bool  # as at the last look

    def taken(
        self, memories: Sequence[Memory], known: Mapping[str, tuple[Anchor, ...]], *, tools: Tools
    ) -> Sequence[_Step]:
        """Look at these memories and write down what changed; those that are tied to anything."""
        steps = [step for memory in memories if (step := self.step(memory, known.get(memory.id, ())))]
        _write(steps, tools, at=self.at)
        return [step for step in steps if step.now]

    def step(self, memory: Memory, before: tuple[Anchor, ...]) -> _Step | None:
        """None for a memory that was not asked about."""
        if self.which.paths and not self._is_wanted(memory, before):
            return None
        if not before or self._speaks_of_others(memory, before):
            now = self.checkout.tie(memory, at=self.at) or before
        else:
            now = tuple(map(self._looked, before))
        return _Step(memory=memory, before=before, now=now)

    def _is_wanted(self, memory: Memory, before: Iterable[Anchor]) -> bool:
        held = {anchor.path for anchor in before} or self.checkout.paths(memory)
        return not held.isdisjoint(self.which.paths)

    def _speaks_of_others(self, memory: Memory, before: Sequence[Anchor]) -> bool:
        """Whether its words were changed since it was tied, and mean other files."""
        if memory.updated_at <= max(anchor.tied_at for anchor in before):
            return False
        meant = self.checkout.paths(memory)
        return bool(meant) and meant.isdisjoint(anchor.path for anchor in before)

    def _looked(self, anchor: Anchor) -> Anchor:
        if self.is_same_commit and anchor.freshness is Freshness.GONE and not self.checkout.has(anchor.path):
            return anchor  # where it went to was looked for at the last look
        seen = self.checkout.look(anchor, at=self.at, is_anew=self.which.is_all)
        is_same = replace(seen, checked_at=anchor.checked_at) == anchor
        return anchor if is_same and not self.which.is_all else seen


def _memories(project: str, which: Which, *, reader: Reader) -> Sequence[Memory]:
    if which.memory_id:
        return [_live(which.memory_id, reader)]
    return reader.select(Where(project=project, with_everywhere=False))


def _live(memory_id: str, reader: Reader) -> Memory:
    memory = show(memory_id, store=reader)
    if memory.state is not State.LIVE:
        raise Conflict(f"{memory.id} is {memory.state}", fix=f"`hindbrain show {memory.id}` says why")
    return memory


def _anchors(project: str, which: Which, *, reader: Reader) -> Mapping[str, tuple[Anchor, ...]]:
    if which.memory_id:
        memory = show(which.memory_id, store=reader)
        return {memory.id: tuple(reader.anchors(memory.project, memory_id=memory.id))}
    every = reader.anchors(project)
    return {key: tuple(own) for key, own in groupby(every, key=lambda anchor: anchor.memory_id)}


def _cursor(project: str) -> str:
    return f"verified/{project}"


def _remember(project: str, head: str, *, tools: Tools) -> None:
    """Which commit was looked at last."""
    if tools.store.cursor(_cursor(project)) != head:
        tools.store.write(lambda tx: tx.apply(Changes(cursors={_cursor(project): head})))


def _write(steps: Sequence[_Step], tools: Tools, *, at: datetime) -> None:
    changed = [step for step in steps if step.now != step.before]
    if not changed:
        return

    def work(tx: Transaction) -> None:
        present = tx.memories([step.memory.id for step in changed])
        for step in changed:
            memory = present.get(step.memory.id)
            is_as_read = memory is not None and memory.version == step.memory.version
            if is_as_read and tuple(tx.anchors(step.memory.project, memory_id=step.memory.id)) == step.before:
                tx.apply(Changes(anchors=step.now, events=_events(step, at=at)))

    tools.store.write(work)


def _events(step: _Step, *, at: datetime) -> tuple[Event, ...]:
    """A change of standing is worth telling; that a memory was tied is not."""
    checked = step.checked
    if checked.was in (checked.freshness, Freshness.UNTIED):
        return ()
    return (_event(f"memory_{checked.freshness}", step, at=at),)


def _event(name: str, step: _Step, *, at: datetime) -> Event:
    notes = [anchor.note for anchor in step.now if anchor.note]
    data = {"memory_id": step.memory.id, "was": str(step.checked.was), "notes": notes}
    return Event(name=name, at=at, project=step.memory.project, memory_id=step.memory.id, data=data)


def _overall(anchors: Iterable[Anchor]) -> Freshness:
    return standing((), [anchor.freshness for anchor in anchors]).freshness


def _was_said(memory: Memory, receipts: Sequence[Receipt], *, reader: Reader) -> bool:
    said = {saying.receipt for saying in reader.sayings(memory.id)}
    return any(receipt.id in said for receipt in receipts if receipt.memory_id == memory.id)
