"""CONTINUITY.md: our sections are renewed, everybody else's text keeps every byte."""

import json
import threading
from pathlib import Path

import pytest
from building import NOW, FakeClock, a_memory, keep

from hindbrain.adapters import tree as folders
from hindbrain.app.continuity import continuity, continuity_job, write_continuity
from hindbrain.app.show import show
from hindbrain.app.sync import follow
from hindbrain.app.tools import Tools
from hindbrain.core.continuity import MEMORIES, MISTAKES, MOST_BYTES, Working, has_content, managed, renewed
from hindbrain.core.model import Kind
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.core.model.job import Job
from hindbrain.core.value import replace
from hindbrain.dialects import dialect
from hindbrain.ports import Changes, Store, Written

PROJECT = "prj-one"
SAMPLES = Path(__file__).resolve().parents[2].parent / "shared" / "samples" / "loki"
FILES = ("CONTINUITY.claudeskill-loki-mode.md", "continuity/centurion.md", "showtime/.loki/CONTINUITY.md")
BUSY = Working(
    at=NOW,
    current=["Working on: the parser"],
    blockers=["tests: boom"],
    memories=["[sem-001] Express handlers need explicit return types", "[skill: api] Flow"],
    mistakes=["Don't forget return types"],
)
OWN = """# Ours
Intro, no newline games\r
## Current Phase
Phase 2
```
## Next Up
an example
```
## Next Up
- by hand
## Tail
end without newline"""


def test_a_new_document_has_all_headings_and_the_stamp() -> None:  # LK-131, LK-132, Q-17
    said = renewed("", BUSY)
    assert said.startswith("# Session Continuity\n\nUpdated: 2026-01-10T09:30:00.000Z\n\n## Current State\n")
    headings = [line for line in said.splitlines() if line.startswith("## ")]
    assert headings == [
        "## Current State",
        "## Last Completed Task",
        "## Active Blockers",
        "## Next Up",
        "## Key Decisions This Session",
        f"## {MEMORIES}",
        f"## {MISTAKES}",
    ]
    assert "- [sem-001] Express handlers need explicit return types\n- [skill: api] Flow\n" in said
    assert "- Don't forget return types\n" in said


def test_what_is_not_ours_keeps_every_byte() -> None:  # LK-134
    said = renewed(OWN, BUSY)
    start, _, rest = said.partition("## Next Up\n\n")
    assert OWN.startswith(said[: OWN.index("## Next Up\n- by hand")].replace("\r\n", "\r\n"))
    assert "## Current Phase\nPhase 2\n```\n## Next Up\nan example\n```\n" in said
    assert "## Tail\nend without newline" in said and rest is not None and start
    assert renewed(said, BUSY) == said


def test_a_persons_line_below_our_heading_stays() -> None:
    first = renewed("", BUSY)
    edited = first.replace("- tests: boom\n", "- tests: boom\n- ask Anna about the key\n")
    second = renewed(edited, replace(BUSY, blockers=["lint: long line"]), base=managed(BUSY))
    assert "- lint: long line\n- ask Anna about the key\n" in second and "boom" not in second
    third = renewed(second, BUSY, base=managed(replace(BUSY, blockers=["lint: long line"])))
    assert third.count("ask Anna") == 1


def test_our_part_never_exceeds_two_kilobytes() -> None:  # Q-16, LK-130
    many = ["ä" * 5000] * 50
    loud = Working(
        at=NOW, current=many, done=many, blockers=many, next=many, decisions=many, memories=many, mistakes=many
    )
    assert len(managed(loud).encode()) <= MOST_BYTES
    assert all(len(line.encode()) < 200 for line in managed(loud).splitlines())


def test_an_unclosed_fence_does_not_make_the_document_grow() -> None:
    document = "# Mine\n```\nopen"
    once = renewed(document, BUSY)
    assert renewed(once, BUSY) == once and once.startswith(document)


def test_only_placeholders_below_our_headings_are_no_content() -> None:
    assert not has_content(renewed("", Working(at=NOW))) and has_content("## Next Up\n- mine\n")


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
@pytest.mark.parametrize("name", FILES)
def test_real_documents_keep_their_own_sections(name: str) -> None:  # LK-134
    text = (SAMPLES / name).read_text()
    said = renewed(text, BUSY)
    ours = {line for line in renewed("", BUSY).splitlines() if line.startswith("## ")}
    for part in text.split("\n## ")[1:]:
        if f"## {part.partition(chr(10))[0]}" not in ours:
            assert f"## {part}" in said
    assert renewed(said, BUSY) == said


@pytest.fixture
def following(tools: Tools, tmp_path: Path) -> Tools:
    tools = replace(tools, folders=folders, dialect=dialect)
    follow("loki", str(tmp_path / "repo"), project=PROJECT, tools=tools)
    return tools


def did(store: Store, *deeds: Activity) -> None:
    store.write(lambda tx: tx.apply(Changes(activities=deeds)))


def a_deed(key: str, deed: Deed, subject: str, result: Result = Result.UNKNOWN) -> Activity:
    return Activity(id=key, at=NOW, project=PROJECT, session="s1", deed=deed, subject=subject, result=result)


def test_nothing_is_written_where_loki_does_not_follow(tools: Tools, tmp_path: Path) -> None:
    tools = replace(tools, folders=folders, dialect=dialect)
    assert write_continuity(PROJECT, tools=tools, settle_s=0).path == ""
    assert not (tmp_path / "repo").exists()


def test_every_turn_renews_the_document(
    following: Tools, store: Store, clock: FakeClock, tmp_path: Path
) -> None:  # LK-001, LK-002
    did(store, a_deed("act-1", Deed.PROMPT, "Split the parser"), a_deed("act-2", Deed.EDIT, "src/parse.py"))
    stamps = set()
    for _ in range(3):
        clock.forward(minutes=1)
        assert write_continuity(PROJECT, session="s1", tools=following, settle_s=0).is_written
        text = (tmp_path / "repo/.loki/CONTINUITY.md").read_text()
        stamps.add(next(line for line in text.splitlines() if line.startswith("Updated: ")))
    assert len(stamps) == 3
    assert "- Working on: Split the parser" in text and "- Files changed: src/parse.py" in text


def test_every_id_in_it_leads_to_its_memory(following: Tools, store: Store) -> None:  # LK-130, LK-131, LK-133
    keep(
        store,
        a_memory("Express handlers need explicit return types", kind=Kind.PATTERN),
        a_memory("Similar endpoint succeeded", kind=Kind.EPISODE),
        a_memory("Standard API flow", kind=Kind.SKILL, body={"name": "API implementation"}),
        a_memory("Return types were forgotten: it fails\nInstead: annotate", kind=Kind.ANTI_PATTERN),
    )
    said = continuity(PROJECT, root="", tools=following).text
    references = [line[3:].partition("]")[0] for line in said.splitlines() if line.startswith("- [")]
    assert sorted(references) == ["ep-2026-01-10-001", "sem-001", "skill: api-implementation"]
    kinds = {str(show(name, store=store, project=PROJECT).kind) for name in references}
    assert kinds == {"pattern", "episode", "skill"}
    assert "- Return types were forgotten: it fails\n" in said


def test_what_stood_below_our_headings_before_is_set_aside_once(following: Tools, tmp_path: Path) -> None:
    file = tmp_path / "repo" / "CONTINUITY.md"
    file.parent.mkdir()
    file.write_text("# Mine\n## Next Up\n- by hand\n## Own\nkept\n")
    done = write_continuity(PROJECT, tools=following, settle_s=0)
    assert done.path == str(file) and "by hand" in Path(done.copy).read_text()
    assert "## Own\nkept\n" in file.read_text() and "by hand" not in file.read_text()
    assert write_continuity(PROJECT, tools=following, settle_s=0).copy == ""


def test_the_job_writes_it(following: Tools, tmp_path: Path) -> None:
    payload = {"session": "s1", "project": PROJECT}
    job = Job(id="j", kind="continuity", key="k", project=PROJECT, payload=payload, created_at=NOW, due_at=NOW)
    continuity_job(job, tools=replace(following, folders=_Hasty()))
    assert (tmp_path / "repo/.loki/CONTINUITY.md").exists()


class _Hasty:
    """The folders themselves, without the wait for editors."""

    is_there, load, save = staticmethod(folders.is_there), staticmethod(folders.load), staticmethod(folders.save)

    def exchange(self, tree: dict[str, bytes], folder: str, *, present: dict[str, bytes], settle_s: float) -> Written:
        return folders.exchange(tree, folder, present=present, settle_s=0)


class _Interrupted(_Hasty):
    """A person saves between our reading and our writing, once by renaming and once into the open file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.saves = 0

    def exchange(self, tree: dict[str, bytes], folder: str, *, present: dict[str, bytes], settle_s: float) -> Written:
        self.saves += 1
        if self.saves == 1:
            self.file.write_text(self.file.read_text() + "\n## Own\nsaved meanwhile\n")
        written = folders.exchange(tree, folder, present=present, settle_s=0)
        if self.saves == 2:
            late = present[".loki/CONTINUITY.md"] + b"\n## Late\ninto the old file\n"
            return Written(changed=written.changed, theirs=written.theirs, late={".loki/CONTINUITY.md": late})
        return written


def test_what_a_person_saves_meanwhile_is_not_lost(following: Tools, tmp_path: Path) -> None:  # R17
    file = tmp_path / "repo" / ".loki" / "CONTINUITY.md"
    write_continuity(PROJECT, tools=following, settle_s=0)
    done = write_continuity(PROJECT, tools=replace(following, folders=_Interrupted(file)), settle_s=0)
    assert not done.is_busy
    assert "saved meanwhile" in file.read_text() and "into the old file" in file.read_text()


class _Twice(_Hasty):
    """A person saves before our file takes the place of theirs, and over ours before theirs is back."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.first = ""

    def exchange(self, tree: dict[str, bytes], folder: str, *, present: dict[str, bytes], settle_s: float) -> Written:
        if self.first:
            return super().exchange(tree, folder, present=present, settle_s=settle_s)
        self.first = self.file.read_text() + "\n## First\nsaved before\n"
        self.file.write_text(tree[".loki/CONTINUITY.md"].decode() + "\n## Second\nsaved over ours\n")
        late = {".loki/CONTINUITY.md": self.first.encode()}
        return Written(changed=(), theirs=(".loki/CONTINUITY.md",), late=late)


def test_of_two_saves_around_our_writing_neither_is_lost(following: Tools, tmp_path: Path) -> None:  # R17
    file = tmp_path / "repo" / ".loki" / "CONTINUITY.md"
    write_continuity(PROJECT, tools=following, settle_s=0)
    done = write_continuity(PROJECT, tools=replace(following, folders=_Twice(file)), settle_s=0)
    said = file.read_text()
    assert not done.is_busy
    assert "saved over ours" in said and said.count("## First\nsaved before") == 1
    assert said.count("## Current State") == 1


class _Endless(_Hasty):
    """An editor that saves into the file that it has open, whenever another one has taken its place."""

    def exchange(self, tree: dict[str, bytes], folder: str, *, present: dict[str, bytes], settle_s: float) -> Written:
        written = super().exchange(tree, folder, present=present, settle_s=settle_s)
        late = {path: content + b"\n## Late\nonce more\n" for path, content in tree.items()}
        return Written(changed=written.changed, theirs=written.theirs, late=late)


def test_what_is_saved_late_without_an_end_lies_beside(following: Tools, tmp_path: Path) -> None:  # R17
    write_continuity(PROJECT, tools=following, settle_s=0)
    done = write_continuity(PROJECT, tools=replace(following, folders=_Endless()), settle_s=0)
    assert done.is_busy and Path(done.copy).read_text().endswith("## Late\nonce more\n")


def test_many_saves_beside_our_writing_lose_nothing(following: Tools, clock: FakeClock, tmp_path: Path) -> None:  # R17
    file = tmp_path / "repo" / ".loki" / "CONTINUITY.md"
    write_continuity(PROJECT, tools=following, settle_s=0)
    saved = threading.Event()

    def person() -> None:
        for number in range(60):
            while True:
                before = file.read_text()
                aside = file.with_suffix(f".{number}")
                aside.write_text(f"{before}\n## Mine {number}\nline {number}\n")
                if file.read_text() == before:  # as an editor that asks before it overwrites
                    aside.replace(file)
                if f"line {number}\n" in file.read_text():
                    break
        saved.set()

    thread = threading.Thread(target=person)
    thread.start()
    while not saved.is_set():
        clock.forward(seconds=1)
        write_continuity(PROJECT, tools=following, settle_s=0)
    thread.join()
    assert file.read_text().count("## Current State") == 1
    assert "line 59\n" in file.read_text()


def test_the_report_is_plain_json(following: Tools) -> None:
    done = write_continuity(PROJECT, tools=following, settle_s=0)
    assert json.dumps({"path": done.path, "text": done.text})
