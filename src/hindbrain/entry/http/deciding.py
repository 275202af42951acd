"""What waits for a person: reviews of memories, and suggestions that may become rules."""

from typing import Annotated, Any

from fastapi import Path, Query
from starlette.responses import Response

from hindbrain.entry.http import shapes
from hindbrain.entry.http.answers import Here, ProjectName, told
from hindbrain.entry.http.problem import Refused

ReviewId = Annotated[str, Path(max_length=200)]
SuggestionId = Annotated[str, Path(max_length=200)]


def reviews(visit: Here, project: ProjectName = "", *, closed: Annotated[bool, Query()] = False) -> Response:
    """What waits for a person, oldest first."""
    return told(visit.hindbrain(project).reviews(with_closed=closed))


def decide(visit: Here, review_id: ReviewId, *, sent: shapes.Decided) -> Response:
    """Close a review."""
    review = visit.desk.tools().store.review(review_id)
    if review is None or not visit.caller.owns(review.project):
        raise Refused(404, "unknown_review", "there is no such review", fix="GET /api/reviews lists what waits")
    closed = visit.hindbrain(review.project).decide(review.id, sent.decision, by=sent.by or visit.caller.name)
    return told(closed)


def feed(visit: Here, project: ProjectName = "", *, snoozed: Annotated[bool, Query()] = False) -> Response:
    """Suggestions that wait, most important first."""
    return told(_verb(visit, project, name="feed")(with_snoozed=snoozed))


def apply(visit: Here, suggestion_id: SuggestionId, *, sent: shapes.Applied, project: ProjectName = "") -> Response:
    """Make a suggestion a rule, as it is proposed."""
    verb = _verb(visit, project, name="apply")
    return told(verb(suggestion_id, is_rebasing=sent.is_rebasing, by=sent.by or visit.caller.name))


def patch(visit: Here, suggestion_id: SuggestionId, *, sent: shapes.Patched, project: ProjectName = "") -> Response:
    """Change what a suggestion says, or where it goes, before it is applied."""
    verb = _verb(visit, project, name="patch")
    return told(verb(suggestion_id, sent.text, destination=sent.destination, by=sent.by or visit.caller.name))


def refuse(
    visit: Here, suggestion_id: SuggestionId, *, sent: shapes.RefusedSuggestion, project: ProjectName = ""
) -> Response:
    """Refuse a suggestion: it is never proposed again."""
    verb = _verb(visit, project, name="refuse")
    return told(verb(suggestion_id, reason=sent.reason, by=sent.by or visit.caller.name))


def snooze(visit: Here, suggestion_id: SuggestionId, *, sent: shapes.Snoozed, project: ProjectName = "") -> Response:
    """Keep a suggestion out of the feed for a while."""
    verb = _verb(visit, project, name="snooze")
    return told(verb(suggestion_id, until=sent.until, by=sent.by or visit.caller.name))


def undo(visit: Here, suggestion_id: SuggestionId, *, sent: shapes.Undone, project: ProjectName = "") -> Response:
    """Give the files of a rule back as they were."""
    verb = _verb(visit, project, name="undo")
    return told(verb(suggestion_id, is_merging=sent.is_merging, by=sent.by or visit.caller.name))


def rules(visit: Here, project: ProjectName = "") -> Response:
    """What a person agreed to, each with what became of the failure that it was made for."""
    return told(_verb(visit, project, name="rules")())


def _verb(visit: Here, project: str, *, name: str) -> Any:
    """A verb that this installation has: the route is offered only where it does."""
    return getattr(visit.hindbrain(project), name)
