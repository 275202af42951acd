"""Laws of how learnings are laid out: nothing is wider than the terminal, lost or invented, in linear time."""

from itertools import pairwise

import pytest

pytest.importorskip("rich", reason="the panel's extra is not installed")

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hindbrain.entry.panel.chips import Chip, rows
from hindbrain.entry.panel.layout import Layout, wrapped
from hindbrain.entry.panel.views import Section
from hindbrain.entry.panel.wording import Entry

LINES = st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Mn", "Me", "Zl", "Zp"]), max_size=200).map(
    lambda text: " ".join(text.split())
)


@given(LINES, st.integers(8, 60))
def test_a_wrapped_text_fits_and_loses_nothing(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@given(LINES, st.integers(8, 60), st.integers(1, 4))
def test_a_text_that_is_cut_says_so_and_has_no_more_lines_than_it_may(text: str, width: int, most: int) -> None:
    lines = wrapped(text, width, most=most)
    assert 1 <= len(lines) <= most and all(cell_len(line) <= width for line in lines)
    assert lines == wrapped(text, width) or lines[-1].endswith("…")


@given(st.lists(st.lists(LINES, max_size=4), max_size=4), st.integers(12, 100))
def test_every_learning_has_a_place_of_its_own(texts: list[list[str]], width: int) -> None:
    sections = [
        Section(
            heading=f"S{number}",
            entries=tuple(Entry(id=f"{number}-{at}", text=text, below=("Source: x",)) for at, text in enumerate(group)),
        )
        for number, group in enumerate(texts)
    ]
    done = Layout(width).placed(sections, nothing="nothing")
    count = sum(map(len, texts))
    assert len(done.rows) == len(done.owners) and len(done.tops) == len(done.ends) == count
    assert sorted({owner for owner in done.owners if owner >= 0}) == list(range(count))
    assert all(cell_len(row.text) <= width for row in done.rows)
    assert done.ends == sorted(done.ends) and all(top < end for top, end in zip(done.tops, done.ends, strict=True))


@given(st.lists(st.text("abc⚙🔍", min_size=1, max_size=12), min_size=1, max_size=30), st.integers(12, 80), st.data())
def test_the_active_choice_is_always_on_the_screen(labels: list[str], width: int, data: st.DataObject) -> None:
    active = data.draw(st.integers(0, len(labels) - 1))
    chips = [Chip(key=str(at), text=label, is_active=at == active) for at, label in enumerate(labels)]
    found = rows(chips, width=width, head="V: ")
    assert 1 <= len(found) <= 3
    assert any(spot.chip.is_active for row in found for spot in row)
    assert all(left.end < right.at for row in found for left, right in pairwise(row))


@pytest.mark.parametrize("text", ["x" * 10_000_000, "ä" * 10_000_000, "x " * 5_000_000, "\u0301" * 10_000_000])
def test_a_giant_text_costs_no_more_than_what_is_shown_of_it(text: str) -> None:
    assert len(wrapped(text, 80, most=12)) <= 12
