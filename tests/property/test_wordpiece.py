"""Laws of the ids of a text."""

from hypothesis import given
from hypothesis import strategies as st

from hindbrain.adapters.ai.wordpiece import token_ids


@given(st.text(), st.integers(2, 40))
def test_any_text_has_ids_between_two_marks_within_the_limit(text: str, limit: int) -> None:
    ids = token_ids(text, limit=limit)
    assert len(ids) <= limit and (ids[0], ids[-1]) == (101, 102)
    assert all(0 <= number < 30_522 for number in ids)


@given(st.text(), st.text())
def test_ids_of_two_texts_are_the_ids_of_each(first: str, second: str) -> None:
    both = token_ids(f"{first} {second}", limit=10_000)
    assert both[1:-1] == token_ids(first, limit=10_000)[1:-1] + token_ids(second, limit=10_000)[1:-1]


@given(st.text(alphabet=st.characters(max_codepoint=0x7F)))
def test_capitals_say_the_same(text: str) -> None:
    assert token_ids(text.upper(), limit=256) == token_ids(text, limit=256)


@given(st.text(alphabet="abé .", min_size=1, max_size=12), st.integers(4080, 4100))
def test_where_a_text_stands_does_not_change_its_ids(text: str, before: int) -> None:
    assert token_ids(" " * before + text, limit=64) == token_ids(text, limit=64)
