"""What may not stand in any text of the project, and where the environment may be read."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src" / "hindbrain"

TEXTS = {
    *(".py", ".md", ".sql", ".toml", ".tsv", ".txt", ".cfg", ".ini"),
    *(".yaml", ".yml", ".json", ".jsonl", ".sh", ""),
}
SKIPPED = {"__pycache__", "build", "dist", "node_modules"}
DOT_FOLDERS = {".ci", ".github"}
MACHINE_PATH = re.compile(r"(?<![\w.~/-])/(?:work|root)/|/tmp/[\w.-]*venv")
MOST_VARIABLES = 15
VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{2,}")


def texts(folder: Path = ROOT) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        is_hidden = path.name.startswith(".") and path.name not in DOT_FOLDERS
        if path.is_symlink() or path.name in SKIPPED or path.name.endswith(".egg-info"):
            continue
        if path.is_dir() and not is_hidden:
            yield from texts(path)
        elif path.is_file() and path.suffix in TEXTS and path.name != "LICENSE":
            yield path


def test_no_text_names_a_path_of_the_machine_it_was_written_on() -> None:
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{number}"
        for path in texts()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if MACHINE_PATH.search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        ("see /{}/main/x", True),
        ("cd /tmp/test-v" + "env/bin", True),
        ("docs/{}/notes.md", False),
        ("./{}/x", False),
    ],
)
def test_machine_paths_are_recognised(line: str, is_found: bool) -> None:
    assert bool(MACHINE_PATH.search(line.format("work"))) is is_found


def test_the_readme_fits_on_three_screens() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


def reads_environment(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr="environ" | "environb" | "getenv" | "getenvb" | "putenv"):
            return True
        case ast.ImportFrom(module="os", names=names):
            return any(alias.name in {"environ", "getenv"} for alias in names)
        case ast.keyword(arg="envvar" | "auto_envvar_prefix"):
            return True
    return False


def test_the_environment_is_read_in_one_module_and_once_where_that_would_cost_too_much() -> None:
    found = [
        path.relative_to(SRC).as_posix()
        for path in sorted(SRC.rglob("*.py"))
        if any(reads_environment(node) for node in ast.walk(ast.parse(path.read_text("utf-8"))))
    ]
    assert found == ["entry/hooks/run.py", "settings.py"]


def test_there_are_few_environment_variables() -> None:
    tree = ast.parse((SRC / "settings.py").read_text("utf-8"))
    constants = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    names = {value for value in constants if isinstance(value, str) and VARIABLE.fullmatch(value)}
    assert {"HINDBRAIN_HOME", "HINDBRAIN_STORE"} <= names
    assert len(names) <= MOST_VARIABLES


def test_the_glossary_is_in_order_and_points_at_what_exists() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    words = re.findall(r"^\*\*(\w+)\*\*:", text, re.MULTILINE)
    assert words == sorted(set(words))

    places = set(re.findall(r"`((?:core|app|adapters|entry)/[\w/.]*|[a-z]+\.py)`", text))
    assert sorted(place for place in places if not (SRC / place).exists()) == []
