"""Laws of the master index: every file once, one line each, in order, and the same again when written again."""

import pytest
from building import a_memory
from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.model import Kind, Score
from hindbrain.core.recall import Recalled
from hindbrain.core.recall.render import LEAST_LINE, render_reflexes
from hindbrain.core.reflex import INDEX, PREFIXES, index_of, line_of, missing, pointers, prefix_of, read, wants

NAMES = st.builds(
    "{}_{}.md".format, st.sampled_from((*PREFIXES, "other")), st.text(alphabet="abcxyz0-", min_size=1, max_size=12)
)
TEXTS = st.text(alphabet="ab[]()\n -—#:'\"é|>", max_size=120)


# HB-003 HB-011
@given(st.dictionaries(NAMES, TEXTS, max_size=12), TEXTS)
def test_the_master_index_is_complete_sorted_and_one_line_a_file(files: dict[str, str], present: str) -> None:
    entries = [read(name, text) for name, text in files.items()]
    index = index_of(entries, present)
    assert [name for name in pointers(index) if name in files] == sorted(files)
    assert missing(sorted(files), index) == ()
    assert index_of(entries, index) == index


# HB-003
@given(st.text(max_size=20), st.sampled_from(["\n", "\r", "\u2028", "\x0b"]))
def test_an_entry_that_would_not_stay_on_its_line_is_refused(text: str, mark: str) -> None:
    with pytest.raises(ValueError, match="one line"):
        line_of("feedback_a.md", f"{text}{mark}x")


@given(NAMES, TEXTS)
def test_every_file_has_a_line(name: str, text: str) -> None:
    found = read(name, text)
    assert found.title.strip() and "\n" not in found.title
    assert line_of(name, found.title).count("\n") == 0


# HB-006 HB-007 HB-008 HB-009 HB-053
def test_files_are_known_by_their_prefix_and_the_index_is_no_entry() -> None:
    for prefix in PREFIXES:
        assert prefix_of(f"{prefix}_x.md") == prefix and wants(f"{prefix}_x.md")
    assert prefix_of("notes.md") == "" and wants("notes.md")
    assert not wants(INDEX) and not wants("deep/feedback_x.md") and not wants("feedback_x.txt")
    told = read("testing.md", "---\nname: testing\ndescription: Run with -x\nmetadata:\n  type: feedback\n---\nRun it.")
    assert (told.sort, told.title) == ("feedback", "Run with -x")


# HB-001 HB-012
@given(st.integers(1, 400), st.integers(2_000, 8_000))
def test_all_reflexes_fit_into_the_room_that_their_names_need(count: int, room: int) -> None:
    items = [
        Recalled(
            memory=a_memory(f"rule {n}", kind=Kind.REFLEX, body={"path": f"feedback_{n}.md"}, title="t" * 90),
            score=Score(()),
        )
        for n in range(count)
    ]
    notes = render_reflexes(items, left_out=0, room=room).notes
    assert notes.count("\n") == count and len(notes) <= max(room, LEAST_LINE * count)
    assert all(f"feedback_{n}" in notes for n in range(count))
