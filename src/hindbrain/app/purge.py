"""What becomes of all that one source taught: out of every recall at once, back within a month, or erased for good.

Who was wrong, or was made to lie, seldom was so once: a session that read a poisoned page, an agent with a bad habit, a
machine that is not ours any more, a file that should not have been imported.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial

from hindbrain.app.admission import tidy
from hindbrain.app.forget import refuse_waiting, texts_of
from hindbrain.app.heap import uncollected
from hindbrain.app.log import Place, anchor, decision
from hindbrain.app.revise import revised
from hindbrain.app.settle import closed
from hindbrain.app.survey import Shared, Survey, survey
from hindbrain.app.tools import Tools
from hindbrain.app.upkeep import Log, Step, alone, batches, noted, sweeps
from hindbrain.core import trust
from hindbrain.core.hints import Any, NamedTuple
from hindbrain.core.model import Actor, ActorType, Event, Memory, State
from hindbrain.core.model.event import MEMORIES_DELETED
from hindbrain.core.model.filing import Filing
from hindbrain.core.model.suggestion import Status
from hindbrain.core.source import Source
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import BadValue, NotErased
from hindbrain.ports import Brief, Changes, Saying, Transaction

Tell = Callable[[int, int], None]  # how many more are done, of how many

ARCHIVED, REVERTED, WEAKENED, RETURNED, KEPT, AWAY = "archived", "reverted", "weakened", "returned", "kept", "away"
ERASED = "erased"
_PERSON = Actor(type=ActorType.HUMAN)
_ERASED_AT_ONCE = 100  # memories between two rewritings of the file
# What other words of the same memory bring with them.
_WORDS = (
    *("content", "title", "tags", "file_refs", "category", "error_signature", "key", "legacy_key"),
    *("content_hash", "chorus_hash", "trust", "provenance", "learned_at"),
)


class Fate(NamedTuple):
    id: str
    title: str
    project: str
    what: str  # archived, reverted, weakened, returned, kept, away, erased
    why: str


class Undoable(NamedTuple):
    project: str
    run: str  # what `maintenance undo` takes


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    source: str  # in words
    memories: tuple[Fate, ...]
    rules: tuple[str, ...]  # suggestions that a person made rules of, out of what went: they stand in files
    shown: int  # how often what went was put into prompts
    is_dry_run: bool
    runs: tuple[Undoable, ...] = ()
    erased: int = 0  # rows
    backups: tuple[str, ...] = ()  # that were cleaned as well
    files: tuple[str, ...] = ()  # that follow the memories, and were written anew

    def count(self, what: str) -> int:
        return sum(one.what == what for one in self.memories)


def purge(
    source: Source,
    projects: Sequence[str],
    *,
    is_dry_run: bool = False,
    is_hard: bool = False,
    tools: Tools,
    tell: Tell = lambda *_: None,
) -> Purged:
    """Put away what `source` alone taught in these projects; with `is_hard`, erase it and prove it.

    `undo_upkeep` takes the former back for a month. What was put away before stays so, and is erased with the rest.
    NotErased when a file still holds a text, after all else is done.
    """
    if not source.is_named:
        raise BadValue("no source is named", fix="name a session, an agent, a login, an adapter, a file or a task")
    with uncollected():
        told = [_Purge(source=source, project=one, tools=tools, tell=tell) for one in projects]
        if is_dry_run:
            return _together(source, [one.foretold() for one in told])
        if is_hard:
            _refuse_waiting(told, tools=tools)
        done = _together(source, [one.done() for one in told])
    return _erased(done, tools=tools, tell=tell) if is_hard else done


def _together(source: Source, parts: Sequence[Purged]) -> Purged:
    return Purged(
        source=tidy(source.told),
        memories=tuple(fate for part in parts for fate in part.memories),
        rules=tuple(rule for part in parts for rule in part.rules),
        shown=sum(part.shown for part in parts),
        is_dry_run=all(part.is_dry_run for part in parts),
        runs=tuple(run for part in parts for run in part.runs),
    )


def _refuse_waiting(purges: "Sequence[_Purge]", *, tools: Tools) -> None:
    """What hooks have left must be taken up first: it would come back from there."""
    gone = [memory.id for one in purges for memory in one.found.gone]
    texts = frozenset(text for key in gone for text in texts_of(key, tools.store))
    spool = tools.spool() if tools.spool else None
    refuse_waiting(texts, what=f"{len(gone)} memories", store=tools.store, spool=spool)


def _erased(done: Purged, *, tools: Tools, tell: Tell) -> Purged:
    ids = [fate.id for fate in done.memories if fate.what in (ARCHIVED, AWAY)]
    rows, backups, found = 0, dict[str, None](), dict[str, None]()
    for start in range(0, len(ids), _ERASED_AT_ONCE):
        batch = [key for key in ids[start : start + _ERASED_AT_ONCE] if tools.store.memory(key)]
        erasure = tools.store.erase(*batch, at=tools.clock.now())
        rows += erasure.rows
        backups |= dict.fromkeys(erasure.backups)
        found |= dict.fromkeys(erasure.found_in)
        tell(len(batch), 2 * len(ids))
    if found:
        raise NotErased(
            f"{len(ids)} memories are erased, but a text of theirs still stands in {', '.join(found)}",
            fix="`hindbrain search` some of its words with --all, edit or forget what it finds",
        )
    went = frozenset(ids)
    fates = tuple(fate._replace(what=ERASED) if fate.id in went else fate for fate in done.memories)
    return replace(done, memories=fates, erased=rows, backups=tuple(backups))


class _Act(NamedTuple):
    """What is to happen to a memory that stays."""

    memory: Memory
    fate: Fate
    changed: dict[str, Any]
    event: str
    unsaid: tuple[Saying, ...] = ()


class _Purge:
    """One source in one project."""

    def __init__(self, *, source: Source, project: str, tools: Tools, tell: Tell) -> None:
        self._project = project
        self._tools = tools
        self._tell = tell
        self._now = tools.clock.now()
        self._told = tidy(source.told)
        self.found: Survey = survey(source, project, reader=tools.store)
        self._gone = {one.id: one.version for one in self.found.gone if one.state is not State.ARCHIVED}
        self._acts = {act.memory.id: act for act in self._changed()}

    def foretold(self) -> Purged:
        return self._report(is_dry_run=True)

    def done(self) -> Purged:
        count = len(self._gone) + len(self._acts)
        if not count:
            return self._report(is_dry_run=False)
        self._note()
        log = Log("purge", project=self._project, tools=self._tools)
        with alone(self._project, tools=self._tools):
            for batch in sweeps(list(self._gone)):
                log.put_away(partial(self._put_away, batch, run=log.name))
                self._tell(len(batch), count)
            for batch in batches(list(self._acts)):
                log.batch(partial(self._taken, [self._acts[key] for key in batch]))
                self._tell(len(batch), count)
            log.close()
        runs = (Undoable(self._project, log.id),) if log.id else ()
        return replace(self._report(is_dry_run=False), runs=runs)

    def _note(self) -> None:
        """The order stands in the log of decisions before anything is done."""

        def work(tx: Transaction) -> None:
            where = Place(project=self._project, tools=self._tools)
            entry = decision("purge", self._told, where=where, tx=tx, memories=len(self._gone))
            tx.apply(Changes(audits=(entry,)))

        self._tools.store.write(work)
        anchor(self._tools)

    def _report(self, *, is_dry_run: bool) -> Purged:
        kept = (self._fate(one, KEPT, why="made of other memories as well") for one in self.found.partly)
        return Purged(
            source=self._told,
            memories=(*self._archived(), *(act.fate for act in self._acts.values()), *self._away(), *kept),
            rules=tuple(self._rules()),
            shown=sum(one.injected for one in self.found.gone),
            is_dry_run=is_dry_run,
        )

    def _archived(self) -> Iterator[Fate]:
        heirs = frozenset(one.id for one in self.found.derived)
        for one in self.found.gone:
            if one.id in self._gone:
                why = "made of such memories alone" if one.id in heirs else "nobody else taught it"
                yield self._fate(one, ARCHIVED, why=why)

    def _away(self) -> Iterator[Fate]:
        for one in self.found.gone:
            if one.state is State.ARCHIVED:
                yield self._fate(one, AWAY, why=f"put away before: {one.archive_reason}")

    def _rules(self) -> Iterator[str]:
        gone = frozenset(one.id for one in self.found.gone)
        for one in self._tools.store.suggestions(self._project, statuses=(Status.APPLIED,)) if gone else ():
            if one.scar_id in gone:
                yield one.id

    def _changed(self) -> Iterator[_Act]:
        for shared in self.found.shared:
            yield self._loosened(shared)
        for memory, successor in self.found.freed:
            since = memory.superseded_at if successor else None
            changed = {"superseded_by": successor, "superseded_at": since}
            why = f"{successor} stands in its place" if successor else "what had replaced it is gone"
            yield _Act(memory, self._fate(memory, RETURNED, why=why), changed, "memory_restored")

    def _loosened(self, shared: Shared) -> _Act:
        memory, words = shared.memory, shared.words
        changed: dict[str, Any] = {}
        if words is not memory:
            changed = {name: getattr(words, name) for name in _WORDS}
            fate = self._fate(memory, REVERTED, why=f"says again what it said in version {words.version}")
        else:
            fate = self._fate(memory, WEAKENED, why=f"{len(shared.others) or 'no'} other sayings stand for it")
            witnesses = [(one.session, one.speaker) for one in shared.others]
            if memory.trust == trust.CORROBORATED and not trust.corroborated(witnesses):
                changed = {"trust": trust.AGENT}
        return _Act(memory, fate, changed, "memory_edited", shared.unsaid)

    def _fate(self, memory: Memory | Brief, what: str, *, why: str) -> Fate:
        return Fate(memory.id, memory.title, self._project, what, why)

    def _put_away(self, ids: Sequence[str], tx: Transaction, *, run: str) -> dict[str, int]:
        """One that somebody has changed since it was looked at is left: it is found again by the next purge."""
        gone = {key: version for key, version in tx.versions(ids).items() if version == self._gone[key]}
        if not gone:
            return {}
        reason = f"purged: {self._told}"
        data = {"count": len(gone), "run": run, "reason": reason}
        tx.apply(
            Changes(
                filings=(Filing(versions=gone, at=self._now, reason=reason),),
                reviews=closed(tx.reviews(self._project, about=tuple(gone)), decision="purged", at=self._now),
                events=(Event(name=MEMORIES_DELETED, at=self._now, project=self._project, data=data),),
                by=_PERSON,
                change="purged",
            )
        )
        return gone

    def _taken(self, acts: Sequence[_Act], tx: Transaction) -> list[Step]:
        """The same of those that stay."""
        known = tx.memories([act.memory.id for act in acts])
        current = [act for act in acts if act.memory.id in known and known[act.memory.id].version == act.memory.version]
        return [self._take(act, known[act.memory.id], tx=tx) for act in current]

    def _take(self, act: _Act, memory: Memory, *, tx: Transaction) -> Step:
        count = min(len(act.unsaid), memory.counters.evidence - 1)
        counters = replace(memory.counters, evidence=memory.counters.evidence - count)
        after = revised(memory, at=self._now, **act.changed, counters=counters)
        event = _event(act.event, after, at=self._now, reason=act.fate.why)
        tx.apply(
            Changes(
                memories=(after,),
                unsaid=act.unsaid,
                events=(event,),
                by=_PERSON,
                change="purged",
            )
        )
        counted = {"evidence": -count} if count else {}
        return Step(memory.id, memory.version, after.version, None, counted, (), noted(act.unsaid))


def _event(name: str, memory: Memory, *, at: datetime, reason: str) -> Event:
    data = {"memory_id": memory.id, "reason": reason}
    return Event(name=name, at=at, project=memory.project, memory_id=memory.id, data=data)
