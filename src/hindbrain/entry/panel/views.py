"""Which views there are, and what each of them holds: shared learnings, a persona's own, or all."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

from hindbrain.core.heading import LEARNINGS, heading
from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.model import Memory, State
from hindbrain.core.shape import CATEGORIES
from hindbrain.core.value import dataclass
from hindbrain.entry.cli.output import line
from hindbrain.entry.panel import wording
from hindbrain.entry.panel.wording import LAMP, Entry

if TYPE_CHECKING:
    from hindbrain.facade import Hindbrain

SHARED, ALL = "shared", "all"
_ALWAYS = ("ed", "ace", "pat")  # a tab of their own, whether they have learned anything or not
_BY = "superseded_note"  # how a file of Chorus named the newer learning, where it did so in its own words


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    key: str  # shared, all, or a persona's name behind a colon, so that one called `all` is no trouble
    label: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    heading: str
    entries: tuple[Entry, ...]


class Board:
    """The learnings of a project at one moment, oldest first.

    What was worked out for one board is there for the next: of ten thousand learnings few change at a time.
    """

    def __init__(self, memories: Iterable[Memory] = (), *, project: str = "", before: "Board | None" = None) -> None:
        self.project = project
        self.memories = {one.id: one for one in sorted(memories, key=lambda one: (one.learned_at, one.id))}
        self.live = tuple(one for one in self.memories.values() if one.state is State.LIVE)
        self.superseded = tuple(one for one in self.memories.values() if one.state is State.SUPERSEDED)
        self._entries: dict[tuple[str, int, str], Entry] = before._entries if before else {}
        self._texts: dict[tuple[str, int], str] = before._texts if before else {}

    @cached_property
    def views(self) -> tuple[View, ...]:
        """In the order in which Tab goes round."""
        present = {one.persona for one in (*self.live, *self.superseded) if one.persona}
        return (
            View(key=SHARED, label="Shared", title=f"{LAMP} PROJECT LEARNINGS"),
            *(_own(name) for name in (*_ALWAYS, *sorted(present - set(_ALWAYS)))),
            View(key=ALL, label="All", title=f"{LAMP} ALL LEARNINGS"),
        )

    def changed(self, found: Mapping[str, Memory], *, ids: Iterable[str]) -> "Board":
        """The board after these memories became what was found, or are gone."""
        kept = {key: one for key, one in self.memories.items() if key not in set(ids)}
        known = {key: one for key, one in found.items() if one.kind in LEARNINGS}
        return Board((kept | known).values(), project=self.project, before=self)

    def held(self, key: str, *, query: str = "") -> tuple[Memory, ...]:
        """The live learnings of a view that say all words of `query`."""
        return tuple(self._narrowed(self._admitted(self.live, key), query))

    def history(self, key: str, *, query: str = "") -> tuple[Memory, ...]:
        """Those of a view that were superseded."""
        return tuple(self._narrowed(self._admitted(self.superseded, key), query))

    def sections(self, key: str, *, query: str = "") -> tuple[Section, ...]:
        """The live ones by category; headings in the order of the categories, others behind them."""
        groups: dict[str, list[Entry]] = {category: [] for category in CATEGORIES}
        for memory in self.held(key, query=query):
            groups.setdefault(heading(memory), []).append(self._entry(memory, key))
        return tuple(
            Section(heading=line(name).upper(), entries=tuple(entries)) for name, entries in groups.items() if entries
        )

    def past(self, key: str, *, query: str = "") -> Section:
        """The section that `s` shows."""
        found = self.history(key, query=query)
        return Section(
            heading=wording.SUPERSEDED, entries=tuple(wording.struck(one, by=self._by(one)) for one in found)
        )

    def _admitted(self, memories: Iterable[Memory], key: str) -> Iterable[Memory]:
        """What other projects sent everywhere is in no file of this one: only `all` has it."""
        if key == ALL:
            return memories
        wanted = None if key == SHARED else key.removeprefix(":")
        return (one for one in memories if one.persona == wanted and one.project == self.project)

    def _narrowed(self, memories: Iterable[Memory], query: str) -> Iterable[Memory]:
        words = query.casefold().split()
        if not words:
            return memories
        return (one for one in memories if all(word in self._text(one) for word in words))

    def _text(self, memory: Memory) -> str:
        """What a search looks into."""
        key = memory.id, memory.version
        if key not in self._texts:
            source = memory.provenance
            self._texts[key] = f"{memory.content}\n{source.task}\n{source.actor.instance}".casefold()
        return self._texts[key]

    def _entry(self, memory: Memory, key: str) -> Entry:
        form = key if key in (SHARED, ALL) else "own"
        cached = memory.id, memory.version, form
        if cached not in self._entries:
            self._entries[cached] = wording.local(memory) if form == "own" else self._known_to_all(memory)
        return self._entries[cached]

    def _known_to_all(self, memory: Memory) -> Entry:
        also = "local" if memory.persona else "from another project" if memory.project != self.project else ""
        return wording.shared(memory, also=also)

    def _by(self, memory: Memory) -> str:
        newer = self.memories.get(memory.superseded_by or "")
        return newer.content if newer else str(memory.body.get(_BY, ""))


def read(hindbrain: "Hindbrain", before: Board | None = None) -> Board:
    """The board as the store has it now."""
    project = hindbrain.project
    found = hindbrain.list(kinds=[str(kind) for kind in LEARNINGS], order="newest", with_all=True)
    return Board(found, project=project.id if project else "", before=before)


def reread(hindbrain: "Hindbrain", before: Board, *, ids: Collection[str]) -> Board:
    """The same, where only these memories have changed."""
    if not before.project or len(ids) > _MANY:
        return read(hindbrain, before)
    return before.changed(hindbrain.store.memories(list(ids)), ids=ids)


_MANY = 500  # changes; beyond that reading everything costs no more


def key_of(name: str, *, among: Sequence[View]) -> str:
    """The key of the view that a person calls so; "" when there is none."""
    wanted = name.casefold()
    named = {view.key.removeprefix(":").casefold(): view.key for view in reversed(among)}
    return named.get(wanted, "")


def _own(name: str) -> View:
    label = wording.persona(name)
    return View(key=f":{name}", label=label, title=f"{LAMP} {label.upper()}'S LEARNINGS")
