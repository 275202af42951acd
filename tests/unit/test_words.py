"""How text becomes search words, by example."""

import pytest

from hindbrain.core.words import STOP, asked_terms, estimate_tokens, query_terms, stem, telling, telling_set, terms


@pytest.mark.parametrize(
    ("text", "whole", "parts"),
    [
        ("session.getUser_ById", "session_getuser_byid", {"session", "getuser_byid", "get", "user", "by", "id"}),
        ("src/app/main.py", "src_app_main_py", {"src", "app", "main_py", "main", "py"}),
        ("HTTPServerError", "httpservererror", {"http", "server", "error"}),
        ("MAX_RETRY_COUNT", "max_retry_count", {"max", "count"}),
        ("get-users", "get_users", {"get", "user"}),
        ("std::vec::Vec", "std_vec_vec", {"std", "vec"}),
        ("v1.21.3", "v1_21_3", {"1", "21", "3"}),
    ],
)
def test_an_identifier_is_found_whole_and_by_part(text: str, whole: str, parts: set[str]) -> None:
    found = terms(text)
    assert found[0] == whole
    assert parts <= set(found)


def test_a_line_number_is_not_part_of_the_file_name() -> None:
    assert terms("main.py:45") == ["main_py", "main", "py", "45"]


def test_prose_is_found_in_any_inflection() -> None:
    assert set(terms("caching cached caches cache")) == {"cach"}
    assert terms("Databases") == terms("database")


@pytest.mark.parametrize(
    ("word", "root"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("motoring", "motor"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("filing", "file"),
        ("relational", "relat"),
        ("generalization", "gener"),
        ("oscillators", "oscil"),
        ("electrical", "electr"),
        ("adoption", "adopt"),
        ("controlling", "control"),
        ("rate", "rate"),
        ("sky", "sky"),
    ],
)
def test_words_are_cut_to_the_roots_that_porter_gives(word: str, root: str) -> None:
    assert stem(word) == root


def test_accents_and_case_do_not_hide_a_word() -> None:
    assert terms("Ünïcödé ÉMOJIS Straße") == terms("unicode emojis strasse")


def test_text_without_spaces_is_found_by_pairs_of_letters() -> None:
    assert terms("日本語テスト") == ["日本", "本語", "語テ", "テス", "スト"]
    assert set(terms("本語")) <= set(terms("日本語テスト"))


def test_voiced_kana_stay_other_letters() -> None:
    assert terms("がき") != terms("かき")


def test_names_that_end_in_signs_are_told_apart() -> None:
    assert len({tuple(terms(name)) for name in ("C", "C++", "C#")}) == 3


def test_plural_acronyms_meet_their_singular() -> None:
    assert terms("APIs") == terms("API")


def test_an_encoded_blob_is_one_term_only() -> None:
    assert len(terms("a1b2c3d4e5f6a7b8c9d0e1f2a3")) == 1


def test_long_terms_are_cut() -> None:
    assert [len(term) for term in terms("x" * 1000)] == [64]


def test_a_query_drops_stop_words_and_repeats() -> None:
    assert query_terms("How do I fix the getUser bug, the bug?") == ["fix", "getus", "get", "user", "bug"]


def test_a_query_of_stop_words_alone_keeps_them() -> None:
    assert query_terms("what is the") == ["what", "is", "the"]
    assert set(query_terms("what is the")) <= STOP


def test_a_query_has_at_most_64_terms() -> None:
    assert len(query_terms(" ".join(f"word{chr(97 + i % 26)}{i}" for i in range(500)))) == 64


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How many workers are there?", ["worker", "there"]),
        ("and how much memory do they take", ["memori", "take"]),
        ("too many open files", ["too", "mani", "open", "file"]),
        ("how do we map many to many", ["map", "mani"]),
        ("how many", ["mani"]),
    ],
)
def test_an_amount_that_is_asked_for_is_not_looked_for(text: str, found: list[str]) -> None:
    assert asked_terms(text) == [term for term in found if term not in STOP]


def test_tokens_are_a_quarter_of_the_characters() -> None:
    assert [estimate_tokens(text) for text in ("", "a", "abcdefgh", "x" * 401)] == [0, 1, 2, 100]


@pytest.mark.parametrize(
    "text",
    ["", "what is the", "the cache of the pool", " ".join(f"word{i} the" for i in range(60)), "a b " * 40]
    + [" ".join(f"w{i}" for i in range(size)) for size in (63, 64, 65, 200)],
)
def test_known_terms_tell_what_their_text_would(text: str) -> None:
    assert telling(terms(text)) == query_terms(text)
    assert telling_set(terms(text)) == frozenset(query_terms(text))
