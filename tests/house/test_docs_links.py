"""No page leads nowhere, none is lost, and every command is shown in use."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from hindbrain.entry.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = {"build", "dist", "node_modules"}

_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")
_OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:")


def pages(folder: Path = ROOT) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name in SKIPPED or path.name.endswith(".egg-info"):
            continue
        if path.is_dir():
            yield from pages(path)
        elif path.suffix == ".md":
            yield path


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def prose(page: Path) -> str:
    """A page without what is only shown in it."""
    return _FENCED.sub("", page.read_text("utf-8"))


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """File and anchor of each link that stays in the project."""
    for target in _LINK.findall(_CODE.sub("", prose(page))):
        if not _OUTSIDE.match(target):
            name, _, anchor = target.partition("#")
            yield ((page.parent / name).resolve() if name else page), anchor


def anchors(page: Path) -> set[str]:
    """As the usual renderers make them from headings."""
    return {_NOT_IN_ANCHORS.sub("", title.lower()).replace(" ", "-") for title in _HEADING.findall(prose(page))}


PAGES = list(pages())


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target, anchor in links(page):
        assert target.exists() and target.is_relative_to(ROOT), target
        assert not anchor or anchor in anchors(target), f"{named(target)} has no heading for #{anchor}"


def test_every_page_is_reachable_from_the_index() -> None:
    reached: set[Path] = set()
    open_ = [ROOT / "docs" / "index.md"]
    while open_:
        page = open_.pop()
        reached.add(page)
        open_ += [target for target, _ in links(page) if target.suffix == ".md" and target not in reached]
    docs = [page for page in PAGES if page.parent == ROOT or page.is_relative_to(ROOT / "docs")]
    assert [named(page) for page in docs if page not in reached] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_shown_in_the_tutorial_or_the_recipes(name: str) -> None:
    shown = (ROOT / "docs" / "tutorial.md").read_text("utf-8") + (ROOT / "docs" / "howto.md").read_text("utf-8")
    assert re.search(rf"\bhindbrain {name}\b", shown)


def test_the_first_screen_of_the_readme_shows_the_two_commands_and_an_example() -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    assert len(lines) <= 150
    first = "\n".join(lines[:25])
    assert all(f"\n{command} " in first for command in ("make run", "make test", "$ hindbrain capture"))
