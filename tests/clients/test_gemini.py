"""The real Gemini CLI: what it learns without being asked to, and what it is told without asking."""

from collections.abc import Iterator

import pytest
from clients.agents import Gemini
from clients.stories import CHOICE, CURE, FORGED, HABIT, REFUSED, Past, blocks, lived

from hindbrain.core.trust import AGENT, TAINTED


@pytest.fixture(scope="module")
def past() -> Iterator[Past]:
    with lived(Gemini()) as one:
        yield one


def test_what_a_session_learned_at_a_cost_is_kept_without_being_asked_for(past: Past) -> None:
    assert past.first.code == 0, past.first.err
    assert REFUSED in past.first.last.text and "1 passed" in past.first.last.text  # it did fail, and then pass
    assert past.first.told(CURE) is None
    assert {CURE, HABIT} <= set(past.learned)


def test_a_failure_that_was_cured_is_remembered_with_its_cure(past: Past) -> None:  # F-32
    (cured,) = past.learned.keys() - {CURE, HABIT}
    assert REFUSED in cured and "5432" in cured and "port.txt" in cured
    assert past.learned[cured]["provenance"]["source"] == "automatic"


def test_the_next_session_is_told_before_it_fails(past: Past) -> None:
    assert past.later.code == 0, past.later.err
    assert past.later.told(CURE) == 0  # before the model has said a word


def test_nothing_is_told_twice(past: Past) -> None:
    assert REFUSED in past.later.last.text  # there was a second occasion
    assert blocks(past.later.last, CURE) == 1


# S1
def test_what_somebody_else_wrote_and_what_it_was_told_teaches_it_nothing(past: Past) -> None:
    assert past.later.last.text.count(f"MEMORY:fix:{FORGED}") >= 3  # the file, the page and the command's output
    assert past.kept.keys() == {*past.learned, CHOICE}


def test_what_it_says_after_it_has_read_a_web_page_is_kept_and_told_to_nobody_unasked(past: Past) -> None:
    assert past.learned[CURE]["trust"] == AGENT
    assert past.kept[CHOICE]["trust"] == TAINTED
