"""What words and meaning are worth against each other, in the author's own examples."""

import pytest

from hindbrain.core.recall.bm25 import K1, Document, idf, length, scores
from hindbrain.core.recall.fuse import CROWD, LONG, NEAR, SHORT, UNSURE, WORDS, crowd, relevance, share, weight


def documents(*texts: str) -> list[Document]:
    return [Document(id=text, columns=(tuple(text.split()),)) for text in texts]


def shares(texts: list[Document], asked: list[str]) -> dict[str, float]:
    """As a store and `gather` count them."""
    found = scores(texts, asked, weights=(1.0,))
    usual = sum(map(length, texts)) / len(texts)
    held = {word: sum(word in document.columns[0] for document in texts) for word in asked}
    worth = sum(idf(held[word], len(texts)) for word in asked)
    sizes = {document.id: length(document) / usual for document in texts}
    return {key: share(score, worth, size=sizes[key]) for key, score in found.items()}


FILLER = ["x y z", "u v w", "r s t", "o p q"]


def test_a_memory_of_usual_length_that_holds_every_word_once_has_a_share_of_its_own() -> None:
    assert shares(documents("a b c", *FILLER), ["a", "b"]) == {"a b c": pytest.approx(1 / (1 + K1))}


def test_a_word_that_nothing_holds_makes_the_rest_count_for_less() -> None:
    texts = documents("a b c", *FILLER)

    assert shares(texts, ["a", "nowhere"])["a b c"] < shares(texts, ["a"])["a b c"] / 2


def test_a_rare_word_is_a_larger_share_than_a_common_one() -> None:
    texts = documents("rare x y", "common u v", "common r s", "common o p", *FILLER, "a b c")
    found = shares(texts, ["rare", "common"])

    assert found["rare x y"] > 2 * found["common u v"]


@pytest.mark.parametrize("size", [0.1, 0.5, 1.0, 3.0, 40.0])
def test_length_counts_in_full_for_a_word_that_stands_once(size: float) -> None:
    """BM25 itself forgives a quarter of it."""
    once = (K1 + 1) / (1 + K1 * (0.25 + 0.75 * size))

    assert share(once, 1.0, size=size) == pytest.approx(1 / (1 + K1 * size))


@pytest.mark.parametrize(("score", "worth"), [(0.0, 1.0), (1.0, 0.0), (-1.0, 1.0), (1.0, -1.0)])
def test_what_is_worth_nothing_has_no_share(score: float, worth: float) -> None:
    assert share(score, worth, size=1.0) == 0.0


def test_the_best_of_many_pieces_has_to_be_better() -> None:
    assert crowd(0) == crowd(1) == 0.0
    one, two, many = (relevance(0.2, 0.5, weight=1.25, pieces=pieces) for pieces in (1, 2, 20))
    assert one == pytest.approx(1.25 * 0.2 + 0.5)
    assert many < two < one


def test_pieces_of_one_text_are_alike_so_that_many_more_of_them_cost_no_more() -> None:
    assert crowd(CROWD - 1) < crowd(CROWD) == crowd(60)


def test_a_short_question_goes_by_its_meaning_and_a_long_one_by_its_words() -> None:
    def gap(asked: int) -> float:
        """By how much one with most of the words is ahead of one with the same meaning."""
        by_words, by_meaning = (
            relevance(words, alike, weight=weight(asked), pieces=1) for words, alike in ((0.35, 0.2), (0.1, 0.5))
        )
        return by_words - by_meaning

    assert gap(4) < 0 < gap(16)


def test_only_between_a_few_words_and_a_long_sentence_the_length_of_a_question_counts() -> None:
    assert weight(0) == weight(1) == weight(SHORT) == WORDS < weight(SHORT + 1)
    assert weight(LONG - 1) < weight(LONG) == weight(LONG + 1) == weight(10_000)


def test_words_count_for_less_the_nearer_the_nearest_is_and_without_a_model_as_with_a_usual_one() -> None:
    assert weight(9, nearest=NEAR) == weight(9) == weight(9, nearest=None)
    assert weight(9, nearest=0.9) < weight(9, nearest=0.7) < weight(9) < weight(9, nearest=0.45)
    assert weight(9, nearest=0.1) == weight(9, nearest=-1.0) == pytest.approx(UNSURE * weight(9))
