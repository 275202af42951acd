"""Names and hashes of a text, by example."""

import hashlib
import json
from pathlib import Path

import pytest

from hindbrain.core.shape import chorus_hash, content_hash, key_of, legacy_key_of

GOLDEN = Path(__file__).resolve().parents[2].parent / "shared/samples/beads/golden/memory-capture.6d7ab9e.golden.json"
DOCUMENTED = "TaskGroup requires @Sendable closures in strict concurrency mode."


def test_the_documented_sentence_has_the_documented_key() -> None:  # BD-014, G-6
    assert legacy_key_of("learned", DOCUMENTED) == "learned-taskgroup-requires-sendable-closures-in-strict-concurrency"


def test_only_the_first_sixty_bytes_make_the_legacy_key() -> None:  # BD-015, G-6
    assert legacy_key_of("learned", "Ünïcödé — émojis 🚀 and 中文 work") == "learned-n-c-d-mojis-and-work"
    assert legacy_key_of("learned", "中文") == "learned-"
    assert legacy_key_of("learned", "é" * 29 + "ab" + "c") == "learned-ab"


@pytest.mark.parametrize("text", ["Use batch inserts", "two.", 'use \\"quoted\\" words', "line one\nline two"])
def test_a_short_key_is_the_documented_one(text: str) -> None:  # BD-014
    assert key_of("learned", text) == legacy_key_of("learned", text)


def test_a_key_keeps_letters_of_every_script() -> None:  # F-25
    assert key_of("learned", "Ünïcödé — émojis 🚀 and 中文 work") == "learned-ünïcödé-émojis-and-中文-work"
    assert key_of("learned", "हिन्दी") == "learned-हिन्दी"


def test_a_long_text_keeps_its_key_and_adds_its_hash() -> None:  # F-25
    key = key_of("learned", DOCUMENTED)
    assert key == f"{legacy_key_of('learned', DOCUMENTED)}-{content_hash(DOCUMENTED)[:8]}"


def test_two_texts_that_begin_alike_have_two_keys() -> None:  # F-25
    start = "Same first sixty characters of this long content here abcdef "
    assert key_of("learned", start + "ONE") != key_of("learned", start + "TWO")
    assert legacy_key_of("learned", start + "ONE") == legacy_key_of("learned", start + "TWO")


def test_a_text_without_letters_is_named_by_its_hash() -> None:  # F-25
    assert key_of("learned", "🚀🚀") == f"learned-{content_hash('🚀🚀')[:8]}"
    assert key_of("learned", "🚀🚀") != key_of("learned", "🚀")


@pytest.mark.parametrize(
    "other", ["use batch inserts", "Use  batch\n inserts.", " USE BATCH INSERTS!! ", "Ｕse batch inserts"]
)
def test_case_spacing_and_closing_marks_do_not_make_another_text(other: str) -> None:  # F-06, CH-096
    assert content_hash(other) == content_hash("Use batch inserts")


@pytest.mark.parametrize(
    ("a", "b"), [("Use C#", "Use C"), ("Keep 10%", "Keep 10"), ("Call f()", "Call f"), ("a b", "ab")]
)
def test_marks_with_a_meaning_make_another_text(a: str, b: str) -> None:  # F-06
    assert content_hash(a) != content_hash(b)


def test_the_chorus_hash_is_of_the_trimmed_lower_case_text() -> None:  # CH-094, CH-095, CH-096
    expected = hashlib.sha256(b"use batch inserts").hexdigest()
    assert chorus_hash("  Use Batch Inserts ") == expected
    assert chorus_hash("Use  Batch Inserts") != expected


def test_half_a_character_is_no_error() -> None:
    assert len(content_hash("\ud800")) == len(chorus_hash("\ud800")) == 64
    assert legacy_key_of("learned", "\ud800x").startswith("learned-")


@pytest.mark.skipif(not GOLDEN.exists(), reason="the recorded samples are not beside the project")
def test_the_recorded_keys_of_beads_come_out() -> None:  # BD-015, G-6
    entries = [entry for case in json.loads(GOLDEN.read_text("utf-8")) for entry in case["entries"]]
    assert len(entries) > 15
    for entry in entries:
        assert legacy_key_of(entry["type"], entry["content"]) == entry["key"]
