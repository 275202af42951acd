"""Which memories another memory stands on: those must not be put away while it lives."""

from hindbrain.core.model import Kind, Memory, Relation, State
from hindbrain.ports import Reader, Where

_REFERRING = (Kind.PATTERN, Kind.ANTI_PATTERN, Kind.SKILL, Kind.SCAR)
_REPLACED = (Relation.SUPERSEDES, Relation.SUPERSEDED_BY)  # who replaces another does not need it


class References:
    """Reads what patterns name as their sources once, and the links of a memory when it is asked about."""

    def __init__(self, project: str, reader: Reader) -> None:
        self._project = project
        self._reader = reader
        self._named: frozenset[str] | None = None

    def has(self, memory: Memory) -> bool:
        """Whether a live memory refers to `memory`, by a link or by naming it as a source."""
        return self._is_linked(memory) or self._is_named(memory)

    def seen_by(self, reader: Reader) -> "References":
        """The same, with the links as `reader` sees them: a transaction need not read all patterns again."""
        fresh = References(self._project, reader)
        fresh._named = self._named = self._named if self._named is not None else frozenset(self._names())
        return fresh

    def _is_linked(self, memory: Memory) -> bool:
        links = [link for link in self._reader.links(memory.id) if link.target == memory.id]
        sources = [link.source for link in links if link.relation not in _REPLACED]
        return any(one.state is State.LIVE for one in self._reader.memories(sources).values())

    def _is_named(self, memory: Memory) -> bool:
        if self._named is None:
            self._named = frozenset(self._names())
        return memory.id in self._named

    def _names(self) -> set[str]:
        where = Where(project=self._project, with_everywhere=False, kinds=_REFERRING)
        named = {name for one in self._reader.select(where) for name in _sources(one)}
        if not any(not name.startswith("mem-") for name in named):
            return named
        known = {receipt.ref: receipt.memory_id for receipt in self._reader.receipts(self._project) if receipt.ref}
        return named | {known[name] or "" for name in named if name in known}


def _sources(memory: Memory) -> set[str]:
    many, one = memory.body.get("source_episodes"), memory.body.get("source")
    found = [*(many if isinstance(many, list) else []), one]
    return {name for name in found if isinstance(name, str) and name}
