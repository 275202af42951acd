"""How a store gets a million memories in minutes: rows, words and vectors alone, written by the engine in large steps.

What recall never reads (history, receipts, events) is left out, and lessons come again in other projects. A bench that
measures writing, or the size of a file, fills with `bench.fill` instead.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw

from bench.lessons import lessons
from bench.meter import told
from bench.report import SEED
from bench.vectors import coded, points_of
from hindbrain.adapters.sqlite import SqliteStore, rows
from hindbrain.core.model import Memory, Space, State
from hindbrain.core.recall.index import scope_token
from hindbrain.core.recall.meaningful import digest, meaningful

_BATCH = 20_000  # memories in one transaction
_DISTINCT = 100_000  # lessons; a project that holds the next thousand holds other ones
_AT = datetime(2026, 1, 1, tzinfo=UTC)
_KEYS = tuple(rows.WRITTEN.index(name) for name in ("id", "project", "scope"))


def project_name(number: int) -> str:
    return f"project-{number}"


def fill(path: Path, *, size: int, projects: int, space: Space, label: str) -> None:
    """A new store of `size` memories with a vector each, of all projects in turn, as they come in use."""
    with closing(SqliteStore(path)) as store:
        for number in range(projects):
            name = project_name(number)
            store.adopt([f"name:{name}"], name=name, project_id=name, at=_AT)
        store.expect(space)
    distinct = [_Row.of(number, text) for number, text in enumerate(lessons(min(size, _DISTINCT), seed=SEED))]
    with _hasty(path) as db:
        seq: Any = db.execute("SELECT seq FROM space").fetchall()[0][0]
        projects_known: Any = db.execute("SELECT id, seq FROM project").fetchall()
        numbers = dict(projects_known)
        for low in told(range(0, size, _BATCH), f"{label}, batches of {_BATCH:,}"):
            batch = _Batch(range(low, min(size, low + _BATCH)), distinct=distinct, projects=projects)
            with db:
                db.executemany(_MEMORY, batch.memories(numbers))
                db.executemany(_VECTOR, batch.vectors(numbers, space=seq))
                db.execute("DELETE FROM vector_due")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()  # or the log would grow as large as the file


_MEMORY = f"INSERT INTO memory (seq, {', '.join(rows.WRITTEN)}) VALUES (?, {', '.join('?' for _ in rows.WRITTEN)})"
_VECTOR = "INSERT INTO vector VALUES (?, ?, ?, 0, 0, ?, ?, ?, ?, NULL)"


@dataclass(frozen=True, slots=True)
class _Row:
    """All that a lesson is in the store, whoever holds it."""

    values: tuple[Any, ...]
    length: int
    digest: bytes

    @classmethod
    def of(cls, number: int, text: str) -> "_Row":
        at = _AT + timedelta(minutes=number)
        memory = Memory(
            id="",
            project="",
            content=text,
            title=text[:60],
            type="pitfall",
            learned_at=at,
            created_at=at,
            updated_at=at,
        )
        meant = meaningful(memory)
        return cls(rows.to_row(memory, project_number=1), len(meant), bytes.fromhex(digest(meant)))


@dataclass(frozen=True, slots=True)
class _Batch:
    numbers: range
    distinct: Sequence[_Row]
    projects: int

    def memories(self, known: dict[Any, Any]) -> Iterator[tuple[Any, ...]]:
        for number in self.numbers:
            values = list(self._row(number).values)
            project = self._project(number)
            keys = (f"mem-{number:09}", project, scope_token(known[project], State.LIVE))
            for place, value in zip(_KEYS, keys, strict=True):
                values[place] = value
            yield (number + 1, *values)

    def vectors(self, known: dict[Any, Any], *, space: Any) -> Iterator[tuple[Any, ...]]:
        codes, scales = coded(points_of(len(self.numbers), seed=self.numbers.start))
        for place, number in enumerate(self.numbers):
            row = self._row(number)
            scope = known[self._project(number)]
            vector = (float(scales[place]), codes[place].tobytes())
            yield (scope, space, number + 1, row.length, row.digest, *vector)

    def _row(self, number: int) -> _Row:
        """A project never has the same lesson twice, also where there are fewer lessons than memories."""
        return self.distinct[(number + number // len(self.distinct)) % len(self.distinct)]

    def _project(self, number: int) -> str:
        return project_name(number % self.projects)


@contextmanager
def _hasty(path: Path) -> Iterator[apsw.Connection]:
    """A connection of the bench's own: what a power cut would take is only a bench's."""
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as db:
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        db.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000").fetchall()
        yield db
