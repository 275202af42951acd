"""What a page knows of the request that it answers, and how it answers."""

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from hindbrain.core.model import Memory
from hindbrain.core.model.suggestion import Suggestion
from hindbrain.core.value import dataclass, field
from hindbrain.entry.http.desk import Visit
from hindbrain.entry.http.problem import Refused
from hindbrain.facade import Hindbrain

PLACE = "/hub"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    visit: Visit
    said: Mapping[str, str]  # of the address; of the form, where there is one
    at: Mapping[str, str]  # what stands for the names in the path
    project: str = ""  # as the address names it; empty: the service's own
    is_part: bool = False  # only a part of the page will be shown

    def hindbrain(self) -> Hindbrain:
        return self.visit.hindbrain(self.project)

    def memory(self, *, is_changed: bool = False) -> tuple[Hindbrain, Memory]:
        return self.visit.memory(self.at["id"], is_own=is_changed)

    def suggestion(self) -> tuple[Hindbrain, Suggestion]:
        """The one that the path names, with the project that it is for."""
        found = self.visit.desk.tools().store.suggestion(self.at["id"])
        if found is None or not self.visit.caller.owns(found.project):
            raise Refused(404, "unknown_suggestion", "there is no such suggestion", fix="the feed shows what waits")
        return self.visit.hindbrain(found.project), found

    def link(self, path: str, **said: object) -> str:
        """An address within the hub; the chosen project goes along."""
        asked = {"project": self.project, **said}
        query = urlencode({name: str(value) for name, value in asked.items() if value not in ("", None)})
        return f"{PLACE}{quote(path)}" + (f"?{query}" if query else "")

    def flag(self, name: str) -> bool:
        return bool(self.said.get(name))

    def number(self, name: str, *, least: int = 1, most: int = 10_000) -> int:
        """What was said, kept between the two; the least where it is no number."""
        text = self.said.get(name, "")
        return min(max(int(text), least), most) if text.isascii() and text.isdigit() and len(text) < 9 else least


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    template: str
    about: Mapping[str, object] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Look there next: what a form that changed something answers."""

    to: str
