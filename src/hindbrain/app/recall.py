"""What past sessions learned about a question: candidates, then the strategy's order."""

import contextlib
from collections.abc import Iterator, Sequence
from datetime import datetime

from hindbrain.app.gather import Gathered, gather, misspelled, needs_model
from hindbrain.app.select import known
from hindbrain.app.tools import Tools
from hindbrain.core.model import TYPES, Kind, Pulse, State
from hindbrain.core.recall import STRATEGIES, Ask, Candidate, Recalled, rank
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import DiskFull, ReadOnly, StoreLocked
from hindbrain.ports import Changes, Store, Transaction, Where, Worker

_PATIENCE_S = 0.2  # an answer is not kept waiting for its own counter
_RELEVANT = 0.65  # raw similarity from which an answer counts as served
_ROOM = 20  # times as many are looked at where a scope keeps some of them out


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    text: str = ""
    limit: int = 10
    strategy: str = ""  # empty: the setting
    paths: Sequence[str] = ()
    hat: str = ""
    persona: str = ""
    types: Sequence[str] = ()
    kinds: Sequence[str] = ()  # empty: any
    scopes: Sequence[str] = ()  # of `core.scopes`; empty: everything, by the usual strategy
    as_of: datetime | None = None
    with_all: bool = False
    is_counted: bool = True  # False: somebody is looking around, and nothing is guarded by that


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    memories: tuple[Recalled, ...]
    left_out: int
    notices: tuple[str, ...] = ()  # what a person should know about this answer
    how: str = ""  # which sides were asked
    spelled: tuple[tuple[str, str], ...] = ()  # words of the question that nothing holds, and what is read instead
    repeats: tuple[tuple[str, str], ...] = ()  # left out because another says the same: its id, and the other's

    def __iter__(self) -> Iterator[Recalled]:
        return iter(self.memories)

    def __len__(self) -> int:
        return len(self.memories)


def recall(question: Question, *, project: str, tools: Tools) -> Found:
    """Memories that bear on the question, best first. Counting that they were recalled is best effort:
    a store that cannot be written still answers."""
    usual = "doc05" if question.scopes else tools.settings.strategy
    strategy = known(question.strategy or usual, tuple(STRATEGIES), name="strategy")
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
        kinds=_kinds(question),
    )
    worker = _worker(question, ask, where=where, tools=tools)
    if worker and (answered := _elsewhere(question, worker, where=where, tools=tools)) is not None:
        return answered
    return _here(question, ask, where=where, tools=tools, is_late=bool(worker and worker.is_late))


def _here(question: Question, ask: Ask, *, where: Where, tools: Tools, is_late: bool) -> Found:
    now = tools.clock.now()
    wide = replace(ask, limit=_ROOM * ask.limit + _ROOM) if question.scopes else ask
    if is_late and tools.is_brief:
        gathered = _by_words(wide, where, tools=tools)
    else:
        gathered = gather(wide, where, reader=tools.store, embedder=tools.embedder, as_of=question.as_of)
    candidates = _within(gathered.candidates, question.scopes) if question.scopes else gathered.candidates
    ranked = rank(candidates, ask, now=now, terms=gathered.terms, spelled=gathered.spelled)
    is_counted = question.is_counted and not question.as_of
    notices = _count(ranked.items, tools.store, now=now) if is_counted else ()
    return Found(
        memories=ranked.items,
        left_out=ranked.left_out,
        notices=gathered.notices + notices,
        how=gathered.how,
        spelled=misspelled(gathered, ask, items=ranked.items),
        repeats=ranked.repeats,
    )


def _worker(question: Question, ask: Ask, *, where: Where, tools: Tools) -> Worker | None:
    """The worker, where this process would have to start a model to answer; else None."""
    if tools.worker is None or question.as_of or not needs_model(ask, where, tools=tools):
        return None
    return tools.worker


def _elsewhere(question: Question, worker: Worker, *, where: Where, tools: Tools) -> Found | None:
    """The answer of a worker that has the same model running; None where it gives none."""
    from hindbrain.app.errand import errand, found  # most questions are answered here

    space = tools.embedder.space.name if tools.embedder else ""
    return found(worker.ask(errand(question, project=where.project, settings=tools.settings, space=space)))


def _by_words(ask: Ask, where: Where, *, tools: Tools) -> Gathered:
    """What is found without a model, by who has waited for the worker's and has no time left for its own."""
    gathered = gather(ask, where, reader=tools.store, embedder=None)
    waited = f"the worker did not answer within {tools.settings.worker_deadline_s:g}s"
    notice = f"meaning is not compared: {waited}; `hindbrain doctor` tells whether it is stuck"
    return replace(gathered, how="words: the worker did not answer in time", notices=(notice, *gathered.notices))


def _states(question: Question) -> frozenset[State]:
    """Quarantined ones never: an agent may be asking."""
    old = {State.SUPERSEDED, State.ARCHIVED} if question.with_all else set()
    return frozenset({State.LIVE} | old)


def _kinds(question: Question) -> tuple[Kind, ...]:
    """Those that are asked for, or that memories of the scopes can be; none: any."""
    if question.kinds or not question.scopes:
        return tuple(Kind(known(name, tuple(Kind), name="kind")) for name in question.kinds)
    from hindbrain.core.scopes import SCOPES

    kinds = [SCOPES[known(scope, tuple(SCOPES), name="scope")][1] for scope in question.scopes]
    return tuple(kind for some in kinds for kind in some) if all(kinds) else ()


def _within(candidates: Sequence[Candidate], scopes: Sequence[str]) -> list[Candidate]:
    from hindbrain.core.scopes import is_in

    return [one for one in candidates if any(is_in(one.memory, scope) for scope in scopes)]


def _is_served(item: Recalled) -> bool:
    """Whether the asker got something to rely on: everything resembles everything a little, and a question about all
    must not keep all from being archived (F-31). Where our own gate was asked, it decides: the cosines of a small model
    are lower than those that the threshold was made for."""
    if item.gate is not None:
        return item.gate.is_open
    return item.similarity is None or round(item.similarity, 9) >= _RELEVANT


def _count(items: Sequence[Recalled], store: Store, *, now: datetime) -> tuple[str, ...]:
    """Note that these were recalled: it guards them from being archived, and nothing else (X-12)."""
    pulses = tuple(
        Pulse(memory_id=item.id, recalled=1, last_used_at=now if item.memory.kind is Kind.SCAR else None)
        for item in items
        if _is_served(item)
    )
    if not pulses:
        return ()

    def work(tx: Transaction) -> None:
        tx.apply(Changes(pulses=pulses))

    with contextlib.suppress(ReadOnly, StoreLocked, DiskFull):
        store.write(work, is_durable=False, patience_s=_PATIENCE_S)
        return ()
    return ("the store cannot be written: this recall was not counted",)
