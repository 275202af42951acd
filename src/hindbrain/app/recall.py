"""What past sessions learned about a question: candidates by words and by path, then the strategy's order."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from hindbrain.app.select import known
from hindbrain.core.model import TYPES, Memory, Pulse, State
from hindbrain.core.recall import STRATEGIES, Ask, Candidate, Recalled, rank
from hindbrain.core.recall.index import WEIGHTS, columns
from hindbrain.core.value import dataclass
from hindbrain.core.words import query_terms
from hindbrain.errors import DiskFull, ReadOnly, StoreLocked
from hindbrain.ports import Changes, Clock, Reader, Store, Transaction, Where
from hindbrain.settings import Settings

_PATIENCE_S = 0.2  # an answer is not kept waiting for its own counter
_DEPTH = 50  # candidates by words, at least: room for the re-rank


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    text: str = ""
    limit: int = 10
    strategy: str = ""  # empty: the setting
    paths: Sequence[str] = ()
    hat: str = ""
    persona: str = ""
    types: Sequence[str] = ()
    as_of: datetime | None = None
    with_all: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    memories: tuple[Recalled, ...]
    left_out: int
    notices: tuple[str, ...] = ()  # what a person should know about this answer

    def __iter__(self) -> Iterator[Recalled]:
        return iter(self.memories)

    def __len__(self) -> int:
        return len(self.memories)


def recall(question: Question, *, project: str, store: Store, clock: Clock, settings: Settings) -> Found:
    """Memories that bear on the question, best first. Counting that they were recalled is best effort:
    a store that cannot be written still answers."""
    strategy = known(question.strategy or settings.strategy, tuple(STRATEGIES), name="strategy")
    now = clock.now()
    ask = Ask(
        text=question.text,
        paths=tuple(question.paths),
        hat=question.hat,
        limit=question.limit,
        strategy=strategy,
    )
    where = Where(
        project=project,
        states=_states(question),
        voices=(question.persona,) if question.persona else None,
        types=tuple(known(name, TYPES, name="type") for name in question.types),
    )
    ranked = rank(candidates(ask, where, reader=store, as_of=question.as_of), ask, now=now)
    notices = () if question.as_of else _count(ranked.items, store)
    return Found(memories=ranked.items, left_out=ranked.left_out, notices=notices)


def _states(question: Question) -> frozenset[State]:
    """Quarantined ones never: an agent may be asking."""
    old = {State.SUPERSEDED, State.ARCHIVED} if question.with_all else set()
    return frozenset({State.LIVE} | old)


def candidates(ask: Ask, where: Where, *, reader: Reader, as_of: datetime | None = None) -> list[Candidate]:
    """Everything that could be an answer: by words, by path, or all where the strategy wants to see all."""
    words = query_terms(ask.text)
    if as_of is not None:
        return _then(words, reader.as_of(where, as_of))
    by_words = [
        Candidate(memory=hit.memory, words=hit.score)
        for hit in reader.search(words, where, limit=max(_DEPTH, 4 * ask.limit))
    ]
    if ask.strategy == "dex" or not (words or ask.paths):
        rest: Iterable[Memory] = reader.select(where, order="newest")
    else:
        rest = _about(ask.paths, where, reader=reader)
    found = {candidate.memory.id for candidate in by_words}
    return by_words + [Candidate(memory=memory) for memory in rest if memory.id not in found]


def _about(paths: Sequence[str], where: Where, *, reader: Reader) -> Iterator[Memory]:
    """Memories that name one of the files, found by the words of its path and then compared for real."""
    if not paths:
        return
    from hindbrain.core.shape import matches_path  # most questions are about no file

    for path in paths:
        for hit in reader.search(query_terms(path), where, limit=2 * _DEPTH):
            if any(matches_path(ref, path) for ref in hit.memory.file_refs):
                yield hit.memory


def _then(words: Sequence[str], memories: Sequence[Memory]) -> list[Candidate]:
    """The past has no index: its words are scored as the index would have."""
    from hindbrain.core.recall.bm25 import Document, scores

    documents = [Document(id=memory.id, columns=((), *columns(memory))) for memory in memories]
    found = scores(documents, words, weights=WEIGHTS)
    return [
        Candidate(memory=memory, words=found.get(memory.id, 0.0))
        for memory in memories
        if not words or memory.id in found
    ]


def _count(items: Sequence[Recalled], store: Store) -> tuple[str, ...]:
    """Note that these were recalled: it guards them from being archived, and nothing else (X-12)."""
    if not items:
        return ()

    def work(tx: Transaction) -> None:
        pulses = (Pulse(memory_id=item.id, recalled=1) for item in items if tx.memory(item.id))
        tx.apply(Changes(pulses=tuple(pulses)))

    with contextlib.suppress(ReadOnly, StoreLocked, DiskFull):
        store.write(work, is_durable=False, patience_s=_PATIENCE_S)
        return ()
    return ("the store cannot be written: this recall was not counted",)
