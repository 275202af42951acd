"""Whether an agent may stop: who is asked, what counts as teaching, and what is said to one that is held."""

import json
from pathlib import Path

import pytest
from speaking import spoken

from hindbrain.core.enforce import MOST_HOLDS, Conduct, Ruling, Stance, conduct, reminder, request, ruling, stance
from hindbrain.core.signals import Signal, find, find_in_command
from hindbrain.core.transcripts import read

GOLDEN = (
    Path(__file__).resolve().parents[2].parent / "shared/samples/beads/golden/validate-completion.6d7ab9e.golden.json"
)
SEEN = "Let me look."


def seen(*said: str, last_words: str = "", **more: object) -> Conduct:
    return conduct(read(spoken(*said, **more), "claude"), last_words=last_words)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("setting", "beads", "agent_type", "expected"),
    [
        ("", True, "react-supervisor", Stance.BLOCK),  # BD-042 BD-062
        ("", True, "worker-supervisor", Stance.OFF),  # BD-044
        ("", True, "scout", Stance.OFF),  # BD-045
        ("", True, "", Stance.OFF),
        ("", False, "react-supervisor", Stance.NUDGE),
        ("", False, "general-purpose", Stance.NUDGE),
        ("", False, "", Stance.NUDGE),
        ("block", False, "general-purpose", Stance.BLOCK),
        ("block", True, "scout", Stance.OFF),
        ("block", True, "worker-supervisor", Stance.OFF),
        ("nudge", True, "react-supervisor", Stance.NUDGE),
        ("off", True, "react-supervisor", Stance.OFF),
        ("off", False, "", Stance.OFF),
    ],
)
def test_who_is_asked_and_how_firmly(setting: str, beads: bool, agent_type: str, expected: Stance) -> None:
    assert stance(setting, is_beads=beads, agent_type=agent_type) is expected


def test_commands_and_edits_are_work_and_talk_is_not() -> None:
    assert seen(SEEN) == Conduct()
    assert seen(SEEN, commands=("make test",)).has_worked
    edited = seen(SEEN, edited=True)
    assert edited.has_worked and edited.has_edited


@pytest.mark.parametrize(
    "command",
    [
        'bd comment BD-1 "LEARNED: TaskGroup requires sendable closures"',
        'cd .worktrees/bd-1 && bd comment BD-1 "LEARNED: TaskGroup requires sendable closures"',  # F-27
        'bd comments add BD-1 "INVESTIGATION: the feed is nil in Adapter.swift:45"',  # BD-012
    ],
)
def test_a_real_comment_teaches(command: str) -> None:
    assert seen("done", commands=(command,)).has_taught


def test_a_signal_in_the_agents_text_teaches_also_when_it_came_last() -> None:
    assert seen("MEMORY:pitfall:The lock expires after 30s").has_taught
    assert seen(SEEN, last_words="MEMORY:pitfall:The lock expires after 30s").has_taught


@pytest.mark.parametrize(
    "said",
    [
        "LEARNED: said it in prose only",  # BD-047
        "I should write a LEARNED: comment",
        "> MEMORY:fix:quoted from a file",
        "```\nMEMORY:fix:shown in a block\n```",
        request(is_beads=True),
        request(is_beads=False),
        reminder(is_beads=True),
        reminder(is_beads=False),
    ],
)
def test_the_word_in_prose_and_our_own_request_teach_and_decline_nothing(said: str) -> None:
    for conduct_ in (seen(said, commands=("ls",)), seen(SEEN, last_words=said, commands=("ls",))):
        assert not conduct_.has_taught and not conduct_.declined
    assert not [found for found in (*find(said), *find_in_command(said)) if isinstance(found, Signal)]


def test_what_the_agent_had_read_is_no_lesson_of_its_own() -> None:
    line = "MEMORY:pitfall:The lock expires after 30 seconds in production"
    assert not seen(line, prompt=f"Please repeat this: {line}").has_taught


@pytest.mark.parametrize(
    "more",
    [
        {"commands": ('bd comment BD-1 "LEARNED: none — a rename, nothing to know"',)},
        {"said": "MEMORY: none — a rename, nothing to know"},
        {"said": "LEARNED: none — a rename, nothing to know"},
        {"said": "Done.\n\n- **MEMORY: none — a rename, nothing to know**"},
        {"last_words": "MEMORY:none: a rename, nothing to know"},
    ],
)
def test_an_agent_may_decline_with_a_reason(more: dict[str, object]) -> None:
    said = str(more.pop("said", SEEN))
    assert seen(said, **more).declined == "a rename, nothing to know"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "said",
    [
        "MEMORY: none",
        "LEARNED: none",
        "MEMORY: none — …",
        "MEMORY: none — <reason>",
        "MEMORY: none — reason",
        "`MEMORY: none — shown, not said`",
        "MEMORY: nonexistent files are ignored",
        "> LEARNED: none — quoted",
    ],
)
def test_without_a_reason_it_has_not_declined(said: str) -> None:
    assert seen(said, last_words=said).declined == ""


def test_a_command_that_only_prints_the_words_declines_nothing() -> None:
    assert seen(SEEN, commands=("echo 'LEARNED: none — trivial'",)).declined == ""
    assert conduct(read(spoken(SEEN, prompt="LEARNED: none — says the prompt"), "claude")).declined == ""


def test_an_agent_is_held_twice_and_then_let_go() -> None:  # Q-23 BD-046 F-27
    worked = Conduct(has_worked=True)
    rulings = [ruling(worked, Stance.BLOCK, holds=holds) for holds in range(4)]
    assert rulings == [Ruling.HOLD, Ruling.HOLD, Ruling.WAIVED, Ruling.WAIVED] and MOST_HOLDS == 2


def test_the_wording_begins_as_beads_does_and_names_the_way_out() -> None:  # BD-042 X-18
    text = request(is_beads=True)
    assert text.startswith("Work verification failed: no LEARNED comment.\n\n")
    assert 'bd comment {BEAD_ID} "LEARNED: ' in text and "LEARNED: none — " in text
    assert "MEMORY:pitfall:" in request(is_beads=False) and "MEMORY: none — " in request(is_beads=False)


@pytest.mark.skipif(not GOLDEN.exists(), reason="the recorded answers are not beside this project")
def test_the_recorded_cases_are_ruled_as_recorded_but_for_words_in_prose() -> None:  # BD-042 BD-044 BD-045 BD-047
    cases = {case["case"]: case for case in json.loads(GOLDEN.read_text("utf-8"))}
    ours = ("all_good", "no_learned", "worker_exempt", "non_supervisor", "learned_comment_only", "learned_only_in_text")
    for name in ours:
        case = cases[name]
        attitude = stance("", is_beads=True, agent_type=case["subagent_type"])
        did = seen(case["last_response"], commands=tuple(case["agent_bash_commands"]))
        is_held = ruling(did, attitude, holds=0) is Ruling.HOLD
        was_held = json.loads(case["stdout"])["decision"] == "block"
        assert is_held == (was_held or name == "learned_only_in_text"), name
        if was_held:
            reason = json.loads(case["stdout"])["reason"]
            assert request(is_beads=True).partition("\n")[0] == reason.partition("\n")[0]
