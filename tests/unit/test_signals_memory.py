"""Dex memory lines in an agent's prose."""

import pytest

from hindbrain.core.signals import Reach, Refusal, Signal, find

TYPES = ["architecture", "dependency", "decision", "constraint", "pattern", "convention", "pitfall", "fix"]


def memories(text: str) -> list[tuple[str, str]]:
    return [(item.type, item.text) for item in find(text) if isinstance(item, Signal)]


# DX-040 DX-041 DX-042 DX-043 DX-044 DX-045 DX-046 DX-047
@pytest.mark.parametrize("kind", TYPES)
def test_each_of_the_eight_types_is_a_memory_for_the_project(kind):
    assert find(f"MEMORY:{kind}:Some statement") == (
        Signal(form="memory", name="MEMORY", type=kind, text="Some statement", reach=Reach.SHARED, line=1),
    )


# DX-049
def test_three_lines_are_three_memories():
    said = """
MEMORY:pattern:Tests use testify/assert, not standard library
MEMORY:pitfall:session.Worktree can be empty string if not initialized
MEMORY:decision:Using mutex over channel for simplicity in Manager
"""

    assert memories(said) == [
        ("pattern", "Tests use testify/assert, not standard library"),
        ("pitfall", "session.Worktree can be empty string if not initialized"),
        ("decision", "Using mutex over channel for simplicity in Manager"),
    ]
    assert [item.line for item in find(said)] == [2, 3, 4]


# DX-050
@pytest.mark.parametrize("lead", ["note: ", "- ", "1. ", "(", "   ", "* "])
def test_other_text_may_stand_before_the_mark(lead):
    assert memories(f"{lead}MEMORY:pattern:x is so") == [("pattern", "x is so")]


# DX-051
def test_colons_in_the_content_are_kept():
    assert memories("MEMORY:fix:Nil in Start(): check X") == [("fix", "Nil in Start(): check X")]


# DX-052
def test_type_and_content_are_trimmed():
    assert memories("MEMORY: pattern :  x  ") == [("pattern", "x")]


# DX-048 DX-053 DX-054
@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("MEMORY:foo:bar", "unknown_type"),
        ("MEMORY:Pattern:x", "unknown_type"),
        ("MEMORY:FIX:x", "unknown_type"),
        ("MEMORY::x", "unknown_type"),
        ("MEMORY:whatever", "unknown_type"),
        ("MEMORY:pattern", "empty"),
        ("MEMORY:fix:", "empty"),
        ("MEMORY:fix:   \nnext line", "empty"),
        ("MEMORY:<type>:<content>", "example"),
        ("MEMORY:type:content", "example"),
        ("MEMORY:fix:content", "example"),
        ("MEMORY:fix:...", "example"),
        ("MEMORY:fix:<what you learned>", "example"),
        (f"MEMORY:fix:{'y' * 2001}", "too_long"),
    ],
)
def test_a_faulty_line_is_refused_with_its_reason(said, reason):
    (item,) = find(said)

    assert isinstance(item, Refusal)
    assert item.reason == reason


def test_a_refused_type_is_named_beside_the_known_ones():
    (item,) = find("MEMORY:lesson:x")

    assert isinstance(item, Refusal)
    assert "`lesson`" in item.detail
    assert "pitfall" in item.detail


# DX-054
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_content_ends_with_its_line(end):
    assert memories(f"MEMORY:fix:one{end}two") == [("fix", "one")]


# DX-054
def test_a_second_memory_in_the_line_is_a_second_memory():
    assert memories("MEMORY:fix:one MEMORY:pattern:two") == [("fix", "one"), ("pattern", "two")]


def test_a_second_mark_without_a_known_type_is_content():
    found = find("MEMORY:fix:clear the MEMORY:limit setting")

    assert [item.text for item in found if isinstance(item, Signal)] == ["clear the MEMORY:limit setting"]


@pytest.mark.parametrize("word", ["XMEMORY:fix:a", "_MEMORY:fix:a", "IN-MEMORY:fix:a", "9MEMORY:fix:a"])
def test_the_mark_must_be_a_word_of_its_own(word):
    assert find(word) == ()


def test_emphasis_around_a_memory_is_not_content():
    assert memories("**MEMORY:fix:Pin the version**") == [("fix", "Pin the version")]
    assert memories("**MEMORY:fix:** Pin the version") == [("fix", "Pin the version")]


def test_content_keeps_its_inline_code():
    assert memories("MEMORY:fix:Call `close()` before `open()`") == [("fix", "Call `close()` before `open()`")]


def test_a_memory_ends_where_a_tag_opens():
    found = find("MEMORY:fix:one <chorus>COMPLETE</chorus>")

    assert [item.text for item in found] == ["one"]


# DX-113
def test_the_instructions_that_an_agent_repeats_are_not_memories():
    said = """## Recording Learnings

When you discover something important about this project, record it:

MEMORY:pattern:How this codebase does something specific
MEMORY:pitfall:Something that doesn't work or is a gotcha
MEMORY:decision:Why a choice was made
MEMORY:fix:Solution to a problem

Only record genuinely useful learnings that would help future tasks.
Keep memories concise (1-2 sentences) and actionable.
"""

    found = find(said)

    assert [item.reason for item in found if isinstance(item, Refusal)] == ["example"] * 4
    assert memories(said) == []


def test_a_flood_is_cut_with_one_last_refusal():
    found = find("MEMORY:fix:a\n" * 15_000)

    assert len(found) == 10_001
    last = found[-1]
    assert isinstance(last, Refusal)
    assert last.reason == "too_many"


@pytest.mark.parametrize(
    ("line", "content"),
    [
        ("(MEMORY:fix:restart the worker)", "restart the worker"),
        ("[MEMORY:fix:restart the worker]", "restart the worker"),
        ("(MEMORY:fix:call start() (twice))", "call start() (twice)"),
        ("MEMORY:fix:call start()", "call start()"),
    ],
)
def test_a_bracket_around_the_signal_is_not_part_of_it(line, content):
    (signal,) = find(line)

    assert signal.text == content


#
@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("MEMORY: none — only a typo was fixed", "only a typo was fixed"),
        ("MEMORY:none: only a typo was fixed", "only a typo was fixed"),
        ("LEARNED: none — only a typo was fixed", "only a typo was fixed"),
        ("MEMORY: none", "no reason given"),
    ],
)
def test_who_declines_is_believed_and_nothing_is_kept(said, why):
    (item,) = find(said)

    assert isinstance(item, Refusal)
    assert item.reason == "none_declared" and why in item.detail


#
@pytest.mark.parametrize("said", ["`MEMORY: none — x`", "> LEARNED: none — x", "MEMORY: none of it works"])
def test_a_quotation_and_a_sentence_decline_nothing(said):
    assert [item.reason for item in find(said) if isinstance(item, Refusal)] not in ([], ["none_declared"])
