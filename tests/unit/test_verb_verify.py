"""What verifying does to memories: tie, find suspect, forgive, and tell nothing twice."""

from pathlib import Path

import pytest
from building import NOW, FakeClock, a_memory, keep

from hindbrain.app.capture import Said, capture
from hindbrain.app.tie import tie
from hindbrain.app.tools import Tools
from hindbrain.app.verify import Verified, Which, confirm, handle, retie, verify
from hindbrain.core.model import ActorType, Memory
from hindbrain.core.model.job import Job
from hindbrain.core.model.outcome import Freshness
from hindbrain.core.value import replace
from hindbrain.errors import BadValue, Conflict

LOCK = "class Lock:\n    def close(self):\n        return 30\n\n    def open(self):\n        return 1\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder without git: what git adds is tested with real repositories."""
    root = tmp_path / "app"
    (root / "src").mkdir(parents=True)
    (root / "src" / "lock.py").write_text(LOCK)
    return root


def look(tools: Tools, root: Path, **which: object) -> Verified:
    return verify("prj-one", str(root), tools=tools, code=tools.files.code(), which=Which(**which))  # type: ignore[arg-type]


def learned(tools: Tools, text: str = "`Lock.close()` in src/lock.py waits 30 s", **given: object) -> Memory:
    memory = a_memory(text, **given)
    keep(tools.store, memory)
    return memory


def standing(tools: Tools, memory: Memory) -> Freshness:
    known = tools.store.standings([memory.id])
    return known[memory.id].freshness if memory.id in known else Freshness.UNTIED


def events(tools: Tools) -> list[str]:
    return [event.name for event in tools.store.events() if event.name != "memory_created"]


def test_a_memory_is_tied_at_the_first_look_and_suspect_once_its_code_changes(
    tools: Tools, root: Path, clock: FakeClock
) -> None:
    memory = learned(tools)
    first = look(tools, root)
    assert [one.freshness for one in first.checked] == [Freshness.FRESH] and first.checked[0].was is Freshness.UNTIED
    assert events(tools) == []

    clock.forward(hours=1)
    (root / "src" / "lock.py").write_text(LOCK.replace("return 1", "return 2"))  # not what it speaks of
    assert look(tools, root).of(Freshness.FRESH) and standing(tools, memory) is Freshness.FRESH

    (root / "src" / "lock.py").write_text(LOCK.replace("return 30", "return 40"))
    (checked,) = look(tools, root).checked
    (anchor,) = checked.anchors
    assert checked.freshness is standing(tools, memory) is Freshness.SUSPECT and checked.was is Freshness.FRESH
    assert anchor.note == "`Lock.close` in src/lock.py changed"
    assert (anchor.tied_at, anchor.checked_at) == (NOW, clock.now())
    assert events(tools) == ["memory_suspect"]


def test_looking_again_changes_and_tells_nothing(tools: Tools, root: Path, clock: FakeClock) -> None:
    memory = learned(tools)
    look(tools, root)
    (root / "src" / "lock.py").unlink()
    look(tools, root)
    before = tools.store.anchors("prj-one", memory_id=memory.id)
    clock.forward(days=1)
    again = look(tools, root)
    assert tools.store.anchors("prj-one", memory_id=memory.id) == before
    assert again.of(Freshness.GONE) and events(tools) == ["memory_gone"]


def test_code_that_is_changed_back_is_fresh_again(tools: Tools, root: Path) -> None:
    memory = learned(tools)
    look(tools, root)
    for text in (LOCK.replace("30", "40"), LOCK):
        (root / "src" / "lock.py").write_text(text)
        look(tools, root)
    assert standing(tools, memory) is Freshness.FRESH and events(tools) == ["memory_suspect", "memory_fresh"]


def test_a_file_that_only_moved_is_followed_by_its_content(tools: Tools, root: Path) -> None:
    memory = learned(tools)
    look(tools, root)
    (root / "lib").mkdir()
    (root / "src" / "lock.py").rename(root / "lib" / "lock.py")
    (checked,) = look(tools, root).checked
    assert checked.freshness is Freshness.FRESH and checked.anchors[0].path == "lib/lock.py"
    assert checked.anchors[0].note == "src/lock.py is lib/lock.py now"
    assert look(tools, root).checked[0].anchors == checked.anchors and standing(tools, memory) is Freshness.FRESH


def test_a_person_confirms_what_still_holds(tools: Tools, root: Path, clock: FakeClock) -> None:
    memory = learned(tools)
    look(tools, root)
    (root / "src" / "lock.py").write_text(LOCK.replace("30", "40"))
    look(tools, root)
    clock.forward(hours=1)
    confirmed = confirm(memory.id, str(root), tools=tools, code=tools.files.code())
    after = tools.store.memory(memory.id)
    assert confirmed.freshness is Freshness.FRESH and look(tools, root).of(Freshness.FRESH)
    assert after and after.verified_at == clock.now()
    last = tools.store.history(memory.id)[-1]
    assert last.change == "verified" and last.changed_by.type is ActorType.HUMAN
    assert events(tools) == ["memory_suspect", "memory_verified", "memory_fresh"]


def test_what_is_gone_cannot_be_confirmed(tools: Tools, root: Path) -> None:
    memory = learned(tools)
    look(tools, root)
    (root / "src" / "lock.py").unlink()
    with pytest.raises(Conflict, match="is gone"):
        confirm(memory.id, str(root), tools=tools, code=tools.files.code())


def test_the_same_thing_said_again_ties_it_to_the_code_as_it_is(tools: Tools, root: Path) -> None:
    code = tools.files.code()
    text = "MEMORY:pitfall:`Lock.close()` in src/lock.py blocks the whole worker"
    captured = capture(Said(text=text, session="one"), project="prj-one", tools=tools)
    (tied,) = retie(captured.receipts, str(root), tools=tools, code=code)
    assert tied.anchors[0].symbol == "Lock.close" and tied.was is Freshness.UNTIED

    (root / "src" / "lock.py").write_text(LOCK.replace("30", "40"))
    look(tools, root)
    same = capture(Said(text=text, session="one"), project="prj-one", tools=tools)
    assert same.receipts[0].is_replay  # the same text of the same session is no second word
    again = capture(Said(text=text, session="two"), project="prj-one", tools=tools)
    (tied,) = retie(again.receipts, str(root), tools=tools, code=code)
    assert (tied.was, tied.freshness) == (Freshness.SUSPECT, Freshness.FRESH)
    assert retie((replace(again.receipts[0], id="rcp-of-nobody"),), str(root), tools=tools, code=code) == ()


def test_only_the_files_that_were_asked_for_are_looked_at(tools: Tools, root: Path) -> None:
    (root / "other.py").write_text("x = 1\n")
    learned(tools)
    learned(tools, "other.py is generated")
    assert [one.title for one in look(tools, root, paths=("other.py",)).checked] == ["other.py is generated"]
    assert len(look(tools, root).checked) == 2


def test_other_projects_and_what_is_put_away_are_left_alone(tools: Tools, root: Path) -> None:
    learned(tools, project="prj-two")
    archived = learned(tools, "src/lock.py is old", archived_at=NOW)
    assert look(tools, root).checked == ()
    with pytest.raises(Conflict, match="archived"):
        look(tools, root, memory_id=archived.id)


def test_a_memory_that_names_nothing_here_is_counted_and_not_tied(tools: Tools, root: Path) -> None:
    (root.parent / "outside.py").write_text("x = 1\n")
    (root / "link.py").symlink_to(root.parent / "outside.py")
    for text in ("../outside.py is odd", f"{root.parent}/outside.py is odd", "link.py is odd", "**/*.zig", "be kind"):
        learned(tools, text)
    assert look(tools, root).untied == 5 and look(tools, root).checked == ()


def test_an_absolute_path_into_the_code_base_is_tied(tools: Tools, root: Path) -> None:
    (anchor,) = tie(a_memory(f"{root}/src/lock.py is old"), str(root), code=tools.files.code(), at=NOW)
    assert anchor.path == "src/lock.py"


def test_a_memory_that_is_changed_to_speak_of_another_file_is_tied_to_that(
    tools: Tools, root: Path, clock: FakeClock
) -> None:
    memory = learned(tools)
    look(tools, root)
    (root / "other.py").write_text("x = 1\n")
    after = replace(
        memory, content="other.py waits", file_refs=("other.py",), version=2, updated_at=clock.forward(hours=1)
    )
    keep(tools.store, after)
    (checked,) = look(tools, root).checked
    assert [anchor.path for anchor in checked.anchors] == ["other.py"]


def test_a_memory_whose_places_differ_is_suspect_as_a_whole(tools: Tools, root: Path) -> None:
    (root / "other.py").write_text("x = 1\n")
    memory = learned(tools, "src/lock.py and other.py belong together")
    look(tools, root)
    (root / "other.py").unlink()
    assert look(tools, root).of(Freshness.SUSPECT) and standing(tools, memory) is Freshness.SUSPECT


def test_the_worker_verifies_the_code_base_around_the_folder_it_is_told(tools: Tools, root: Path) -> None:
    memory = learned(tools)
    job = Job(id="job-1", kind="verify", key="k", project="prj-one", payload={}, created_at=NOW, due_at=NOW)
    handle(replace(job, payload={"root": str(root)}), tools)
    assert standing(tools, memory) is Freshness.FRESH
    with pytest.raises(BadValue, match="no folder"):
        handle(job, tools)


def test_a_project_without_a_folder_is_told_as_it_was_left(tools: Tools, root: Path) -> None:
    memory = learned(tools)
    look(tools, root)
    told = verify("prj-one", None, tools=tools, code=tools.files.code())
    assert [one.freshness for one in told.checked] == [Freshness.FRESH] and not told.has_code
    with pytest.raises(BadValue, match="not here"):
        confirm(memory.id, None, tools=tools, code=tools.files.code())


def test_progress_is_told_to_the_end(tools: Tools, root: Path) -> None:
    for number in range(3):
        learned(tools, f"lesson {number} about src/lock.py")
    heard: list[tuple[int, int]] = []
    verify(
        "prj-one",
        str(root),
        tools=tools,
        code=tools.files.code(),
        tell=lambda done, total: heard.append((done, total)),
    )
    assert heard == [(3, 3)]
