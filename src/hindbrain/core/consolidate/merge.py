"""Whether a pattern is known already, what new evidence makes of it, and how two patterns are tied."""

from collections.abc import Iterator, Sequence

from hindbrain.core.consolidate.generalise import Pattern, agreement, confidence
from hindbrain.core.model.link import Relation
from hindbrain.core.model.memory import Memory
from hindbrain.core.same import wording
from hindbrain.core.value import dataclass, replace

SIMILAR = 0.8  # from which a known pattern is the same one
MOST_LINKS = 10  # to other patterns
_RELATED = (0.3, 0.8)  # similarity of patterns that are worth a link
_TEXT, _CATEGORY, _CONDITIONS = 0.5, 0.3, 0.2
_OTHER_WAY = 0.2  # agreement of two repairs of one error below which they contradict each other


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A pattern that is in the store."""

    memory_id: str
    pattern: Pattern


def read(memory: Memory) -> Known:
    body = memory.body
    told = {name: str(body.get(name) or "") for name in ("correct_approach", "incorrect_approach", "category")}
    cohesion = body.get("cohesion")
    pattern = Pattern(
        text=memory.content,
        category=told["category"],
        conditions=_texts(body.get("conditions")),
        correct=told["correct_approach"],
        incorrect=told["incorrect_approach"],
        cohesion=float(cohesion) if isinstance(cohesion, int | float) else 1.0,
        sources=_texts(body.get("source_episodes")),
        files=memory.file_refs,
        signature=memory.error_signature or "",
    )
    return Known(memory_id=memory.id, pattern=pattern)


def body_of(pattern: Pattern) -> dict[str, object]:
    """The document's schema (LK-043 to LK-050); usage is counted beside it, as for every memory."""
    return {
        "category": pattern.category,
        "conditions": list(pattern.conditions),
        "correct_approach": pattern.correct,
        "incorrect_approach": pattern.incorrect,
        "source_episodes": list(pattern.sources),
        "cohesion": pattern.cohesion,
    }


def similarity(one: Pattern, other: Pattern) -> float:
    """0..1; of patterns about two different errors 0."""
    if one.signature != other.signature and one.signature and other.signature:
        return 0.0
    here, there = set(one.conditions), set(other.conditions)
    conditions = len(here & there) / len(here | there) if here | there else 1.0
    same = one.category == other.category
    return _TEXT * wording(one.text, other.text) + _CATEGORY * same + _CONDITIONS * conditions


def find_similar(pattern: Pattern, known: Sequence[Known]) -> Known | None:
    """The known one that says the same; of several the most similar, then the one with the smaller id."""
    scored = [(-similarity(pattern, one.pattern), one.memory_id, one) for one in known]
    best = min(scored, default=None, key=lambda found: found[:2])
    return best[2] if best and -best[0] >= SIMILAR else None


def strengthened(known: Pattern, new: Pattern) -> Pattern:
    """`known` with the episodes of `new`. Without new ones it is as it was, however often it is asked (F-18)."""
    fresh = tuple(one for one in new.sources if one not in known.sources)
    if not fresh:
        return known
    share = len(fresh) / (len(fresh) + len(known.sources))
    cohesion = round(known.cohesion * (1 - share) + new.cohesion * share, 3)
    return replace(known, sources=(*known.sources, *fresh), cohesion=cohesion)


def recalculated(known: Pattern, before: float) -> float:
    """More evidence never makes a pattern less likely."""
    return max(before, confidence(len(known.sources), known.cohesion))


def ties(pattern: Pattern, others: Sequence[Known]) -> Iterator[tuple[str, Relation]]:
    """Other patterns that this one has to do with, the nearest first, ten at most (Q-13)."""
    near = sorted(((_relation(pattern, one.pattern), one.memory_id) for one in others), key=_nearest)
    found = ((memory_id, relation) for (relation, _), memory_id in near if relation is not None)
    yield from list(found)[:MOST_LINKS]


def _relation(one: Pattern, other: Pattern) -> tuple[Relation | None, float]:
    alike = similarity(one, other)
    if one.signature and one.signature == other.signature and agreement(one.correct, other.correct) < _OTHER_WAY:
        return Relation.CONTRADICTS, 1.0
    low, high = _RELATED
    return (Relation.RELATED_TO if low <= alike < high and _is_about_same(one, other) else None), alike


def _is_about_same(one: Pattern, other: Pattern) -> bool:
    """The same category alone is 0.3 already, and says nothing."""
    return bool(set(one.files) & set(other.files)) or wording(one.text, other.text) >= _RELATED[0]


def _nearest(found: tuple[tuple[Relation | None, float], str]) -> tuple[float, str]:
    return (-found[0][1], found[1])


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, list | tuple) else ()
