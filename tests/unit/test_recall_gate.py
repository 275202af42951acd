"""When a memory bears on a task, and when an agent is better off without it."""

import pytest

from hindbrain.core.recall.gate import LEAST, LEAST_WORDS, Gate, gate


@pytest.mark.parametrize(
    ("similarity", "held", "asked", "is_open"),
    [
        (0.31, 0, 5, True),  # means the same in other words
        (0.29, 0, 5, False),
        (0.05, 5, 5, True),  # all of the words
        (0.05, 1, 5, False),  # one of them, by chance
        (None, 2, 5, True),  # no vector to compare: words alone
        (None, 1, 5, False),
        (0.31, 0, 48, False),  # a long request resembles anything a little
        (0.6, 0, 48, True),
    ],
)
def test_what_bears_on_a_task_is_near_or_holds_its_words(
    similarity: float | None, held: int, asked: int, is_open: bool
) -> None:
    assert gate(similarity, held=held, asked=asked).is_open is is_open


def test_a_request_of_usual_length_is_not_held_against_it_and_a_very_long_one_no_more_than_a_long_one() -> None:
    assert gate(0.5, held=0, asked=1).value == gate(0.5, held=0, asked=12).value == 0.5
    assert gate(0.5, held=0, asked=48).value == gate(0.5, held=0, asked=5000).value < 0.5


def test_a_request_without_words_is_judged_by_meaning() -> None:
    assert gate(0.4, held=0, asked=0).is_open and not gate(None, held=0, asked=0).is_open


def test_the_threshold_itself_is_enough_however_the_sum_was_rounded() -> None:
    assert gate(LEAST, held=0, asked=1).is_open
    assert Gate(value=0.1 + 0.2, least=0.3).is_open and Gate(value=0.7 - 0.4, least=0.3).is_open
    assert gate(None, held=1, asked=4) == Gate(value=LEAST_WORDS, least=LEAST_WORDS)


def test_the_verdict_can_be_read() -> None:
    assert str(Gate(value=0.512, least=0.3)) == "0.51, at least 0.3: bears on it"
    assert str(Gate(value=0.1, least=0.25)) == "0.10, under 0.25: too far off to tell an agent unasked"
    assert str(Gate(value=0.2984, least=0.3)).startswith("0.29, under 0.3:")  # not "0.30, under 0.3"
    assert str(Gate(value=0.29, least=0.3)).startswith("0.29, under 0.3:")
    assert str(Gate(value=-0.104, least=0.3)).startswith("-0.10, under 0.3:")
    assert str(Gate(value=0.7 - 0.4, least=0.3)).startswith("0.30, at least 0.3:")


def test_the_best_of_many_pieces_has_to_be_nearer_to_be_told() -> None:
    assert gate(0.35, held=0, asked=1, pieces=1).is_open and not gate(0.35, held=0, asked=1, pieces=9).is_open
    assert gate(None, held=1, asked=4, pieces=9) == gate(None, held=1, asked=4)
