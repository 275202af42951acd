"""Values for tests, made in one line: a memory, a project, a moment."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hindbrain.adapters.alone import alone
from hindbrain.adapters.clock import SystemChance
from hindbrain.adapters.files import LocalFiles
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.tools import Tools
from hindbrain.core.model import Memory, Space, Vector
from hindbrain.core.model.vector import quantised
from hindbrain.core.recall.meaningful import digest, meaningful
from hindbrain.core.shape import shape
from hindbrain.ports import Changes, Project, Store
from hindbrain.settings import Settings

NOW = datetime(2026, 1, 10, 9, 30, tzinfo=UTC)


class FakeClock:
    """Stands still until it is told to move."""

    def __init__(self, now: datetime = NOW) -> None:
        self.at = now

    def now(self) -> datetime:
        return self.at

    def forward(self, **ago: float) -> datetime:
        self.at += timedelta(**ago)
        return self.at


class FakeChance:
    """Counts instead of drawing, so that a test sees the same ids every time."""

    def __init__(self) -> None:
        self.count = 0

    def id(self, prefix: str, at: datetime) -> str:
        self.count += 1
        return f"{prefix}-{int(at.timestamp() * 1000):016d}{self.count:010d}"

    def fence(self) -> str:
        self.count += 1
        return f"{self.count:032x}"


def a_memory(text: str = "Use batch inserts for this table", **given: object) -> Memory:
    at = given.pop("at", NOW)
    known = shape(text, type=str(given.get("type", "learned")))
    fields: dict[str, object] = {
        "id": f"mem-{abs(hash(text)) % 10**12:012d}",
        "project": "prj-one",
        "content": text,
        "learned_at": at,
        "created_at": at,
        "updated_at": at,
        **{name: getattr(known, name) for name in known.__slots__},
    }
    return Memory(**(fields | given))  # type: ignore[arg-type]


def a_vector(memory: Memory, point: Sequence[float], *, space: Space, piece: int = 0) -> Vector:
    """What the memory means, said to stand in the first five of every ten characters."""
    code, scale = quantised(point)
    return Vector(
        memory_id=memory.id,
        space=space,
        piece=piece,
        start=10 * piece,
        end=10 * piece + 5,
        digest=digest(meaningful(memory)),
        code=code,
        scale=scale,
    )


def a_project(store: Store, name: str = "one") -> Project:
    return store.adopt([f"name:{name}"], name=name, project_id=f"prj-{name}", at=NOW)


def keep(store: Store, *memories: Memory) -> None:
    store.write(lambda tx: tx.apply(Changes(memories=memories)))


def tools_of(home: Path) -> Tools:
    """Of a process that works on a store which others share, with locks that they see."""
    return Tools(
        store=SqliteStore(home / "hindbrain.db"),
        clock=FakeClock(NOW),
        chance=SystemChance(),
        files=LocalFiles(),
        settings=Settings(home=str(home), store=str(home / "hindbrain.db")),
        alone=lambda name: alone(home / "locks", name),
    )
