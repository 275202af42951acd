"""What a comment in a test may claim about a requirement row."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("requirements_script_unit", ROOT / "scripts" / "requirements.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up while they are made
    spec.loader.exec_module(module)
    return module


script = _load()


def cited(source: str) -> set[tuple[str, str]]:
    found = script.citations(source, name="tests/t.py")
    return {(c.row, c.place.removeprefix("tests/t.py").removeprefix("::")) for c in found.citations}


def project(root: Path, tests: str, deviations: str = "") -> Path:
    rows = "".join(f"CH-{n:03d}\tWhat row {n} asks | exactly\n" for n in range(1, 6))
    (root / "docs").mkdir()
    (root / "tests").mkdir()
    (root / "docs" / "requirements.tsv").write_text(f"id\ttext\n{rows}", encoding="utf-8")
    (root / "docs" / "deviations.tsv").write_text(f"id\treason\n{deviations}", encoding="utf-8")
    (root / "tests" / "test_it.py").write_text(tests, encoding="utf-8")
    return root


def write_page(root: Path) -> str:
    page: Path = root / script.PAGE
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(script.render(script.read(root)), encoding="utf-8")
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "source",
    [
        "# CH-001\ndef test_a():\n    pass\n",
        "# CH-001 because of this\n@mark\n@other(1)\ndef test_a():\n    pass\n",
        "@mark\n# CH-001\ndef test_a():\n    pass\n",
        "@mark  # CH-001\ndef test_a():\n    pass\n",
        "def test_a():  # CH-001\n    pass\n",
        "def test_a():\n    # CH-001\n    pass\n",
        "def test_a():\n    pass\n    # CH-001\n",
        "async def test_a():\n    pass  # CH-001\n",
        "# CH-001\n# and a second line of prose\ndef test_a():\n    pass\n",
        '@parametrize(\n    [\n        param(1),  # CH-001\n    ]\n)\ndef test_a():\n    """Doc."""\n',
    ],
)
def test_a_comment_counts_for_the_test_it_stands_in_or_directly_above(source: str) -> None:
    assert cited(source) == {("CH-001", "test_a")}


@pytest.mark.parametrize(
    "source",
    [
        "# CH-001\n\ndef test_a():\n    pass\n",
        "# CH-001\nTABLE = 1\n\n\ndef test_a():\n    pass\n",
        "# CH-001\ndef helper():\n    pass  # CH-001\n",
        'def test_a():\n    "# CH-001"\n',
        'def test_a():\n    """CH-001"""\n',
        "def test_a():\n    pass  # unlike CH-001\n",
        "def test_a():\n    pass\n# CH-001\n",
        "def test_a():\n    pass  # CH-001-shaped, SHA-256, UTF-8\n",
    ],
)
def test_a_row_id_elsewhere_is_only_a_mention(source: str) -> None:
    assert cited(source) == set()


def test_neighbouring_tests_keep_their_own_rows() -> None:
    source = "def test_a():\n    pass\n    # CH-001\n\n\n# CH-002\ndef test_b():\n    pass  # CH-003\n"
    assert cited(source) == {("CH-001", "test_a"), ("CH-002", "test_b"), ("CH-003", "test_b")}


def test_a_method_is_named_with_its_class() -> None:
    source = "class TestIt:\n    # CH-001\n    def test_a(self):\n        pass\n"
    assert cited(source) == {("CH-001", "TestIt::test_a")}


def test_outside_tests_only_the_word_proves_counts_and_then_for_the_module() -> None:
    source = "# proves: CH-001, CH-002 by the table below\nTABLE = 1  # CH-003\n"
    assert cited(source) == {("CH-001", ""), ("CH-002", "")}
    assert script.citations("# proves: nothing\n", name="t.py").problems == ["t.py:1: `proves:` names no row"]


@pytest.mark.parametrize(
    ("comment", "rows"),
    [
        ("CH-001 DX-002", {"CH-001", "DX-002"}),
        ("CH-001, DX-002; X-03/F-04 and G-1", {"CH-001", "DX-002", "X-03", "F-04", "G-1"}),
        ("CH-001: unlike CH-002", {"CH-001"}),
        ("CH-001 (see CH-002)", {"CH-001"}),
        ("DX-009..DX-011 all of them", {"DX-009", "DX-010", "DX-011"}),
        ("DX-009..011, CH-001", {"DX-009", "DX-010", "DX-011", "CH-001"}),
    ],
)
def test_ids_and_ranges_at_the_start_of_a_comment_are_all_cited(comment: str, rows: set[str]) -> None:
    assert {row for row, _ in cited(f"def test_a():  # {comment}\n    pass\n")} == rows


@given(st.integers(1, 300), st.integers(1, 60))
def test_a_range_names_each_row_once_in_order(low: int, more: int) -> None:
    found = script.citations(f"def test_a():  # CH-{low:03d}..CH-{low + more:03d}\n    pass\n", name="t.py")
    assert [c.row for c in found.citations] == [f"CH-{n:03d}" for n in range(low, low + more + 1)]


@pytest.mark.parametrize("comment", ["CH-005..CH-001", "CH-001..DX-005", "CH-001..CH-001"])
def test_a_range_that_is_none_is_a_problem(comment: str) -> None:
    found = script.citations(f"def test_a():  # {comment}\n    pass\n", name="t.py")
    assert found.problems == [f"t.py:1: {comment} is no range"]


def test_the_page_shows_state_and_place_and_counts_them(tmp_path: Path) -> None:
    tests = "".join(f"def test_{n}():\n    pass  # CH-001\n" for n in range(5))
    root = project(tmp_path, tests, "CH-002\tWe chose otherwise.\n")
    page = write_page(root)

    assert "| CH, Chorus | 5 | 1 | 1 | 3 |" in page
    assert "| **all** | 5 | 1 | 1 | 3 |" in page
    places = " ".join(f"`tests/test_it.py::test_{n}`" for n in range(3))
    assert f"| CH-001 | What row 1 asks \\| exactly | proven | {places} +2 |" in page
    assert "| CH-002 | What row 2 asks \\| exactly | different: We chose otherwise. |  |" in page
    assert "| CH-003 | What row 3 asks \\| exactly | not yet |  |" in page


def test_a_fresh_page_passes_and_a_new_citation_makes_it_stale(tmp_path: Path) -> None:
    root = project(tmp_path, "def test_a():\n    pass\n")
    assert any("is stale" in problem for problem in script.check(root))
    write_page(root)
    assert script.check(root) == []

    (root / "tests" / "test_it.py").write_text("def test_a():\n    pass  # CH-001\n", encoding="utf-8")
    assert script.check(root) == [f"{script.PAGE} is stale: run `python scripts/requirements.py`"]


def test_a_citation_of_a_row_that_does_not_exist_is_a_problem(tmp_path: Path) -> None:
    root = project(tmp_path, "def test_a():\n    pass  # CH-999 CH-1\n")
    write_page(root)
    assert script.check(root) == [
        "tests/test_it.py::test_a cites CH-1: no such row",
        "tests/test_it.py::test_a cites CH-999: no such row",
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("CH-999\tbecause\n", "docs/deviations.tsv: CH-999 is no row"),
        ("CH-001\t \n", "deviations.tsv:2: want a row id, one tab and a text"),
        ("CH-001 because\n", "deviations.tsv:2: want a row id, one tab and a text"),
        ("CH-001\tbecause\nCH-001\tagain\n", "deviations.tsv:3: CH-001 stands there twice"),
    ],
)
def test_a_deviation_needs_a_known_row_and_one_reason(tmp_path: Path, line: str, problem: str) -> None:
    root = project(tmp_path, "", line)
    write_page(root)
    assert script.check(root) == [problem]


def test_a_file_that_is_not_python_is_a_problem_not_a_crash(tmp_path: Path) -> None:
    root = project(tmp_path, "def test_a(:\n")
    write_page(root)
    (problem,) = script.check(root)
    assert problem.startswith("tests/test_it.py is not Python")
