"""Our BM25 gives the numbers of SQLite FTS5, so that every store ranks alike."""

import random

import apsw
import pytest

from hindbrain.core.recall.bm25 import Document, idf, scores

VOCABULARY = [
    *("cache", "pool", "token", "retry", "batch", "index", "lock", "query"),
    *("path", "hat", "tag", "note", "fence", "scar", "rule"),
]


def by_fts5(documents: list[Document], query: list[str], weights: list[float]) -> dict[str, float]:
    columns = len(documents[0].columns)
    names = ", ".join(f"c{number}" for number in range(columns))
    db = apsw.Connection(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE words USING fts5 (id UNINDEXED, {names}, tokenize = 'ascii')")
    marks = ", ".join("?" * (columns + 1))
    for document in documents:
        db.execute(f"INSERT INTO words VALUES ({marks})", (document.id, *map(" ".join, document.columns)))
    found = db.execute(
        f"SELECT id, -bm25(words, 0.0, {', '.join('?' * len(weights))}) FROM words WHERE words MATCH ?",
        (*weights, " OR ".join(f'"{term}"' for term in query)),
    )
    return {str(id_): float(score) for id_, score in found}


@pytest.mark.parametrize("seed", range(12))
def test_the_numbers_are_those_of_fts5(seed: int) -> None:
    chance = random.Random(seed)
    documents = [
        Document(
            id=f"d{number}",
            columns=tuple(tuple(chance.choices(VOCABULARY, k=chance.randrange(most))) for most in (4, 12, 3)),
        )
        for number in range(chance.choice([1, 2, 5, 30]))
    ]
    weights = [2.0, 1.0, chance.choice([0.0, 0.5, 3.0])]
    query = chance.sample(VOCABULARY, k=chance.randrange(1, 5))

    ours = scores(documents, query, weights=weights)

    assert ours == pytest.approx(by_fts5(documents, query, weights), rel=1e-9, abs=1e-12)


def test_only_documents_that_hold_a_term_are_scored() -> None:
    documents = [
        Document(id="a", columns=(("cache", "pool"),)),
        Document(id="b", columns=(("lock",),)),
        Document(id="c", columns=((),)),
    ]
    assert set(scores(documents, ["cache", "unheard"], weights=[1.0])) == {"a"}


@pytest.mark.parametrize("query", [[], ["unheard"]])
def test_nothing_is_found_for_nothing(query: list[str]) -> None:
    assert scores([Document(id="a", columns=(("cache",),))], query, weights=[1.0]) == {}
    assert scores([], query, weights=[1.0]) == {}


def test_a_column_without_a_weight_counts_once() -> None:
    documents = [Document(id=str(n), columns=(("lock",), (word,))) for n, word in enumerate(["cache", "pool", "rule"])]

    assert scores(documents, ["cache"], weights=[1.0]) == scores(documents, ["cache"], weights=[1.0, 1.0])


@pytest.mark.parametrize(("holders", "documents"), [(1, 0), (2, 1), (9, 8), (5, 5)])
def test_a_word_that_more_hold_than_there_were_a_moment_ago_is_common_and_no_error(
    holders: int, documents: int
) -> None:
    """The two are counted one after the other, and another process may keep a memory in between."""
    assert 0 < idf(holders, documents) < 0.001 < idf(1, 9)
