"""What a project may rely on in a store with very many memories: it finds its own, nothing else, and in time."""

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter, process_time

import pytest

pytest.importorskip("numpy", reason="the filling of a large store needs what the benchmarks need")

from embedding import DIMENSION, WordEmbedder, point
from tier import a_seed, figure, reached

import hindbrain
from bench import bulk
from bench.lessons import questions
from hindbrain.core.model import Space

WIDTH = 384
QUESTIONS = 100
ODD = (
    "The sloop 🛥️ of 𝔷𝔞𝔫𝔷𝔦𝔟𝔞𝔯 needs 🧭 before it sails",
    "Cafe\u0301 and café are one word: co\u0308ordinate both",
    "Half of a pair \ud83d stands alone in the ledger of sloops",
    "A NUL \x00 in the middle ends no lesson about sloops",
)


class WideEmbedder(WordEmbedder):
    """As wide as what the store was filled with."""

    def __init__(self) -> None:
        super().__init__()
        self.space = Space(provider="test", model="wide", version="1", dimension=WIDTH)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [point(text) + [0.0] * (WIDTH - DIMENSION) for text in texts]


@pytest.mark.parametrize(
    ("many", "projects"),
    [(figure(2_000, 1_000_000), figure(20, 1_000)), (figure(1_000, 100_000), 1)],
    ids=["many projects", "one project"],
)
def test_in_a_very_large_store_a_project_finds_its_own_and_nothing_else(
    tmp_path: Path, many: int, projects: int
) -> None:  # R21
    path, embedder, seed = tmp_path / "hindbrain.db", WideEmbedder(), a_seed()
    bulk.fill(path, size=many, projects=projects, space=embedder.space, label="filling")
    name = bulk.project_name(projects // 2)
    with hindbrain.open(path, name, embedder=embedder) as memory:
        added = memory.add("The ferry to Zanzibar leaves from the northern quay, never from the southern one")
        odd = [memory.add(text).memory_id for text in ODD]
        walls, spent = [], []
        for question in questions(QUESTIONS, seed=seed):
            wall, cpu = perf_counter(), process_time()
            found = memory.recall(question, limit=10).memories
            walls.append(perf_counter() - wall)
            spent.append(process_time() - cpu)
            assert {one.memory.project for one in found} <= {name} and found
        assert memory.recall("which quay for Zanzibar", limit=10).memories[0].memory.id == added.memory_id
        assert [memory.recall(text, limit=10).memories[0].memory.id for text in ODD] == odd
    reached(
        "R21",
        f"{many:,} memories in {projects:,} project{'s' if projects > 1 else ''}, {QUESTIONS} recalls:"
        f" p95 {_p95(walls):.0f} ms, of CPU {_p95(spent):.0f} ms",
        seed=seed,
    )


def _p95(seconds: Sequence[float]) -> float:
    return 1000 * sorted(seconds)[len(seconds) * 95 // 100]
