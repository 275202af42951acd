"""Upkeep that is killed at any moment loses nothing, and the next run completes it."""

import random
import signal
import subprocess
import sys
from collections import Counter
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from building import NOW, a_memory, a_project, keep, tools_of
from tier import figure

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app import maintain
from hindbrain.app.purge import purge
from hindbrain.app.upkeep import runs, undo
from hindbrain.core.model import Counters, Kind, Memory, State
from hindbrain.core.source import Source
from hindbrain.ports import Where

CARETAKER = Path(__file__).with_name("caretaker.py")
EVERY = Where(project="prj-one", states=frozenset(State))
COUNT = figure(300, 900)


def filled(home: Path) -> None:
    old = NOW - timedelta(days=60)
    nouns = [f"word{number:04d}" for number in range(COUNT)]
    with closing(SqliteStore(home / "hindbrain.db")) as store:
        a_project(store, "one")
        for start in range(0, COUNT, 100):
            few = range(start, start + 100)
            keep(
                store,
                *(a_memory(f"Tried {nouns[n]}", id=f"mem-e{n:04d}", kind=Kind.EPISODE, at=old) for n in few),
                *(a_memory(f"Mind {nouns[n]}", id=f"mem-f{n:04d}", at=old, confidence=0.2) for n in few),
                *(_twin(nouns, n, store_copy=copy) for n in few for copy in (0, 1)),
            )


def _twin(nouns: list[str], n: int, *, store_copy: int) -> Memory:
    text = f"Always close the {nouns[n]} handle before the pool is drained" + "." * store_copy
    key = f"mem-t{n:04d}{'ab'[store_copy]}"
    return a_memory(text, id=key, confidence=0.5 + 0.1 * store_copy, counters=Counters(injected=1 + store_copy))


def killed(home: Path, job: str, *, after_s: float) -> bool:
    """Whether it was killed before it was done."""
    with subprocess.Popen([sys.executable, str(CARETAKER), str(home), job], stdout=subprocess.PIPE, text=True) as one:
        assert one.stdout is not None and one.stdout.readline() == "begun\n"
        try:
            one.wait(after_s)
        except subprocess.TimeoutExpired:
            one.send_signal(signal.SIGKILL)
        return one.wait() != 0


@pytest.mark.parametrize("seed", range(figure(1, 10)))
@pytest.mark.parametrize("job", ["prune", "merge", "cleanup"])
def test_a_killed_run_loses_nothing_and_the_next_completes_it(tmp_path: Path, job: str, seed: int) -> None:  # F-19
    filled(tmp_path)
    chance = random.Random(f"{job}{seed}")
    for _ in range(3):
        killed(tmp_path, job, after_s=chance.uniform(0.02, 0.6))
    tools = tools_of(tmp_path)
    with closing(tools.store) as store:
        half = Counter(memory.state for memory in store.select(EVERY))
        assert half.total() == 4 * COUNT, "a memory that is put away is still there"
        getattr(maintain, job)("prj-one", tools=tools)

        states = Counter((memory.id[4], str(memory.state)) for memory in store.select(EVERY))
        wanted = {
            "prune": {("e", "archived"): COUNT, ("f", "live"): COUNT, ("t", "live"): 2 * COUNT},
            "cleanup": {("e", "live"): COUNT, ("f", "archived"): COUNT, ("t", "live"): 2 * COUNT},
            "merge": {("e", "live"): COUNT, ("f", "live"): COUNT, ("t", "live"): COUNT, ("t", "superseded"): COUNT},
        }
        assert states == wanted[job]
        if job == "merge":
            kept = [memory for memory in store.select(Where(project="prj-one")) if memory.id.startswith("mem-t")]
            assert {memory.counters.injected for memory in kept} == {3}, "each was counted once"
        for run in reversed(runs("prj-one", reader=store)):
            assert not undo(run.id, project="prj-one", tools=tools).left
        assert {memory.state for memory in store.select(EVERY)} == {State.LIVE}
        assert not store.damage()


# S12
@pytest.mark.parametrize("seed", range(figure(2, 20)))
def test_a_killed_purge_hides_nothing_it_did_and_the_next_completes_it(tmp_path: Path, seed: int) -> None:
    filled(tmp_path)
    chance = random.Random(f"purge{seed}")
    for _ in range(2):
        killed(tmp_path, "purge", after_s=chance.uniform(0.02, 0.25))
    tools = tools_of(tmp_path)
    with closing(tools.store) as store:
        states = Counter(memory.state for memory in store.select(EVERY))
        noted = sum(run.steps for run in runs("prj-one", reader=store))
        assert (states.total(), states[State.ARCHIVED]) == (4 * COUNT, noted), "what is out stands in the log of a run"
        assert not store.damage()

        purged = purge(Source(agent="agent"), ["prj-one"], tools=tools)

        assert (purged.count("archived"), purged.count("away")) == (4 * COUNT - noted, noted)
        assert {memory.state for memory in store.select(EVERY)} == {State.ARCHIVED}
        for run in reversed(runs("prj-one", reader=store)):
            assert not undo(run.id, project="prj-one", tools=tools).left
        assert {memory.state for memory in store.select(EVERY)} == {State.LIVE}
        assert not store.damage()
