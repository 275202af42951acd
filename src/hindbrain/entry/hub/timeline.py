"""What happened, newest first: which lines of the two logs are shown together, and which are asked for."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from hindbrain.app.siblings import last_event
from hindbrain.core.model import Event, Memory, Provenance
from hindbrain.core.model.activity import Activity
from hindbrain.core.value import dataclass
from hindbrain.entry.hub.turn import Page, Turn
from hindbrain.facade import Hindbrain

_LOOKED = 2_000  # lines of either log
_SHOWN = 200
_OFFERED = 30  # values of a filter
_TWICE = ("learning_stored",)  # Chorus' word for a memory that was created, which is told as well


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One thing that happened, whichever log it stands in."""

    at: datetime
    what: str
    subject: str = ""
    result: str = ""
    detail: str = ""
    session: str = ""
    persona: str = ""
    task: str = ""
    memory_id: str = ""


def timeline(turn: Turn) -> Page:
    hindbrain = turn.hindbrain()
    wanted = {name: turn.said.get(name, "") for name in ("session", "persona", "task")}
    lines = sorted(_lines(hindbrain, turn, session=wanted["session"]), key=lambda one: one.at, reverse=True)
    shown = [one for one in lines if all(value in ("", getattr(one, name)) for name, value in wanted.items())]
    project = hindbrain.project
    about = {
        "lines": shown[:_SHOWN],
        "memories": hindbrain.store.memories([one.memory_id for one in shown[:_SHOWN] if one.memory_id]),
        "total": len(shown),
        "wanted": wanted,
        "offered": {name: _values(lines, name) for name in wanted},
        "project_id": project.id if project else "-",
    }
    return Page(template="timeline.html", about=about)


def _lines(hindbrain: Hindbrain, turn: Turn, *, session: str) -> Iterator[Line]:
    project = hindbrain.project
    if project is None:
        return
    for done in hindbrain.activities(session=session, limit=_LOOKED):
        yield _done(done)
    last = last_event(project.id, tools=turn.visit.desk.tools())
    found = hindbrain.store.events(after=max(0, last - _LOOKED), project=project.id, limit=_LOOKED)
    events = [event for event in found if event.name not in _TWICE]
    memories = hindbrain.store.memories([event.memory_id for event in events if event.memory_id])
    for event in events:
        yield _happened(event, memories.get(event.memory_id or ""))


def _done(done: Activity) -> Line:
    return Line(
        at=done.at,
        what=str(done.deed),
        subject=done.subject,
        result=str(done.result),
        detail=done.detail,
        session=done.session,
        persona=done.hat or done.agent_type,
        task=done.task,
    )


def _happened(event: Event, memory: Memory | None) -> Line:
    """Where the event does not say whose it is, its memory does."""
    said: Mapping[str, object] = event.data
    taught = memory.provenance if memory else Provenance()
    words = next((str(said[name]) for name in ("message", "title", "content", "reason") if said.get(name)), "")
    return Line(
        at=event.at,
        what=event.name,
        subject=words,
        session=str(said.get("session") or taught.session),
        persona=str(said.get("persona") or taught.actor.persona or ""),
        task=str(said.get("task") or taught.task),
        memory_id=event.memory_id or "",
    )


def _values(lines: list[Line], name: str) -> list[str]:
    """Newest first, each once."""
    return [value for value in dict.fromkeys(getattr(one, name) for one in lines) if value][:_OFFERED]
