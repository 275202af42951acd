"""Which vectors a bench makes only once: a text's is the same every time, and a set is read by many runs."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from hindbrain.core.model import Space
from hindbrain.ports import Embedder

_SCHEMA = "CREATE TABLE IF NOT EXISTS made (space TEXT, text BLOB, point BLOB, PRIMARY KEY (space, text)) WITHOUT ROWID"
_WAIT_MS = 60_000  # for another run that writes


class Cached:
    """`inner`, with all that it was ever asked kept in one file."""

    def __init__(self, inner: Embedder, file: Path) -> None:
        self._inner = inner
        self._name = "/".join(map(str, (inner.space.provider, inner.space.model, inner.space.version)))
        self._was_asked = False
        file.parent.mkdir(parents=True, exist_ok=True)
        self._db = apsw.Connection(str(file))
        self._db.set_busy_timeout(_WAIT_MS)
        self._db.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF").fetchall()
        self._db.execute(_SCHEMA)

    @property
    def space(self) -> Space:
        return self._inner.space

    @property
    def is_warm(self) -> bool:
        """As `inner` would be: from the first text on."""
        return self._was_asked

    def check(self) -> str:
        return self._inner.check()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self._was_asked = True
        keys = [sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        found = {key: point for key in keys if (point := self._kept(key)) is not None}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            made = self._inner.embed(list(missing.values()))
            fresh = {key: np.array(point, np.float32) for key, point in zip(missing, made, strict=True)}
            self._keep(fresh)
            found |= {key: point.tolist() for key, point in fresh.items()}
        return [found[key] for key in keys]

    def _kept(self, key: bytes) -> list[float] | None:
        rows: list[Any] = self._db.execute(
            "SELECT point FROM made WHERE space = ? AND text = ?", (self._name, key)
        ).fetchall()
        return list(map(float, np.frombuffer(rows[0][0], np.float32))) if rows else None

    def _keep(self, fresh: "dict[bytes, Any]") -> None:
        with self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO made VALUES (?, ?, ?)",
                ((self._name, key, point.tobytes()) for key, point in fresh.items()),
            )
