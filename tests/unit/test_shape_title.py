"""Where a title ends, by example."""

import pytest

from hindbrain.core.shape import title_of


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("A b. C", "A b"),  # DX-055
        ("First line\nsecond line. More", "First line"),
        ("TaskGroup requires @Sendable closures.", "TaskGroup requires @Sendable closures"),
        ("\n\n  Use tabs. Always.", "Use tabs"),
        ("", ""),
        ("   \n ", ""),
        ("...", "..."),
    ],
)
def test_a_title_is_the_first_sentence_or_line(text: str, title: str) -> None:  # DX-055
    assert title_of(text) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("session.Worktree can be nil. Check it", "session.Worktree can be nil"),
        ("Must support Go 1.21+ for slices. Older fails", "Must support Go 1.21+ for slices"),
        ("Requires Go 1.21. Older fails", "Requires Go 1.21"),
        ("Use a linter, e.g. ruff, on commit. Always", "Use a linter, e.g. ruff, on commit"),
        ("Call session.Get() first. Then close", "Call session.Get() first"),
        ("Wrap it in session.Get(). Then close", "Wrap it in session.Get()"),
        ("Edit main.py, util.py etc. before the run. Done", "Edit main.py, util.py etc. before the run"),
        ("Tabs, spaces, etc. Mixed is wrong", "Tabs, spaces, etc"),
        ("Compare REST vs. gRPC first. Then pick", "Compare REST vs. gRPC first"),
        ("See fig. 3 for details. End", "See fig. 3 for details"),
        ("1. Stop the worker. 2. Migrate", "1. Stop the worker"),
        ("Wait... then go on. Stop", "Wait... then go on"),
        ("Run `a. b` twice. Then stop", "Run `a. b` twice"),
        ("Why does it hang? The lock", "Why does it hang?"),
        ("Stop! Now", "Stop!"),
        ("缓存在启动时清空。然后重建", "缓存在启动时清空"),
    ],
)
def test_a_dot_inside_a_name_a_number_or_an_abbreviation_ends_nothing(text: str, title: str) -> None:  # F-12
    assert title_of(text) == title


def test_a_long_title_is_100_characters_and_dots() -> None:  # DX-056
    title = title_of("x" * 150)
    assert title == "x" * 100 + "..."
    assert len(title) == 103


def test_exactly_100_characters_are_not_cut() -> None:  # DX-056
    assert title_of("x" * 100) == "x" * 100


@pytest.mark.parametrize(
    "cluster",
    ["e\u0301\u0323", "👩\u200d👩\u200d👧", "🇩🇪", "❤\ufe0f", "👍🏽", "\U0001f3f4\U000e0067\U000e0062\U000e007f", "각"],
)
def test_a_cut_never_falls_inside_a_character(cluster: str) -> None:  # DX-056, F-12
    for size in range(90, 101):
        title = title_of("x" * size + cluster * 30)
        whole, rest = divmod(len(title.removesuffix("...")) - size, len(cluster))
        assert rest == 0
        assert title == "x" * size + cluster * whole + "..."


def test_an_endless_character_is_cut_all_the_same() -> None:
    assert len(title_of("e" + "\u0301" * 500)) == 103
