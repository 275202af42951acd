"""What of a project came from one source, and what of it somebody else has said as well.

A memory goes with its source when nobody else taught it, or when it was made of nothing but such memories. One that
another session taught too stays, without this source's word for it; one that the source put into other words goes back
to the words before. Nothing is written here.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from hindbrain.core.hints import NamedTuple
from hindbrain.core.model import Memory, Receipt, Relation, State, Version
from hindbrain.core.source import Source, Trace, speakers
from hindbrain.core.trust import TAINTED
from hindbrain.core.value import dataclass, field
from hindbrain.ports import Reader, Saying, Where


class Shared(NamedTuple):
    """A memory that stays, for others said so, too."""

    memory: Memory
    words: Memory  # the version whose words nobody of the source wrote
    unsaid: tuple[Saying, ...]  # what the source said
    others: tuple[Saying, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    taught: tuple[Memory, ...]  # by the source alone
    derived: tuple[Memory, ...]  # from such memories alone
    shared: tuple[Shared, ...]
    partly: tuple[Memory, ...]  # derived from such memories and from others
    freed: tuple[tuple[Memory, str | None], ...] = field(default_factory=tuple)  # replaced by such; by whom from now on

    @property
    def gone(self) -> tuple[Memory, ...]:
        return (*self.taught, *self.derived)


def survey(source: Source, project: str, *, reader: Reader) -> Survey:
    return _Look(source, project, reader).all()


class _Look:
    def __init__(self, source: Source, project: str, reader: Reader) -> None:
        self._source = source
        self._project = project
        self._reader = reader
        where = Where(project=project, states=frozenset(State), with_everywhere=False)
        self._known = {memory.id: memory for memory in reader.select(where, order="newest")}
        self._receipts: dict[str, Receipt] = {}
        if source.origin or source.adapter or source.task:
            self._receipts = {receipt.id: receipt for receipt in reader.receipts(project)}
        self._history = cache(lambda memory_id: tuple(reader.history(memory_id)))
        self._sessions = frozenset(self._sessions_of_login()) if source.login else frozenset()

    def all(self) -> Survey:
        taught: dict[str, Memory] = {}
        shared: list[Shared] = []
        for memory in self._known.values():
            found = self._judged(memory)
            if isinstance(found, Shared):
                shared.append(found)
            elif found:
                taught[memory.id] = memory
        derived, partly = self._heirs(taught, staying={one.memory.id for one in shared})
        gone = taught.keys() | {memory.id for memory in derived}
        return Survey(
            taught=tuple(taught.values()),
            derived=tuple(derived),
            shared=tuple(shared),
            partly=tuple(partly),
            freed=tuple(self._freed(gone)),
        )

    def _judged(self, memory: Memory) -> Shared | bool:
        """Whether it came from the source alone; what stays of it, when others have a part in it."""
        if self._source.is_tainted and memory.trust > TAINTED:
            return False
        is_own = self._source.taught(self._trace(memory))
        mine, others = self._witnesses(memory)
        if not is_own and not mine:
            return False
        words = self._left(memory, is_witnessed=bool(others)) if is_own else memory
        return Shared(memory, words, mine, others) if words is not None else True

    def _witnesses(self, memory: Memory) -> tuple[tuple[Saying, ...], tuple[Saying, ...]]:
        """What the source said of it, and what others did. What was said once was said by who wrote it."""
        is_shared = memory.counters.evidence > 1 or memory.version > 1
        sayings = self._reader.sayings(memory.id) if is_shared else ()
        mine = tuple(one for one in sayings if self._has_said(one, memory))
        return mine, tuple(one for one in sayings if one not in mine)

    def _left(self, memory: Memory, *, is_witnessed: bool) -> Memory | None:
        """The words that others stand for: those before, or the very same that somebody else has said as well."""
        words = self._words_of_others(memory)
        return memory if words is None and is_witnessed and not self._is_reworded(memory) else words

    def _trace(self, memory: Memory) -> Trace:
        told = memory.provenance
        receipt = self._receipts.get(told.receipt)
        return Trace(
            session=told.session,
            task=told.task,
            speakers=speakers(told.actor),
            login=self._writer(memory) if self._source.login else "",
            adapter=told.adapter,
            origin=receipt.origin if receipt else "",
        )

    def _writer(self, memory: Memory) -> str:
        """Whose account wrote the words that it has now: it stands beside the first version that came that way."""
        versions = [one for one in self._history(memory.id) if one.memory.provenance == memory.provenance]
        return versions[0].changed_by.login if versions else ""

    def _has_said(self, saying: Saying, memory: Memory) -> bool:
        receipt = self._receipts.get(saying.receipt)
        is_first = saying.receipt == memory.provenance.receipt
        login = self._source.login if saying.session and saying.session in self._sessions else ""
        return self._source.taught(
            Trace(
                session=saying.session,
                task=receipt.task if receipt else "",
                speakers=(saying.speaker, *(speakers(memory.provenance.actor) if is_first else ())),
                login=login or (self._writer(memory) if self._source.login and is_first else ""),
                adapter=receipt.adapter if receipt else "",
                origin=receipt.origin if receipt else "",
            )
        )

    def _sessions_of_login(self) -> Iterator[str]:
        """What was said once more is kept with its session alone; a session has one account."""
        wanted = Source(login=self._source.login)
        for memory in self._known.values():
            session = memory.provenance.session
            if session and wanted.taught(Trace(login=self._writer(memory))):
                yield session

    def _past(self, memory: Memory) -> Sequence[Version]:
        return self._history(memory.id) if memory.version > 1 else ()

    def _is_reworded(self, memory: Memory) -> bool:
        return any(one.memory.content_hash != memory.content_hash for one in self._past(memory))

    def _words_of_others(self, memory: Memory) -> Memory | None:
        """The last version whose words did not come from the source."""
        past = [one.memory for one in self._past(memory) if one.memory.provenance != memory.provenance]
        return next((one for one in reversed(past) if not self._source.taught(self._trace(one))), None)

    def _heirs(self, gone: dict[str, Memory], *, staying: set[str]) -> tuple[list[Memory], list[Memory]]:
        """What was made of these alone, and what of these and others, generation by generation."""
        lost = set(gone)
        derived: dict[str, Memory] = {}
        partly: dict[str, Memory] = {}
        parents: Iterable[str] = tuple(gone)
        while parents:
            heirs = {heir for parent in parents for heir in self._children(parent)} - lost - staying
            known = {heir: self._known[heir] for heir in sorted(heirs) if heir in self._known}
            fresh = {key: memory for key, memory in known.items() if self._parents(memory) <= lost}
            partly |= known
            derived |= fresh
            lost |= fresh.keys()
            parents = fresh
        return list(derived.values()), [memory for key, memory in partly.items() if key not in lost]

    def _children(self, memory_id: str) -> Iterator[str]:
        for link in self._reader.links(memory_id):
            if link.relation is Relation.DERIVED_FROM and link.target == memory_id:
                yield link.source

    def _parents(self, memory: Memory) -> set[str]:
        """By links, and by name: what another project's file names as a source is none that can be gone."""
        links = self._reader.links(memory.id)
        linked = {one.target for one in links if one.relation is Relation.DERIVED_FROM and one.source == memory.id}
        named = memory.body.get("source_episodes")
        known = {name for name in named if isinstance(name, str)} if isinstance(named, list) else set()
        return linked | {name for name in known if name in self._known}

    def _freed(self, gone: set[str]) -> Iterator[tuple[Memory, str | None]]:
        """What was replaced by something that goes, and what replaces it from now on, if anything does."""
        for memory in self._known.values():
            if memory.superseded_by in gone and memory.id not in gone:
                yield memory, self._successor(memory.superseded_by, gone)

    def _successor(self, memory_id: str | None, gone: set[str]) -> str | None:
        seen: set[str] = set()
        while memory_id in gone and memory_id not in seen:
            seen.add(memory_id)
            memory_id = self._known[memory_id].superseded_by
        return None if memory_id in gone else memory_id
