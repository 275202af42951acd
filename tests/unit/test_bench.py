"""What the figures of the benchmarks rest on: the fit, the texts, and a page that keeps what people wrote."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bench.growth import exponent
from bench.lessons import FEWEST, MOST, lessons, questions
from bench.meter import Cost
from bench.report import BEGIN, END, Part, Plot, Result, Table, markdown, merged, plain, settled, stamp, write

SIZES = (1_000, 10_000, 100_000)

names = st.from_regex(r"[a-z]{1,8}", fullmatch=True)
prose = st.text(st.characters(codec="utf-8", exclude_characters="<\r")).map(lambda text: text.replace("\r", ""))
sections = st.dictionaries(names, prose.map(str.strip), max_size=4)


@given(st.floats(-2, 3), st.floats(0.01, 1_000))
def test_the_fit_finds_the_exponent_that_made_the_costs(power: float, factor: float) -> None:
    costs = [factor * size**power for size in SIZES]
    assert math.isclose(exponent(SIZES, costs), power, abs_tol=1e-6)


@given(st.lists(st.floats(0.01, 1_000), min_size=3, max_size=3), st.floats(0.1, 100))
def test_the_exponent_does_not_depend_on_the_unit(costs: list[float], unit: float) -> None:
    scaled = [unit * cost for cost in costs]
    assert math.isclose(exponent(SIZES, costs), exponent(SIZES, scaled), abs_tol=1e-6)


def test_a_fixed_part_hides_growth_and_the_last_step_shows_it() -> None:
    costs = [10 + 0.001 * size for size in SIZES]
    assert exponent(SIZES, costs) < exponent(SIZES[1:], costs[1:]) < 1


def test_one_size_has_no_growth() -> None:
    with pytest.raises(ValueError, match="no growth"):
        exponent([10, 10], [1, 2])


def test_equal_seeds_write_equal_lessons_and_others_do_not() -> None:
    assert list(lessons(50, seed=7)) == list(lessons(50, seed=7))
    assert list(lessons(50, seed=7)) != list(lessons(50, seed=8))
    assert list(questions(50, seed=7)) == list(questions(50, seed=7))


def test_a_longer_run_begins_with_the_shorter_one() -> None:
    assert list(lessons(60, seed=3))[:20] == list(lessons(20, seed=3))


def test_lessons_are_as_long_as_people_write_them_and_hardly_ever_equal() -> None:
    texts = list(lessons(2_000, seed=1))
    assert all(FEWEST <= len(text.split()) <= MOST for text in texts)
    assert len(set(texts)) == len(texts)


def test_questions_are_made_of_the_words_of_their_lesson() -> None:
    for question, lesson in zip(questions(50, seed=2), lessons(50, seed=2), strict=True):
        assert question and all(word in lesson for word in question.split())


@given(prose, prose, sections, sections)
def test_a_run_replaces_its_own_parts_and_nothing_else(
    before: str, after: str, known: dict[str, str], fresh: dict[str, str]
) -> None:
    page = merged(f"{before}{BEGIN}\n{END}{after}", known)
    updated = merged(page, fresh)

    assert updated.startswith(before + BEGIN) and updated.endswith(END + after)
    assert updated == merged(f"{before}{BEGIN}\n{END}{after}", known | fresh)
    assert merged(updated, fresh) == updated


@given(prose)
def test_a_page_without_marks_gets_them_at_its_end(page: str) -> None:
    assume(page.strip())
    updated = merged(page, {"cold": "Fast."})
    assert updated.startswith(page.rstrip("\n"))
    assert updated.count(BEGIN) == updated.count(END) == 1
    assert "Fast." in updated.partition(BEGIN)[2].partition(END)[0]


def test_a_part_reads_as_a_table_on_the_page_and_as_columns_in_a_terminal() -> None:
    table = Table(head=("command", "CPU ms"), rows=[("a|b", "1.0"), ("recall", "12.5")], title="Cold")
    part = Part(name="cold", title="From nothing", tables=[table], notes=["Once."])

    assert markdown(part) == (
        "## From nothing\n\n**Cold**\n\n"
        "| command | CPU ms |\n| --- | --: |\n| a\\|b | 1.0 |\n| recall | 12.5 |\n\nOnce.\n"
    )
    assert plain(part).splitlines()[-4:] == ["a|b         1.0", "recall     12.5", "", "Once."]


def test_speed_counts_the_cpu_that_all_runs_took() -> None:
    spent = Cost((1.0, 2.0, 6.0), 0.5)
    assert (spent.best, spent.median, spent.mean) == (1.0, 2.0, 3.0)
    assert math.isclose(spent.per_cpu_second, 1000 / 3) and spent.per_second == 6.0


def test_a_figure_names_the_source_it_was_measured_on() -> None:
    before = stamp()
    assert settled(before) == before
    moved = settled(before | {"source": "of another time"})
    assert moved["commit"].startswith(before["commit"]) and "changed while" in moved["commit"]


def test_results_go_to_a_file_for_programs_and_to_the_page_with_their_stamp(tmp_path: Path) -> None:
    result = Result(part=Part(name="cold", title="From nothing", figures={"recall_ratio": 3.5}), stamp=stamp())
    write([result], to=tmp_path / "out" / "run.json", page=tmp_path / "page.md")

    data = json.loads((tmp_path / "out" / "run.json").read_text("utf-8"))
    assert data["cold"]["figures"] == {"recall_ratio": 3.5} and data["cold"]["stamp"]["python"]
    page = (tmp_path / "page.md").read_text("utf-8")
    assert "## From nothing" in page.partition(BEGIN)[2] and f"commit {result.stamp['commit']}" in page


def test_vectors_in_bulk_are_those_that_one_by_one_would_be_kept() -> None:
    pytest.importorskip("numpy")
    from bench.vectors import coded, points_of
    from hindbrain.core.model.vector import quantised

    points = points_of(20, seed=4)
    codes, scales = coded(points)
    kept = [(code.tobytes(), scale) for code, scale in zip(codes, scales.tolist(), strict=True)]
    assert kept == [quantised(point) for point in points.tolist()]


def test_vectors_are_measured_on_a_store_as_it_is_today() -> None:
    """The bench writes rows past the program, and whatever the schema asks of a writer it has to bring, too."""
    pytest.importorskip("numpy")
    from bench import vectors

    point = vectors._measured(20, 2, runs=15)
    assert point.bytes_per_vector > 0 and len(point.warm.cpu_ms) == len(point.whole.cpu_ms) == 15


def test_charts_lie_beside_the_page_that_shows_them(tmp_path: Path) -> None:
    drawn = Part(name="growth", title="Growth", plots=[Plot(name="growth", title="As it grows", svg="<svg/>")])
    write([Result(part=drawn, stamp=stamp())], to=tmp_path / "run.json", page=tmp_path / "docs" / "page.md")

    assert "![As it grows](plots/growth.svg)" in (tmp_path / "docs" / "page.md").read_text("utf-8")
    assert (tmp_path / "docs" / "plots" / "growth.svg").read_text("utf-8") == "<svg/>"
    assert json.loads((tmp_path / "run.json").read_text("utf-8"))["growth"]["plots"] == ["growth"]


def test_a_small_run_leaves_the_page_of_a_whole_one_as_it_is(tmp_path: Path) -> None:
    page, whole = tmp_path / "page.md", Part(name="peers", title="Beside others", notes=["At 10,000."])
    small = Part(name="peers", title="Beside others", notes=["At 1,000."], is_whole=False)
    for part in (whole, small):
        write([Result(part=part, stamp=stamp())], to=tmp_path / f"{part.is_whole}.json", page=page)

    assert "At 10,000." in page.read_text("utf-8") and "At 1,000." not in page.read_text("utf-8")
    assert "At 1,000." in (tmp_path / "False.json").read_text("utf-8")
