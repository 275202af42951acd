"""Which category a text belongs to, by example."""

import pytest

from hindbrain.core.shape import CATEGORIES, category_of


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("All endpoints return consistent error format", "API Design"),
        ("TDD: RED → GREEN → REFACTOR → COMMIT", "Testing"),
        ("Use AAA pattern: Arrange, Act, Assert", "Testing"),
        ("XState v5 for state management", "Architecture"),
        ("Spawned actors for parallel agents", "Architecture"),
        ("Use batch inserts for large imports", "Performance"),
        ("Use connection pooling for the database", "Performance"),
        ("Rate limiting: 100 requests/minute per user", "General"),
        ("Run quality checks before commit, not after", "General"),
        ("Use the rest of the login catalog", "General"),
    ],
)
def test_the_golden_table_comes_out(text: str, category: str) -> None:  # G-2, F-05
    assert category_of(text) == category


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("All endpoints return JSON", "API Design"),  # CH-043
        ("REST over gRPC", "API Design"),  # CH-043
        ("The response has no body", "API Design"),  # CH-043
        ("mock the clock", "Testing"),  # CH-044
        ("Refactor the factory", "General"),  # CH-044
        ("one service owns it", "Architecture"),  # CH-045
        ("cached for an hour", "Performance"),  # CH-046
        ("trace id is in the log", "Debugging"),  # CH-047
        ("login page", "General"),  # CH-047
        ("as stated above", "General"),  # CH-045
        ("prefer tabs", "General"),  # CH-048
        ("", "General"),  # CH-048
    ],
)
def test_keywords_count_as_words_with_their_endings(text: str, category: str) -> None:
    assert category_of(text) == category


def test_the_first_category_of_the_table_wins() -> None:  # CH-049
    assert category_of("log the cache state of the test endpoint") == "API Design"
    assert category_of("log the cache state of the test") == "Testing"
    assert category_of("log the cache state") == "Architecture"
    assert category_of("log the cache") == "Performance"
    assert CATEGORIES == ("API Design", "Testing", "Architecture", "Performance", "Debugging", "General")
