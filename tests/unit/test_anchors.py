"""Which code a memory is tied to, and what makes it suspect."""

import pytest
from building import NOW, a_memory

from hindbrain.core.anchors import Cited, Source, Tree, cited, compare, names, tied, told
from hindbrain.core.definitions import places, resolved
from hindbrain.core.model.outcome import Anchor, Freshness

PYTHON = '''import os

LIMIT = 5


@cached
def close(
    a,
) -> None:
    """Says
less deep than the code
    """
    return a


class Worktree:
    def close(self):
        return 1

    async def open(self):
        # not class Other
        return close(1)
'''
TYPESCRIPT = """export class Tree {
  close() {
    return "}";
  }
  grow = async (by) => {
    return `{`
  }
}
export const add = (a, b) => a + b;
function shape(): {a: number} {
  return close();
}
"""
GO = """type Tree struct {
	a int
}
func (t *Tree) Close(a int) (int, error) {
	return 1
}
func Close() {}
"""
RUST = """impl<'a> Tree<'a> {
    #[inline]
    pub fn close(&self) -> char {
        '{'
    }
}
pub(crate) struct Leaf<'a> { a: &'a str }
"""
CPP = """static int close_it(int fd)
{
    return close(fd);
}
#define MAX_LEN 10
void Tree::close() const {
  grow();
}
int declared(int a);
"""
JAVA = """public class Tree {
    @Override
    public <T> List<T> items(int a) throws IOException {
        return null;
    }
}
"""
RUBY = """class Tree < Base
  def self.close
    1
  end
end
other = 1
"""
SHELL = """close() {
  echo "}"
}
function open {
  close
}
"""


@pytest.mark.parametrize(
    ("path", "text", "symbol", "lines"),
    [
        ("a.py", PYTHON, "close", [(6, 13), (17, 18)]),
        ("a.py", PYTHON, "Worktree.close", [(17, 18)]),
        ("a.py", PYTHON, "Worktree", [(16, 22)]),
        ("a.py", PYTHON, "LIMIT", [(3, 3)]),
        ("a.py", PYTHON, "Other", []),
        ("a.ts", TYPESCRIPT, "Tree.close", [(2, 4)]),
        ("a.ts", TYPESCRIPT, "grow", [(5, 7)]),
        ("a.ts", TYPESCRIPT, "Tree", [(1, 8)]),
        ("a.ts", TYPESCRIPT, "add", [(9, 9)]),
        ("a.ts", TYPESCRIPT, "shape", [(10, 12)]),
        ("a.go", GO, "Tree.Close", [(4, 6)]),
        ("a.go", GO, "Close", [(4, 6), (7, 7)]),
        ("a.rs", RUST, "Tree.close", [(2, 5)]),
        ("a.rs", RUST, "Leaf", [(7, 7)]),
        ("a.cpp", CPP, "close_it", [(1, 4)]),
        ("a.cpp", CPP, "Tree.close", [(6, 8)]),
        ("a.cpp", CPP, "MAX_LEN", [(5, 5)]),
        ("a.cpp", CPP, "declared", [(9, 9)]),
        ("A.java", JAVA, "Tree.items", [(2, 5)]),
        ("a.rb", RUBY, "Tree.close", [(2, 4)]),
        ("a.rb", RUBY, "Tree", [(1, 5)]),
        ("a.sh", SHELL, "close", [(1, 3)]),
        ("a.sh", SHELL, "open", [(4, 6)]),
        ("Makefile", "test: build\n\tpytest\n\nbuild:\n\tcc\n", "test", [(1, 2)]),
    ],
)
def test_a_definition_is_found_in_most_languages(
    path: str, text: str, symbol: str, lines: list[tuple[int, int]]
) -> None:
    assert [tuple(one) for one in places(text, symbol, path=path)] == lines


def test_a_call_through_a_variable_means_the_definition_of_that_name() -> None:
    assert resolved(PYTHON, "tree.close", path="a.py") == "close"
    assert resolved(PYTHON, "Worktree.close", path="a.py") == "Worktree.close"
    assert resolved(PYTHON, "tree.cut", path="a.py") == ""


@pytest.mark.parametrize("text", ["a(" * 500_000, "fn a {\n" * 100_000, 'fn a {"' + '\\"' * 500_000, "/*" * 500_000])
def test_hostile_sources_are_read_once(text: str) -> None:
    """Would take hours if it were not so: no clock is needed to see the difference."""
    assert len(places(text, "a", path="a.rs")) <= 50
    assert len(places(text, "b.a", path="a.py")) <= 50


def test_a_memory_cites_lines_names_and_whole_files() -> None:
    text = (
        "src/a.py:10-20 and src/b.ts#L5 and src/c.py::Tree::close break when src/d.go is gone; std::vec is not a file"
    )
    assert cited(a_memory(text)) == (
        Cited(ref="src/d.go"),
        Cited(ref="src/a.py", start=10, end=20),
        Cited(ref="src/b.ts", start=5, end=5),
        Cited(ref="src/c.py", symbol="Tree.close"),
    )
    assert cited(a_memory("about it", file_refs=("src/a.py:7",))) == (Cited(ref="src/a.py", start=7, end=7),)


def test_names_stand_in_backticks_or_before_parentheses() -> None:
    text = "`Worktree.close()` calls close_all() and `Tree::cut(a, b)`, but `not a name` and src/a.py are none"
    assert names(a_memory(text)) == ("Worktree.close", "close_all", "Tree.cut")


@pytest.mark.parametrize(
    ("ref", "files"),
    [
        ("src/app/keep.py", ("src/app/keep.py",)),
        ("keep.py", ("src/app/keep.py",)),
        ("app/keep.py", ("src/app/keep.py",)),
        ("__init__.py", ()),  # there are two: nobody knows which
        ("src/app/*.py", ("src/app/__init__.py", "src/app/keep.py")),
        ("src/app/", ("src/app/__init__.py", "src/app/keep.py")),
        ("many/*.py", ()),
        ("many/", ()),
        ("../src/app/keep.py", ()),
        ("/src/app/keep.py", ()),
        ("~/keep.py", ()),
        ("gone.py", ()),
    ],
)
def test_a_reference_means_one_file_or_few(ref: str, files: tuple[str, ...]) -> None:
    many = [f"many/{number}.py" for number in range(6)]
    tree = Tree(["src/app/__init__.py", "src/app/keep.py", "src/core/__init__.py", *many])
    assert tree.meant(ref) == files


def anchors(text: str, source: str, *, path: str = "src/a.py") -> tuple[Anchor, ...]:
    memory = a_memory(text)
    files = {cite: [Source(path=path, blob="b", text=source)] for cite in cited(memory)}
    return tied(memory, files, at=NOW)


def test_a_memory_is_tied_to_what_it_names_and_to_nothing_else() -> None:
    (anchor,) = anchors("`Worktree.close()` in src/a.py leaks", PYTHON)
    assert (anchor.symbol, anchor.start, anchor.end) == ("Worktree.close", 17, 18)

    elsewhere = PYTHON.replace("LIMIT = 5", "LIMIT = 6\n\nMORE = 1")
    seen = compare(anchor, elsewhere)
    assert (seen.freshness, seen.start, seen.end) == (Freshness.FRESH, 19, 20)
    changed = compare(anchor, PYTHON.replace("return 1\n", "return 2\n"))
    assert changed.freshness is Freshness.SUSPECT and changed.note == "`Worktree.close` in src/a.py changed"
    gone = compare(anchor, PYTHON.replace("def close(self)", "def shut(self)"))
    assert gone.freshness is Freshness.GONE and gone.note == "`Worktree.close` is not in src/a.py any more"


def test_a_memory_without_a_name_is_tied_to_the_whole_file() -> None:
    (anchor,) = anchors("Everything in src/a.py is old", PYTHON)
    assert (anchor.symbol, anchor.start) == ("", 0)
    assert compare(anchor, PYTHON.replace("LIMIT = 5", "LIMIT = 6")).freshness is Freshness.SUSPECT


def test_of_two_equal_lines_either_may_be_the_one_that_changed() -> None:
    (anchor,) = anchors("see src/a.py:1", "x = 1\ny = 2\nx = 1\n")
    assert compare(anchor, "x = 9\ny = 2\nx = 1\n").freshness is Freshness.SUSPECT
    assert compare(anchor, "y = 2\nx = 1\nx = 1\n").freshness is Freshness.FRESH


def test_lines_that_are_not_there_or_blank_tie_to_the_file() -> None:
    for text in ("see src/a.py:90", "see src/a.py:2"):
        (anchor,) = anchors(text, "x = 1\n\ny = 2\n")
        assert anchor.start == 0


def test_a_change_is_told_by_its_lines() -> None:
    assert told("a\nb\nc", "a\nB\nc\nd") == "1 line gone and 2 lines new"
    assert told("a\nb", "b\na") == ""
