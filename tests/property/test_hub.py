"""Laws of what the hub draws: nothing stored becomes markup, no line is lost in a diff, no note out of the picture."""

import math
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from hindbrain.entry.hub.diff import side_by_side
from hindbrain.entry.hub.layout import lay
from hindbrain.entry.hub.text import drawn, is_odd, raw, seen, told

_OURS = {"p", "ul", "ol", "li", "pre", "code", "strong", "blockquote", "span"}
_marks = st.sampled_from(["<b>", "```", "**", "`", "- ", "1. ", "\n", "# ", "> ", "&lt;", '"', "\u202e", "\ufe0f", " "])
_texts = st.lists(st.one_of(_marks, st.text(max_size=8)), max_size=30).map("".join)


class _Read(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.names: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def _read(html: str) -> _Read:
    found = _Read()
    found.feed(html)
    found.close()
    return found


@given(_texts)
def test_only_our_own_tags_are_drawn_and_nothing_hidden_stays(text: str) -> None:  # S6, S8
    for html in (drawn(text), seen(text)):
        found = _read(html)
        assert found.tags <= _OURS and found.names <= {"class", "title"}
        assert not is_odd(found.text)


@given(_texts)
def test_letters_and_digits_all_come_through(text: str) -> None:
    def plain(said: str) -> list[str]:
        return [letter for letter in said if letter.isalpha() and not is_odd(letter)]

    unmarked = "".join(letter for letter in text if not is_odd(letter))
    assert plain(_read(seen(unmarked)).text) == plain(unmarked)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0")))
def test_a_form_gives_back_what_was_put_into_it(text: str) -> None:
    assert _read(f"<p>{raw(text)}</p>").text == text


@given(_texts)
def test_what_holds_no_tags_has_none(text: str) -> None:
    assert not _read(f"<title>{told(text)}</title>").tags - {"title"}


_lines = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12).map("\n".join)


@given(_lines, _lines)
def test_both_sides_of_a_diff_are_told_in_order_with_every_change(before: str, after: str) -> None:
    rows = side_by_side(before, after)
    for side, text in (("left", before), ("right", after)):
        whole = text.split("\n")
        told_rows = [(getattr(row, f"{side}_at"), getattr(row, side)) for row in rows if getattr(row, side) is not None]
        assert all(whole[at - 1] == line for at, line in told_rows)
        assert [at for at, _ in told_rows] == sorted(at for at, _ in told_rows)
    assert bool([row for row in rows if row.sort != "same"]) == (before != after)


@given(st.integers(1, 25), st.lists(st.tuples(st.integers(0, 24), st.integers(0, 24)), max_size=40))
def test_every_note_has_a_place_of_its_own(count: int, pairs: list[tuple[int, int]]) -> None:
    notes = tuple(f"m{n:02d}" for n in range(count))
    links = tuple((notes[a % count], notes[b % count]) for a, b in pairs)
    places = lay(notes, links)
    assert set(places) == set(notes)
    assert all(math.isfinite(x) and math.isfinite(y) for x, y in places.values())
    assert len({(round(x, 3), round(y, 3)) for x, y in places.values()}) == count
