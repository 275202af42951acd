"""What a reader of a chart relies on: places tell values, nothing leaves the page, no label becomes markup."""

import math
import re
from itertools import pairwise
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from bench.plot import Bar, Line, Tone, bars, lines, shown

SVG = "{http://www.w3.org/2000/svg}"
WIDTH = 760

costs = st.floats(1e-4, 1e6)
labels = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Co", "Cn")), max_size=30)


def widths(svg: str) -> list[float]:
    return [float(one.attrib["width"]) for one in ElementTree.fromstring(svg).iter(f"{SVG}rect")]


def words(svg: str) -> list[str]:
    return [one.text or "" for one in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@given(st.lists(costs, min_size=1, max_size=8), st.booleans())
def test_a_longer_bar_is_a_larger_value_and_every_bar_is_on_the_page(values: list[float], is_log: bool) -> None:
    svg = bars("Costs", [Bar(label="x", value=value) for value in values], is_log=is_log)
    drawn = widths(svg)

    assert len(drawn) == len(values) and all(0 < width < WIDTH for width in drawn)
    in_order = [width for _, width in sorted(zip(values, drawn, strict=True))]
    assert all(a <= b for a, b in pairwise(in_order))


def test_a_linear_bar_is_as_long_as_its_value_and_a_logarithmic_one_as_its_magnitude() -> None:
    rows = [Bar(label="a", value=value) for value in (1.0, 10.0, 100.0)]
    one, ten, hundred = widths(bars("Linear", rows))
    assert math.isclose(hundred / ten, 10, rel_tol=0.01) and math.isclose(ten / one, 10, rel_tol=0.1)

    one, ten, hundred = widths(bars("Magnitudes", rows, is_log=True))
    assert math.isclose(hundred - ten, ten - one, abs_tol=0.2)


@given(labels, labels, st.lists(costs, min_size=1, max_size=4))
def test_titles_and_labels_are_text_whatever_they_hold(title: str, label: str, values: list[float]) -> None:
    points = [(10.0 ** (number + 1), value) for number, value in enumerate(values)]
    barred = bars(title, [Bar(label=label, value=value, tone=Tone.OURS) for value in values], is_log=True)
    lined = lines(title, [Line(label=label, points=points)], x_title=label, y_title=title, is_log_y=True)
    for svg in (barred, lined):
        assert title in words(svg) and label in words(svg)


@given(st.lists(st.lists(costs, min_size=1, max_size=4), min_size=1, max_size=3), st.booleans())
def test_every_point_of_a_line_lies_between_the_axes(series: list[list[float]], is_log_y: bool) -> None:
    named = [
        Line(label=f"line {number}", points=[(10.0 ** (place + 2), value) for place, value in enumerate(values)])
        for number, values in enumerate(series)
    ]
    svg = lines("Growth", named, x_title="memories", y_title="ms", is_log_y=is_log_y)
    tree = ElementTree.fromstring(svg)
    height = float(tree.attrib["height"])
    places = [
        tuple(float(part) for part in place.split(","))
        for line in tree.iter(f"{SVG}polyline")
        for place in line.attrib["points"].split()
    ]
    assert len(places) == sum(len(values) for values in series)
    assert all(0 < x < WIDTH and 0 < y < height for x, y in places)


@given(costs)
def test_a_value_is_shown_to_three_digits_and_never_as_a_power(value: float) -> None:
    text = shown(value)
    assert re.fullmatch(r"[\d,]+(\.\d+)?", text)
    assert math.isclose(float(text.replace(",", "")), value, rel_tol=0.006)


def test_a_chart_loads_nothing_and_takes_no_colour_from_its_page() -> None:
    svg = bars("Costs", [Bar(label="a", value=1.0)])
    assert "currentColor" not in svg and "href" not in svg and "<script" not in svg
    assert svg.count("http") == 1  # the name of the format


def test_nothing_to_draw_is_an_empty_chart() -> None:
    assert widths(bars("Nothing", [])) == []
    assert "Nothing" in words(lines("Nothing", [], x_title="x", y_title="y", is_log_y=True))


def test_a_legend_of_many_lines_stays_on_the_page_and_no_two_look_alike() -> None:
    named = [
        Line(label=f"a store with quite a name {number}", points=[(10.0, 1.0), (100.0, 2.0)]) for number in range(8)
    ]
    root = ElementTree.fromstring(lines("Costs", named, x_title="x", y_title="y"))
    told = [one for one in root.iter(f"{SVG}text") if (one.text or "").startswith("a store")]
    assert len(told) == 8 and all(float(one.attrib["x"]) + 7 * len(one.text or "") < WIDTH for one in told)
    assert len({(one.attrib["x"], one.attrib["y"]) for one in told}) == 8
    assert len({one.attrib["stroke"] for one in root.iter(f"{SVG}polyline")}) == 8
