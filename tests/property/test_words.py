"""Laws of search words."""

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.words import STOP, asked_terms, count_words, estimate_tokens, pieces, query_terms, stem, terms

IDENTIFIERS = st.from_regex(r"[a-z]{2,8}([A-Z][a-z]{1,6}|[._/-][a-z]{2,8}){0,4}", fullmatch=True)


@given(st.text())
def test_a_term_survives_a_tokeniser_that_only_knows_white_space(text: str) -> None:
    found = terms(text)
    assert " ".join(found).split() == found
    for term in found:
        assert term == term.lower()
        assert 0 < len(term) <= 64
        assert all(letter.isalnum() or letter == "_" for letter in term)


@given(st.text())
def test_a_query_asks_for_nothing_the_index_lacks(text: str) -> None:
    asked = query_terms(text)
    assert set(asked) <= set(terms(text))
    assert len(asked) == len(set(asked)) <= 64
    assert not (set(asked) & STOP) or set(asked) <= STOP
    assert bool(asked) == bool(terms(text))


QUESTIONS = st.lists(st.sampled_from(["how", "many", "much", "too", "of", "files,", "How-many", "HOW"])).map(" ".join)


@given(st.text() | QUESTIONS)
def test_what_is_looked_for_is_what_a_query_asks_but_for_an_amount(text: str) -> None:
    asked, found = query_terms(text), asked_terms(text)
    assert bool(found) == bool(asked)
    assert found == [term for term in asked if term in found]
    assert found == asked or (set(asked) - set(found) <= {"mani", "much"} and "how" in terms(text))


@given(st.text(), st.integers(0, 50))
def test_words_are_counted_up_to_a_limit(text: str, most: int) -> None:
    assert count_words(text, most=most) == min(len(terms(text)), most)


@given(IDENTIFIERS, st.text(alphabet="abc XYZ .,", max_size=20))
def test_an_identifier_gives_the_same_terms_wherever_it_stands(name: str, around: str) -> None:
    assert set(terms(name)) <= set(terms(f"{around} {name} {around}"))


@given(st.lists(st.text(alphabet="abcdefgh", min_size=1, max_size=8), max_size=10))
def test_terms_of_two_texts_are_the_terms_of_each(words: list[str]) -> None:
    assert terms(" ".join(words)) == [term for word in words for term in terms(word)]


@given(st.from_regex(r"[a-z]{1,20}", fullmatch=True))
def test_a_root_is_never_longer_than_its_word_and_never_empty(word: str) -> None:
    assert 0 < len(stem(word)) <= len(word)


@given(st.text())
def test_only_nothing_costs_nothing(text: str) -> None:
    assert (estimate_tokens(text) == 0) == (text == "")


HUMPS = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
CHUNK = re.compile(r"[\w./\\:'’-]+")


@given(st.text(alphabet="abszABSZ019", min_size=1, max_size=40))
def test_the_humps_of_a_name_are_those_that_a_pattern_finds(word: str) -> None:
    runs = HUMPS.findall(word)
    parts = [run.lower() for run in runs if len(run) > 1 or run.isdigit()] if 1 < len(runs) <= 16 else []
    assert list(pieces(word)) == [word.lower(), *parts]


@given(st.text(max_size=30) | st.text(alphabet="aB1 ./\\:'’_-é漢²+#\t\n\x1c", max_size=30))
def test_a_text_has_the_words_that_a_pattern_finds(text: str) -> None:
    text = text.replace("#", "").replace("+", "")  # `c++` and `c#` are renamed before
    if unicodedata.normalize("NFKD", text) == text and not any(unicodedata.category(c)[0] == "M" for c in text):
        assert list(pieces(text)) == [piece for chunk in CHUNK.findall(text) for piece in pieces(chunk)]
