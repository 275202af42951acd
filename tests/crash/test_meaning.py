"""A writer that is killed, whenever that is, leaves each memory with its meaning, or no memory at all."""

import contextlib
import random
import subprocess
import sys
from pathlib import Path

import pytest
from embedding import space_of

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.ports import Where

TESTS = Path(__file__).resolve().parents[1]
WRITER = """
import sys
sys.path.insert(0, sys.argv[2])
import hindbrain
from embedding import WordEmbedder
with hindbrain.open(sys.argv[1], project="load", embedder=WordEmbedder()) as memory:
    for number in range(500):
        kept = memory.capture(f"MEMORY:pattern:Lesson{number} of seed{sys.argv[3]} about module{number}", session="s1")
        print(kept.receipts[0].memory_id, flush=True)
"""


@pytest.mark.parametrize("seed", range(4))
def test_a_killed_writer_leaves_no_memory_without_its_vector_and_no_vector_without_its_memory(
    tmp_path: Path, seed: int
) -> None:
    path = tmp_path / "hindbrain.db"
    with contextlib.closing(SqliteStore(path)) as store:
        store.expect(space_of())
    command = [sys.executable, "-c", WRITER, str(path), str(TESTS), str(seed)]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert writer.stdout
    promised = {writer.stdout.readline().strip() for _ in range(random.Random(seed).randint(1, 40))}
    writer.kill()
    writer.wait()
    writer.stdout.close()

    with contextlib.closing(SqliteStore(path)) as store:
        kept = {memory.id for memory in store.select(Where(project=store.projects()[0].id))}
        near = store.nearest([1.0] + [0.0] * 31, space_of(), where=Where(project=store.projects()[0].id), limit=999)
        assert promised <= kept == {one.memory_id for one in near}
        assert store.count_unembedded(space_of()) == 0 and not store.damage()
