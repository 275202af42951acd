"""The power goes at any moment: spool, store and shared files together lose nothing that was promised."""

import json
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hooking import transcript
from powercut import STRACE, Act, Disk, acts, put, taken
from tier import a_seed, figure, reached

from hindbrain.adapters.lease import Lease
from hindbrain.app.sync import follow, sync
from hindbrain.app.tools import Tools
from hindbrain.core.model import State
from hindbrain.core.model.activity import Deed
from hindbrain.entry.worker import caught_up
from hindbrain.ports import Where
from hindbrain.settings import Settings
from hindbrain.wiring import open_tools

LIVER = Path(__file__).with_name("liver.py")
EVENTS = figure(30, 60)  # of the day that is cut short

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed: `make system`")


def tools_of(home: Path) -> Tools:
    return open_tools(Settings(home=str(home), store=str(home / "hindbrain.db"), embedder="off"))


@pytest.fixture
def day() -> Iterator[Path]:
    in_memory = Path("/dev/shm")
    with TemporaryDirectory(prefix="hb-", dir=in_memory if in_memory.is_dir() else None) as folder:
        yield Path(folder)


def lived(folder: Path) -> tuple[dict[str, bytes], list[Act], str]:
    """A home as it was before the day, all that was done to files during it, and where promises were told."""
    life, repo, told = folder / "life", folder / "life" / "repo", folder / "told"
    (repo / "transcripts").mkdir(parents=True)
    told.touch()
    for number in range(EVENTS):
        session = f"s{number}"
        lesson = f"MEMORY:pattern:Lesson l{number:04d} of the day needs module{number} first"
        transcript(repo / "transcripts" / f"{session}.jsonl", lesson, session=session)
    with closing((tools := tools_of(life / "home")).store) as store:
        project = store.adopt([f"folder:{repo}"], name="repo", project_id="prj-one", at=tools.clock.now())
        for dialect in ("chorus", "beads"):
            follow(dialect, str(repo), project=project.id, tools=tools)
        sync(project.id, name=project.name, tools=tools)
    before = taken(life)
    words = [sys.executable, str(LIVER), str(life / "home"), str(repo), str(EVENTS), str(told)]
    subprocess.run([*STRACE, "-o", str(folder / "log"), *words], check=True)
    return before, acts(folder / "log", below=life, told=str(told)), str(told)


def test_what_was_promised_before_the_power_went_is_there_after_it(day: Path) -> None:  # R5
    seed = a_seed()
    chance = random.Random(seed)
    before, done, told = lived(day)
    life, images, cut_short = day / "life", figure(200, 2_000), 0
    assert len(done) > 100 and any(act.what == "swap" for act in done) and any(act.what == "sync" for act in done)
    for _ in range(images):
        end = chance.randrange(len(done))
        promised = [act.data.decode().split() for act in done[:end] if act.paths == (told,) and act.what == "write"]
        disk = Disk(before)
        disk.play([act for act in done[:end] if act.paths != (told,) and "-shm" not in act.paths[0]])
        image = disk.image(chance)
        cut_short += image != before
        put(image, life)
        whole(life, promised=promised)
    assert cut_short > images / 2
    reached("R5", f"{images:,} images of {len(done):,} acts: 0 corrupt, 0 promised lost, 0 done twice", seed=seed)


def whole(life: Path, *, promised: list[list[str]]) -> None:
    heard = {int(number) for word, number in promised if word == "heard"}
    added = {id_ for word, id_ in promised if word == "added"}
    for line in (life / "repo" / ".beads" / "memory" / "knowledge.jsonl").read_text("utf-8").splitlines():
        json.loads(line)
    tools = tools_of(life / "home")
    with closing(tools.store) as store, Lease(life / "home" / "worker.lock").hold():
        assert not store.damage()
        while caught_up(tools)[0].records:
            pass
        every = store.select(Where(project="prj-one", states=frozenset(State)))
        lessons = Counter(memory.content for memory in every)
        assert added <= {memory.id for memory in every}
        missing = [n for n in heard if not any(text.startswith(f"Lesson l{n:04d} ") for text in lessons)]
        assert not missing and set(lessons.values()) <= {1}
        commands = Counter(one.subject for one in store.activities("prj-one", deeds=(Deed.COMMAND,)))
        assert set(commands.values()) <= {1}
        sync("prj-one", name="repo", tools=tools)
        shared = (life / "repo" / ".chorus" / "learnings.md").read_text("utf-8")
        assert all(memory.content in shared for memory in every if memory.state is State.LIVE)
        assert not store.damage()
