"""Files that follow the memories: what a person changes in them comes in before anything is written over it."""

import json
import subprocess
from pathlib import Path

import pytest
from building import FakeClock

from hindbrain.adapters import tree as folders
from hindbrain.app.add import Noted, add
from hindbrain.app.sync import Synced, follow, following, sync, unfollow
from hindbrain.app.tools import Tools
from hindbrain.core.model import Memory, State
from hindbrain.core.value import replace
from hindbrain.dialects import dialect
from hindbrain.errors import BadValue
from hindbrain.ports import Store, Where

PROJECT = "prj-one"


@pytest.fixture
def following_chorus(tools: Tools, tmp_path: Path) -> Tools:
    tools = replace(tools, folders=folders, dialect=dialect)
    follow("chorus", str(tmp_path / "repo"), project=PROJECT, tools=tools)
    return tools


def learned(text: str, tools: Tools) -> None:
    add(Noted(content=text, task="ch-1"), project=PROJECT, tools=tools)


def synced(tools: Tools) -> Synced:
    [one] = sync(PROJECT, name="one", tools=tools)
    return one


def live(store: Store) -> list[Memory]:
    return list(store.select(Where(project=PROJECT)))


def file_of(tmp_path: Path) -> Path:
    return tmp_path / "repo" / ".chorus" / "learnings.md"


def test_nothing_follows_until_somebody_says_so(tools: Tools, tmp_path: Path) -> None:
    learned("Use batch inserts", tools)
    assert sync(PROJECT, name="one", tools=replace(tools, folders=folders, dialect=dialect)) == ()
    assert not file_of(tmp_path).exists()
    with pytest.raises(BadValue, match="cannot follow"):
        follow("mem0", str(tmp_path), project=PROJECT, tools=tools)


def test_what_is_learned_stands_in_the_file(following_chorus: Tools, tmp_path: Path) -> None:  # CH-050
    learned("All endpoints return JSON", following_chorus)
    assert synced(following_chorus).written == (".chorus/learnings.md",)
    assert "- All endpoints return JSON\n" in file_of(tmp_path).read_text()
    assert synced(following_chorus).written == ()


def git(folder: Path, *arguments: str) -> str:
    config = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "core.autocrlf=false")
    done = subprocess.run(["git", *config, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


# CH-054, CH-058, X-28
def test_learnings_are_gits_to_track_with_each_addition_in_its_history_and_no_log_is_written(
    following_chorus: Tools, tmp_path: Path
) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "-q")
    said = ("Zod parses before the handler runs", "Jest needs a fresh port for every suite")
    for text in said:
        add(Noted(content=text, task="ch-1", persona="ed"), project=PROJECT, tools=following_chorus)
        learned(f"Everybody knows: {text}", following_chorus)
        synced(following_chorus)
        git(repo, "add", "--all")
        git(repo, "commit", "-q", "-m", text)
    own = ".chorus/agents/ed/learnings.md"
    assert git(repo, "ls-files").split() == [own, ".chorus/learnings.md"]
    history = git(repo, "log", "-p", "--reverse", "--format=", "--", own).split("diff --git")[1:]
    added = [[line for line in step.split("\n") if line.startswith("+-")] for step in history]
    assert added == [[f"+- [2026-01-10] {text}"] for text in said]


def test_one_capture_is_one_added_line_of_the_beads_file(tools: Tools, tmp_path: Path) -> None:  # BD-004, BD-059
    tools = replace(tools, folders=folders, dialect=dialect)
    follow("beads", str(tmp_path / "repo"), project=PROJECT, tools=tools)
    file = tmp_path / "repo" / ".beads" / "memory" / "knowledge.jsonl"
    learned("Use batch inserts", tools)
    synced(tools)
    before = file.read_bytes()
    learned("Menus close on activate", tools)
    synced(tools)
    after = file.read_bytes()
    assert after.startswith(before)
    assert json.loads(after[len(before) :])["content"] == "Menus close on activate"
    assert after.count(b"\n") == before.count(b"\n") + 1


# HB-162, X-01
def test_a_bullet_edited_by_hand_is_kept_and_becomes_the_memory(
    following_chorus: Tools, tmp_path: Path, store: Store
) -> None:  # CH-111
    learned("All endpoints return JSON", following_chorus)
    synced(following_chorus)
    file = file_of(tmp_path)
    file.write_text(file.read_text().replace("return JSON", "return JSON with a request id"))
    learned("The cache is warmed at start", following_chorus)
    report = synced(following_chorus)

    assert report.reworded == 1
    assert "return JSON with a request id" in file.read_text() and "The cache is warmed" in file.read_text()
    assert "All endpoints return JSON with a request id" in {memory.content for memory in live(store)}


def test_lines_added_and_removed_by_hand_are_learned_and_archived(
    following_chorus: Tools, tmp_path: Path, store: Store
) -> None:
    learned("All endpoints return JSON", following_chorus)
    learned("The cache is warmed at start", following_chorus)
    synced(following_chorus)
    file = file_of(tmp_path)
    kept = [line for line in file.read_text().split("\n") if "endpoints" not in line]
    file.write_text("\n".join(kept) + "- Deploy from tags only\n  Source: ch-9 (2026-01-09, ed-001)\n")
    report = synced(following_chorus)

    assert (report.added, report.removed) == (1, 1)
    assert {memory.content for memory in live(store)} == {"The cache is warmed at start", "Deploy from tags only"}
    [gone] = store.select(Where(project=PROJECT, states=frozenset({State.ARCHIVED})))
    assert "by hand" in gone.archive_reason


def test_a_persons_prose_between_the_lists_stays(following_chorus: Tools, tmp_path: Path) -> None:
    learned("All endpoints return JSON", following_chorus)
    synced(following_chorus)
    file = file_of(tmp_path)
    file.write_text(file.read_text().replace("\n\n## API", "\n\nRead this first, please.\n\n## API"))
    learned("The cache is warmed at start", following_chorus)
    synced(following_chorus)

    assert "Read this first, please." in file.read_text()
    before = file.read_text()
    synced(following_chorus)
    assert file.read_text() == before


# HB-163, X-01
def test_deleted_files_come_back_with_the_same_bytes(following_chorus: Tools, tmp_path: Path) -> None:
    learned("All endpoints return JSON", following_chorus)
    synced(following_chorus)
    before = file_of(tmp_path).read_bytes()
    file_of(tmp_path).unlink()
    report = synced(following_chorus)

    assert report.removed == 0 and file_of(tmp_path).read_bytes() == before


def test_what_was_there_before_is_learned_and_not_lost(following_chorus: Tools, tmp_path: Path, store: Store) -> None:
    file_of(tmp_path).parent.mkdir(parents=True)
    file_of(tmp_path).write_text("# Project Learnings\n\n## Testing\n- Use AAA: Arrange, Act, Assert\n")
    report = synced(following_chorus)

    assert report.added == 1 and [memory.content for memory in live(store)] == ["Use AAA: Arrange, Act, Assert"]
    assert "- Use AAA: Arrange, Act, Assert\n" in file_of(tmp_path).read_text()


def test_who_follows_no_longer_is_left_alone(following_chorus: Tools, tmp_path: Path, clock: FakeClock) -> None:
    synced(following_chorus)
    assert unfollow("chorus", project=PROJECT, tools=following_chorus)
    assert not unfollow("chorus", project=PROJECT, tools=following_chorus)
    assert following(PROJECT, tools=following_chorus) == {}
    learned("All endpoints return JSON", following_chorus)
    assert sync(PROJECT, name="one", tools=following_chorus) == ()


def test_a_file_that_somebody_saves_meanwhile_stays_theirs(tmp_path: Path) -> None:  # R17
    (tmp_path / "a.md").write_bytes(b"theirs")
    written = folders.exchange({"a.md": b"ours"}, str(tmp_path), present={"a.md": b"as it was read"}, settle_s=0.0)

    assert (written.changed, written.theirs) == ((), ("a.md",))
    assert (tmp_path / "a.md").read_bytes() == b"theirs"
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]


def test_what_an_editor_writes_into_the_old_file_is_not_lost(tmp_path: Path) -> None:  # R17
    (tmp_path / "a.md").write_bytes(b"before")
    import threading

    with (tmp_path / "a.md").open("r+b") as editor:  # in place: the file is replaced under it

        def save() -> None:
            editor.seek(0)
            editor.write(b"edited!")
            editor.flush()

        timer = threading.Timer(0.05, save)
        timer.start()
        written = folders.exchange({"a.md": b"ours"}, str(tmp_path), present={"a.md": b"before"}, settle_s=0.4)
        timer.join()
    assert written.changed == ("a.md",) and written.late == {"a.md": b"edited!"}
