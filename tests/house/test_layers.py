"""Which way imports may point: entry, app, core; adapters behind ports; only wiring knows both sides."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[2] / "src"
PACKAGE = SRC / "hindbrain"

# layer -> the layers of ours that it may import. `root` is hindbrain/__init__.py, `main` is __main__.py; `hook` is
# where a hook process begins.
MAY_IMPORT = {
    "errors": set[str](),
    "core": {"core"},
    "ports": {"core"},
    "settings": {"core", "errors"},
    "app": {"app", "core", "errors", "ports", "settings"},
    "adapters": {"adapters", "core", "errors", "ports", "settings"},
    "dialects": {"core", "dialects", "errors"},
    "facade": {"app", "core", "errors", "ports", "settings"},
    "wiring": {"adapters", "app", "core", "dialects", "errors", "facade", "ports", "settings"},
    "root": {"core", "errors", "facade", "settings", "wiring"},
    "entry": {"app", "core", "entry", "errors", "facade", "root", "settings", "wiring"},
    "main": {"entry", "errors", "root"},
    "hook": {"entry"},
}
THIRD_PARTY = {
    "adapters": {"apsw", "numpy", "onnxruntime", "psycopg"},
    "entry": {
        *("anyio", "click", "fastapi", "jinja2", "markupsafe", "mcp", "mcp_types", "pydantic", "rich", "starlette"),
        *("textual", "h11", "uvicorn"),
    },
}
PURE = {
    *("__future__", "abc", "array", "base64", "binascii", "bisect", "collections", "copy", "dataclasses", "datetime"),
    *("difflib", "enum", "fnmatch", "fractions", "functools", "hashlib", "heapq", "html", "ipaddress"),
    *("itertools", "json", "math", "operator", "re", "shlex", "string", "struct", "sys", "textwrap", "types"),
    *("typing", "unicodedata", "zlib", "_sha2", "_sha256"),  # the last two are what hashlib falls back to
}
IMPURE_CALLS = {"now", "utcnow", "today", "open", "print", "input", "exec", "eval"}

MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer_of(module: str) -> str:
    parts = module.split(".")
    if len(parts) == 1:
        return "root"
    return "main" if parts[1] == "__main__" else parts[1]


KNOWN = {name_of(path) for path in MODULES}


def imports(path: Path) -> Iterator[str]:
    """Full names of all modules that a file imports, wherever in the file it does so."""
    package = name_of(path) if path.name == "__init__.py" else name_of(path).rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield full if full in KNOWN else base


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_what_its_layer_may_see(path: Path) -> None:
    module = name_of(path)
    layer = layer_of(module)
    assert layer in MAY_IMPORT, f"{module} stands in no known layer"

    ours = {name for name in imports(path) if name.split(".")[0] == "hindbrain"}
    assert {name for name in ours if layer_of(name) not in MAY_IMPORT[layer]} == set()

    foreign = {name.split(".")[0] for name in imports(path)} - {"hindbrain"} - sys.stdlib_module_names - PURE
    assert foreign <= THIRD_PARTY.get(layer, set())


@pytest.mark.parametrize("path", sorted((PACKAGE / "core").rglob("*.py")), ids=name_of)
def test_the_core_is_pure(path: Path) -> None:
    used = {name.split(".")[0] for name in imports(path)} - {"hindbrain"}
    assert used <= PURE, f"not pure: {sorted(used - PURE)}"

    calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
    names = {
        call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
        for call in calls
        if isinstance(call.func, ast.Attribute | ast.Name)
    }
    assert names & IMPURE_CALLS == set()


def test_only_wiring_knows_adapters_and_the_verbs() -> None:
    knows_both = set()
    for path in MODULES:
        layers = {layer_of(name) for name in imports(path) if name.split(".")[0] == "hindbrain"}
        if "adapters" in layers and layers & {"app", "entry"}:
            knows_both.add(name_of(path))
    assert knows_both <= {"hindbrain.wiring"}


def test_values_are_made_in_one_way() -> None:
    """`dataclasses` works everywhere, but it costs a short command more than its answer does."""
    makers = [name_of(path) for path in MODULES if "dataclasses" in set(imports(path))]
    assert makers == ["hindbrain.core.value"]


def test_the_layers_are_those_of_the_tree() -> None:
    seen = {layer_of(name_of(path)) for path in MODULES}
    assert {"core", "errors", "ports", "settings"} <= seen <= set(MAY_IMPORT)


def test_every_folder_of_modules_is_a_package_that_gets_installed() -> None:
    folders = {path.parent for path in MODULES}
    without = sorted(f.relative_to(SRC).as_posix() for f in folders if not (f / "__init__.py").exists())
    assert without == []
