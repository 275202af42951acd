"""Who may be an answer at all, and how many are shown. What a match is worth is each strategy's own."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from math import inf
from types import MappingProxyType

from hindbrain.core.model.score import Reason, Score
from hindbrain.core.recall.ask import Ask, Candidate, Ranked, Recalled
from hindbrain.core.recall.diverse import Item, newest_first, repeats
from hindbrain.core.recall.gate import LEAST, gate
from hindbrain.core.recall.index import columns
from hindbrain.core.recall.meaningful import meaningful
from hindbrain.core.recall.strategies import Strategy, unified
from hindbrain.core.value import replace
from hindbrain.core.words import STOP, asked_terms, query_terms


def _dex(candidates: Sequence[Candidate], ask: Ask, *, now: datetime) -> list[Recalled]:
    from hindbrain.core.recall.strategies import dex

    return dex.choose(candidates, ask, now=now)


def _loki(candidates: Sequence[Candidate], ask: Ask, *, now: datetime) -> list[Recalled]:
    from hindbrain.core.recall.strategies import loki

    return loki.choose(candidates, ask, now=now)


def _doc05(candidates: Sequence[Candidate], ask: Ask, *, now: datetime) -> list[Recalled]:
    from hindbrain.core.recall.strategies import doc05

    return doc05.choose(candidates, ask, now=now)


def _recent(candidates: Sequence[Candidate], ask: Ask, *, now: datetime) -> list[Recalled]:
    from hindbrain.core.recall.strategies import recent

    return recent.choose(candidates, ask, now=now)


STRATEGIES: Mapping[str, Strategy] = MappingProxyType(  # all but the usual one load when they are asked for
    {
        "unified": unified.choose,
        "dex": _dex,
        "loki": _loki,
        "doc05": _doc05,
        "recent": _recent,
        "default": unified.choose,
    }
)


_OURS = ("unified", "default")  # the others are exact as documented, down to their order
_QUOTED = 60  # characters of a piece
_NOTED = 64  # words of a question that are looked for in the answers
_MARGIN = 5  # answers behind the last one shown that may still move up
Terms = Callable[[Sequence[str]], Mapping[str, frozenset[str]]]  # the words of memories, by their ids


def rank(
    candidates: Iterable[Candidate],
    ask: Ask,
    *,
    now: datetime,
    terms: Terms | None = None,
    spelled: Sequence[tuple[str, str]] = (),
) -> Ranked:
    """The best answers to `ask`, best first.

    `ask.strategy` must be one of STRATEGIES. State and trust are not looked at: whoever gathers the
    candidates has decided which may be seen. `terms` are what an index knows; without it texts are read here.
    `spelled` are terms of the question, and those they were taken for.
    """
    eligible = STRATEGIES[ask.strategy](_foreign(candidates, ask), ask, now=now)
    ordered = sorted(eligible, key=lambda item: item.place, reverse=True)
    if not ask.text.strip():
        limit = max(ask.limit, 0)
        return Ranked(items=tuple(ordered[:limit]), left_out=len(ordered[limit:]))
    if ask.strategy not in _OURS:
        return _answer(ordered, ask, terms=terms, meant=dict(spelled))
    return _ours(ordered, ask, terms=terms, meant=dict(spelled))


def _ours(ordered: list[Recalled], ask: Ask, *, terms: Terms | None, meant: Mapping[str, str]) -> Ranked:
    """With an eye on the other answers, and without what an agent who did not ask need not hear."""
    head = ordered if ask.is_unasked else ordered[: max(ask.limit, 0) + _MARGIN]
    held = _held(head, terms)
    head, again = _in_order(head, held, asked=_meant(asked_terms(ask.text), meant))
    if not ask.is_unasked:
        answer = _answer(head, ask, terms=lambda _: held, meant=meant, behind=ordered[len(head) :])
        return replace(answer, repeats=_told(again, answer))
    # Before the limit: what is left out takes nobody's place.
    answer = _answer([item for item in head if _bears(item)], ask, terms=lambda _: held, meant=meant)
    far = _answer([item for item in head if not _bears(item)], ask, terms=lambda _: held, meant=meant)
    return replace(answer, repeats=_told(again, answer), far=far.items)


def _answer(
    ordered: Sequence[Recalled],
    ask: Ask,
    *,
    terms: Terms | None,
    meant: Mapping[str, str],
    behind: Sequence[Recalled] = (),
) -> Ranked:
    """The first of `ordered`, each with its notes, and how many of the others, and of those `behind`, there are."""
    shown, rest = ordered[: max(ask.limit, 0)], [*ordered[max(ask.limit, 0) :], *behind]
    held, asked = _held(shown, terms), _meant(_counted(ask), meant)
    words = [(word, _meant(query_terms(word), meant) & asked) for word in _words(ask.text)]
    noted = tuple(_noted(item, words, held=held.get(item.id, frozenset())) for item in shown)
    return Ranked(items=noted, left_out=sum(map(_is_worth_a_word, rest)))


def _held(items: Sequence[Recalled], terms: Terms | None) -> Mapping[str, frozenset[str]]:
    return terms([item.id for item in items]) if terms else _read(items)


def _bears(item: Recalled) -> bool:
    """What is about a file at hand does in any case."""
    return item.gate is None or item.gate.is_open or _has(item, "about", "path")


def _counted(ask: Ask) -> list[str]:
    """The terms of the question that its strategy looks for."""
    return asked_terms(ask.text) if ask.strategy in _OURS else query_terms(ask.text)


def _meant(terms: Iterable[str], meant: Mapping[str, str]) -> frozenset[str]:
    return frozenset(meant.get(term, term) for term in terms)


def _is_worth_a_word(item: Recalled) -> bool:
    """Whether to say that there is more: everything resembles everything a little."""
    return item.similarity is None or item.similarity >= LEAST or _has(item, "words", "path")


def _has(item: Recalled, *names: str) -> bool:
    return any(reason.name in names for reason in item.reasons)


def _told(again: Sequence[tuple[str, str]], answer: Ranked) -> tuple[tuple[str, str], ...]:
    """Repeats that are left out for one that is shown."""
    shown = {item.id for item in answer.items}
    return tuple((one, other) for one, other in again if one not in shown and other in shown)


def _read(items: Sequence[Recalled]) -> dict[str, frozenset[str]]:
    return {item.id: frozenset(term for column in columns(item.memory) for term in column) for item in items}


def _in_order(
    head: Sequence[Recalled], held: Mapping[str, frozenset[str]], *, asked: frozenset[str]
) -> tuple[list[Recalled], tuple[tuple[str, str], ...]]:
    """Of neighbours on one topic the newest first, what says the same again last, and each with its gate."""
    totals = [item.score.total for item in head]
    best = max(totals, default=0.0)
    items = [
        Item(
            id=item.id,
            learned_at=item.memory.learned_at,
            score=total / best if best > 0 else total - best,
            asked=held.get(item.id, frozenset()) & asked,
            terms=held.get(item.id, frozenset()) - STOP,
            text=item.content,
        )
        for item, total in zip(head, totals, strict=True)
    ]
    by_date = newest_first(items)
    order = repeats(by_date.items)
    gated = {
        item.id: replace(item, gate=gate(item.similarity, held=len(seen.asked), asked=len(asked), pieces=item.pieces))
        for item, seen in zip(head, items, strict=True)
    }
    if by_date.because:
        gated = _lifted([gated[item.id] for item in by_date.items], dict(by_date.because))
    ordered = [gated[item.id] for item in order.items]
    return _lowered(ordered, dict(order.because)) if order.because else ordered, order.because


def _lifted(order: Sequence[Recalled], overtook: Mapping[str, str]) -> dict[str, Recalled]:
    """Who overtook an older one has the better score, and says why."""
    floor, lifted = -inf, {}
    for item in reversed(order):
        lack = floor - item.score.total
        if item.id in overtook and lack > 0:
            note = f"learned after {overtook[item.id]}, on the same words"
            item = replace(item, score=Score((*item.score.reasons, Reason("newest", lack, 1.0, note))))
        lifted[item.id] = item
        floor = max(floor, item.score.total)
    return lifted


def _lowered(order: Sequence[Recalled], repeated: Mapping[str, str]) -> list[Recalled]:
    """What went to the end has no better score than those before it, and says why."""
    lowered: list[Recalled] = []
    for item in order:
        excess = item.score.total - lowered[-1].score.total if lowered else 0.0
        if item.id in repeated:
            note = f"says the same as {repeated[item.id]}"
            item = replace(item, score=Score((*item.score.reasons, Reason("again", max(excess, 0.0), -1.0, note))))
        lowered.append(item)
    return lowered


def _words(text: str) -> list[str]:
    """The asker's own words, each once, without the marks around them."""
    bare = (word.strip(".,;:!?()[]{}\"'`“”’") for word in text.split()[:_NOTED])
    return list(dict.fromkeys(filter(None, bare)))


def _noted(item: Recalled, words: Sequence[tuple[str, frozenset[str]]], *, held: frozenset[str]) -> Recalled:
    """Say which words of the question the memory holds, and which piece of it speaks."""
    notes = {"words": ", ".join(word for word, its in words if not held.isdisjoint(its)), "meaning": _piece(item)}
    told = [
        replace(reason, note=notes[reason.name]) if not reason.note and notes.get(reason.name) else reason
        for reason in item.score.reasons
    ]
    return replace(item, score=Score(tuple(told)))


def _piece(item: Recalled) -> str:
    """How the piece begins that was compared; "" where that is all of the memory."""
    start, end = item.speaks
    text = meaningful(item.memory)
    if end - start >= len(text.strip()):
        return ""
    piece = " ".join(text[start:end].split())
    return f"“{piece[:_QUOTED].rstrip()}…”" if len(piece) > _QUOTED else f"“{piece}”"


def _foreign(candidates: Iterable[Candidate], ask: Ask) -> list[Candidate]:
    """Each memory once, with its best match, without those that the asking session itself taught (F-17)."""
    best: dict[str, Candidate] = {}
    for candidate in candidates:
        memory = candidate.memory
        if ask.session and memory.provenance.session == ask.session:
            continue
        other = best.get(memory.id)
        if other is None or _strength(other) < _strength(candidate):
            best[memory.id] = candidate
    return list(best.values())


def _strength(candidate: Candidate) -> tuple[float, float]:
    return (candidate.words, -1.0 if candidate.similarity is None else candidate.similarity)
