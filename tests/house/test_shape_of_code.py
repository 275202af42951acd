"""How large and how tangled a function may be, and what may not stand in the source at all."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[2] / "src"
FILES = sorted((SRC / "hindbrain").rglob("*.py"))

LONGEST = 60  # lines, def to end
LONG_FOR_MOST = 30  # 90th percentile
MOST_COMPLEX = 10
DEEPEST = 3
MOST_PARAMETERS = 6
MOST_POSITIONAL = 2
FORBIDDEN_NAMES = {
    *("util", "utils", "helper", "helpers", "common", "manager", "managers", "base", "misc", "stuff"),
}
CATCH_ALLS = ("entry/hooks/", "entry/worker.py")  # where a catch-all may stand, two in all


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    where: str
    node: ast.FunctionDef | ast.AsyncFunctionDef
    is_method: bool

    @property
    def lines(self) -> int:
        return (self.node.end_lineno or self.node.lineno) - self.node.lineno + 1

    @property
    def decorators(self) -> list[str]:
        return [ast.unparse(decorator) for decorator in self.node.decorator_list]

    @property
    def positional(self) -> list[ast.arg]:
        """Without self and cls."""
        named = [*self.node.args.posonlyargs, *self.node.args.args]
        return named[1:] if self.is_method and "staticmethod" not in self.decorators else named

    @property
    def is_command(self) -> bool:
        """Values arrive by keyword, so a command may have as many as it has options."""
        return any(re.search(r"\b(command|option|argument)\(", d) for d in self.decorators)

    @property
    def is_named_by_python(self) -> bool:
        return self.node.name.startswith("__") and self.node.name.endswith("__")


def relative(path: Path) -> str:
    return path.relative_to(SRC / "hindbrain").as_posix()


def functions(path: Path) -> Iterator[Function]:
    tree = ast.parse(path.read_text("utf-8"))
    methods = {id(member) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for member in node.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            where = f"{relative(path)}:{node.lineno} {node.name}"
            yield Function(where=where, node=node, is_method=id(node) in methods)


def nothing(found: list[str]) -> None:
    """Fail with the whole list: pytest shows only its first item."""
    assert not found, "\n" + "\n".join(found)


FUNCTIONS = [function for path in FILES for function in functions(path)]


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes of a function, without those of the functions inside it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield child
            yield from own_nodes(child)


def complexity(node: ast.AST) -> int:
    return 1 + sum(branches(child) for child in own_nodes(node))


def branches(node: ast.AST) -> int:
    match node:
        case ast.If() | ast.IfExp() | ast.For() | ast.AsyncFor() | ast.While() | ast.ExceptHandler():
            return 1
        case ast.BoolOp(values=values):
            return len(values) - 1
        case ast.comprehension(ifs=ifs):
            return len(ifs)
        case ast.match_case(pattern=ast.MatchAs(pattern=None), guard=None):
            return 0  # `case _` is the else of a match
        case ast.match_case():
            return 1
    return 0


def nesting(body: list[ast.stmt], depth: int = 0) -> int:
    return max((depth_of(statement, depth) for statement in body), default=depth)


def depth_of(statement: ast.stmt, depth: int) -> int:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return depth
    blocks = [b for name in ("body", "orelse", "finalbody") if (b := getattr(statement, name, None))]
    blocks += [handler.body for handler in getattr(statement, "handlers", [])]
    blocks += [case.body for case in getattr(statement, "cases", [])]
    deepest = depth
    for block in blocks:
        is_elif = isinstance(statement, ast.If) and block is statement.orelse and is_one_if(block)
        deepest = max(deepest, nesting(block, depth if is_elif else depth + 1))
    return deepest


def is_one_if(block: list[ast.stmt]) -> bool:
    return len(block) == 1 and isinstance(block[0], ast.If)


def test_no_function_is_too_long_to_read() -> None:
    nothing([f"{f.where}: {f.lines} lines" for f in FUNCTIONS if f.lines > LONGEST])


def test_most_functions_are_short() -> None:
    lengths = sorted(function.lines for function in FUNCTIONS)
    assert lengths[int(len(lengths) * 0.9)] <= LONG_FOR_MOST


def test_no_function_has_too_many_branches() -> None:
    found = [(f.where, complexity(f.node)) for f in FUNCTIONS]
    nothing([f"{where}: {value}" for where, value in found if value > MOST_COMPLEX])


def test_no_function_is_nested_too_deep() -> None:
    found = [(f.where, nesting(f.node.body)) for f in FUNCTIONS]
    nothing([f"{where}: {value}" for where, value in found if value > DEEPEST])


def test_no_function_takes_more_than_a_reader_can_hold() -> None:
    checked = [f for f in FUNCTIONS if not f.is_command and not f.is_named_by_python]
    many = [f.where for f in checked if len(f.positional) + len(f.node.args.kwonlyargs) > MOST_PARAMETERS]
    unnamed = [f.where for f in checked if len(f.positional) > MOST_POSITIONAL]
    nothing(many)
    nothing(unnamed)


def test_every_function_is_fully_annotated() -> None:
    bare = []
    for function in FUNCTIONS:
        arguments = function.node.args
        extra = [a for a in (arguments.vararg, arguments.kwarg) if a]
        named = [*function.positional, *arguments.kwonlyargs, *extra]
        if function.node.returns is None or any(argument.annotation is None for argument in named):
            bare.append(function.where)
    nothing(bare)


def catches_all(handler: ast.ExceptHandler) -> bool:
    """Also where it is passed on: what must be undone whatever happens is undone by a `with` or a `finally`."""
    if handler.type is None:
        return True
    caught = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
    return bool(caught & {"Exception", "BaseException"})


def test_failures_are_swallowed_in_two_known_places_at_most() -> None:
    found = [
        f"{relative(path)}:{node.lineno}"
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ExceptHandler) and catches_all(node)
    ]
    nothing([place for place in found if not place.startswith(CATCH_ALLS)])
    assert len(found) <= 2


@pytest.mark.parametrize(
    "pattern",
    [r"\bTODO\b", r"\bFIXME\b", r"\bXXX\b", r"\bHACK\b", r"\bNotImplementedError\b", r"(?i)\bfor now\b"],
)
def test_nothing_is_left_for_later(pattern: str) -> None:
    sources = [path for path in (SRC / "hindbrain").rglob("*") if path.suffix in {".py", ".sql", ".md"}]
    found = [
        f"{relative(path)}:{number}"
        for path in sorted(sources)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if re.search(pattern, line)
    ]
    nothing(found)


def test_every_module_opens_with_the_decision_it_hides() -> None:
    without = []
    for path in FILES:
        docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        first, _, _ = docstring.partition("\n")
        if not first.endswith("."):
            without.append(relative(path))
    nothing(without)


def test_no_module_is_named_for_nothing() -> None:
    names = {part for path in FILES for part in path.relative_to(SRC).with_suffix("").parts}
    assert names & FORBIDDEN_NAMES == set()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(): pass", 1),
        ("def f():\n    if a and b or c: pass", 4),
        ("def f():\n    return [x for x in y if x if z] if a else b", 4),
        ("def f():\n    for x in y:\n        while x: pass\n    with a: pass", 3),
        ("def f():\n    try: pass\n    except A: pass\n    except B: pass", 3),
        ("def f():\n    match x:\n        case 1: pass\n        case 2: pass\n        case _: pass", 3),
        ("def f():\n    def g():\n        if a: pass\n    return g", 1),
    ],
)
def test_branches_are_counted_as_documented(source: str, expected: int) -> None:
    assert complexity(ast.parse(source).body[0]) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("pass", 0),
        ("if a: pass\nelif b: pass\nelif c: pass\nelse: pass", 1),
        ("for x in y:\n    if x:\n        with z: pass", 3),
        ("try:\n    pass\nexcept A:\n    if b: pass\nfinally:\n    pass", 2),
        ("match x:\n    case 1:\n        if b: pass", 2),
        ("if a:\n    def g():\n        if b:\n            if c: pass", 1),
    ],
)
def test_nesting_is_counted_as_documented(source: str, expected: int) -> None:
    assert nesting(ast.parse(source).body) == expected
