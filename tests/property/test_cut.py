"""Laws of how a long text is cut."""

import itertools

from hypothesis import example, given
from hypothesis import strategies as st

from hindbrain.core.recall.cut import MOST, PIECE, WHOLE, cut

WORDS = st.lists(st.sampled_from(["a", "lesson", "x" * 90, "one. Two", "\n\n", "\n", "\r\n\r\n", "   ", "。"]))
LONG = st.builds(lambda words, times: " ".join(words * times), WORDS, st.integers(1, 60))
TEXTS = st.one_of(st.text(), LONG)


@given(TEXTS)
@example("word " * 20_000)
@example("x" * 100_000)
@example("a\n\n" * 50_000)
def test_all_that_is_not_blank_is_in_some_piece(text: str) -> None:
    covered = 0
    for span in cut(text):
        assert span.start < span.end and not text[covered : span.start].strip()
        covered = max(covered, span.end)
    assert not text[covered:].strip()


@given(TEXTS)
@example("word " * 20_000)
@example("x." * 100_000)
def test_pieces_are_few_and_none_is_much_longer_than_needed(text: str) -> None:
    spans = cut(text)
    assert len(spans) <= MOST
    longest = WHOLE if len(spans) == 1 else max(PIECE, 8 * len(text) // MOST)
    assert all(end - start <= longest for start, end in spans)


@given(TEXTS)
def test_pieces_go_forward_and_repeat_little(text: str) -> None:
    spans = cut(text)
    for before, after in itertools.pairwise(spans):
        assert before.start < after.start and before.end < after.end
        assert before.end - after.start <= max(PIECE, 8 * len(text) // MOST) // 8


@given(st.text(max_size=WHOLE))
def test_a_short_text_is_one_piece_without_the_blanks_around_it(text: str) -> None:
    assert [text[start:end] for start, end in cut(text)] == ([text.strip()] if text.strip() else [])
