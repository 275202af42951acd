"""Laws of anchors: what is the same is fresh, however it is laid out and wherever it stands; what is not, is not."""

from itertools import pairwise

from building import NOW, a_memory
from hypothesis import assume, given
from hypothesis import strategies as st

from hindbrain.core.anchors import Cited, Source, Tree, cited, compare, names, tied
from hindbrain.core.definitions import places, resolved
from hindbrain.core.model.outcome import Anchor, Freshness

LINES = st.lists(st.text(st.sampled_from("ab(){}=:;'\"`/*\\ \t#é"), max_size=12), min_size=1, max_size=12)
BLANKS = st.sampled_from(["", " ", "  ", "\t", "\r"])
SOURCES = st.one_of(LINES.map("\n".join), st.text(max_size=200))


def an_anchor(text: str, *, start: int = 0, end: int = 0) -> Anchor:
    memory = a_memory("about src/a.py")
    cite = Cited(ref="src/a.py", start=start, end=end)
    (anchor,) = tied(memory, {cite: [Source(path="src/a.py", blob="b", text=text)]}, at=NOW)
    return anchor


@st.composite
def spans(draw: st.DrawFn) -> tuple[list[str], int, int]:
    """Lines, and the first and the last of some that hold more than blanks."""
    lines = draw(LINES)
    start = draw(st.integers(1, len(lines)))
    end = draw(st.integers(start, len(lines)))
    assume("".join(lines[start - 1 : end]).strip())
    return lines, start, end


@given(SOURCES, st.integers(0, 5), st.integers(0, 5))
def test_what_is_as_it_was_is_fresh(text: str, start: int, more: int) -> None:
    seen = compare(an_anchor(text, start=start, end=start + more), text)
    assert seen.freshness is Freshness.FRESH and seen.note == ""


@given(spans(), st.data())
def test_blanks_make_nothing_suspect(span: tuple[list[str], int, int], data: st.DataObject) -> None:
    lines, start, end = span
    anchor = an_anchor("\n".join(lines), start=start, end=end)
    laid_out = [data.draw(BLANKS) + line.replace(" ", data.draw(BLANKS)) + data.draw(BLANKS) for line in lines]
    assert compare(anchor, "\n".join(laid_out)).freshness is Freshness.FRESH
    assert compare(an_anchor("\n".join(lines)), "\n".join(laid_out)).freshness is Freshness.FRESH


@given(spans(), st.data())
def test_any_other_sign_in_the_span_makes_it_suspect(span: tuple[list[str], int, int], data: st.DataObject) -> None:
    lines, start, end = span
    number = data.draw(st.sampled_from([n for n in range(start - 1, end) if lines[n].strip()]))
    column = data.draw(st.sampled_from([n for n, sign in enumerate(lines[number]) if not sign.isspace()]))
    changed = [*lines]
    changed[number] = f"{lines[number][:column]}X{lines[number][column + 1 :]}"
    seen = compare(an_anchor("\n".join(lines), start=start, end=end), "\n".join(changed))
    assert seen.freshness is Freshness.SUSPECT and "changed" in seen.note
    assert compare(an_anchor("\n".join(lines)), "\n".join(changed)).freshness is Freshness.SUSPECT


@given(spans(), LINES, LINES)
def test_what_moved_as_a_whole_is_fresh_at_its_new_place(
    span: tuple[list[str], int, int], above: list[str], below: list[str]
) -> None:
    lines, start, end = span
    own = lines[start - 1 : end]
    anchor = an_anchor("\n".join(lines), start=start, end=end)
    assume(anchor.digest.startswith("1."))
    moved = "\n".join([*above, *own, *below])
    seen = compare(anchor, moved)
    there = "\n".join(moved.split("\n")[seen.start - 1 : seen.end])
    assert seen.freshness is Freshness.FRESH
    assert "".join(there.split()) == "".join("".join(own).split())


@given(spans())
def test_a_file_that_is_not_there_is_gone(span: tuple[list[str], int, int]) -> None:
    lines, start, end = span
    assert compare(an_anchor("\n".join(lines), start=start, end=end), None).freshness is Freshness.GONE


@given(SOURCES, st.text(st.sampled_from("ab.é$"), max_size=5), st.sampled_from(["a.py", "a.rs", "Makefile"]))
def test_every_place_of_a_name_lies_in_the_text(text: str, name: str, path: str) -> None:
    found = places(text, name, path=path)
    assert all(1 <= one.start <= one.end <= text.count("\n") + 1 for one in found)
    assert all(one.end <= other.end for one, other in pairwise(found))
    assert not resolved(text, name, path=path) or name.endswith(resolved(text, name, path=path))


@given(st.lists(st.text(st.sampled_from("ab/.é"), min_size=1, max_size=8), max_size=20), st.text(max_size=20))
def test_a_reference_means_at_most_a_few_files_of_the_tree(paths: list[str], ref: str) -> None:
    found = Tree(paths).meant(ref)
    assert set(found) <= set(paths) and len(found) <= 5


@given(st.text(max_size=400))
def test_any_text_can_be_asked_for_its_places_and_names(text: str) -> None:
    memory = a_memory(text)
    assert all(one.end >= one.start >= 0 for one in cited(memory))
    assert all(name and not name.isspace() for name in names(memory))
