"""Our recall as the evaluation scripts call a retriever: `--system bench/retriever.py:factory`.

The public API with its default settings, one new store for each set of texts, nothing tuned to any of them.
"""

import atexit
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import hindbrain
from hindbrain.adapters.ai.minilm import MiniLm
from hindbrain.ports import Embedder

_UNDATED = datetime(2026, 1, 1, tzinfo=UTC)
_LONGEST = 16_000  # characters of one memory
_NUMBER = re.compile(r"\d+")
_embedder: Embedder = MiniLm()  # loaded once for all the stores of a run


class Retriever:
    def __init__(self) -> None:
        self._home = Path(tempfile.mkdtemp(prefix="hindbrain-eval-"))
        atexit.register(shutil.rmtree, self._home, ignore_errors=True)
        self._memory = hindbrain.open(self._home / "hindbrain.db", str(self._home), embedder=_embedder)
        self._rows: dict[str, list[int]] = {}  # of each memory: equal texts are kept once

    def index(self, texts: Sequence[str], metas: Sequence[Mapping[str, Any]] | None = None) -> None:
        for row, text in enumerate(texts):
            learned_at = _moment(metas[row].get("date") if metas else None)
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
        found = self._memory.recall(query, limit=k)
        return list(dict.fromkeys(row for item in found for row in self._rows.get(item.id, ())))[:k]

    def close(self) -> None:
        self._memory.close()
        shutil.rmtree(self._home, ignore_errors=True)


def factory() -> Retriever:
    return Retriever()


def _moment(text: str | None) -> datetime:
    """A date as the sets write it (`2023/05/30 (Tue) 23:40`). Texts without one are equally old."""
    numbers = [int(number) for number in _NUMBER.findall(text or "")]
    if len(numbers) < 3:
        return _UNDATED
    year, month, day, hour, minute = (*numbers, 0, 0)[:5]
    return datetime(year, month, day, hour, minute, tzinfo=UTC)
