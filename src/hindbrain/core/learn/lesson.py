"""What a lesson that nobody spelled out consists of, before it becomes a memory."""

from collections.abc import Mapping

from hindbrain.core.model.activity import Activity
from hindbrain.core.value import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    rule: str  # the extraction point: hat_transition:critic->creator, quality_gate:passed_after_failure …
    type: str  # one of the eight of Dex
    title: str
    content: str
    cause: Activity  # what set it off: its id and its place in the log
    confidence: float | None = None  # None: as for anything inferred
    tags: tuple[str, ...] = ()
    hat: str = ""
    file_refs: tuple[str, ...] = ()
    error_signature: str = ""
    body: Mapping[str, object] = field(default_factory=dict)  # ids of the activities it was drawn from

    @property
    def session(self) -> str:
        return self.cause.session

    @property
    def task(self) -> str:
        return self.cause.task

    @property
    def agent(self) -> str:
        return self.cause.agent


def origin(*activities: Activity) -> dict[str, object]:
    """A body that leads back to what was done."""
    return {"activities": list(dict.fromkeys(one.id for one in activities))}
