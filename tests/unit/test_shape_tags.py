"""Which tags a text earns, by example."""

import json
from pathlib import Path

import pytest

from hindbrain.core.shape import tags_of

GOLDEN = Path(__file__).resolve().parents[2].parent / "shared/samples/beads/golden/memory-capture.6d7ab9e.golden.json"
KEYWORDS = (
    "swift swiftui appkit menubar api security test database networking ui layout performance crash bug fix "
    "workaround gotcha pattern convention architecture auth middleware async concurrency model protocol adapter "
    "scanner engine"
)


def test_the_documented_example_has_exactly_the_documented_tags() -> None:  # BD-019, X-24
    text = "TaskGroup requires @Sendable closures in strict concurrency mode."
    assert tags_of(text, type="learned") == ("learned", "async", "concurrency")


def test_all_29_keywords_come_in_the_order_of_the_list() -> None:  # BD-020
    backwards = " ".join(reversed(KEYWORDS.split()))
    assert tags_of(backwards, type="learned") == ("learned", *KEYWORDS.split())
    assert len(tags_of(backwards, type="learned")) == 30


def test_a_keyword_inside_another_word_does_not_count() -> None:  # BD-021
    assert tags_of("contest latest buildui guide suffix fixture authority remodel requires", type="learned") == (
        "learned",
    )
    assert tags_of("UI layout", type="learned") == ("learned", "ui", "layout")


@pytest.mark.parametrize("type_", ["learned", "investigation", "pitfall", "fix", "decision"])
def test_the_type_is_always_first_and_once(type_: str) -> None:  # BD-019
    tags = tags_of("fix the api", type=type_)
    assert tags[0] == type_
    assert len(tags) == len(set(tags))
    assert "api" in tags


@pytest.mark.parametrize("word", ["taskgroup", "await", "coroutine", "coroutines", "TaskGroup", "asyncio"])
def test_synonyms_stand_for_their_keyword(word: str) -> None:
    assert tags_of(f"the {word} hangs", type="learned") == ("learned", "async")


@pytest.mark.parametrize(
    ("word", "tag"), [("crashes", "crash"), ("Tested", "test"), ("fixing", "fix"), ("UserAdapter", "adapter")]
)
def test_inflections_and_parts_of_names_count(word: str, tag: str) -> None:  # BD-020
    assert tags_of(word, type="learned") == ("learned", tag)


SUBSTRING_TAGS = {"doc_example", "tag_substring"}  # BD-021, X-24: whole words only


@pytest.mark.skipif(not GOLDEN.exists(), reason="the recorded samples are not beside the project")
def test_the_recorded_tags_of_beads_come_out_but_for_substrings() -> None:  # BD-020, BD-021
    cases = [case for case in json.loads(GOLDEN.read_text("utf-8")) if case["case"] not in SUBSTRING_TAGS]
    entries = [entry for case in cases for entry in case["entries"]]
    assert len(entries) > 15
    for entry in entries:
        assert list(tags_of(entry["content"], type=entry["type"])) == entry["tags"]
