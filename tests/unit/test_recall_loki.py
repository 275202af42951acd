"""The strategy `loki`: three collections, their weights, and what is taken of each."""

from datetime import timedelta

import pytest
from building import NOW, a_memory

from hindbrain.core.model import Kind, Memory
from hindbrain.core.recall import Ask, Candidate, Ranked, rank
from hindbrain.core.recall.strategies.loki import LIMIT, Weights, choose

SUCCESS = {"outcome": "success"}
GOAL = Ask(strategy="loki", text="write tests")


def made(name: str, kind: Kind = Kind.PATTERN, *, days: float = 0, **given: object) -> Memory:
    plain: dict[str, object] = {"id": f"mem-{name}", "kind": kind, "tags": (), "file_refs": ()}
    return a_memory(name, at=NOW - timedelta(days=days), **(plain | given))


def near(name: str, similarity: float, kind: Kind = Kind.PATTERN, **given: object) -> Candidate:
    return Candidate(memory=made(name, kind, **given), similarity=similarity)  # type: ignore[arg-type]


def skill(name: str, content: str) -> Candidate:
    return Candidate(memory=made(name, Kind.SKILL, content=content))


def totals(answer: Ranked) -> dict[str, float]:
    return {item.id.removeprefix("mem-"): round(item.score.total, 9) for item in answer.items}


def names(answer: Ranked) -> list[str]:
    return list(totals(answer))


# LK-092 LK-091 X-10
def test_equal_matches_rank_semantic_before_episodic_before_skills() -> None:
    candidates = [
        skill("skill", "write tests"),
        near("failure", 1.0, Kind.EPISODE, body={"outcome": "failure"}),
        near("episode", 1.0, Kind.EPISODE, body=SUCCESS),
        near("pattern", 1.0),
    ]

    answer = rank(candidates, GOAL, now=NOW)

    assert list(totals(answer).items()) == [("pattern", 0.5), ("episode", 0.3), ("failure", 0.24), ("skill", 0.2)]


# LK-092 X-10
def test_the_golden_merge_of_three_collections() -> None:
    candidates = [
        near("handlers", 0.82, Kind.PATTERN),
        near("no-return-type", 0.64, Kind.ANTI_PATTERN),
        near("similar-endpoint", 0.9, Kind.EPISODE, body=SUCCESS),
        near("failed-endpoint", 0.95, Kind.EPISODE, body={"outcome": "failure"}),
        skill("test-writing", "first write, then run"),
        near("port", 0.3, Kind.FACT),
    ]

    assert list(totals(rank(candidates, GOAL, now=NOW)).items()) == [
        ("handlers", 0.41),
        ("no-return-type", 0.32),
        ("similar-endpoint", 0.27),
        ("failed-endpoint", 0.228),
        ("test-writing", 0.2),
    ]


# LK-087
def test_another_goal_has_other_answers() -> None:
    memories = [made("cache"), made("queue")]
    for goal, nearest in (("cache", 0), ("queue", 1)):
        similar = [0.8 if n == nearest else 0.2 for n in range(2)]
        candidates = [Candidate(memory=m, similarity=s) for m, s in zip(memories, similar, strict=True)]

        assert names(rank(candidates, Ask(strategy="loki", text=goal), now=NOW))[0] == goal


# LK-088
def test_at_most_five_semantic_memories_are_taken() -> None:
    patterns = [near(f"p{n:02}", 0.9 - n / 100) for n in range(20)]

    assert names(rank(patterns, Ask(strategy="loki", text="x", limit=20), now=NOW)) == [
        "p00",
        "p01",
        "p02",
        "p03",
        "p04",
    ]


# LK-089
def test_at_most_three_episodes_are_taken() -> None:
    episodes = [near(f"e{n}", 0.9 - n / 100, Kind.EPISODE, body=SUCCESS) for n in range(9)]

    assert names(rank([*episodes, near("far", 0.01)], GOAL, now=NOW)) == ["e0", "e1", "e2", "far"]


# LK-090 F-21 X-37
def test_a_success_is_preferred_and_a_failure_is_not_hidden() -> None:
    failed = near("failed", 0.80, Kind.EPISODE, body={"outcome": "failure"})
    partial = near("partial", 0.80, Kind.EPISODE, body={"outcome": "partial"}, days=1)
    succeeded = near("succeeded", 0.70, Kind.EPISODE, body=SUCCESS, days=90)

    assert names(rank([failed, partial, succeeded], GOAL, now=NOW)) == ["succeeded", "failed", "partial"]
    much_nearer = near("failed", 0.95, Kind.EPISODE, body={"outcome": "failure"})
    assert names(rank([much_nearer, succeeded], GOAL, now=NOW)) == ["failed", "succeeded"]


def test_what_is_taken_from_an_episode_without_success_is_said() -> None:
    answer = rank([near("run", 0.5, Kind.ITERATION)], GOAL, now=NOW)

    assert [(r.name, round(r.part, 9), r.note) for r in answer.items[0].reasons] == [
        ("similarity", 0.15, ""),
        ("no success", -0.03, "episodes that succeeded are preferred"),
    ]


# LK-091
@pytest.mark.parametrize(
    ("goal", "worth"), [("write tests", 0.2), ("write a cache", 0.1), ("deploy", None), ("?!", None)]
)
def test_skills_are_found_by_keyword_whatever_their_meaning(goal: str, worth: float | None) -> None:
    candidate = Candidate(memory=made("test-writing", Kind.SKILL), similarity=0.99)

    answer = rank([candidate], Ask(strategy="loki", text=goal), now=NOW)

    assert totals(answer) == ({} if worth is None else {"test-writing": worth})


def test_a_skill_says_which_words_found_it() -> None:
    answer = rank([skill("skill", "Tests first")], GOAL, now=NOW)

    assert [(r.name, r.value, r.weight, r.note) for r in answer.items[0].reasons] == [("words", 0.5, 0.2, "tests")]


# LK-093
@pytest.mark.parametrize(("asked", "given"), [(50, 5), (5, 5), (2, 2), (0, 0)])
def test_five_are_answered_at_most(asked: int, given: int) -> None:
    candidates = [near(f"p{n}", 0.5) for n in range(8)]
    candidates += [near(f"e{n}", 0.5, Kind.EPISODE, body=SUCCESS) for n in range(8)]
    candidates += [skill(f"s{n}", "tests") for n in range(8)]

    assert LIMIT == 5
    assert len(rank(candidates, Ask(strategy="loki", text="tests", limit=asked), now=NOW).items) == given


# LK-094
def test_of_two_equal_matches_the_newer_comes_first_and_is_the_one_taken() -> None:
    patterns = [near(f"p{n}", 0.7, days=n) for n in range(7, 0, -1)]
    episodes = [near(f"e{n}", 0.7, Kind.EPISODE, body=SUCCESS, days=n) for n in range(5, 0, -1)]

    assert names(rank(patterns, GOAL, now=NOW)) == ["p1", "p2", "p3", "p4", "p5"]
    assert names(rank(episodes, GOAL, now=NOW)) == ["e1", "e2", "e3"]


@pytest.mark.parametrize("kind", sorted(set(Kind) - {Kind.SKILL, Kind.EPISODE, Kind.ITERATION}))
def test_what_holds_beyond_one_run_is_semantic(kind: Kind) -> None:
    assert totals(rank([near("it", 0.6, kind)], GOAL, now=NOW)) == {"it": 0.3}


def test_words_stand_in_where_meaning_is_not_known_and_it_is_said() -> None:
    worded = Candidate(memory=made("worded"), words=3.0, share=0.4)
    apart = Candidate(memory=made("apart"))
    opposed = Candidate(memory=made("opposed"), words=3.0, share=0.4, similarity=-0.1)

    answer = rank([worded, apart, opposed], GOAL, now=NOW)

    assert totals(answer) == {"worded": 0.2}
    assert answer.items[0].reasons[0].note == "by words: its meaning is not known"


def test_without_a_goal_the_newest_are_told() -> None:
    candidates = [Candidate(memory=made(f"p{n}", days=n)) for n in range(4)]
    candidates += [Candidate(memory=made("skill", Kind.SKILL, days=0.5))]

    assert names(rank(candidates, Ask(strategy="loki"), now=NOW)) == ["p0", "skill", "p1", "p2", "p3"]


#
def test_a_kind_of_task_may_weigh_the_collections_itself() -> None:
    debugging = Weights(episodic=0.4, semantic=0.2, skills=0.0, anti_patterns=0.4)
    candidates = [
        near("pattern", 0.5),
        near("avoid", 0.6, Kind.ANTI_PATTERN),
        near("episode", 0.5, Kind.EPISODE, body=SUCCESS),
        skill("skill", "write tests"),
    ]

    chosen = choose(candidates, GOAL, now=NOW, weights=debugging)

    assert [(item.id, round(item.score.total, 9)) for item in chosen] == [
        ("mem-avoid", 0.24),
        ("mem-episode", 0.2),
        ("mem-pattern", 0.1),
    ]
