"""When a new lesson replaces an old one, by example."""

import json
from collections import Counter
from pathlib import Path

import pytest

from hindbrain.core.supersede import Verdict, rule

FIXTURE = Path(__file__).resolve().parents[1] / "fixtures" / "pairs.jsonl"
PAIRS = [json.loads(line) for line in FIXTURE.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    ("new", "old", "verdicts"),
    [
        ("Use Redis for caching", "Use Memcached for caching", {Verdict.SUPERSEDES}),  # CH-105
        ("XState v5 for state management", "Use Zustand for state management", {Verdict.SUPERSEDES}),
        (
            "All API endpoints require rate limiting middleware",
            "All API endpoints require rate limiting",
            {Verdict.REFINES},
        ),
        (
            "Rate limiting: 200 requests/minute per user",
            "Rate limiting: 100 requests/minute per user",
            {Verdict.SUPERSEDES},
        ),
        (
            "All endpoints return JSON with request id",
            "All endpoints return JSON with error code",
            {Verdict.KEEP_BOTH},
        ),
        (
            "Tests live in tests/unit and use pytest",
            "Tests live in tests/e2e and use playwright",
            {Verdict.KEEP_BOTH, Verdict.REVIEW},
        ),
    ],
)
def test_the_golden_table_comes_out(new: str, old: str, verdicts: set[Verdict]) -> None:  # G-1, F-01, CH-104
    assert rule(new, old).verdict in verdicts


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["new"][:40])
def test_labelled_pairs_are_ruled_as_labelled(pair: dict[str, str]) -> None:  # X-06, F-01
    ruling = rule(pair["new"], pair["old"])
    assert ruling.verdict == pair["verdict"], ruling.reason


def test_every_verdict_is_labelled_often_enough_to_mean_something() -> None:
    counts = Counter(pair["verdict"] for pair in PAIRS)
    assert set(counts) == set(Verdict)
    assert len(PAIRS) >= 60
    assert min(counts.values()) >= 8


def test_one_new_lesson_may_replace_several_old_ones() -> None:  # CH-103
    new = "Use Redis for caching"
    for old in ("Use Memcached for caching", "Use Valkey for caching", "Do not use Redis for caching"):
        assert rule(new, old).verdict is Verdict.SUPERSEDES


def test_the_score_follows_the_verdict() -> None:
    certain = rule("Do not use mocks for database tests", "Use mocks for database tests")
    doubtful = rule("Never run migrations by hand", "Always run migrations by hand")
    harmless = rule("Use Redis for rate limiting", "Use Redis for caching")
    assert certain.score >= 0.8 > doubtful.score >= 0.6 > harmless.score


def test_a_long_text_does_not_fall_with_one_of_its_sentences() -> None:
    old = "Use yarn for the monorepo. " + " ".join(f"Rule{i} concerns topic{i}." for i in range(40))
    assert rule("We switched from yarn to pnpm for the monorepo", old).verdict is Verdict.REVIEW


def test_every_ruling_says_why() -> None:
    assert all(rule(pair["new"], pair["old"]).reason for pair in PAIRS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("It is not a good idea", "It is not just a good idea, it is an excellent one"),
        ("The cache is not slow", "The cache is not only slow, it is wrong under load"),
    ],
)
def test_a_not_that_makes_way_for_more_says_nothing_more_exactly(old: str, new: str) -> None:
    assert rule(new, old).verdict is not Verdict.REFINES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Start a worker per queue", "Start two workers per queue"),
        ("The hook writes to the spool", "The hook writes around the spool to the log"),
        ("The worker cuts the file", "The worker cuts the tail off the file"),
        ("The parser reads two files and a file of rules", "The parser reads two folders and a file of rules"),
        ("The parser caches results", "The parser deletes cached results"),
        ("The migration is still running", "The migration is running in a transaction"),
    ],
)
def test_the_same_words_in_another_form_number_or_relation_are_not_the_same_and_more(old: str, new: str) -> None:
    assert rule(new, old).verdict is not Verdict.REFINES


_ENTRY = """Session files need the time in their name
Two sessions of one day wrote the same file and the second one took the place of the first without a word.
The name now holds date and time down to the second, and the writer refuses a file that is there already."""


def test_an_entry_that_was_gone_over_takes_the_place_of_its_older_wording() -> None:
    new = _ENTRY.replace("down to the second", "down to the millisecond") + " The reader still takes old names."
    assert rule(new, _ENTRY).verdict is Verdict.REFINES


@pytest.mark.parametrize(
    ("new", "why"),
    [
        (_ENTRY.replace("Session files need the time in their name", "Log files need a limit of size"), "heading"),
        (
            "Session files need the time in their name\nRotate them weekly, keep four, and compress what is older.",
            "body",
        ),
    ],
)
def test_an_entry_with_another_heading_or_another_body_is_another_entry(new: str, why: str) -> None:
    assert rule(new, _ENTRY).verdict is not Verdict.REFINES, why


def test_entries_from_one_mould_are_not_one_entry() -> None:
    mould = "Merge: {0}\nbranch: work/{0}\nThe worker of rig {0} asks to have its branch merged into the main line"
    assert rule(mould.format("ab-12"), mould.format("cd-34")).verdict is not Verdict.REFINES
