"""The page of promises tells the truth: every one has a test, every test that it names is there."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT.parent / "shared" / "RELIABILITY.md"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reliability_script_house", ROOT / "scripts" / "reliability.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up while they are made
    spec.loader.exec_module(module)
    return module


script = _load()


def test_the_page_of_promises_is_fresh_and_none_is_without_a_test() -> None:
    assert script.check(ROOT) == []


def test_our_list_of_promises_is_the_bar() -> None:
    if not SOURCE.exists():
        pytest.skip("the note on reliability is not beside this project")
    wanted = re.findall(r"^\| ([RS]\d+) \|", SOURCE.read_text(encoding="utf-8"), re.MULTILINE)
    assert list(script.read(ROOT).rows) == [row for row in wanted if row != "R25"]  # which is all of them for hours


@pytest.mark.parametrize(
    ("comment", "rows"),
    [
        ("R7", ["R7"]),
        ("X-17, R4, R13: killed anywhere", ["R4", "R13"]),
        ("DX-040..DX-047 S3 and S4", ["S3", "S4"]),
        ("proves what R7 says", []),
        ("R7x", []),
        ("S1 in small", ["S1"]),
    ],
)
def test_a_mark_is_what_a_comment_begins_with(comment: str, rows: list[str]) -> None:
    assert script.marks(comment) == rows


def test_a_row_without_a_test_and_a_test_that_is_gone_are_problems() -> None:
    book = script.Book(
        rows={"R1": "a promise", "R2": "another"},
        tests={"R1": ["tests/t.py::test_a"], "R9": ["tests/t.py::test_a"]},
        runs=[script.Run(row="R1", test="tests/t.py::test_b[1]", reached="all", date="2026-01-10", seed="1")],
        bugs=[script.Bug(found="2026-01-10", what="lost", test="tests/t.py::test_c")],
        known=frozenset({"tests/t.py::test_a"}),
    )
    assert [problem.split()[0] for problem in book.problems] == [
        "R2",
        "tests/t.py::test_a",
        "tests/t.py::test_c",
        "tests/t.py::test_b[1]",
    ]
    assert "| R1 | a promise | `t.py::test_a` |" in script.render(book)


def test_what_a_full_run_noted_takes_the_place_of_what_it_said_before(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    noted = tmp_path / "noted"
    for what in ("10 rounds", "20 rounds"):
        noted.write_text(f"R4\ttests/t.py::test_a\t{what}\t2026-01-10\t7\nR10\ttests/t.py::test_b\tall\t2026-01-10\t\n")
        script.take(tmp_path, noted)
    lines = (tmp_path / "docs" / "reliability-runs.tsv").read_text().splitlines()
    assert lines == [
        "row\ttest\treached\tdate\tseed",
        "R4\ttests/t.py::test_a\t20 rounds\t2026-01-10\t7",
        "R10\ttests/t.py::test_b\tall\t2026-01-10\t",
    ]


def test_a_row_whose_every_test_has_held_is_noted_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "docs" / "reliability.tsv").write_text("row\tpromise\nR1\tone\nR2\tanother\nR3\ta third\n")
    (tmp_path / "docs" / "data-bugs.tsv").write_text("found\twhat\ttest\n")
    source = (
        "# R1\ndef test_a():\n    pass\n\n\n# R1 R2\ndef test_b():\n    pass\n\n\n# R2 R3\ndef test_c():\n    pass\n"
    )
    (tmp_path / "tests" / "test_t.py").write_text(source)
    ended = {"tests/test_t.py::test_a": "passed", "tests/test_t.py::test_b[1]": "passed"}
    ended |= {"tests/test_t.py::test_b[2]": "passed", "tests/test_t.py::test_c": "skipped"}
    assert script.whole_rows(tmp_path, ended) == [("R1", "all 2 tests held, in 3 cases")]
    book = script.read(tmp_path)
    assert script.tests_of(book, ["R2"]) == ["tests/test_t.py::test_b", "tests/test_t.py::test_c"]
    assert script.tests_of(book) == [f"tests/test_t.py::test_{name}" for name in "abc"]
    run = script.Run(row="R1", test="all", reached="all 2 tests held", date="2026-01-10", seed="")
    book = script.Book(rows=book.rows, tests=book.tests, runs=[run], bugs=[], known=book.known)
    assert not book.problems and "--tests R1)" in script.render(book)
