"""Chorus tags in an agent's prose."""

import pytest

from hindbrain.core.signals import Reach, Refusal, Signal, find


def signals(text: str) -> list[tuple[str, str]]:
    return [(item.name, item.text) for item in find(text) if isinstance(item, Signal)]


def reasons(text: str) -> list[str]:
    return [item.reason for item in find(text) if isinstance(item, Refusal)]


# CH-069 CH-089
def test_a_local_learning_stays_with_its_persona():
    (item,) = find("<chorus>LEARNING_LOCAL:Use batch inserts</chorus>")

    assert item == Signal(
        form="chorus", name="LEARNING_LOCAL", type="", text="Use batch inserts", reach=Reach.LOCAL, line=1
    )


# CH-070
def test_a_global_learning_is_shared_in_the_project():
    (item,) = find("<chorus>LEARNING_GLOBAL:All APIs need rate limiting</chorus>")

    assert isinstance(item, Signal)
    assert (item.name, item.reach) == ("LEARNING_GLOBAL", Reach.SHARED)


# CH-072
def test_the_three_documented_examples_are_learnings_when_an_agent_says_them():
    said = """
# Agent discovers a local optimization
<chorus>LEARNING_LOCAL:Use batch inserts for this table, 10x faster</chorus>

# Agent discovers something that affects the whole project
<chorus>LEARNING_GLOBAL:All API endpoints require rate limiting middleware</chorus>

# Agent discovers an architectural pattern
<chorus>LEARNING_GLOBAL:XState v5 actor model is preferred for state management</chorus>
"""

    assert [name for name, _ in signals(said)] == ["LEARNING_LOCAL", "LEARNING_GLOBAL", "LEARNING_GLOBAL"]
    assert len(find(said)) == 3
    assert [item.line for item in find(said)] == [3, 6, 9]


# CH-072 DX-113: the same block in a fence is only shown
def test_the_documented_examples_in_a_fence_teach_nothing():
    said = "```text\n<chorus>LEARNING_LOCAL:Use batch inserts for this table, 10x faster</chorus>\n```"

    assert signals(said) == []
    assert reasons(said) == ["fenced"]


# CH-088
def test_two_tags_on_a_line_are_two_learnings():
    said = "<chorus>LEARNING_LOCAL:one</chorus> and <chorus>LEARNING_GLOBAL:two</chorus>"

    assert signals(said) == [("LEARNING_LOCAL", "one"), ("LEARNING_GLOBAL", "two")]


# CH-090
def test_a_learning_is_trimmed_and_keeps_its_case():
    assert signals("<chorus>LEARNING_LOCAL:  Use XState V5 \n</chorus>") == [("LEARNING_LOCAL", "Use XState V5")]


# F-02
def test_a_learning_may_run_over_several_lines():
    said = "<chorus>\nLEARNING_LOCAL: first line\r\nsecond line\n</chorus>"

    assert signals(said) == [("LEARNING_LOCAL", "first line\nsecond line")]


# CH-061
@pytest.mark.parametrize("name", ["PROGRESS:50", "COMPLETE", "BLOCKED:no key", "NEEDS_HELP:x", "RESOLVED:y"])
def test_other_chorus_signals_are_neither_learnings_nor_refused(name):
    assert find(f"<chorus>{name}</chorus>") == ()


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("<chorus>LEARNING_LOCAL:never closed", "unclosed"),
        ("<chorus>LEARNING_LOCAL: </chorus>", "empty"),
        ("<chorus>LEARNING_LOCAL</chorus>", "empty"),
        ("<chorus>LEARNING_TEAM:x y</chorus>", "unknown_type"),
        ("<chorus>learning_local:x y</chorus>", "unknown_type"),
        ("<chorus>LEARNING_LOCAL:content</chorus>", "example"),
        ("<chorus>LEARNING_GLOBAL:…</chorus>", "example"),
        (f"<chorus>LEARNING_LOCAL:{'x' * 2001}</chorus>", "too_long"),
        (f"<chorus>LEARNING_LOCAL:{'x ' * 40_000}</chorus>", "too_long"),
    ],
)
def test_a_faulty_tag_is_refused_with_its_reason(said, reason):
    (item,) = find(said)

    assert isinstance(item, Refusal)
    assert item.reason == reason
    assert len(item.text) <= 500
    assert item.detail.endswith(".")


def test_a_tag_that_opens_inside_another_leaves_the_first_unclosed():
    said = "<chorus>LEARNING_LOCAL:lost <chorus>LEARNING_GLOBAL:kept</chorus>"

    assert reasons(said) == ["unclosed"]
    assert signals(said) == [("LEARNING_GLOBAL", "kept")]


def test_a_learning_may_contain_code_and_a_shown_closing_tag():
    said = "<chorus>LEARNING_LOCAL:Write `</chorus>` only at the end of `run()`</chorus>"

    assert signals(said) == [("LEARNING_LOCAL", "Write `</chorus>` only at the end of `run()`")]


def test_a_memory_mark_inside_a_learning_belongs_to_the_learning():
    assert signals("<chorus>LEARNING_LOCAL:say MEMORY:fix:x in prose</chorus>") == [
        ("LEARNING_LOCAL", "say MEMORY:fix:x in prose")
    ]
    assert len(find("<chorus>LEARNING_LOCAL:say MEMORY:fix:x in prose</chorus>")) == 1
