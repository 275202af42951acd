"""Who may be an answer at all, and how many are shown. What a match is worth is each strategy's own."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from hindbrain.core.model.score import Score
from hindbrain.core.recall.ask import Ask, Candidate, Ranked, Recalled
from hindbrain.core.recall.index import columns
from hindbrain.core.recall.strategies import Strategy, dex, doc05, loki, recent, unified
from hindbrain.core.value import replace
from hindbrain.core.words import query_terms

STRATEGIES: Mapping[str, Strategy] = MappingProxyType(
    {
        "unified": unified.choose,
        "dex": dex.choose,
        "loki": loki.choose,
        "doc05": doc05.choose,
        "recent": recent.choose,
        "default": unified.choose,
    }
)


_NOTED = 64  # words of a question that are looked for in the answers


def rank(candidates: Iterable[Candidate], ask: Ask, *, now: datetime) -> Ranked:
    """The best answers to `ask`, best first.

    `ask.strategy` must be one of STRATEGIES. State and trust are not looked at: whoever gathers the
    candidates has decided which may be seen.
    """
    eligible = STRATEGIES[ask.strategy](_foreign(candidates, ask), ask, now=now)
    ordered = sorted(eligible, key=lambda item: item.place, reverse=True)
    shown = ordered[: max(ask.limit, 0)]
    words = [(word, query_terms(word)) for word in _words(ask.text)]
    return Ranked(items=tuple(_noted(item, words) for item in shown), left_out=len(ordered) - len(shown))


def _words(text: str) -> list[str]:
    """The asker's own words, each once, without the marks around them."""
    bare = (word.strip(".,;:!?()[]{}\"'`“”’") for word in text.split()[:_NOTED])
    return list(dict.fromkeys(filter(None, bare)))


def _noted(item: Recalled, words: Sequence[tuple[str, Sequence[str]]]) -> Recalled:
    """Say which words of the question the memory holds: for those shown only, it means reading all of its text."""
    reasons = item.score.reasons
    if not any(reason.name == "words" for reason in reasons):
        return item
    held = {term for column in columns(item.memory) for term in column}
    note = ", ".join(word for word, its in words if not held.isdisjoint(its))
    told = (replace(reason, note=note) if reason.name == "words" else reason for reason in reasons)
    return replace(item, score=Score(tuple(told)))


def _foreign(candidates: Iterable[Candidate], ask: Ask) -> list[Candidate]:
    """Each memory once, with its best match, without those that the asking session itself taught (F-17)."""
    best: dict[str, Candidate] = {}
    for candidate in candidates:
        memory = candidate.memory
        if ask.session and memory.provenance.session == ask.session:
            continue
        other = best.get(memory.id)
        if other is None or other.words < candidate.words:
            best[memory.id] = candidate
    return list(best.values())
