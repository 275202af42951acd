"""People save files while they are written anew: what they wrote is not lost, however their editors save."""

import random
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from building import FakeChance, FakeClock, a_project
from tier import a_seed, figure, reached

from hindbrain.adapters import tree as folders
from hindbrain.adapters.files import LocalFiles
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.add import Noted, add
from hindbrain.app.sync import follow, sync
from hindbrain.app.tools import Tools
from hindbrain.core.model import State
from hindbrain.dialects import dialect
from hindbrain.ports import Where
from hindbrain.settings import Settings

SAVES = figure(100, 1_500)
EVERY = Where(project="prj-one", states=frozenset(State))


@pytest.fixture
def tools(tmp_path: Path, clock: FakeClock, chance: FakeChance) -> Tools:
    store = SqliteStore(tmp_path / "home" / "hindbrain.db")
    a_project(store, "one")
    settings = Settings(home=str(tmp_path / "home"), store=str(tmp_path / "home" / "hindbrain.db"))
    return Tools(
        store=store,
        clock=clock,
        chance=chance,
        files=LocalFiles(),
        settings=settings,
        folders=folders,
        dialect=dialect,
    )


def by_renaming(path: Path, text: str) -> None:
    beside = path.with_suffix(".swp")
    beside.write_text(text, "utf-8")
    beside.replace(path)


def in_place(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")


@pytest.mark.parametrize("save", [by_renaming, in_place])
def test_nothing_that_a_person_saves_is_lost(  # R17
    tools: Tools, tmp_path: Path, save: Callable[[Path, str], None]
) -> None:
    repo = tmp_path / "repo"
    follow("chorus", str(repo), project="prj-one", tools=tools)
    add(Noted(content="All endpoints return JSON", task="ch-1"), project="prj-one", tools=tools)
    sync("prj-one", name="one", tools=tools)
    file = repo / ".chorus" / "learnings.md"
    chance = random.Random(seed := a_seed())
    notes = [f"Person remark w{number:04d}x{number * 7919 % 9973:04d} holds" for number in range(SAVES)]
    is_over = threading.Event()

    def edit() -> None:
        for number, note in enumerate(notes):
            text = file.read_text("utf-8")
            save(file, f"{text.rstrip()}\n- {note}\n  Source: ch-{number} (2026-01-09, ed-001)\n")
            is_over.wait(chance.choice((0.0, 0.005, 0.05, 0.2)))  # in haste, and so that we come in between
        is_over.set()

    editor = threading.Thread(target=edit)
    editor.start()
    count = 0
    while not is_over.is_set():
        count += 1
        add(Noted(content=f"An agent learned thing a{count:04d}", task="ch-2"), project="prj-one", tools=tools)
        sync("prj-one", name="one", tools=tools, settle_s=0.02)
    editor.join()
    sync("prj-one", name="one", tools=tools, settle_s=0.02)

    known = {memory.content for memory in tools.store.select(EVERY)} | set(file.read_text("utf-8").split("\n- "))
    text = "\n".join(known)
    assert [note for note in notes if note not in text] == []
    agents = {memory.content for memory in tools.store.select(EVERY) if memory.content.startswith("An agent")}
    assert len(agents) == count
    tools.store.close()
    reached(
        "R17", f"{SAVES:,} saves {save.__name__.replace('_', ' ')} beside {count} writings of ours: 0 lost", seed=seed
    )


def test_lines_that_others_append_while_the_file_rotates_are_neither_lost_nor_doubled(  # BD-052, X-17
    tools: Tools, tmp_path: Path
) -> None:
    repo = tmp_path / "repo"
    file = repo / ".beads" / "memory" / "knowledge.jsonl"
    file.parent.mkdir(parents=True)
    first, writers, each = 960, 20, 5
    file.write_text("".join(_line(number) for number in range(first)), "utf-8")
    follow("beads", str(repo), project="prj-one", tools=tools)
    sync("prj-one", name="one", tools=tools)

    def append(writer: int) -> None:
        for number in range(each):
            with file.open("a", encoding="utf-8") as out:
                out.write(_line(first + writer * each + number))

    threads = [threading.Thread(target=append, args=(writer,)) for writer in range(writers)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        sync("prj-one", name="one", tools=tools, settle_s=0.05)
    for thread in threads:
        thread.join()
    sync("prj-one", name="one", tools=tools, settle_s=0.05)

    active = file.read_text("utf-8").splitlines()
    archive = file.with_name("knowledge.archive.jsonl").read_text("utf-8").splitlines()
    total = first + writers * each
    assert (len(active), len(archive)) == (total - 500, 500)
    assert len(set(active) | set(archive)) == total
    tools.store.close()


def _line(number: int) -> str:
    words = f"quirk q{number:05d} of part p{number * 7919 % 99991:05d}"
    return (
        f'{{"key":"learned-{number}","type":"learned","content":"A {words}","source":"supervisor",'
        f'"tags":["learned"],"ts":{1000 + number},"bead":"BD-{number}"}}\n'
    )
