"""A store that is being carried when its process is killed is carried to its end by the same command."""

import random
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from calling import Cli
from database import give_back, take_url
from filling import filled
from tier import a_seed, figure

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.entry.cli.quick import run

_LONGEST_S = 2.0  # of a process's life, before it is killed


@pytest.fixture
def url() -> Iterator[str]:
    taken = take_url()
    yield taken
    give_back(taken)


def killed(cli: Cli, *words: str, after_s: float) -> None:
    child = subprocess.Popen(cli.command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with suppress(subprocess.TimeoutExpired):
        child.wait(after_s)
    child.kill()
    child.wait()


# R4, issue 8: resumable
def test_a_migration_that_is_killed_is_carried_to_its_end_there_and_back(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(a_seed())
    cli = Cli(tmp_path, monkeypatch)
    old, back = tmp_path / "old.db", tmp_path / "back.db"
    with closing(SqliteStore(old)) as store:
        filled(store)
        before = store.history("mem-a"), store.events(), store.audits(), store.jobs()
    for source, target in ((str(old), url), (url, str(back))):
        for _ in range(figure(2, 20)):
            killed(cli, "migrate", source, target, after_s=chance.uniform(0.3, _LONGEST_S))
        done = cli.through(run, "migrate", source, target)
        # Whoever was killed last may have come to the end: then it is whole, and not carried again.
        assert done.code == 0 or "holds memories already" in done.err
    with closing(SqliteStore(back)) as store:
        assert (store.history("mem-a"), store.events(), store.audits(), store.jobs()) == before
        assert not store.damage()
