"""Which memories say the same, found without comparing each with every other.

Two texts that may merge differ in three words at most (`same` sees to that). So the rarest word that both have is among
the four rarest of each, and only memories that share one of those are compared. A word that too many share tells
nothing; texts made of such words only meet by having all words in common.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from hindbrain.core.model.memory import Memory
from hindbrain.core.value import dataclass, replace
from hindbrain.core.words import query_terms

_RARE = 4  # words of a memory by which it is found
_LEADERS = 24  # memories in one place that a newcomer is compared with, the latest first
_OVERLAP = 0.7  # of the words; below, a close comparison is in vain

Alike = Callable[[Memory, Memory], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    primary: Memory  # the one that stays
    others: tuple[Memory, ...]


def clusters(memories: Sequence[Memory], *, alike: Alike, tell: Callable[[], None] = lambda: None) -> Iterator[Cluster]:
    """Memories that say the same as a better one. Of each cluster the best stays: pinned before trusted before sure.

    Every member is like the one that stays, not only like another member: a chain of small steps leads nowhere.
    """
    words = {memory.id: frozenset(query_terms(memory.content)) for memory in memories}
    rarity = Counter(word for found in words.values() for word in found)
    places = _Places(words=words, rarity=rarity)
    followers: dict[str, list[Memory]] = {}
    leaders: dict[str, Memory] = {}
    for memory in sorted(memories, key=_rank):
        tell()
        leader = next((one for one in places.near(memory) if may_stand_for(one, memory) and alike(one, memory)), None)
        if leader is None:
            places.settle(memory)
            continue
        leaders[leader.id] = leader
        followers.setdefault(leader.id, []).append(memory)
    for key, found in followers.items():
        yield Cluster(primary=leaders[key], others=tuple(found))


def may_stand_for(primary: Memory, other: Memory) -> bool:
    """Whether `other` may be hidden behind `primary`: one voice, one reach, and never what a person holds higher."""
    is_one = (primary.kind, primary.persona, primary.reach) == (other.kind, other.persona, other.reach)
    return is_one and not other.is_pinned and primary.trust >= other.trust and primary.id != other.id


def united(primary: Memory, others: Iterable[Memory]) -> Memory:
    """What stays, with what the others knew: uses and evidence added up, episodes, tags and files united."""
    found = tuple(others)
    counters = primary.counters
    for other in found:
        counters = replace(
            counters, **{name: getattr(counters, name) + getattr(other.counters, name) for name in counters.__slots__}
        )
    every = (primary, *found)
    used = [memory.last_used_at for memory in every if memory.last_used_at]
    return replace(
        primary,
        counters=counters,
        tags=tuple(dict.fromkeys(tag for memory in every for tag in memory.tags)),
        file_refs=tuple(dict.fromkeys(ref for memory in every for ref in memory.file_refs)),
        body=_united_bodies([memory.body for memory in every]),
        last_used_at=max(used, default=None),
    )


def _united_bodies(bodies: Sequence[Mapping[str, object]]) -> dict[str, object]:
    body = dict(bodies[0])
    for name in ("source_episodes", "conditions"):
        found = [item for one in bodies for item in _listed(one.get(name))]
        if found:
            body[name] = list(dict.fromkeys(found))
    return body


def _listed(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _rank(memory: Memory) -> tuple[bool, int, float, int, str]:
    return (not memory.is_pinned, -memory.trust, -memory.confidence, -memory.counters.evidence, memory.id)


class _Places:
    """Where memories that stay can be found again by those that say the same."""

    def __init__(self, *, words: Mapping[str, frozenset[str]], rarity: Mapping[str, int]) -> None:
        self._words = words
        self._rarity = rarity
        self._by_word: dict[str, list[Memory]] = {}
        self._by_all: dict[frozenset[str], list[Memory]] = {}

    def near(self, memory: Memory) -> Iterator[Memory]:
        words = self._words[memory.id]
        seen: set[str] = set()
        lists = [self._by_all.get(words, []), *(self._by_word.get(word, []) for word in self._rarest(words))]
        for found in lists:
            for one in found[-_LEADERS:]:
                if one.id not in seen and _overlap(words, self._words[one.id]) >= _OVERLAP:
                    yield one
                seen.add(one.id)

    def settle(self, memory: Memory) -> None:
        words = self._words[memory.id]
        self._by_all.setdefault(words, []).append(memory)
        for word in self._rarest(words):
            self._by_word.setdefault(word, []).append(memory)

    def _rarest(self, words: frozenset[str]) -> Sequence[str]:
        return sorted(words, key=lambda word: (self._rarity[word], word))[:_RARE]


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Of the larger one's words, the share that both have."""
    return len(one & other) / (max(len(one), len(other)) or 1) if one != other else 1.0
