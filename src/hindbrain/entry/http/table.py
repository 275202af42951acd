"""Which routes there are: the verb behind each, the right that it takes, and what it answers."""

from collections.abc import Callable
from typing import Any

from hindbrain.core.model.token import Right
from hindbrain.core.value import dataclass
from hindbrain.entry.http import asking, care, deciding, events, memories, shapes
from hindbrain.facade import Hindbrain


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One method of one path. A page of the hub is one as well."""

    method: str
    path: str
    run: Callable[..., Any]
    right: Right
    answer: Any = None  # the model of its JSON, for the OpenAPI document
    status: int = 200
    needs: tuple[str, ...] = ()  # verbs without which it is not offered
    media: str = "application/json"  # of the answer
    is_documented: bool = True

    @property
    def is_offered(self) -> bool:
        return all(hasattr(Hindbrain, verb) for verb in self.needs)


def _route(line: str, run: Callable[..., Any], **more: Any) -> Route:
    right, method, path = line.split()
    return Route(method=method, path=path, run=run, right=Right(right), **more)


_PROJECT, _MEMORY = "/api/projects/{project_id}", "/api/memories/{memory_id}"
_SUGGESTION = "/api/feed/{suggestion_id}"

ROUTES: tuple[Route, ...] = (
    _route("read GET /api/projects", memories.projects, answer=list[shapes.Project]),
    _route("write POST /api/projects", memories.add_project, answer=shapes.Project, status=201),
    _route(f"read GET {_PROJECT}/memories", memories.list_memories, answer=list[shapes.Memory]),
    _route(f"write POST {_PROJECT}/memories", memories.add_memory, answer=shapes.Memory, status=201),
    _route(f"read GET {_PROJECT}/memories/search", memories.search_memories, answer=list[shapes.Memory]),
    _route(f"write POST {_PROJECT}/memories/cleanup", memories.cleanup, answer=shapes.Cleaned),
    _route(f"read GET {_MEMORY}", memories.read_memory, answer=shapes.Memory),
    _route(f"write PUT {_MEMORY}", memories.edit_memory, answer=shapes.Memory),
    _route(f"write DELETE {_MEMORY}", memories.delete_memory, status=204),
    _route(f"write POST {_MEMORY}/restore", memories.restore_memory, answer=shapes.Memory),
    _route(f"read GET {_MEMORY}/history", memories.history, answer=list[shapes.Version]),
    _route(f"read GET {_MEMORY}/why", memories.why, answer=shapes.Thing),
    _route(f"read GET {_MEMORY}/links", memories.links, answer=list[shapes.Link]),
    _route(f"write POST {_MEMORY}/links", memories.add_link, answer=shapes.Thing, status=201, needs=("link",)),
    _route(f"write DELETE {_MEMORY}/links/{{relation}}/{{other_id}}", memories.remove_link, status=204),
    _route(f"write POST {_MEMORY}/merge", memories.merge_memory, answer=shapes.Memory),
    _route(f"write POST {_MEMORY}/split", memories.split_memory, answer=list[shapes.Memory], status=201),
    _route(f"read GET {_MEMORY}/outcomes", memories.outcomes, answer=list[shapes.Thing]),
    _route(f"decide POST {_MEMORY}/verdicts", memories.add_verdict, answer=shapes.Heard, status=201),
    _route("read GET /api/recall", asking.recall, answer=shapes.Found),
    _route("read POST /api/inject", asking.inject, answer=shapes.Injected),
    _route("write POST /api/capture", asking.capture, answer=shapes.Captured),
    _route("read GET /api/receipts", asking.receipts, answer=list[shapes.Receipt]),
    _route("read GET /api/reviews", deciding.reviews, answer=list[shapes.Review]),
    _route("decide POST /api/reviews/{review_id}/decide", deciding.decide, answer=shapes.Review),
    _route("read GET /api/feed", deciding.feed, answer=list[shapes.Thing]),
    _route(f"decide POST {_SUGGESTION}/apply", deciding.apply, answer=shapes.Thing),
    _route(f"decide POST {_SUGGESTION}/patch", deciding.patch, answer=shapes.Thing),
    _route(f"decide POST {_SUGGESTION}/refuse", deciding.refuse, answer=shapes.Thing),
    _route(f"decide POST {_SUGGESTION}/snooze", deciding.snooze, answer=shapes.Thing),
    _route(f"decide POST {_SUGGESTION}/undo", deciding.undo, answer=shapes.Thing),
    _route("read GET /api/rules", deciding.rules, answer=list[shapes.Thing]),
    _route("read GET /api/rules/{suggestion_id}/why", deciding.why_rule, answer=shapes.Thing),
    _route("write POST /api/learn", deciding.learn, answer=shapes.Thing),
    _route("read GET /api/scars", deciding.scars, answer=list[shapes.Memory]),
    _route("read GET /api/skills", deciding.skills, answer=list[shapes.Memory]),
    _route("read GET /api/audit", deciding.audits, answer=list[shapes.Thing]),
    _route("read GET /api/episodes", care.episodes, answer=list[shapes.Memory]),
    _route("read GET /api/handoffs", care.handoffs, answer=list[shapes.Thing]),
    _route("write POST /api/handoffs", care.hand_over, answer=shapes.Thing, status=201),
    _route("read GET /api/handoffs/{paper_id}", care.handoff, answer=shapes.Thing),
    _route("write POST /api/handoffs/{paper_id}/take", care.take_handoff, answer=shapes.Thing),
    _route("read GET /api/jobs", care.jobs, answer=list[shapes.Job]),
    _route("write POST /api/jobs/retry", care.retry, answer=list[shapes.Job]),
    _route("read GET /api/schedule", care.schedule, answer=list[shapes.Thing]),
    _route("read GET /api/worth", care.worth, answer=shapes.Thing),
    _route("read GET /api/stats", care.stats, answer=shapes.Thing),
    _route("read GET /api/health", care.health, answer=shapes.Health),
    _route("read GET /api/events", events.events, answer=str, media="text/event-stream"),
    _route("read GET /metrics", care.metrics, answer=str, media="text/plain"),
)


def offered() -> tuple[Route, ...]:
    """Those whose verbs this installation has."""
    return tuple(route for route in ROUTES if route.is_offered)


def absent() -> tuple[Route, ...]:
    return tuple(route for route in ROUTES if not route.is_offered)
