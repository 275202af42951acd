"""Which ids a text has for the model."""

import pytest

from hindbrain.adapters.ai.wordpiece import token_ids


# The ids that the model's own tokeniser gives.
@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", []),
        ("Restart the worker.", [23818, 1996, 7309, 1012]),
        (
            "def parse_args(argv): return 0",
            [13366, 11968, 3366, 1035, 12098, 5620, 1006, 12098, 2290, 2615, 1007, 1024, 2709, 1014],
        ),
        ("tokeniser", [19204, 17288]),
        ("don't panic!", [2123, 1005, 1056, 6634, 999]),
        ("naïve CAFÉ Ångström İstanbul", [15743, 7668, 17076, 15687, 9960]),
        ("ΟΔΟΣ", [1169, 29722, 29730, 29733]),
        ("한국어", [1469, 30006, 30021, 29991, 30014, 30020, 29999, 30008]),
        ("东京 tower", [100, 1755, 3578]),
        ("🚀 launch", [100, 4888]),
        ("ab\u200bcd\x00ef", [5925, 3207, 2546]),
        ("tabs\tand\xa0blanks\u3000here", [21628, 2015, 1998, 8744, 2015, 2182]),
        ("x" * 101 + " ok", [100, 7929]),
    ],
)
def test_a_text_has_the_ids_that_the_model_was_trained_with(text: str, ids: list[int]) -> None:
    assert token_ids(text, limit=256) == [101, *ids, 102]


def test_no_text_speaks_to_the_model_in_marks() -> None:
    inner = token_ids("[SEP] [CLS]", limit=64)[1:-1]
    assert not {101, 102} & set(inner) and inner


def test_what_the_model_does_not_look_at_is_cut_off() -> None:
    whole = token_ids("one two three four", limit=64)
    assert token_ids("one two three four", limit=4) == [*whole[:3], 102]


def test_a_word_that_two_readings_share_is_one_word() -> None:
    """A long text is read in chunks: no chunk may end within a word."""
    for blanks in range(4090, 4100):
        assert token_ids(" " * blanks + "restart it", limit=9) == token_ids("restart it", limit=9)


@pytest.mark.parametrize("unit", ["x", " ", ".", "\u200d", "é", "\x00", "中", "xé "])
def test_ten_megabytes_are_read_only_as_far_as_needed(unit: str) -> None:
    assert len(token_ids(unit * (10_000_000 // len(unit)), limit=256)) <= 256
