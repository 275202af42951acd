"""What an agent is told before a task: what worked, what to avoid, which skills apply."""

from datetime import timedelta
from typing import Any

import pytest
from building import NOW, a_memory, keep

from hindbrain.app.before import Upcoming, before_task
from hindbrain.app.tools import Tools
from hindbrain.core.model import Kind, Memory
from hindbrain.core.recall.ask import Ask, Candidate
from hindbrain.core.recall.strategies.loki import BY_TASK, USUAL, choose
from hindbrain.core.value import replace
from hindbrain.errors import BadValue


def a_pattern(name: str, text: str, **given: Any) -> Memory:
    return a_memory(text, id=name, kind=Kind.PATTERN, **given)


def an_episode(name: str, text: str, outcome: str) -> Memory:
    context = {"goal": text}
    return a_memory(text, id=name, kind=Kind.EPISODE, body={"outcome": outcome, "context": context})


def ids(found: Any) -> list[str]:
    return [one.id for one in found]


def ask(tools: Tools, goal: str, **more: str) -> Any:
    return before_task(Upcoming(goal=goal, **more), project="prj-one", tools=tools)


def test_the_three_keys_of_the_document_are_filled(tools: Tools) -> None:
    # LK-097, LK-098, LK-099, LK-091
    skill = a_memory(
        "# Skill: Test writing\n\nwrite tests first", id="skl", title="Test writing", kind=Kind.SKILL, trust=4
    )
    warning = a_memory(
        "Fails: tests that share a database\nInstead: one schema for each worker",
        id="ant",
        kind=Kind.ANTI_PATTERN,
        body={"prevention": "one schema for each worker", "actions": ["run_test"]},
    )
    keep(tools.store, a_pattern("pat", "Write tests against the contract of the store"), skill, warning)
    told = ask(tools, "write tests", type="implementation")
    context = told.context()
    assert context["relevant_patterns"][0] == "Write tests against the contract of the store"
    assert context["avoid_these"] == ["Fails: tests that share a database Instead: one schema for each worker"]
    assert context["applicable_skills"] == ["Test writing"]
    for heading in ("## Relevant patterns", "## Avoid these", "## Applicable skills"):
        assert heading in told.text


def test_another_goal_brings_other_memories(tools: Tools) -> None:
    # LK-087
    keep(tools.store, a_pattern("a", "Redis locks expire after a minute"), a_pattern("b", "The parser is recursive"))
    assert ids(ask(tools, "redis locks").relevant) == ["a"]
    assert ids(ask(tools, "the recursive parser").relevant) == ["b"]


def test_five_are_told_at_most_and_of_episodes_three(tools: Tools) -> None:
    # LK-088, LK-089, LK-093
    keep(tools.store, *(a_pattern(f"p{n:02}", f"Redis locks expire, case {n}") for n in range(20)))
    assert len(ask(tools, "redis locks").relevant) == 5
    keep(tools.store, *(an_episode(f"e{n:02}", f"Parser rewritten, try {n}", "success") for n in range(9)))
    assert len(ask(tools, "parser rewritten").relevant) == 3


def test_failures_stand_under_what_to_avoid_and_successes_do_not(tools: Tools) -> None:
    # X-37, LK-090, F-21
    keep(
        tools.store,
        an_episode("good", "Rewrite the parser by hand", "success"),
        an_episode("bad", "Rewrite the parser with a generator", "failure"),
        an_episode("half", "Rewrite the parser in two steps", "partial"),
    )
    told = ask(tools, "rewrite the parser")
    assert ids(told.relevant) == ["good", "half"]
    assert ids(told.avoid) == ["bad"]


def test_a_warning_met_in_the_same_kind_of_action_is_told_first(tools: Tools) -> None:
    # LK-096
    for name, action in (("build", "run_build"), ("tests", "run_test")):
        body = {"actions": [action]}
        keep(
            tools.store,
            a_memory(f"Fails: the database is locked in {name}", id=name, kind=Kind.ANTI_PATTERN, body=body),
        )
    assert ids(ask(tools, "database is locked", action="run_test").avoid)[0] == "tests"
    assert ids(ask(tools, "database is locked", action="run_build").avoid)[0] == "build"


def test_a_retrieval_is_recorded_before_any_task_even_where_nothing_is_known(tools: Tools) -> None:
    # LK-095
    assert ask(tools, "anything at all").text == ""
    assert [one.name for one in tools.store.events()] == ["memories_retrieved"]
    keep(tools.store, a_pattern("a", "Redis locks expire after a minute"))
    told = ask(tools, "redis locks", session="s")
    (shown,) = tools.store.injections("a")
    assert (shown.id, shown.moment, shown.session) == (told.injection_id, "task", "s")
    assert [one.name for one in tools.store.events()][-1] == "memories_retrieved"


def test_what_is_not_trusted_is_not_told(tools: Tools) -> None:
    keep(tools.store, *(a_pattern(f"p{level}", f"Redis locks expire, {level}", trust=level) for level in range(4)))
    assert sorted(ids(ask(tools, "redis locks").relevant)) == ["p2", "p3"]


def test_equal_matches_rank_semantic_before_episodic_before_skills_and_the_newer_first() -> None:
    # LK-092, LK-094
    memory = a_memory("redis locks")
    kinds = (Kind.SKILL, Kind.EPISODE, Kind.PATTERN)
    found = [
        Candidate(memory=replace(memory, id=str(kind), kind=kind, body={"outcome": "success"}), words=1, similarity=1.0)
        for kind in kinds
    ]
    newer = Candidate(
        memory=replace(memory, id="newer", kind=Kind.PATTERN, learned_at=NOW + timedelta(days=1)),
        words=1,
        similarity=1.0,
    )
    order = choose([*found, newer], Ask(text="redis locks", strategy="loki"), now=NOW)
    assert ids(order) == ["newer", "pattern", "episode", "skill"]


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("exploration", (0.6, 0.3, 0.1, 0.0)),
        ("implementation", (0.15, 0.5, 0.35, 0.0)),
        ("debugging", (0.4, 0.2, 0.0, 0.4)),
        ("review", (0.3, 0.5, 0.0, 0.2)),
        ("refactoring", (0.25, 0.45, 0.3, 0.0)),
    ],
)
def test_a_kind_of_task_has_its_own_weights(name: str, weights: tuple[float, ...]) -> None:
    #
    known = BY_TASK[name]
    assert (known.episodic, known.semantic, known.skills, known.anti_patterns) == weights
    assert (USUAL.semantic, USUAL.episodic, USUAL.skills) == (0.5, 0.3, 0.2)


def test_debugging_puts_experience_before_patterns(tools: Tools) -> None:
    #
    keep(tools.store, a_pattern("pat", "redis lock timeout"), an_episode("ep", "redis lock timeout", "success"))
    assert ids(ask(tools, "redis lock timeout", type="debugging").relevant) == ["ep", "pat"]
    assert ids(ask(tools, "redis lock timeout").relevant) == ["pat", "ep"]


def test_a_type_of_task_that_nobody_knows_is_refused(tools: Tools) -> None:
    with pytest.raises(BadValue):
        ask(tools, "x", type="napping")
