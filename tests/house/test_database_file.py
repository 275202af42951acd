"""Who may touch the database file: the engine, and one function that makes it.

Closing any descriptor on a database file drops every lock that the process holds on it; another process
then removes the write-ahead log under a running writer, and saved memories are gone without an error.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src" / "hindbrain"
SQLITE = SRC / "adapters" / "sqlite"

OPENERS = {
    *("open", "fdopen", "read_bytes", "read_text", "write_bytes", "write_text", "touch"),
    *("copy", "copy2", "copyfile", "copyfileobj", "move", "mmap", "memmap", "fromfile"),
}
COPIERS_OF_VALUES = {"copy"}  # dict.copy and copy.copy are no file's business; shutil.copy is
DATABASE = re.compile(r"(?i)\b(?:\w*_)?(?:db|database|sqlite|wal|shm|store)(?:_\w*)?\b|\.db\b")

# Functions of the adapter that may open a file, and what they open.
MAY_OPEN = {
    "schema.py::create_file": "the database, before any connection exists, with O_EXCL",
    "schema.py::_read": "migrations inside the package",
    "gate.py::_opened": "lock files beside the database",
    "place.py::_kind": "the system's table of disks",
    "twin.py::_sync": "a finished copy that no connection has open, and its folder",
}
OTHER_ENGINES = {"sqlite3", "_sqlite3", "pysqlite3", "sqlean", "aiosqlite"}
MAY_USE_OTHERS = {"dialects/dex.py", "unit/test_adopt.py"}  # Dex' own database, from a copy in memory: never ours


def files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def opening_calls(tree: ast.AST, function: str = "") -> Iterator[tuple[str, ast.Call]]:
    """Calls that open, read, write or copy a file, with the function they stand in."""
    for node in ast.iter_child_nodes(tree):
        inner = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else function
        if isinstance(node, ast.Call) and is_opener(node.func):
            yield inner, node
        yield from opening_calls(node, inner)


def is_opener(called: ast.expr) -> bool:
    if isinstance(called, ast.Name):
        return called.id in OPENERS - COPIERS_OF_VALUES
    if not isinstance(called, ast.Attribute) or called.attr not in OPENERS:
        return False
    owner = ast.unparse(called.value)
    return owner != "hindbrain" and (called.attr not in COPIERS_OF_VALUES or owner == "shutil")


def names_the_database(call: ast.Call) -> bool:
    receiver = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    operands = [*receiver, *call.args, *(keyword.value for keyword in call.keywords)]
    return any(DATABASE.search(ast.unparse(operand)) for operand in operands)


# R1, R9
@pytest.mark.parametrize("path", files("src", "bench", "tests", "scripts"), ids=lambda p: p.stem)
def test_only_one_engine_ever_opens_a_database(path: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported.add(node.module.split(".")[0])
    is_excused = "/".join(path.parts[-2:]) in MAY_USE_OTHERS
    assert is_excused or imported & OTHER_ENGINES == set()


# R9
def test_outside_the_adapter_nobody_opens_the_database_file() -> None:
    found = [
        f"{path.relative_to(SRC).as_posix()}:{call.lineno} {ast.unparse(call)}"
        for path in files("src")
        if SQLITE not in path.parents
        for _, call in opening_calls(ast.parse(path.read_text("utf-8")))
        if names_the_database(call)
    ]
    assert found == []


# R9
def test_inside_the_adapter_only_known_functions_open_a_file() -> None:
    found = [
        f"{path.relative_to(SQLITE).as_posix()}::{function}"
        for path in sorted(SQLITE.rglob("*.py"))
        for function, _ in opening_calls(ast.parse(path.read_text("utf-8")))
    ]
    assert sorted({place for place in found if place not in MAY_OPEN}) == []
    assert set(MAY_OPEN) <= set(found), "an exception that nobody uses must go"


# R9, S15
def test_the_database_is_made_exclusively_or_not_at_all() -> None:
    tree = ast.parse((SQLITE / "schema.py").read_text("utf-8"))
    (made,) = [call for function, call in opening_calls(tree) if function == "create_file"]
    assert {"os.O_CREAT", "os.O_EXCL"} <= set(ast.unparse(made.args[1]).split(" | "))


@pytest.mark.parametrize(
    ("source", "is_found"),
    [
        ("open(db_path)", True),
        ("os.open(settings.store, os.O_RDONLY)", True),
        ("store_path.read_bytes()", True),
        ("shutil.copy(database, backup)", True),
        ("open(home / 'hindbrain.db', 'rb')", True),
        ("open(transcript)", False),
        ("body.copy()", False),
        ("hindbrain.open(store=path)", False),
    ],
)
def test_the_lint_sees_what_it_should(source: str, is_found: bool) -> None:
    calls = [call for _, call in opening_calls(ast.parse(source)) if names_the_database(call)]
    assert bool(calls) is is_found
