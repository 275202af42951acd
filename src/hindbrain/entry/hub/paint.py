"""How a page becomes HTML: which template, what every template knows, and that nothing in it is trusted."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hindbrain import __version__
from hindbrain.entry.hub.text import drawn, finalised, is_odd, raw, told
from hindbrain.entry.hub.turn import PLACE, Page, Turn

TABS: Mapping[str, str] = {
    "/feed": "Feed",
    "/memories": "Memories",
    "/graph": "Graph",
    "/worth": "Worth",
    "/health": "Health",
    "/timeline": "Timeline",
}


def paint(page: Page, turn: Turn, *, token: str, place: str) -> str:
    hindbrain = turn.visit.hindbrain(turn.project)
    text = (
        _environment()
        .get_template(page.template)
        .render(
            **page.about,
            turn=turn,
            link=turn.link,
            token=token,
            place=place,
            here=f"{PLACE}{place}",
            tabs=TABS,
            version=__version__,
            project=turn.project,
            project_name=hindbrain.project_name,
            projects=turn.visit.projects(),
        )
    )
    return text.encode("utf-8", "replace").decode()


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("hindbrain.entry.hub"),
        autoescape=True,
        finalize=finalised,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"raw": raw, "told": told, "drawn": drawn, "when": when}
    made.filters |= {"is_odd": is_odd, "words": words, "short": short}
    return made


def when(at: datetime | None) -> Markup:
    """A moment, to the minute; to the second for machines."""
    if at is None:
        return Markup('<span class="none">never</span>')
    utc = at.astimezone(UTC)
    return Markup('<time datetime="{}">{}</time>').format(
        utc.strftime("%Y-%m-%dT%H:%M:%SZ"), utc.strftime("%Y-%m-%d %H:%M")
    )


def words(name: object) -> str:
    """`anti_pattern` as a person writes it."""
    return str(name).replace("_", " ")


def short(text: object, most: int = 120) -> str:
    line = " ".join(str(text).split(" "))
    return line if len(line) <= most else f"{line[: most - 1]}…"
