"""How memories are found by words: postings by project, scored by the arithmetic of `core.recall.bm25`."""

from collections import Counter
from collections.abc import Mapping, Sequence

from hindbrain.adapters.postgres.wire import Db
from hindbrain.core.model import Memory
from hindbrain.core.recall.bm25 import K1, B
from hindbrain.core.recall.index import WEIGHTS, columns, scope
from hindbrain.core.value import dataclass

# In the order of the question's words, and each step as Python does it: then equal memories have equal scores.
BEST = f"""
SELECT p.memory, p.size,
    sum(q.worth * p.often * {K1 + 1!r}::float8
        / (p.often + {K1!r}::float8 * ({1 - B!r}::float8 + {B!r}::float8 * p.size / %(average)s::float8))
        ORDER BY q.place) AS score
FROM unnest(%(terms)s::text[], %(worths)s::float8[]) WITH ORDINALITY AS q (term, worth, place)
JOIN posting p ON p.scope = ANY(%(scopes)s::int[]) AND p.term = q.term COLLATE "C"
GROUP BY p.memory, p.size
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a memory is found by."""

    often: Mapping[str, float]  # each term, by the weight of its place
    size: int  # in terms, where it lies included
    text: str  # all terms


def found_by(memory: Memory) -> Found:
    places = (scope(memory, 0), *columns(memory))
    often: dict[str, float] = {}
    for place, weight in zip(places[1:], WEIGHTS[1:], strict=True):
        for term in place:
            often[term] = often.get(term, 0.0) + weight
    return Found(often=often, size=sum(map(len, places)), text=" ".join(term for one in places[1:] for term in one))


class Index:
    """Changes of the word index, gathered so that a term that many memories share is written once."""

    def __init__(self) -> None:
        self._gone: list[tuple[int, int, list[str]]] = []
        self._come: list[tuple[int, int, int, list[str], list[float]]] = []
        self._holders: Counter[str] = Counter()
        self._memories = self._size = 0

    def remove(self, number: int, found: Found, *, scope: int) -> None:
        self._gone.append((scope, number, list(found.often)))
        self._count(found, -1)

    def add(self, number: int, found: Found, *, scope: int) -> None:
        self._come.append((scope, number, found.size, list(found.often), list(found.often.values())))
        self._count(found, 1)

    def _count(self, found: Found, step: int) -> None:
        self._memories += step
        self._size += step * found.size
        for term in found.often:
            self._holders[term] += step

    def write(self, db: Db) -> None:
        if not (self._gone or self._come):
            return
        run = db.cursor()
        if self._gone:
            run.executemany(
                "DELETE FROM posting WHERE scope = %s AND memory = %s AND term = ANY(%s::text[])", self._gone
            )
        if self._come:
            run.executemany(
                "INSERT INTO posting (scope, memory, size, term, often)"
                " SELECT %s, %s, %s, t, o FROM unnest(%s::text[], %s::float8[]) AS x (t, o)",
                self._come,
            )
        run.execute("UPDATE tally SET memories = memories + %s, size = size + %s", (self._memories, self._size))
        _write_holders(db, self._holders)


def _write_holders(db: Db, steps: Mapping[str, int]) -> None:
    more = {term: step for term, step in sorted(steps.items()) if step}
    if not more:
        return
    db.execute(
        "INSERT INTO term SELECT * FROM unnest(%s::text[], %s::bigint[])"
        " ON CONFLICT (term) DO UPDATE SET holders = term.holders + excluded.holders",
        (list(more), list(more.values())),
    )
    fewer = [term for term, step in more.items() if step < 0]
    if fewer:
        db.execute("DELETE FROM term WHERE term = ANY(%s::text[]) AND holders <= 0", (fewer,))


def askable(words: Sequence[str]) -> list[str]:
    return [word for word in words if "\0" not in word]
