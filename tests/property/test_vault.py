"""Laws of reading a person's notes: nothing is too odd to be read, nothing in code is a link, nothing takes long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core import front, vault
from hindbrain.core.vault import Map, Note, broken, folder_of, read, slug, wants, written

NAMES = st.text(alphabet="abcdefghijklmnop qrst", min_size=1, max_size=12).map(str.strip).filter(bool)
ODD = st.text(alphabet="ab[]|#^!`~-: \n\t\"'{}é", max_size=300)


# R20
@given(ODD, st.sampled_from(vault.FOLDERS))
def test_whatever_stands_in_a_file_it_is_a_note(text: str, folder: str) -> None:
    note = read(f"{folder}/a.md", text)
    assert isinstance(note, Note) and note.title and note.folder == folder
    assert all(1 <= link.line <= text.count("\n") + 1 for link in note.links)


@given(ODD)
def test_what_is_below_the_head_is_a_part_of_the_file_as_it_stands(text: str) -> None:
    assert text.endswith(read("inbox/a.md", text).text)


@given(NAMES, st.integers(1, 3))
def test_what_stands_in_code_is_no_link(name: str, ticks: int) -> None:
    mark = "`" * ticks
    assert read("inbox/a.md", f"see {mark}[[{name}]]{mark} there").links == ()
    assert read("inbox/a.md", f"```\n[[{name}]]\n```\n").links == ()
    assert read("inbox/a.md", f"~~~~ md\n```\n[[{name}]]\n~~~~\n").links == ()


@given(NAMES, NAMES, NAMES)
def test_every_form_of_link_is_understood(name: str, heading: str, alias: str) -> None:
    text = f"[[{name}]] [[{name}|{alias}]] [[{name}#{heading}]] [[{name}#^b1]] ![[{name}]]"
    found = read("inbox/a.md", text).links
    assert [one.target for one in found] == [name] * 5
    assert [one.alias for one in found] == ["", alias, "", "", ""]
    assert [one.heading for one in found] == ["", "", heading, "", ""]
    assert [one.block for one in found] == ["", "", "", "b1", ""]
    assert [one.is_embed for one in found] == [False] * 4 + [True]


@given(st.lists(NAMES, min_size=1, max_size=6, unique_by=str.casefold))
def test_a_link_to_a_note_that_is_there_is_never_broken(names: list[str]) -> None:
    notes = {f"permanent/{name}.md": read(f"permanent/{name}.md", f"[[{names[0].upper()}]]") for name in names}
    assert list(broken(notes)) == []
    del notes[f"permanent/{names[0]}.md"]
    assert len(list(broken(notes))) == len(names) - 1


@given(NAMES, ODD)
def test_a_note_of_ours_reads_back(title: str, text: str) -> None:
    note = read("inbox/a.md", written(title, f"x{text}", head={"type": "lesson", "status": "draft", "source": title}))
    assert (note.type, note.status, note.fault) == ("lesson", "draft", "")
    assert note.headings[0] == " ".join(title.split())


@given(st.text(max_size=100))
def test_the_name_of_a_file_is_harmless(text: str) -> None:
    made = slug(text)
    assert made and "/" not in made and "." not in made and len(made) <= 60
    assert wants(f"inbox/{made}.md")


@given(NAMES)
def test_the_nearest_of_two_notes_with_one_name_is_meant(name: str) -> None:
    where = Map([f"daily/{name}.md", f"permanent/deep/{name}.md"])
    assert where.find(name, beside="daily/x.md") == f"daily/{name}.md"
    assert where.find(name, beside="permanent/deep/y.md") == f"permanent/deep/{name}.md"
    assert where.find(f"permanent/deep/{name}", beside="daily/x.md") == f"permanent/deep/{name}.md"
    assert where.find(f"{name}-not", beside="daily/x.md") is None


@given(ODD)
def test_a_head_without_a_fault_ends(text: str) -> None:
    if text.startswith("---\n") and not front.fault_of(text):
        assert "\n---" in text


@pytest.mark.parametrize("piece", ["[[", "`", "[[a|", "# ", "^a ", "![[a]]", "``` ", "~~~", '"', "\\|", "]]", "- "])
def test_ten_megabytes_on_one_line_are_read_in_time(piece: str) -> None:
    note = read("inbox/a.md", piece * (10_000_000 // len(piece)))  # a quadratic reading would take hours
    assert note.title


def test_only_the_five_folders_are_indexed() -> None:
    # HB-014 HB-015 HB-016 HB-017 HB-018 HB-037
    assert [folder_of(f"{name}/a.md") for name in vault.FOLDERS] == list(vault.FOLDERS)
    for path in ("a.md", "other/a.md", "inbox/.trash/a.md", "inbox/a.png", "templates/a.md"):
        assert not wants(path)
