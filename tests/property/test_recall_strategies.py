"""Laws of the documented strategies `loki` and `doc05`, whatever the candidates are."""

import math
from datetime import timedelta
from itertools import pairwise
from random import Random
from typing import Any

from building import NOW, a_memory
from hypothesis import given, settings
from hypothesis import strategies as st

from hindbrain.core.model import Kind
from hindbrain.core.recall import Ask, Candidate, Recalled, rank
from hindbrain.core.recall.strategies.doc05 import choose, label
from hindbrain.core.recall.strategies.loki import LIMIT
from hindbrain.core.value import replace

patient = settings(deadline=None)  # how fast the machine is proves nothing
PLAIN = a_memory("Retry the deploy", tags=(), file_refs=())
LABELS = ("validate manually", "relevant", "highly relevant")


def candidates(*, kinds: tuple[Kind, ...] = tuple(Kind)) -> st.SearchStrategy[list[Candidate]]:
    drawn = st.tuples(
        st.sampled_from(kinds),
        st.integers(-100, 50_000),  # hours
        st.integers(0, 10),
        st.sampled_from(["success", "failure", "partial"]),
        st.just(0.0) | st.floats(0.01, 1),
        st.none() | st.floats(-1, 1),
    )
    return st.lists(drawn, max_size=26).map(lambda rows: [made(number, *row) for number, row in enumerate(rows)])


def made(number: int, *drawn: Any) -> Candidate:
    kind, hours, importance, outcome, share, similarity = drawn
    memory = replace(
        PLAIN,
        id=f"mem-{number:04}",
        kind=kind,
        learned_at=NOW - timedelta(hours=hours),
        importance=importance,
        body={"outcome": outcome},
    )
    return Candidate(memory=memory, words=20 * share, share=share, similarity=similarity)


def found(pool: list[Candidate], strategy: str, *, limit: int = 99) -> tuple[Recalled, ...]:
    return rank(pool, Ask(strategy=strategy, text="retry it", limit=limit), now=NOW).items


@patient
@given(candidates(), st.sampled_from(["loki", "doc05"]), st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_does_not_matter(pool: list[Candidate], strategy: str, chance: Random) -> None:
    shuffled = list(pool)
    chance.shuffle(shuffled)

    assert found(shuffled, strategy) == found(pool, strategy)


# LK-088 LK-089 LK-092 LK-093
@patient
@given(candidates())
def test_loki_answers_five_of_which_three_are_episodes_and_none_counts_over_its_weight(pool: list[Candidate]) -> None:
    items = found(pool, "loki")
    weights = {Kind.EPISODE: 0.3, Kind.ITERATION: 0.3, Kind.SKILL: 0.2}

    assert len(items) <= LIMIT
    assert sum(item.memory.kind in (Kind.EPISODE, Kind.ITERATION) for item in items) <= 3
    assert all(0 <= item.score.total <= weights.get(item.memory.kind, 0.5) + 1e-9 for item in items)


# LK-094
@patient
@given(candidates(kinds=(Kind.PATTERN, Kind.FACT)))
def test_loki_leaves_out_nothing_nearer_than_what_it_answers(pool: list[Candidate]) -> None:
    similar = [replace(candidate, similarity=round(abs(candidate.similarity or 0.5), 1)) for candidate in pool]
    near = [candidate for candidate in similar if candidate.similarity]
    wanted = sorted(near, key=lambda c: (c.similarity, c.memory.learned_at, c.memory.id), reverse=True)

    assert [item.id for item in found(similar, "loki")] == [c.memory.id for c in wanted[:LIMIT]]


# HB-078
@patient
@given(candidates())
def test_the_reasons_of_a_scar_add_up_to_the_product(pool: list[Candidate]) -> None:
    for item in found(pool, "doc05"):
        raw = item.reasons[0].value
        days = max(NOW - item.memory.learned_at, timedelta(0)) / timedelta(days=1)
        product = raw * (1 + item.memory.importance / 10) * math.exp(-days / 365)
        expected = product if item.memory.kind is Kind.SCAR else raw

        assert 0 <= raw <= 1
        assert math.isclose(item.score.total, expected, rel_tol=1e-9, abs_tol=1e-12)
        assert 0 <= item.score.total + 1e-12 <= 2 * raw + 1e-9


#
@patient
@given(candidates())
def test_a_mixed_answer_never_puts_a_lower_label_before_a_higher(pool: list[Candidate]) -> None:
    known = [candidate for candidate in pool if candidate.similarity is not None]
    items = found(known, "doc05")
    bands = [LABELS.index(label(item.similarity or 0.0)) for item in items]
    is_mixed = len({item.memory.kind is Kind.SCAR for item in items}) > 1

    if is_mixed:
        assert all(one >= two for one, two in pairwise(bands))
    else:
        assert all(one.score.total >= two.score.total - 1e-9 for one, two in pairwise(items))


# HB-065 Q-01
@patient
@given(candidates(), st.integers(0, 8))
def test_the_re_rank_sees_only_the_most_similar(pool: list[Candidate], limit: int) -> None:
    known = [replace(candidate, similarity=abs(candidate.similarity or 0.5)) for candidate in pool]
    chosen = choose(known, Ask(strategy="doc05", text="retry it", limit=limit), now=NOW)
    ids = {item.id for item in chosen}
    left = [candidate.similarity or 0.0 for candidate in known if candidate.memory.id not in ids]

    assert len(chosen) <= max(20, 4 * limit)
    assert all((item.similarity or 0.0) >= max(left, default=0.0) - 1e-9 for item in chosen)


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_more_similar_is_never_labelled_lower(one: float, other: float) -> None:
    low, high = sorted((one, other))

    assert LABELS.index(label(low)) <= LABELS.index(label(high))
