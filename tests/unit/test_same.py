"""When two texts are the same lesson, by example."""

import pytest

from hindbrain.core.claim import read
from hindbrain.core.same import MERGE_AT, is_same, likeness, means_same, opposites


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Use batch inserts for large imports", "use  batch inserts for large imports."),
        ("Always run migrations before the tests", "Run migrations before tests"),
        ("Please use connection pools for the database", "We should use a connection pool for the db"),
        ("The worker must recieve the config first", "The worker must receive the config first"),
        ("Initialise the repo cache before the first call", "Initialize the repository cache before the first call"),
        ("Tests need a running Redis", "The tests need a running redis"),
        ("For caching use Redis", "Use Redis for caching"),
    ],
)
def test_the_same_lesson_in_other_small_words_is_merged(a: str, b: str) -> None:
    assert is_same(a, b)


@pytest.mark.parametrize(
    ("a", "b", "guard"),
    [
        ("Retry failed uploads 3 times before giving up", "Retry failed uploads 5 times before giving up", "numbers"),
        ("Retry two times", "Retry three times", "numbers"),
        ("Helpers for the parser live in src/a/parse.py", "Helpers for the parser live in src/b/parse.py", "paths"),
        ("Call initDb before the server starts", "Call seedDb before the server starts", "identifiers"),
        ("Migrate from MySQL to Postgres", "Migrate from Postgres to MySQL", "identifiers"),
        ("Use mocks for the database tests", "Do not use mocks for the database tests", "negation"),
        ("Enable strict mode in the compiler", "Disable strict mode in the compiler", "negation"),
        ("Not the cache but the queue is slow", "Not the queue but the cache is slow", "negation"),
        ("In one window turn on the cache", "In one window turn off the cache", "negation"),
        ("Read the config into the pool", "Read the config out of the pool", "relations"),
        ("The lock is held by the worker", "The lock is held over the worker", "relations"),
        ("The script reads a list of files", "The script reads files of a list", "relations"),
        ("The build is still slow", "The build is slow", "relations"),
        ("Start both services first", "Start services first", "relations"),
    ],
)
def test_a_guard_that_disagrees_forbids_to_merge(a: str, b: str, guard: str) -> None:
    assert guard in likeness(a, b).guards
    assert not is_same(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The client opens the connection and sends the token", "The client closes the connection and sends the token"),
        (
            "Run the linter before every single commit on every branch",
            "Run the linter before every single release on every branch",
        ),
        ("Use batch inserts", "Use batch inserts for large imports"),
        ("the client calls the server", "the server calls the client"),
        ("Why does the cache expire", "The cache does expire"),
        ("The build was slow", "The build is slow"),
        ("The old client reads a cache", "The client reads an old cache"),
    ],
)
def test_one_other_word_with_meaning_is_another_lesson(a: str, b: str) -> None:
    assert not is_same(a, b)
    assert likeness(a, b).score < MERGE_AT


def test_equal_text_has_full_score_and_no_guard() -> None:  # CH-095, F-06
    alike = likeness("Keep 3 copies in src/a.py", "keep 3 copies  in src/a.py.")
    assert (alike.score, alike.guards) == (1.0, ())


def test_texts_about_other_things_score_low() -> None:
    assert likeness("Use Redis for caching", "The parser is recursive").score < 0.2


def test_a_document_is_the_same_only_when_it_is_equal() -> None:
    long = "Use batch inserts for imports. " * 1000
    assert is_same(long, long)
    assert not is_same(long, long + "Always.")


def test_opposites_are_named_from_both_sides() -> None:
    assert opposites(read("Enable it"), read("Disable it")) == ("enable", "disable")
    assert opposites(read("Enable it"), read("Enable it")) is None


def test_a_direction_on_either_side_makes_order_count() -> None:
    assert likeness("Redis use", "use Redis before").score == likeness("use Redis before", "Redis use").score


def test_a_model_that_finds_two_texts_equal_does_not_overrule_their_order() -> None:
    assert means_same("For caching use Redis", "Use Redis for caching", similarity=0.99)
    assert not means_same("The old client reads a cache", "The client reads an old cache", similarity=0.99)
