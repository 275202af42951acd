"""Laws of the guess at what an unknown word means."""

import re

from hypothesis import assume, given
from hypothesis import strategies as st

from hindbrain.core.recall.spelling import in_words, meant

letters = st.sampled_from("abc")
words = st.text(alphabet="abc12_", min_size=1, max_size=9)
plain = st.text(alphabet="abcdef", min_size=6, max_size=12)


def distance(a: str, b: str) -> int:
    """Edits between the two, a swap of neighbours being one: the textbook table, cell by cell."""
    table = {(i, 0): i for i in range(len(a) + 1)} | {(0, j): j for j in range(len(b) + 1)}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            steps = [table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (a[i - 1] != b[j - 1])]
            if i > 1 and j > 1 and a[i - 2 : i] == b[j - 2 : j][::-1]:
                steps.append(table[i - 2, j - 2] + 1)
            table[i, j] = min(steps)
    return table[len(a), len(b)]


def numbers(word: str) -> list[str]:
    return re.findall("[0-9]+", word)


def slips(word: str, other: str) -> int | None:
    """The rule itself, without haste."""
    if numbers(word) != numbers(other):
        return None
    is_beginning = sum(c.isalpha() for c in word) >= 4 and other.startswith(word) and len(other) - len(word) <= 4
    if word == other or is_beginning:
        return 0
    return 1 if len(word) >= 5 and distance(word, other) == 1 else None


@given(words, st.lists(words, max_size=12))
def test_the_guess_is_the_best_that_the_rule_allows(word: str, known: list[str]) -> None:
    allowed = [(found, len(other), other) for other in known if (found := slips(word, other)) is not None]

    assert meant(word, known) == (min(allowed)[2] if allowed else None)


@given(plain, st.data())
def test_any_single_slip_in_a_known_word_is_mended(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word) - 1))
    letter = data.draw(letters)
    swapped = word[:at] + word[at : at + 2][::-1] + word[at + 2 :]
    for slip in (
        word[:at] + letter + word[at:],
        word[:at] + letter + word[at + 1 :],
        word[:at] + word[at + 1 :],
        swapped,
    ):
        assert meant(slip, [word]) == word


@given(plain, st.integers(4, 12))
def test_any_beginning_of_four_letters_finds_its_word(word: str, size: int) -> None:
    assume(len(word) - size <= 4)

    assert meant(word[:size], [word]) == word


@given(st.text(max_size=9), st.lists(st.text(max_size=9), max_size=8))
def test_a_guess_is_a_known_word_with_the_same_numbers_in_whatever_order_they_come(word: str, known: list[str]) -> None:
    found = meant(word, known)

    assert found == meant(word, sorted(known))
    assert found is None or (found in known and re.findall(r"[0-9]+", found) == re.findall(r"[0-9]+", word))


@given(st.lists(st.tuples(words, words), max_size=4), st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3))
def test_what_is_told_of_a_slip_stands_in_the_texts_or_is_the_term_itself(
    spelled: list[tuple[str, str]], question: str, answers: list[str]
) -> None:
    told = in_words(spelled, question, answers=answers)
    assert len(told) == len(spelled)
    for (term, other), (word, known) in zip(spelled, told, strict=True):
        assert word == term or word in question
        assert known == other or any(known in answer for answer in answers)


def test_a_slip_is_told_as_it_was_written() -> None:
    assert in_words([("migratoin", "migrat")], "Which “Migratoin”?", answers=["x", "All migrations ran"]) == (
        ("Migratoin", "migrations"),
    )
