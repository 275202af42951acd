"""The comparison with other stores, tried on ours and on the floor: nothing here installs or reaches a peer."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="the comparison needs what the benchmarks need")

from hypothesis import given, settings
from hypothesis import strategies as st

from bench.lessons import lessons, questions
from bench.peers.compare import compared, planned
from bench.peers.environments import Absent, folder, last_line, python_of
from bench.peers.known import FLOOR, KNOWN, LARGE, LATER, OURS, Peer
from bench.peers.process import Process, Trouble
from bench.peers.standing import Point, Spent, Standing, part
from bench.peers.subject import DIMENSIONS, Lookup
from bench.peers.vectors import best, vectors
from bench.report import markdown

ROOT = Path(__file__).resolve().parents[2]
SUBJECTS = ROOT / "bench" / "peers" / "subjects"
HERE = [peer for peer in KNOWN if not peer.home]
AWAY = [peer for peer in KNOWN if peer.home]


def spent(value: float) -> Spent:
    return Spent(cpu_ms=(value, value), wall_ms=(value, value))


def standing(peer: Peer, cost: float, *, size: int = 1_000) -> Standing:
    point = Point(
        size=size,
        add=spent(cost),
        search=spent(2 * cost),
        narrow=spent(cost / 2),
        right=0.9,
        narrow_right=0.8,
        bytes=3_000_000,
    )
    return Standing(peer=peer, versions={peer.name: "1.0"}, points=(point,))


def named(name: str) -> Peer:
    return next(peer for peer in KNOWN if peer.name == name)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> list[Standing]:
    plan = planned((40, 60), turns=1, folder=tmp_path_factory.mktemp("run"))
    return compared(HERE, plan, is_installing=False)


def test_ours_and_the_floor_are_measured_at_every_size(measured: list[Standing]) -> None:
    assert [one.peer.name for one in measured] == [OURS, LATER, FLOOR]
    for one in measured:
        assert (one.trouble, [point.size for point in one.points]) == ("", [40, 60])
        assert one.versions and one.import_cpu_s > 0
        for point in one.points:
            assert len(point.add.cpu_ms) == len(point.search.cpu_ms) == len(point.narrow.wall_ms) == 10
            assert point.bytes > 0 and min(point.search.wall_ms) > 0


def test_the_floor_finds_by_meaning_what_an_exact_comparison_finds(measured: list[Standing]) -> None:
    floor = measured[-1]
    assert all(point.right > 0.5 and point.narrow_right > 0.5 for point in floor.points)


def test_a_store_that_takes_too_long_is_stopped_and_keeps_its_place(tmp_path: Path) -> None:
    plan = replace(planned((20,), turns=1, folder=tmp_path), limit_s=0.0)
    (late,) = compared([named(FLOOR)], plan, is_installing=False)
    assert (late.trouble, late.points) == ("out of time", ())


def test_a_store_that_fails_says_so_in_its_own_words(tmp_path: Path) -> None:
    process = Process(Path(sys.executable), FLOOR, folder=tmp_path / "floor", limit_s=60)
    with pytest.raises(Trouble, match=r"failed: FileNotFoundError.*nowhere"):
        process.ask("start", folder=str(tmp_path), data=str(tmp_path / "nowhere.json"))
    with pytest.raises(Trouble, match="failed"):
        process.ask("size")
    process.end()


def test_a_store_finds_what_it_was_given_through_the_protocol(tmp_path: Path) -> None:
    texts, asked = list(lessons(30, seed=1)), list(questions(30, seed=1))
    data = tmp_path / "data.json"
    given = {"texts": texts, "count": 30, "distinct": 30, "projects": 1, "questions": asked}
    data.write_text(json.dumps(given))
    data.with_suffix(".f32").write_bytes(vectors([*texts, *asked]).tobytes())

    for peer in HERE:
        process = Process(Path(sys.executable), peer.name, folder=tmp_path / peer.name, limit_s=60)
        process.ask("start", folder=str(tmp_path / peer.name), data=str(data))
        process.ask("fill", first=0, last=25)
        process.ask("add", first=25, last=30)
        owed = process.ask("size")["owed_ms"]  # does what was put off
        assert (owed > 0) is (peer.name == LATER)
        answer = process.ask("search", first=0, last=30, project="")
        process.ask("close")
        process.end()
        assert [found[0] for found in answer["found"]] == texts, peer.name


def test_the_runner_reaches_nothing_but_this_machine(tmp_path: Path) -> None:
    (tmp_path / "home_caller.py").write_text("import socket; socket.socket().connect(('192.0.2.1', 9))")
    done = subprocess.run(
        [sys.executable, "-m", "bench.peers.runner", FLOOR],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT / 'src'}:{tmp_path}"},
        input=json.dumps({"do": "load", "libraries": ["home_caller"]}) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "" and "may not reach ('192.0.2.1', 9)" in done.stderr


def test_every_store_has_a_module_and_every_peer_a_pinned_version() -> None:
    modules = {path.stem for path in SUBJECTS.glob("*.py")} - {"__init__"}
    assert modules == {peer.name for peer in (*KNOWN, *LARGE)}
    for peer in AWAY:
        assert peer.steps and "==" in peer.steps[0][0]


@pytest.mark.parametrize("peer", AWAY, ids=lambda peer: peer.name)
def test_a_peer_that_is_not_there_is_not_installed_unless_asked(
    peer: Peer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HINDBRAIN_BENCH_PEERS", str(tmp_path))
    assert python_of(peer, is_installing=False) == Absent("not installed here")
    assert folder() == tmp_path and list(tmp_path.iterdir()) == []


def test_a_peer_that_no_python_can_run_is_told_and_not_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HINDBRAIN_BENCH_PEERS", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    found = python_of(replace(AWAY[0], needs="raise SystemExit(1)"), is_installing=True)
    assert isinstance(found, Absent) and found.why.startswith("did not install: no Python here")


def test_the_reason_of_a_failure_is_its_last_line_that_speaks_of_an_error() -> None:
    said = "Collecting x\nERROR: No matching distribution found for x\n\n[notice] a new release of pip\n"
    assert last_line(said) == "ERROR: No matching distribution found for x"
    assert last_line("one\ntwo\n") == "two" and last_line("") == "it said nothing"


def test_ratios_are_to_ours_and_no_store_is_left_out() -> None:
    absent = Standing(peer=named("mem0"), trouble="did not install: ERROR: no such version")
    told = part(
        [standing(named(OURS), 1.0), standing(named("chromadb"), 10.0), absent],
        runs=2,
        is_whole=True,
    )
    page = markdown(told)

    costs = {line.split(" | ")[0]: line.split(" | ") for line in page.splitlines() if line.startswith("| ")}
    assert costs["| mem0, infer=False, Qdrant local"][1] == absent.trouble
    assert told.figures["1000_chromadb_add_cpu_ms"] == 10.0 and "1000_mem0_add_cpu_ms" not in told.figures
    rows = told.tables[0].rows
    assert [row[4] for row in rows] == ["1.00", "10.00", ""]
    assert [row[9] for row in rows] == ["–", "90%", ""]
    assert f"{absent.peer.title}: {absent.trouble}." in page


def test_a_store_that_ran_out_of_time_is_in_the_tables_of_the_sizes_it_reached() -> None:
    small = replace(standing(named("mem0"), 5.0), trouble="out of time")
    ours = standing(named(OURS), 1.0)
    grown = replace(ours, points=(*ours.points, replace(ours.points[0], size=10_000)))
    told = part([grown, small], runs=2, is_whole=True)

    assert [table.title for table in told.tables[:2]] == ["1,000 memories", "10,000 memories"]
    assert told.tables[0].rows[1][1] == "5.00" and told.tables[1].rows[1][1] == "out of time"


def test_a_long_reason_is_cut_in_the_table_and_whole_in_the_notes() -> None:
    absent = Standing(peer=named("txtai"), trouble="did not install: " + 40 * "word ")
    told = part([standing(named(OURS), 1.0), absent], runs=2, is_whole=True)
    assert len(told.tables[0].rows[1][1]) <= 60 and any(absent.trouble in note for note in told.notes)


@settings(max_examples=30)
@given(st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=5))
def test_every_text_has_one_vector_of_unit_length(texts: list[str]) -> None:
    rows = vectors(texts)
    assert rows.shape == (len(texts), DIMENSIONS)
    assert all(abs(float(row @ row) - 1) < 1e-4 for row in rows)
    assert (vectors(texts) == rows).all()


def test_a_question_is_nearest_to_the_lesson_it_was_made_of() -> None:
    nearest = best(vectors(list(lessons(200, seed=4))), vectors(list(questions(200, seed=4))), count=1)
    assert sum(int(line[0]) == number for number, line in enumerate(nearest)) >= 195


def test_a_text_that_is_not_of_the_run_has_no_vector() -> None:
    with pytest.raises(KeyError):
        Lookup({"known": [1.0]}).embed(["unknown"])
