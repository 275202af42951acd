"""The measurement of large stores, tried on a small one: nothing here installs or reaches a peer."""

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="the measurement needs what the benchmarks need")

from hypothesis import given
from hypothesis import strategies as st

from bench import scale
from bench.peers.known import LARGE, Peer
from bench.peers.runner import text_of
from bench.report import markdown
from bench.scale import Point, Standing, measured, part, planned


def named(name: str) -> Peer:
    return next(peer for peer in LARGE if peer.name == name)


def standing(name: str, cost: float, *sizes: int) -> Standing:
    point = Point(
        size=0,
        fill=cost,
        fill_wall=cost,
        add=cost,
        add_wall=cost,
        narrow=cost,
        narrow_wall=cost,
        narrow_right=1.0,
        cold=cost,
        bytes=3_000_000,
        memory=1_000_000,
        whole=cost,
        whole_right=0.97,
    )
    points = tuple(replace(point, size=size, whole=cost * size / sizes[0]) for size in sizes)
    return Standing(peer=named(name), points=points, versions={name: "1.0"})


@given(st.integers(1, 50), st.integers(1, 40), st.integers(1, 10))
def test_a_project_never_holds_the_same_text_twice(distinct: int, projects: int, times: int) -> None:
    """As long as there are texts enough for one project."""
    count = distinct * times
    held = [[text_of(n, count=count, distinct=distinct) for n in range(count) if n % projects == p] for p in range(3)]
    for texts in held:
        assert len(texts) > distinct or distinct % projects or len(set(texts)) == len(texts)


def test_texts_that_are_added_later_are_none_of_those_that_were_filled_in() -> None:
    assert [text_of(n, count=20, distinct=10) for n in (0, 9, 10, 19, 20, 23)] == [0, 9, 1, 0, 10, 13]


def test_our_file_is_measured_at_every_size_and_by_meaning_all_are_found(tmp_path: Path) -> None:
    plan = replace(planned((30, 60), runs=3, folder=tmp_path), projects=1_000)
    found = measured(named("ours_sqlite"), plan, is_installing=False)
    assert (found.trouble, [point.size for point in found.points]) == ("", [30, 60])
    for point in found.points:
        assert min(point.fill, point.add, point.narrow, point.whole, point.cold) > 0
        assert point.whole_right > 0.9 and point.bytes > 0


@pytest.mark.parametrize("is_full", [True, False])
def test_only_a_full_run_stands_on_the_page(monkeypatch: pytest.MonkeyPatch, is_full: bool) -> None:
    """Any other leaves out the largest size, and the stores that are not installed."""
    monkeypatch.setattr(scale, "_SIZES", (20,))
    monkeypatch.setattr(scale, "_LARGEST", 40)
    monkeypatch.setattr(scale, "_RUNS", 1)
    monkeypatch.setattr(scale, "LARGE", (named("ours_sqlite"),))

    assert scale.measure(is_quick=False, is_full=is_full).is_whole is is_full


def test_a_size_that_would_take_too_long_is_not_tried_and_it_is_said_how_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scale, "_LIMIT_S", 5.0)
    plan = planned((30, 60, 90), runs=1, folder=tmp_path)
    slow = standing("ours_sqlite", 1_000.0, 30)  # a second for each
    stage = scale._Stage(slow.peer, plan, 1, python=tmp_path / "nothing")
    assert stage.played(slow).trouble == "60 not tried: 0 minutes to fill at least"
    assert stage._needed_s(slow) == 30.0 and stage._needed_s(Standing(peer=slow.peer)) == 0.0


def test_growth_is_told_and_whoever_was_cut_off_keeps_a_row() -> None:
    late = replace(standing("mem0", 1.0, 10_000), trouble="out of time at 100,000")
    both = [standing("ours_sqlite", 2.0, 10_000, 100_000), late]
    told = markdown(part(both, sizes=(10_000, 100_000), runs=20, is_whole=True))
    assert "| Hindbrain, SQLite | 0.00 | 0.00 | 1.00 | 0.00 | 10,000 – 100,000 |" in told
    assert "| mem0, infer=False, Qdrant local | out of time at 100,000 |" in told
    assert "Cut off: mem0, infer=False, Qdrant local: out of time at 100,000." in told
    assert "plots/scale-narrow.svg" in told


def test_our_stores_are_compared_by_what_both_were_asked() -> None:
    one, two = (standing(name, 1.0, 10_000) for name in ("ours_sqlite", "ours_postgres"))
    asked = [(("a",), ("b",), ("c",)), (("a",), ("x",))]
    both = [
        replace(each, points=(replace(each.points[0], worded=worded),))
        for each, worded in zip((one, two), asked, strict=True)
    ]
    told = markdown(part(both, sizes=(10_000,), runs=1, is_whole=True))
    assert "from our file and our server: 1 of 2 questions at 10,000." in told
