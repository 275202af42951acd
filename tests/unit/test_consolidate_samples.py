"""Real episodes and sessions: what is made of them says something, and is true to them."""

import pytest

from bench import consolidation

needs_samples = pytest.mark.skipif(
    not consolidation.SAMPLES.is_dir(), reason="the recorded episodes are not beside this project"
)


@needs_samples
def test_episodes_that_hold_nothing_yield_nothing_where_loki_kept_four_empty_patterns() -> None:
    # LK-061, F-18
    theirs, ours, days, count = consolidation.showtime()
    assert (len(theirs), days, count) == (4, 4, 29)
    assert {one["correct_approach"] for one in theirs} == {""}
    assert [one.episodes for one in ours[:-1]] == [13, 8, 7, 1] and ours[-1].episodes == 29
    assert [lore.text for one in ours for lore in (*one.patterns, *one.anti_patterns, *one.skills)] == []


@needs_samples
def test_sessions_in_which_nothing_was_cured_or_repeated_yield_nothing() -> None:
    count, ours = consolidation.transcripts()
    assert count >= 10
    assert sum(one.episodes for one in ours) >= 7
    assert [lore.text for one in ours for lore in (*one.patterns, *one.anti_patterns, *one.skills)] == []
