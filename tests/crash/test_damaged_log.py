"""A write-ahead log that was damaged reads as one that was never longer: what is missing is told all the same."""

import random
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from building import NOW, a_memory, a_project, keep
from tier import a_seed, figure, reached

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.errors import StoreDamaged
from hindbrain.ports import Where

HERE = Where(project="prj-one")


@pytest.fixture
def folder() -> Iterator[Path]:
    in_memory = Path("/dev/shm")
    with TemporaryDirectory(prefix="hb-", dir=in_memory if in_memory.is_dir() else None) as made:
        yield Path(made)


def bent(raw: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(raw))
    match chance.randrange(3):
        case 0:
            return raw[:at] + bytes([raw[at] ^ (1 << chance.randrange(8))]) + raw[at + 1 :]
        case 1:
            start = at // 512 * 512
            return raw[:start] + chance.randbytes(min(512, len(raw) - start)) + raw[start + 512 :]
        case _:
            return raw[:at]


def test_damage_of_the_log_is_found_or_harmless(folder: Path) -> None:  # R8
    seed = a_seed()
    chance = random.Random(seed)
    whole = folder / "whole"
    with closing(SqliteStore(whole / "hindbrain.db")) as store:
        a_project(store)
        for number in range(20):
            keep(store, a_memory(f"lesson number {number}", id=f"mem-{number:02}"))
        wanted = {memory.id: memory for memory in store.select(HERE)}
    log = (whole / "hindbrain.db-wal").read_bytes()
    rounds, found, harmless = figure(100, 1_000), 0, 0
    for number in range(rounds):
        copy = folder / str(number)
        shutil.copytree(whole, copy, ignore=shutil.ignore_patterns("*-shm"))
        (copy / "hindbrain.db-wal").write_bytes(bent(log, chance))
        try:
            with closing(SqliteStore(copy / "hindbrain.db")) as store:
                is_found = bool(store.damage())
                assert is_found or {memory.id: memory for memory in store.select(HERE)} == wanted
        except StoreDamaged:
            is_found = True
        found, harmless = found + is_found, harmless + (not is_found)
        shutil.rmtree(copy)
    assert found > rounds / 2
    reached("R8", f"{rounds:,} damages of the write-ahead log: {found} found, {harmless} harmless, 0 unseen", seed=seed)


def test_what_was_deleted_or_forgotten_is_not_missed(folder: Path) -> None:  # R8
    with closing(SqliteStore(folder / "hindbrain.db")) as store:
        a_project(store)
        for number in range(3):
            keep(store, a_memory(f"lesson number {number}", id=f"mem-{number}"))
        store.erase("mem-2", at=NOW)
        assert not store.damage()
        keep(store, a_memory("another", id="mem-3"))
        assert not store.damage()
