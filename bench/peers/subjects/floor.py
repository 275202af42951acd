"""The least that the job takes: SQLite with a row, its words and its int8 vector, one durable transaction each.

Words and meaning are searched apart and their ranks joined, as any hybrid search must at least do; vectors that were
searched once stay in memory until one is added. Nothing is checked, compared, versioned or explained: it is what a
store costs before it knows anything about memories.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from bench.peers.subject import ANSWERS, Ask, Item, Lookup
from hindbrain.core.words import query_terms

PACKAGES = ("apsw", "numpy")

_SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE IF NOT EXISTS memory (id INTEGER PRIMARY KEY, project TEXT NOT NULL, text TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (scope, text, content = '', tokenize = 'porter unicode61');
CREATE TABLE IF NOT EXISTS vector (project TEXT, id INTEGER, data BLOB, PRIMARY KEY (project, id)) WITHOUT ROWID;
"""
_SCALE = 127
_POOL = 4 * ANSWERS  # of each side, before they are joined
_FLAT = 60  # how little a rank counts, the customary value


def open_subject(folder: Path, *, lookup: Lookup) -> "Floor":
    db = apsw.Connection(str(folder / "floor.db"))
    db.execute(_SCHEMA).fetchall()
    return Floor(db)


class Floor:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._warm: dict[str, _Vectors] = {}  # by project; empty: all

    def fill(self, items: Sequence[Item]) -> None:
        self._warm.clear()
        self._db.execute("BEGIN IMMEDIATE")
        for item in items:
            self._insert(item)
        self._db.execute("COMMIT")

    def settle(self) -> None:
        """Each batch is one transaction."""

    def add(self, item: Item) -> None:
        self.fill([item])

    def search(self, ask: Ask) -> Sequence[str]:
        joined: dict[int, float] = {}
        for side in (self._by_words(ask), self._by_meaning(ask)):
            for rank, number in enumerate(side):
                joined[number] = joined.get(number, 0.0) + 1 / (_FLAT + rank)
        kept = sorted(joined, key=lambda number: (-joined[number], number))[:ANSWERS]
        return [str(self._db.execute("SELECT text FROM memory WHERE id = ?", (n,)).fetchall()[0][0]) for n in kept]

    def close(self) -> None:
        self._db.close()

    def _insert(self, item: Item) -> None:
        data = np.rint(_SCALE * np.array(item.vector)).astype(np.int8).tobytes()
        self._db.execute("INSERT INTO memory VALUES (?, ?, ?)", (item.number, item.project, item.text))
        words = "INSERT INTO words (rowid, scope, text) VALUES (?, ?, ?)"
        self._db.execute(words, (item.number, _token(item.project), item.text))
        self._db.execute("INSERT INTO vector VALUES (?, ?, ?)", (item.project, item.number, data))

    def _by_words(self, ask: Ask) -> list[int]:
        match = "text : (" + " OR ".join(f'"{term}"' for term in query_terms(ask.text)) + ")"
        if ask.project:
            match = f"scope : {_token(ask.project)} AND {match}"
        sql = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, 0, 1) LIMIT ?"
        return [int(str(number)) for (number,) in self._db.execute(sql, (match, _POOL))]

    def _by_meaning(self, ask: Ask) -> list[int]:
        if ask.project not in self._warm:
            self._warm[ask.project] = self._read(ask.project)
        return self._warm[ask.project].nearest(np.array(ask.vector, dtype=np.float32))

    def _read(self, project: str) -> "_Vectors":
        narrowed = " WHERE project = ?" if project else ""
        rows: Sequence[tuple[Any, ...]] = self._db.execute(
            f"SELECT id, data FROM vector{narrowed}", (project,) if project else ()
        ).fetchall()
        stored = np.frombuffer(b"".join(data for _, data in rows), dtype=np.int8).reshape(len(rows), -1)
        return _Vectors([number for number, _ in rows], stored.astype(np.float32))


@dataclass(frozen=True, slots=True)
class _Vectors:
    numbers: list[int]
    rows: npt.NDArray[np.float32]

    def nearest(self, asked: npt.NDArray[np.float32]) -> list[int]:
        scores = self.rows @ asked
        best = np.argpartition(-scores, min(_POOL, len(scores) - 1))[:_POOL]
        return [self.numbers[place] for place in best[np.argsort(-scores[best])]]


def _token(project: str) -> str:
    return project.replace("-", "")
