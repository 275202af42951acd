"""Screens that are kept as text: what somebody presses, and the three sizes of terminal at which it is looked at."""

import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from paneling import SCREENS, Pilot, Story, a_project, panel_of, screen, taught, tried, typed, until
from textual.widgets import Input

from hindbrain.facade import Hindbrain

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "images" / "panel.svg"
SIZES = ((40, 24), (82, 30), (120, 44))


def pressed(*keys: str) -> Story:
    async def story(pilot: Pilot[None]) -> None:
        await typed(pilot, *keys)
        for found in pilot.app.screen.query(Input):
            found.cursor_blink = False

    return story


SCENES: Mapping[str, Story] = {
    "shared": pressed(),
    "ed": pressed("tab", "j"),
    "all": pressed("shift+tab"),
    "superseded": pressed("s"),
    "search": pressed("slash", *"state"),
    "found": pressed("slash", *"state", "enter"),
    "nothing-found": pressed("slash", *"zebra"),
    "delete": pressed("d"),
    "edit": pressed("e"),
}


def shown(hindbrain: Hindbrain, name: str, size: tuple[int, int]) -> str:
    """The screen of a scene."""
    seen = ""

    async def story(pilot: Pilot[None]) -> None:
        nonlocal seen
        await SCENES[name](pilot)
        seen = screen(pilot)

    tried(hindbrain, story, size=size)
    return seen


def told(folder: Path, size: tuple[int, int]) -> str:
    """The screen with a toast."""
    seen = ""

    async def story(pilot: Pilot[None]) -> None:
        nonlocal seen
        taught(hindbrain, "Docker compose v2 needs no version key", "ch-099", "", "pat", "2026-01-15")
        await until(pilot, lambda: "New Learning" in screen(pilot) and "7 learnings" in screen(pilot))
        seen = screen(pilot)

    with a_project(folder) as hindbrain:
        tried(hindbrain, story, size=size)
    return seen


def empty(folder: Path, size: tuple[int, int]) -> str:
    seen = ""

    async def story(pilot: Pilot[None]) -> None:
        nonlocal seen
        assert panel_of(pilot).is_mounted
        seen = screen(pilot)

    with a_project(folder, is_taught=False) as hindbrain:
        tried(hindbrain, story, size=size)
    return seen


def picture(folder: Path, size: tuple[int, int]) -> str:
    """The panel with a toast, as the page about it shows it; it loads nothing from elsewhere."""
    drawn = ""

    async def story(pilot: Pilot[None]) -> None:
        nonlocal drawn
        await typed(pilot, "s", "k")
        taught(hindbrain, "Docker compose v2 needs no version key", "ch-099", "", "pat", "2026-01-15")
        await until(pilot, lambda: "New Learning" in screen(pilot) and "7 learnings" in screen(pilot))
        drawn = pilot.app.export_screenshot(title="hindbrain panel")

    with a_project(folder) as hindbrain:
        tried(hindbrain, story, size=size)
    return re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)


def named(name: str, size: tuple[int, int]) -> str:
    return f"{name}-{size[0]}x{size[1]}"


def write() -> None:
    """Write every screen anew, for somebody to look at what changed."""
    SCREENS.mkdir(exist_ok=True)
    for old in SCREENS.glob("*.txt"):
        old.unlink()
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder, a_project(Path(folder)) as hindbrain:
            for name in SCENES:
                (SCREENS / f"{named(name, size)}.txt").write_text(shown(hindbrain, name, size), "utf-8")
        for name, made in (("toast", told), ("empty", empty)):
            with tempfile.TemporaryDirectory() as folder:
                (SCREENS / f"{named(name, size)}.txt").write_text(made(Path(folder), size), "utf-8")
    with tempfile.TemporaryDirectory() as folder:
        PICTURE.write_text(picture(Path(folder), (92, 34)), "utf-8")


if __name__ == "__main__":
    sys.exit(write())
