"""How tests look at the panel: the learnings that Chorus draws, keys pressed by a pilot, and screens as text."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from building import FakeChance, FakeClock
from textual.app import App
from textual.pilot import Pilot

from hindbrain.adapters.files import LocalFiles
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.projects import Located
from hindbrain.app.tools import Tools
from hindbrain.entry.panel.panel import LearningsPanel
from hindbrain.entry.panel.screen import PanelApp
from hindbrain.facade import Hindbrain
from hindbrain.settings import Settings

SCREENS = Path(__file__).parent / "panel" / "screens"
PATIENCE_S = 60.0  # for a machine that has much else to do; nothing waits that long

Story = Callable[[Pilot[None]], Awaitable[None]]

# text, task, instance, persona, day
SHARED = (
    ("Use Zustand for state management", "ch-002", "ed-001", "ed", "2026-01-09"),
    ("TDD: RED → GREEN → REFACTOR → COMMIT", "ch-001", "ed-001", "ed", "2026-01-09"),
    ("Use AAA pattern: Arrange, Act, Assert", "ch-003", "ed-001", "ed", "2026-01-09"),
    (
        "All endpoints return consistent error format: { error: string, code: number }",
        *("ch-015", "ed-001", "ed", "2026-01-10"),
    ),
    ("XState v5 for state management", "ch-010", "", "pat", "2026-01-10"),
    ("Spawned actors for parallel agents", "ch-012", "", "pat", "2026-01-10"),
    ("Rate limiting: 100 requests/minute per user on every route", "ch-022", "ed-002", "ed", "2026-01-11"),
)
LOCAL = (
    ("This table needs batch inserts for 10x performance", "ch-045", "ed-001", "ed", "2026-01-13"),
    ("Run quality checks before commit, not after", "ch-047", "ed-001", "ed", "2026-01-13"),
    ("Use connection pooling for database queries", "ch-048", "ed-001", "ed", "2026-01-13"),
    ("The trace id is in the log", "ch-049", "", "ace", "2026-01-13"),
    ("Plan the migration before the endpoint", "ch-051", "", "pat", "2026-01-14"),
)


@contextmanager
def a_project(folder: Path, *, is_taught: bool = True) -> Iterator[Hindbrain]:
    """A store of its own, where the same is always learned at the same time."""
    settings = Settings(home=str(folder), store=str(folder / "hindbrain.db"))
    store = SqliteStore(settings.store, timeout_s=2.0)
    tools = Tools(store=store, clock=FakeClock(), chance=FakeChance(), files=LocalFiles(), settings=settings)
    located = Located(identities=("name:app",), name="app", root=None)
    with Hindbrain(tools, located) as hindbrain:
        if is_taught:
            for learning in SHARED:
                taught(hindbrain, *learning)
            for learning in LOCAL:
                taught(hindbrain, *learning, is_local=True)
        yield hindbrain


def taught(
    hindbrain: Hindbrain, text: str, task: str, instance: str, persona: str, day: str, *, is_local: bool = False
) -> str:
    """As an agent says it; the id."""
    clock = hindbrain._tools.clock
    assert isinstance(clock, FakeClock)
    clock.at = datetime.fromisoformat(f"{day}T09:30:00").replace(tzinfo=UTC)
    signal = f"<chorus>LEARNING_{'LOCAL' if is_local else 'GLOBAL'}:{text}</chorus>"
    captured = hindbrain.capture(signal, session=task, task=task, instance=instance, persona=persona)
    return captured.receipts[0].memory_id or ""


def tried(
    hindbrain: Hindbrain, story: Story, *, size: tuple[int, int] = (100, 36), app: App[None] | None = None
) -> None:
    """Run a panel, and a story of what somebody does with it."""

    async def run() -> None:
        shown = app or PanelApp(hindbrain)
        async with shown.run_test(size=size) as pilot:
            if app is None:
                await until(pilot, lambda: "Reading…" not in screen(pilot))
            await story(pilot)

    asyncio.run(run())


async def until(pilot: Pilot[None], is_so: Callable[[], bool]) -> None:
    """Fails with the screen when it never becomes so."""
    waited = 0.0
    while not is_so():
        waited += 0.05
        assert waited < PATIENCE_S, screen(pilot)
        await pilot.pause(0.05)
    await pilot.pause()


async def typed(pilot: Pilot[None], *keys: str) -> str:
    """Press keys; the screen afterwards."""
    await pilot.press(*keys)
    await pilot.pause()
    return screen(pilot)


def screen(pilot: Pilot[None]) -> str:
    """What is on the screen, without colours and without the ends of lines."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips) + "\n"


def panel_of(pilot: Pilot[None]) -> LearningsPanel:
    return pilot.app.screen.query_one(LearningsPanel)


def kept(name: str) -> str:
    """A screen as it is expected; `python tests/panel/scenes.py` writes them anew."""
    return (SCREENS / f"{name}.txt").read_text("utf-8")
