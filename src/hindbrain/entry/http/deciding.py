"""What waits for a person: reviews of memories, and suggestions that may become rules."""

from typing import Annotated

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
    closed = visit.hindbrain(review.project).decide(review.id, sent.decision, by=visit.person(sent.by))
    return told(closed)


def feed(visit: Here, project: ProjectName = "", *, snoozed: Annotated[bool, Query()] = False) -> Response:
    """Suggestions that wait, most important first."""
    return told(visit.hindbrain(project).feed(with_snoozed=snoozed))


def apply(visit: Here, suggestion_id: SuggestionId, *, sent: shapes.Applied, project: ProjectName = "") -> Response:
    """Make a suggestion a rule, as it is proposed."""
    verb = visit.hindbrain(project).apply
    return told(verb(suggestion_id, is_rebasing=sent.is_rebasing, by=visit.person(sent.by)))


def patch(visit: Here, suggestion_id: SuggestionId, *, sent: shapes.Patched, project: ProjectName = "") -> Response:
    """Change what a suggestion says, or where it goes, before it is applied."""
    verb = visit.hindbrain(project).patch
    return told(verb(suggestion_id, sent.text, destination=sent.destination, by=visit.person(sent.by)))


def refuse(
    visit: Here, suggestion_id: SuggestionId, *, sent: shapes.RefusedSuggestion, project: ProjectName = ""
) -> Response:
    """Refuse a suggestion: it is never proposed again."""
    verb = visit.hindbrain(project).refuse
    return told(verb(suggestion_id, reason=sent.reason, by=visit.person(sent.by)))


def snooze(visit: Here, suggestion_id: SuggestionId, *, sent: shapes.Snoozed, project: ProjectName = "") -> Response:
    """Keep a suggestion out of the feed for a while."""
    verb = visit.hindbrain(project).snooze
    return told(verb(suggestion_id, until=sent.until, by=visit.person(sent.by)))


def undo(visit: Here, suggestion_id: SuggestionId, *, sent: shapes.Undone, project: ProjectName = "") -> Response:
    """Give the files of a rule back as they were."""
    verb = visit.hindbrain(project).undo
    return told(verb(suggestion_id, is_merging=sent.is_merging, by=visit.person(sent.by)))


def rules(visit: Here, project: ProjectName = "") -> Response:
    """What a person agreed to, each with what became of the failure that it was made for."""
    return told(visit.hindbrain(project).rules())


def why_rule(visit: Here, suggestion_id: SuggestionId, *, project: ProjectName = "") -> Response:
    """From a suggestion or a rule to the scar, and to what agents did."""
    return told(visit.hindbrain(project).why_rule(suggestion_id))


def learn(visit: Here, project: ProjectName = "") -> Response:
    """Propose a rule for each scar that has none; they wait in the feed."""
    return told(visit.hindbrain(project).learn())


def scars(visit: Here, project: ProjectName = "") -> Response:
    """Failures and victories with their lessons."""
    return told(visit.hindbrain(project).scars())


def skills(visit: Here, project: ProjectName = "") -> Response:
    """What was done so often that it may become a skill, and what became of it."""
    return told(visit.hindbrain(project).skills())


def audits(visit: Here, *, limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> Response:
    """Who decided what, in all projects: the latest, oldest first."""
    visit.refuse_other_projects()
    return told(visit.hindbrain().audits(limit=limit))
