"""Our recall as the evaluation scripts call a retriever: `--system bench/retriever.py:factory`.

The public API with its default settings, one new store for each set of texts, nothing tuned to any of them. The other
factories are what the default is compared with: each of its two sides alone, and the strategies that others documented.
"""

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import hindbrain
from hindbrain.adapters.ai.minilm import MiniLm
from hindbrain.ports import Embedder, Where
from hindbrain.settings import Settings

CACHE = "HINDBRAIN_BENCH_VECTORS"  # names a file that keeps vectors from run to run: the same answers, sooner
_LONGEST = 16_000  # characters of one memory
_NUMBER = re.compile(r"\d+")


class Retriever:
    def __init__(self, *, is_by_meaning: bool = True, strategy: str = "") -> None:
        self._home = Path(tempfile.mkdtemp(prefix="hindbrain-eval-"))
        atexit.register(shutil.rmtree, self._home, ignore_errors=True)
        store = str(self._home / "hindbrain.db")
        defaults = Settings(home=str(self._home), store=store)  # whatever the user has set
        self._memory = hindbrain.open(
            store,
            str(self._home),
            settings=defaults if is_by_meaning else Settings(home=defaults.home, store=store, embedder="off"),
            embedder=model() if is_by_meaning else None,
        )
        self._strategy = strategy
        self._rows: dict[str, list[int]] = {}  # of each memory: equal texts are kept once

    def index(self, texts: Sequence[str], metas: Sequence[Mapping[str, Any]] | None = None) -> None:
        together = datetime.now(UTC)  # without dates none is newer, however long it takes to add them all
        for row, text in enumerate(texts):
            learned_at = (_moment(metas[row].get("date")) if metas else None) or together
            for start in range(0, max(len(text), 1), _LONGEST):
                self._keep(row, text[start : start + _LONGEST], learned_at=learned_at)
        self._memory.embed()

    def _keep(self, row: int, text: str, *, learned_at: datetime) -> None:
        if not text.strip():
            return
        kept = self._memory.add(text, learned_at=learned_at).memory_id
        if kept is not None:
            self._rows.setdefault(kept, []).append(row)

    def search(self, query: str, k: int) -> list[int]:
        return self._rows_of(self._best(query, k))[:k]

    def _best(self, query: str, k: int) -> list[str]:
        return [item.id for item in self._memory.recall(query, limit=k, strategy=self._strategy)]

    def _rows_of(self, ids: Sequence[str]) -> list[int]:
        return list(dict.fromkeys(row for key in ids for row in self._rows.get(key, ())))

    def close(self) -> None:
        self._memory.close()
        shutil.rmtree(self._home, ignore_errors=True)


class _Meaning(Retriever):
    """By the cosine of a memory's best piece and nothing else."""

    def _best(self, query: str, k: int) -> list[str]:
        project = self._memory.project
        if project is None:
            return []
        (point,) = model().embed([query])
        near = self._memory.store.nearest(point, model().space, where=Where(project=project.id), limit=k)
        return [one.memory_id for one in near]


def factory() -> Retriever:
    return Retriever()


def words() -> Retriever:
    return Retriever(is_by_meaning=False)


def meaning() -> Retriever:
    return _Meaning()


def dex() -> Retriever:
    return Retriever(is_by_meaning=False, strategy="dex")


def loki() -> Retriever:
    return Retriever(strategy="loki")


def doc05() -> Retriever:
    return Retriever(strategy="doc05")


def recent() -> Retriever:
    return Retriever(is_by_meaning=False, strategy="recent")


@cache
def model() -> Embedder:
    """Loaded once for all the stores of a run."""
    file = os.environ.get(CACHE)
    if not file:
        return MiniLm()
    from bench.cache import Cached  # a stranger's run needs no more than the program itself

    return Cached(MiniLm(), Path(file))


def _moment(text: str | None) -> datetime | None:
    """A date as the sets write it (`2023/05/30 (Tue) 23:40`); None for what is none."""
    numbers = [int(number) for number in _NUMBER.findall(text or "")]
    if len(numbers) < 3:
        return None
    year, month, day, hour, minute = (*numbers, 0, 0)[:5]
    return datetime(year, month, day, hour, minute, tzinfo=UTC)
