"""What of a project came from one source, and what of it somebody else has said as well.

A memory goes with its source when nobody else taught it, or when it was made of nothing but such memories. One that
another session taught too stays, without this source's word for it; one that the source put into other words goes back
to the words before. Nothing is written here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from hindbrain.core.hints import NamedTuple
from hindbrain.core.model import Memory, Provenance, Version
from hindbrain.core.source import Source, Trace, speakers
from hindbrain.core.trust import TAINTED
from hindbrain.core.value import dataclass, field
from hindbrain.ports import Brief, Reader, Saying, Way


class Shared(NamedTuple):
    """A memory that stays, for others said so, too."""

    memory: Memory
    words: Memory  # the version whose words nobody of the source wrote
    unsaid: tuple[Saying, ...]  # what the source said
    others: tuple[Saying, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    taught: tuple[Brief, ...]  # by the source alone
    derived: tuple[Brief, ...]  # from such memories alone
    shared: tuple[Shared, ...]
    partly: tuple[Brief, ...]  # derived from such memories and from others
    freed: tuple[tuple[Memory, str | None], ...] = field(default_factory=tuple)  # replaced by such; by whom from now on

    @property
    def gone(self) -> tuple[Brief, ...]:
        return (*self.taught, *self.derived)


def survey(source: Source, project: str, *, reader: Reader) -> Survey:
    return _Look(source, project, reader).all()


class _Look:
    """What was said once is judged by its row alone, for that is most of what a source taught; the rest is read."""

    def __init__(self, source: Source, project: str, reader: Reader) -> None:
        self._source = source
        self._reader = reader
        self._known = {brief.id: brief for brief in reader.briefs(project)}
        is_by_way = source.origin or source.adapter or source.task
        self._ways: Mapping[str, Way] = reader.ways(project) if is_by_way else {}
        self._first_writers = reader.writers(project) if source.login else {}
        self._history = cache(lambda memory_id: tuple(reader.history(memory_id)))
        self._taught = cache(lambda *trace: source.taught(Trace(*trace)))  # most came the same way
        self._project = project
        self._memories = reader.memories([key for key, brief in self._known.items() if _is_shared(brief)])
        self._sessions = frozenset(self._sessions_of_login()) if source.login else frozenset()

    def all(self) -> Survey:
        taught: dict[str, Brief] = {}
        shared: list[Shared] = []
        for brief in self._known.values():
            found = self._judged(brief)
            if isinstance(found, Shared):
                shared.append(found)
            elif found:
                taught[brief.id] = brief
        derived, partly = self._heirs(taught, staying={one.memory.id for one in shared})
        gone = taught.keys() | {brief.id for brief in derived}
        return Survey(
            taught=tuple(taught.values()),
            derived=tuple(derived),
            shared=tuple(shared),
            partly=tuple(partly),
            freed=tuple(self._freed(gone)),
        )

    def _judged(self, brief: Brief) -> Shared | bool:
        """Whether it came from the source alone; what stays of it, when others have a part in it."""
        if self._source.is_tainted and brief.trust > TAINTED:
            return False
        is_own = self._is_own(brief)
        memory = self._memories.get(brief.id)
        if memory is None:  # said once, and by who wrote it
            return is_own
        mine, others = self._witnesses(memory)
        if not is_own and not mine:
            return False
        words = self._left(memory, is_witnessed=bool(others)) if is_own else memory
        return Shared(memory, words, mine, others) if words is not None else True

    def _is_own(self, brief: Brief) -> bool:
        way = self._ways.get(brief.receipt)
        login = self._writer(brief.id) if self._source.login else ""
        origin = way.origin if way else ""
        return self._taught(brief.session, brief.task, brief.speakers, login, brief.adapter, origin)

    def _witnesses(self, memory: Memory) -> tuple[tuple[Saying, ...], tuple[Saying, ...]]:
        """What the source said of it, and what others did."""
        sayings = self._reader.sayings(memory.id)
        mine = tuple(one for one in sayings if self._has_said(one, memory))
        return mine, tuple(one for one in sayings if one not in mine)

    def _left(self, memory: Memory, *, is_witnessed: bool) -> Memory | None:
        """The words that others stand for: those before, or the very same that somebody else has said as well."""
        words = self._words_of_others(memory)
        return memory if words is None and is_witnessed and not self._is_reworded(memory) else words

    def _trace(self, memory: Memory) -> Trace:
        told = memory.provenance
        way = self._ways.get(told.receipt)
        return Trace(
            session=told.session,
            task=told.task,
            speakers=speakers(told.actor),
            login=self._writer_of(memory.id, told) if self._source.login else "",
            adapter=told.adapter,
            origin=way.origin if way else "",
        )

    def _writer(self, memory_id: str) -> str:
        """Whose account wrote the words that it has now."""
        if self._known[memory_id].version == 1:
            return self._first_writers.get(memory_id, "")
        memory = self._memories.get(memory_id)
        return self._writer_of(memory_id, memory.provenance) if memory else ""

    def _writer_of(self, memory_id: str, told: Provenance) -> str:
        """Whose account wrote the words that came that way: it stands beside the first version that did."""
        versions = [one for one in self._history(memory_id) if one.memory.provenance == told]
        return versions[0].changed_by.login if versions else ""

    def _has_said(self, saying: Saying, memory: Memory) -> bool:
        way = self._ways.get(saying.receipt)
        is_first = saying.receipt == memory.provenance.receipt
        login = self._source.login if saying.session and saying.session in self._sessions else ""
        return self._source.taught(
            Trace(
                session=saying.session,
                task=way.task if way else "",
                speakers=(saying.speaker, *(speakers(memory.provenance.actor) if is_first else ())),
                login=login or (self._writer(memory.id) if self._source.login and is_first else ""),
                adapter=way.adapter if way else "",
                origin=way.origin if way else "",
            )
        )

    def _sessions_of_login(self) -> Iterator[str]:
        """What was said once more is kept with its session alone; a session has one account."""
        wanted = Source(login=self._source.login)
        for brief in self._known.values():
            if brief.session and wanted.taught(Trace(login=self._writer(brief.id))):
                yield brief.session

    def _past(self, memory: Memory) -> Sequence[Version]:
        return self._history(memory.id) if memory.version > 1 else ()

    def _is_reworded(self, memory: Memory) -> bool:
        return any(one.memory.content_hash != memory.content_hash for one in self._past(memory))

    def _words_of_others(self, memory: Memory) -> Memory | None:
        """The last version whose words did not come from the source."""
        past = [one.memory for one in self._past(memory) if one.memory.provenance != memory.provenance]
        return next((one for one in reversed(past) if not self._source.taught(self._trace(one))), None)

    def _heirs(self, gone: Mapping[str, Brief], *, staying: set[str]) -> tuple[list[Brief], list[Brief]]:
        """What was made of these alone, and what of these and others, generation by generation."""
        children: dict[str, list[str]] = {}
        linked: dict[str, set[str]] = {}
        for heir, parent in self._reader.derivations(self._project) if gone else ():
            children.setdefault(parent, []).append(heir)
            linked.setdefault(heir, set()).add(parent)
        lost = set(gone)
        derived: dict[str, Brief] = {}
        partly: dict[str, Brief] = {}
        parents: Iterable[str] = tuple(gone)
        while parents:
            heirs = {heir for parent in parents for heir in children.get(parent, ())} - lost - staying
            known = {heir: self._known[heir] for heir in sorted(heirs) if heir in self._known}
            fresh = {key for key, named in self._named(known).items() if linked[key] | named <= lost}
            partly |= known
            parents = [key for key in known if key in fresh]
            derived |= {key: known[key] for key in parents}
            lost |= fresh
        return list(derived.values()), [brief for key, brief in partly.items() if key not in lost]

    def _named(self, heirs: Iterable[str]) -> dict[str, set[str]]:
        """What each names as a source: what another project's file names is none that can be gone."""
        found: dict[str, set[str]] = {}
        for key, memory in self._reader.memories(list(heirs)).items():
            named = memory.body.get("source_episodes")
            names = {name for name in named if isinstance(name, str)} if isinstance(named, list) else set()
            found[key] = {name for name in names if name in self._known}
        return found

    def _freed(self, gone: set[str]) -> Iterator[tuple[Memory, str | None]]:
        """What was replaced by something that goes, and what replaces it from now on, if anything does."""
        freed = [one for one in self._known.values() if one.superseded_by in gone and one.id not in gone]
        memories = self._reader.memories([one.id for one in freed])
        for one in freed:
            if one.id in memories:
                yield memories[one.id], self._successor(one.superseded_by, gone)

    def _successor(self, memory_id: str | None, gone: set[str]) -> str | None:
        seen: set[str] = set()
        while memory_id in gone and memory_id not in seen:
            seen.add(memory_id)
            memory_id = self._known[memory_id].superseded_by
        return None if memory_id in gone else memory_id


def _is_shared(brief: Brief) -> bool:
    """Whether others may have a part in it: it was said more than once, or changed."""
    return brief.evidence > 1 or brief.version > 1
