"""Laws of what a text is about."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.shape import (
    CATEGORIES,
    category_of,
    chorus_hash,
    content_hash,
    error_signature_of,
    file_refs_of,
    key_of,
    legacy_key_of,
    matches_path,
    shape,
    tags_of,
    title_of,
)

TYPES = st.sampled_from(["learned", "investigation", "pitfall"])
SEGMENT = st.from_regex(r"[a-z]{1,4}(\.py)?", fullmatch=True)
PATHS = st.lists(SEGMENT, min_size=1, max_size=4).map("/".join)
ODD = st.text(alphabet="ab.!?\n \t`'\"/\\*#:_-0123é中🇩🇪\u200d\u0301\ufe0f👩", max_size=250)


@given(st.text() | ODD)
def test_a_title_is_a_short_piece_of_one_line(text: str) -> None:
    title = title_of(text)
    assert len(title) <= 103
    assert title.splitlines() in ([], [title])
    assert title.removesuffix("...") in text
    assert bool(title) == bool(text.strip())


@given(ODD)
def test_no_title_ends_before_a_mark_that_belongs_to_its_last_character(text: str) -> None:
    title = title_of(text)
    if title.endswith("...") and len(title) > 60:
        cut = len(title) - 3
        after = text.lstrip()[cut : cut + 1]
        assert not after or unicodedata.category(after)[0] != "M" or cut == 100


@given(TYPES, st.text())
def test_a_key_is_one_word_that_starts_with_the_type(type_: str, text: str) -> None:
    key = key_of(type_, text)
    assert key.startswith(f"{type_}-")
    assert len(key.split()) == 1
    assert len(key) <= len(type_) + 1 + 60 + 9


@given(TYPES, st.text())
def test_space_around_a_text_never_changes_its_key(type_: str, text: str) -> None:
    assert key_of(type_, f"  {text}\n") == key_of(type_, text)


@given(TYPES, st.text(alphabet="abc ", min_size=60, max_size=80), st.text(min_size=1), st.text(min_size=1))
def test_long_texts_share_a_key_only_when_they_are_the_same(type_: str, start: str, a: str, b: str) -> None:
    one, other = f"x{start}x{a}", f"x{start}x{b}"
    if len(" ".join(start.split())) >= 60:
        assert (key_of(type_, one) == key_of(type_, other)) == (content_hash(one) == content_hash(other))


@given(TYPES, st.text(alphabet="abcXYZ 09-_.,!", min_size=1, max_size=60))
def test_short_plain_texts_keep_the_key_of_old(type_: str, text: str) -> None:
    if any(letter.isalnum() for letter in text):
        assert key_of(type_, text) == legacy_key_of(type_, text)


@given(st.text())
def test_spacing_and_case_never_change_the_content_hash(text: str) -> None:
    once = " ".join(text.split())
    assert content_hash(f"  {once}\n") == content_hash(once)
    assert content_hash(f"x{once}.") == content_hash(f"x{once}")
    assert chorus_hash(f" {text}\n") == chorus_hash(text)


@given(TYPES, st.text())
def test_tags_start_with_the_type_and_never_repeat(type_: str, text: str) -> None:
    tags = tags_of(text, type=type_)
    assert tags[0] == type_
    assert len(tags) == len(set(tags)) <= 30


@given(st.text(), st.sampled_from(["fix", "ui", "api", "test"]))
def test_a_whole_word_is_always_tagged(text: str, keyword: str) -> None:
    assert keyword in tags_of(f"{text} {keyword} {text}", type="learned")


@given(st.text())
def test_every_text_has_a_category(text: str) -> None:
    assert category_of(text) in CATEGORIES


@given(st.text() | ODD)
def test_references_are_few_unique_and_without_spaces(text: str) -> None:
    refs = file_refs_of(text)
    assert len(refs) == len(set(refs)) <= 20
    for ref in refs:
        assert ref
        assert "\\" not in ref
        assert len(ref.split()) == 1
        assert matches_path(ref, ref)


@given(PATHS, PATHS)
def test_matching_goes_both_ways(a: str, b: str) -> None:
    assert matches_path(a, b) == matches_path(b, a)
    assert matches_path(a, a)
    assert matches_path(a, f"{a}/{b}")


@given(st.lists(SEGMENT, min_size=1, max_size=4), SEGMENT)
def test_a_double_star_matches_everything_below(folders: list[str], name: str) -> None:
    path = "/".join([*folders, name])
    assert matches_path(f"{folders[0]}/**", path)
    assert matches_path(f"**/{name}", path)


@given(st.text(), st.text())
def test_nothing_matches_an_empty_path(a: str, b: str) -> None:
    assert not matches_path(a, "")
    assert not matches_path("", b)


@given(st.text(alphabet="*?a/", max_size=30), st.text(alphabet="ab/", max_size=30))
def test_any_pattern_gives_an_answer(pattern: str, path: str) -> None:
    assert matches_path(pattern, path) in (True, False)


@given(st.integers(0, 10**9), st.from_regex(r"[a-z]{1,8}", fullmatch=True))
def test_numbers_and_quoted_values_do_not_change_a_signature(number: int, value: str) -> None:
    assert error_signature_of(f"KeyError: item {number} of '{value}'") == "KeyError: item <n> of <value>"


@given(st.text() | ODD)
def test_a_signature_is_one_short_line(text: str) -> None:
    signature = error_signature_of(f"ValueError: {text}")
    assert signature is None or (0 < len(signature) <= 200 and len(signature.splitlines()) == 1)


@given(st.text() | ODD, TYPES)
def test_every_text_has_a_shape_and_always_the_same(text: str, type_: str) -> None:
    assert shape(text, type=type_) == shape(text, type=type_)
