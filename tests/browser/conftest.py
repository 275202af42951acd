"""One browser for all of these tests, one service for each; what they saw is kept in tests/artefacts."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browser.service import Hub, serving

from scripts import browser as installed

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[dev]'")

ARTEFACTS = Path(__file__).resolve().parents[1] / "artefacts"
PATIENCE_MS = 20_000


@pytest.fixture(scope="session")
def chromium() -> Iterator["playwright.Browser"]:
    program = installed.found()
    if program is None:
        pytest.skip("there is no Chromium; `make browser` installs one")
    options = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium does not start as root with its sandbox
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=str(program), args=options)
        yield running
        running.close()


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    with serving(tmp_path) as one:
        yield one


Opened = Callable[..., "playwright.Page"]


@pytest.fixture
def opened(chromium: "playwright.Browser", hub: Hub) -> Iterator[Opened]:
    """Opens a browser's window that is logged in; what a page complains of fails the test."""
    complaints: list[str] = []
    windows = []

    def window(**how: object) -> "playwright.Page":
        context = chromium.new_context(**{"viewport": {"width": 1200, "height": 900}, **how})
        context.set_default_timeout(PATIENCE_MS)
        windows.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda told: complaints.append(told.text) if told.type == "error" else None)
        page.on("dialog", lambda dialog: (complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.goto(hub.login())
        return page

    yield window
    for context in windows:
        context.close()
    assert not complaints


@pytest.fixture
def kept() -> Callable[["playwright.Page", str], None]:
    """Keeps a picture of what is seen."""
    ARTEFACTS.mkdir(exist_ok=True)

    def keep(page: "playwright.Page", name: str) -> None:
        page.screenshot(path=ARTEFACTS / f"{name}.png", full_page=True)

    return keep
