import sys

import pytest

from hindbrain.core.door import admit, disarm

# X-39, S7, S8
REMOVED = {
    "NUL": ("a\x00b", "ab"),
    "bell and backspace": ("a\x07b\x08c", "abc"),
    "delete": ("a\x7fb", "ab"),
    "a C1 control": ("a\x85b\x9fc", "abc"),
    "a colour": ("a\x1b[1;31mred\x1b[0mb", "aredb"),
    "a cursor move": ("a\x1b[2J\x1b[Hb", "ab"),
    "an 8-bit colour": ("a\x9b31mb", "ab"),
    "a terminal title": ("a\x1b]0;evil\x07b", "ab"),
    "a link": ("a\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\b", "atextb"),
    "a title that never ends": ("a\x1b]0;evil", "a]0;evil"),
    "a device string": ("a\x1bPq#0\x1b\\b", "ab"),
    "a charset switch": ("a\x1b(Bb", "ab"),
    "right-to-left override": ("a\u202eb\u202c", "ab"),
    "isolates": ("a\u2066b\u2069", "ab"),
    "marks": ("a\u200e\u200fb\u061c", "ab"),
    "tags": ("a\U000e0001\U000e0069\U000e007fb", "ab"),
    "zero-width space": ("a\u200bb", "ab"),
    "joiners between letters": ("a\u200d\u200cb", "ab"),
    "word joiner and BOM": ("\ufeffa\u2060b", "ab"),
    "soft hyphen": ("a\u00adb", "ab"),
    "invisible operators": ("a\u2061\u2062\u2063\u2064b", "ab"),
    "Mongolian vowel separator": ("a\u180eb", "ab"),
    "Hangul fillers": ("a\u115f\u1160\u3164\uffa0b", "ab"),
    "grapheme joiner": ("a\u034fb", "ab"),
    "a selector after a letter": ("a\ufe0fb", "ab"),
    "other selectors": ("⚙\ufe00a\U000e0100b", "⚙ab"),
    "a lone surrogate": ("a\ud800b\udfff", "ab"),
    "annotation marks": ("a\ufff9b\ufffac\ufffb", "abc"),
    "a joiner at the end of an emoji": ("👩\u200d", "👩"),
}


@pytest.mark.parametrize("name", REMOVED)
def test_a_character_that_hides_or_steers_is_removed(name: str) -> None:
    text, clean = REMOVED[name]

    assert disarm(text) == clean
    assert admit(text).is_changed


# stripping selectors everywhere turns a gear emoji into a plain sign
KEPT = [
    "plain text, with\nlines and\ttabs",
    "⚙️ gear, ☀︎ text style, ©️ and ™️",
    "👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽 👩🏽‍🚀",
    "1️⃣ #️⃣",
    "naïve café, Straße, 日本語, עברית, العربية, 한국어",
    "e\u0301 combining",
    "→ ✓ … “quotes” — dash",
]


@pytest.mark.parametrize("text", KEPT)
def test_what_a_reader_sees_is_kept(text: str) -> None:
    assert disarm(text) == text
    assert not admit(text).is_changed


# S7
@pytest.mark.parametrize("text", ["a\r\nb", "a\rb", "a\u2028b", "a\u2029b"])
def test_every_line_end_becomes_a_line_feed(text: str) -> None:
    assert disarm(text) == "a\nb"


def test_line_ends_alone_do_not_count_as_a_change() -> None:
    assert not admit("a\r\nb").is_changed


def test_a_finding_says_where_the_character_stood() -> None:
    passed = admit("ab\u202ecd\u200b\u200be")

    assert passed.text == "abcde"
    assert [(f.kind, f.family, f.start) for f in passed.findings] == [
        ("bidi", "character", 2),
        ("zero-width", "character", 4),
    ]


def test_a_flood_of_hidden_characters_is_removed_but_not_listed_in_full() -> None:
    passed = admit("a\u200b" * 5000)

    assert passed.text == "a" * 5000
    assert len(passed.findings) == 1000


# R21
def test_the_result_can_be_encoded() -> None:
    assert disarm("\ud83d broken \x00").encode() == b" broken "


def test_every_character_alone_is_judged_as_among_others() -> None:
    """The short way for texts that are plainly printable lets nothing through that the pattern would take out."""
    for code in range(sys.maxunicode + 1):
        letter = chr(code)
        assert (disarm(f"a{letter}b") == f"a{letter}b") == (f"a{letter}b" in disarm(f"a{letter}b\x00")), hex(code)
