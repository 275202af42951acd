"""Laws of weighing words against meaning, and of the gate, that hold for every question and every memory."""

from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.recall.bm25 import Document, idf, length, scores
from hindbrain.core.recall.fuse import LONG, UNSURE, WORDS, crowd, relevance, share, weight
from hindbrain.core.recall.gate import gate

WIDEST = 1.3  # what a memory without length could reach
amounts = st.floats(0, 1000)
parts = st.floats(0, WIDEST)
cosines = st.floats(-1, 1)
counts = st.integers(1, 10_000)
texts = st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12).map(tuple), min_size=1, max_size=8)


@given(texts, st.lists(st.sampled_from("abcdxyz"), min_size=1, max_size=5, unique=True))
def test_a_share_lies_between_nothing_and_a_little_more_than_all(
    columns: list[tuple[str, ...]], asked: list[str]
) -> None:
    documents = [Document(id=str(number), columns=(column,)) for number, column in enumerate(columns)]
    found = scores(documents, asked, weights=(1.0,))
    usual = sum(map(length, documents)) / len(documents)
    worth = sum(idf(sum(word in column for column in columns), len(columns)) for word in asked)

    for key, score in found.items():
        assert 0 < share(score, worth, size=length(documents[int(key)]) / usual) <= WIDEST


@given(amounts, amounts, st.floats(0.001, 1000), st.floats(0, 1000))
def test_more_words_are_never_a_smaller_share(one: float, other: float, worth: float, size: float) -> None:
    less, more = sorted((one, other))

    assert 0 <= share(less, worth, size=size) <= share(more, worth, size=size)


@given(st.floats(0.001, 1000), st.floats(0.001, 1000), st.floats(0, 1000), st.floats(0, 1000))
def test_of_two_with_the_same_score_the_longer_has_no_larger_share(
    score: float, worth: float, one: float, other: float
) -> None:
    short, long = sorted((one, other))

    assert share(score, worth, size=long) <= share(score, worth, size=short) * (1 + 1e-12)


@given(st.tuples(parts, parts), st.tuples(cosines, cosines), st.tuples(counts, counts), counts)
def test_more_words_or_more_likeness_or_fewer_pieces_never_make_a_memory_less_relevant(
    words: tuple[float, float], alike: tuple[float, float], pieces: tuple[int, int], asked: int
) -> None:
    worst = relevance(min(words), min(alike), weight=weight(asked), pieces=max(pieces))
    best = relevance(max(words), max(alike), weight=weight(asked), pieces=min(pieces))

    assert worst <= best
    assert -1 - crowd(10_000) <= worst <= best <= weight(LONG) * WIDEST + 1


@given(parts, cosines, st.integers(0, 10_000), st.integers(0, 10_000))
def test_a_longer_question_never_makes_its_words_count_for_less(
    words: float, similarity: float, one: int, other: int
) -> None:
    short, long = (weight(asked) for asked in sorted((one, other)))

    assert WORDS <= short <= long <= weight(LONG)
    assert relevance(words, similarity, weight=short, pieces=1) <= relevance(words, similarity, weight=long, pieces=1)


@given(st.integers(0, 10_000), st.floats(-1e6, 1e6))
def test_a_model_whose_vectors_are_of_any_length_breaks_no_weight(asked: int, nearest: float) -> None:
    assert 0 <= weight(asked, nearest=nearest) <= UNSURE * weight(LONG) * (1 + 1e-12)


@given(st.integers(0, 10_000), cosines, cosines)
def test_words_never_count_for_more_because_something_is_nearer_and_never_for_nothing(
    asked: int, one: float, other: float
) -> None:
    far, near = (weight(asked, nearest=nearest) for nearest in sorted((one, other)))

    assert 0.3 * WORDS < near <= far <= UNSURE * weight(LONG) * (1 + 1e-12)


@given(st.none() | cosines, st.integers(0, 64), st.integers(0, 64), st.integers(1, 64))
def test_a_gate_opens_wider_with_each_word_that_is_held(
    similarity: float | None, one: int, other: int, asked: int
) -> None:
    few, many = sorted((min(one, asked), min(other, asked)))

    assert gate(similarity, held=few, asked=asked).value <= gate(similarity, held=many, asked=asked).value


@given(cosines, cosines, st.integers(0, 64), st.integers(0, 64))
def test_a_gate_opens_wider_the_nearer_a_memory_is_and_stays_within_bounds(
    one: float, other: float, held: int, asked: int
) -> None:
    far, near = (gate(similarity, held=min(held, asked), asked=asked) for similarity in sorted((one, other)))

    assert -1.3 <= far.value <= near.value <= 1.3
    assert near.is_open or not far.is_open


@given(st.none() | cosines, st.integers(0, 64), st.integers(1, 5000), st.integers(1, 5000))
def test_a_longer_request_never_opens_a_gate(similarity: float | None, held: int, one: int, other: int) -> None:
    short, long = sorted((one, other))
    held = min(held, short)

    closed = not gate(similarity, held=held, asked=short).is_open
    assert not (closed and gate(similarity, held=held, asked=long).is_open)
