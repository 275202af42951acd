"""Where a long text is cut."""

import itertools

import pytest

from hindbrain.core.recall.cut import MOST, PIECE, WHOLE, cut


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in cut(text)]


def test_paragraphs_stay_whole_and_nothing_is_repeated() -> None:
    paragraphs = [f"{n} " + "words of one thought " * 8 for n in range(4)]
    assert pieces("\n\n".join(paragraphs)) == [paragraph.strip() for paragraph in paragraphs]


def test_short_paragraphs_share_a_piece() -> None:
    assert pieces("Run the tests.\n\nThen push.") == ["Run the tests.\n\nThen push."]


@pytest.mark.parametrize(
    ("unit", "mark"), [("a line of about thirty letters\n", "\n"), ("A sentence with some words. ", ".")]
)
def test_without_a_paragraph_a_line_ends_a_piece_and_then_a_sentence(unit: str, mark: str) -> None:
    text = (unit * 40).strip()
    spans = cut(text)
    assert len(spans) > 2
    for span in spans[:-1]:
        assert mark in text[span.end - 1 : span.end + 1]


def test_a_cut_within_a_paragraph_repeats_the_last_words_and_no_half_one() -> None:
    words = " ".join(f"word{n}" for n in range(200))
    found = pieces(words)
    for before, after in itertools.pairwise(found):
        first = after.split()[0]
        assert first in before.split()[-12:]


def test_a_word_without_end_is_cut_by_length() -> None:
    assert all(len(piece) <= PIECE for piece in pieces("x" * 5_000))


def test_the_last_two_pieces_share_what_is_left() -> None:
    found = pieces("word " * 100)
    assert len(found) == 3 and min(map(len, found)) > PIECE // 3


def test_a_text_that_has_one_meaning_as_a_whole_is_not_cut() -> None:
    assert pieces("word " * (WHOLE // 5)) == [("word " * (WHOLE // 5)).strip()]


def test_a_fact_that_a_long_text_mentions_in_passing_is_most_of_its_piece() -> None:
    fact = "My sister moved to Lisbon in May."
    chat = "We talked about the garden and the new fence. " * 8
    told = next(piece for piece in pieces(f"{chat}{fact} {chat}") if fact in piece)
    assert len(told) <= PIECE


@pytest.mark.parametrize("unit", ["x", " ", "x ", "\n", "。", "a\n\n"])
def test_a_text_of_ten_megabytes_is_still_few_pieces(unit: str) -> None:
    assert len(cut(unit * (10_000_000 // len(unit)))) <= MOST
