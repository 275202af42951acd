"""The strategy `doc05`: the documented product for scars, bands where kinds mix, and the three labels."""

import math
from datetime import timedelta

import pytest
from building import NOW, a_memory

from hindbrain.core.model import Kind, Memory
from hindbrain.core.recall import Ask, Candidate, Ranked, Recalled, rank
from hindbrain.core.recall.strategies.doc05 import choose, label

ASK = Ask(strategy="doc05", text="retry the deploy")


def made(name: str, kind: Kind = Kind.SCAR, *, days: float = 0, importance: int = 5) -> Memory:
    at = NOW - timedelta(days=days)
    return a_memory(name, id=f"mem-{name}", kind=kind, at=at, importance=importance, tags=(), file_refs=())


def near(name: str, similarity: float, kind: Kind = Kind.SCAR, *, days: float = 0, importance: int = 5) -> Candidate:
    return Candidate(memory=made(name, kind, days=days, importance=importance), similarity=similarity)


def only(candidate: Candidate) -> Recalled:
    (item,) = rank([candidate], ASK, now=NOW).items
    return item


def names(answer: Ranked) -> list[str]:
    return [item.id.removeprefix("mem-") for item in answer.items]


# G-4 HB-078 X-10
@pytest.mark.parametrize(
    ("similarity", "importance", "days", "expected"),
    [(0.8, 5, 0, 1.2), (0.8, 5, 365, 0.4415), (0.7, 9, 30, 1.2251), (0.9, 1, 700, 0.1455)],
)
def test_the_golden_table_of_scars(similarity: float, importance: int, days: int, expected: float) -> None:
    found = only(near("scar", similarity, importance=importance, days=days))

    assert round(found.score.total, 4) == expected
    assert found.score.total == pytest.approx(similarity * (1 + importance / 10) * math.exp(-days / 365), rel=1e-12)


# HB-063 HB-078
@pytest.mark.parametrize("kind", sorted(set(Kind) - {Kind.SCAR}))
def test_only_scars_are_weighted(kind: Kind) -> None:
    found = only(near("other", 0.8, kind, importance=10, days=900))

    assert [(r.name, r.value, r.weight) for r in found.reasons] == [("similarity", 0.8, 1.0)]


# HB-066 HB-079
def test_a_fresh_important_scar_passes_a_nearer_one_that_is_old_and_minor() -> None:
    old = near("old", 0.9, importance=1, days=700)
    fresh = near("fresh", 0.6, importance=9, days=3)

    assert names(rank([old, fresh], ASK, now=NOW)) == ["fresh", "old"]
    assert names(rank([near("old", 0.9), near("fresh", 0.6)], ASK, now=NOW)) == ["old", "fresh"]


#
def test_where_kinds_mix_the_band_of_similarity_goes_first() -> None:
    candidates = [
        near("great lesson", 0.76, Kind.LESSON),
        near("loud scar", 0.75, importance=10),
        near("good lesson", 0.70, Kind.LESSON),
        near("faded scar", 0.90, importance=0, days=1500),
        near("weak scar", 0.64, importance=10),
    ]

    answer = rank(candidates, ASK, now=NOW)

    assert names(answer) == ["great lesson", "faded scar", "loud scar", "good lesson", "weak scar"]
    totals = [item.score.total for item in answer.items]
    assert totals != sorted(totals, reverse=True)
    scars = [candidate for candidate in candidates if candidate.memory.kind is Kind.SCAR]
    assert names(rank(scars, ASK, now=NOW)) == ["loud scar", "weak scar", "faded scar"]


# HB-082 HB-083 HB-084
@pytest.mark.parametrize(
    ("similarity", "expected"),
    [
        (1.0, "highly relevant"),
        (0.76, "highly relevant"),
        (0.75, "relevant"),
        (0.1 + 0.65, "relevant"),
        (0.7, "relevant"),
        (0.65, "relevant"),
        (0.75 - 0.1, "relevant"),
        (0.64, "validate manually"),
        (0.0, "validate manually"),
        (-0.3, "validate manually"),
    ],
)
def test_how_far_a_match_is_to_be_relied_on(similarity: float, expected: str) -> None:
    assert label(similarity) == expected


# HB-084 X-21
def test_the_label_reads_the_raw_similarity_and_both_are_shown() -> None:
    found = only(near("scar", 0.64, importance=10))

    assert found.score.total == pytest.approx(1.28)
    assert [(r.name, r.value, r.weight, r.note) for r in found.reasons] == [
        ("similarity", 0.64, 1.0, "validate manually"),
        ("importance", 1.0, 0.64, "10 of 10"),
        ("age", 0.0, 1.28, "0 days"),
    ]


# HB-065 HB-066 HB-078 Q-01
@pytest.mark.parametrize(("limit", "fetched"), [(0, 20), (1, 20), (5, 20), (6, 24), (10, 40)])
def test_four_times_as_many_are_fetched_before_the_re_rank(limit: int, fetched: int) -> None:
    candidates = [near(f"{n:02}", 0.9 - n / 100, importance=0, days=600) for n in range(60)]
    last = candidates[fetched - 1].memory.id
    first_beyond = candidates[fetched].memory.id
    loud = [near(c.memory.title, c.similarity or 0, importance=10) for c in candidates]
    by_id = {c.memory.id: c for c in candidates} | {c.memory.id: c for c in loud if c.memory.id in (last, first_beyond)}

    ask = Ask(strategy="doc05", text="x", limit=limit)
    answer = rank(by_id.values(), ask, now=NOW)

    assert len(choose(list(by_id.values()), ask, now=NOW)) == fetched
    assert answer.left_out == fetched - limit
    assert not limit or answer.items[0].id == last


def test_words_stand_in_where_meaning_is_not_known_and_it_is_said() -> None:
    worded = Candidate(memory=made("worded", importance=0), words=3.0, share=0.9)
    known = near("known", 0.66, Kind.LESSON)
    apart = Candidate(memory=made("apart"))

    answer = rank([worded, known, apart], ASK, now=NOW)

    assert names(answer) == ["known", "worded"]
    assert answer.items[1].score.total == pytest.approx(0.9)
    assert answer.items[1].reasons[0].note == "by words: its meaning is not known, validate manually"


def test_without_a_question_the_newest_come_first() -> None:
    candidates = [Candidate(memory=made(f"{n}", days=n)) for n in (2, 0, 1)]

    assert names(rank(candidates, Ask(strategy="doc05"), now=NOW)) == ["0", "1", "2"]
