"""What waits for a person's decision, as it is shown, and what each button does."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hindbrain.app.rules import Rule
from hindbrain.core.model.suggestion import Destination, Edit, Status, Suggestion
from hindbrain.core.value import dataclass
from hindbrain.entry.http.problem import Refused
from hindbrain.entry.hub.diff import Row, side_by_side
from hindbrain.entry.hub.turn import Move, Page, Turn
from hindbrain.facade import Hindbrain

_AT_ONCE = 20  # suggestions of a page
_DAYS = {"1": 1, "7": 7, "30": 30}
_DONE = {
    Status.PENDING: "changed",
    Status.APPLIED: "applied",
    Status.MODIFIED: "applied in your words",
    Status.REFUSED: "refused; it will not be proposed again",
    Status.UNDONE: "undone; the files are as they were",
    Status.REMOVED: "removed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    path: str
    rows: Sequence[Row]
    is_new: bool
    is_gone: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A suggestion as it is shown."""

    one: Suggestion
    files: Sequence[File]
    is_outdated: bool


def waiting(turn: Turn) -> Page:
    """Suggestions, most important first; below them the rules that stand."""
    hindbrain = turn.hindbrain()
    is_all = turn.flag("snoozed")
    found = hindbrain.feed(with_snoozed=is_all)
    start = (turn.number("page") - 1) * _AT_ONCE
    rules: Sequence[Rule] = () if turn.is_part else hindbrain.rules()[::-1]
    about = {
        "cards": [_card(one, hindbrain) for one in found[start : start + _AT_ONCE]],
        "total": len(found),
        "page": turn.number("page"),
        "is_more": len(found) > start + _AT_ONCE,
        "is_all": is_all,
        "rules": rules[:50],
        "done": _done(turn),
        "reviews": hindbrain.reviews(),
        "destinations": tuple(Destination),
    }
    return Page(template="feed.html", about=about)


def one(turn: Turn) -> Page:
    """One suggestion with the whole walk behind it."""
    hindbrain, suggestion = turn.suggestion()
    template = "walk.html" if turn.is_part else "suggestion.html"
    about = {
        "card": _card(suggestion, hindbrain),
        "walk": hindbrain.why_rule(suggestion.id),
        "done": _done(turn),
        "destinations": tuple(Destination),
    }
    return Page(template=template, about=about)


def apply(turn: Turn) -> Move:
    hindbrain, suggestion = turn.suggestion()
    decided = hindbrain.apply(suggestion.id, is_rebasing=turn.flag("rebase"), by=turn.visit.caller.name)
    return _back(turn, decided)


def patch(turn: Turn) -> Move:
    """The words first; with `apply` they become the rule at once."""
    hindbrain, suggestion = turn.suggestion()
    text, destination = turn.said.get("text", "").replace("\r\n", "\n"), turn.said.get("destination", "")
    wanted = "" if text.strip() == suggestion.text.strip() else text
    place = "" if destination == suggestion.destination else destination
    by = turn.visit.caller.name
    decided = hindbrain.patch(suggestion.id, wanted, destination=place, by=by) if wanted or place else suggestion
    if turn.flag("apply"):
        decided = hindbrain.apply(suggestion.id, is_rebasing=turn.flag("rebase"), by=by)
    return _back(turn, decided)


def refuse(turn: Turn) -> Move:
    hindbrain, suggestion = turn.suggestion()
    return _back(turn, hindbrain.refuse(suggestion.id, reason=turn.said.get("reason", ""), by=turn.visit.caller.name))


def snooze(turn: Turn) -> Move:
    hindbrain, suggestion = turn.suggestion()
    days = _DAYS.get(turn.said.get("days", ""))
    if days is None:
        raise Refused(400, "bad_value", "for how long is not clear", fix="choose one of the durations")
    until = datetime.now(UTC) + timedelta(days=days)
    return _back(turn, hindbrain.snooze(suggestion.id, until=until, by=turn.visit.caller.name))


def undo(turn: Turn) -> Move:
    hindbrain, suggestion = turn.suggestion()
    return _back(turn, hindbrain.undo(suggestion.id, is_merging=turn.flag("merge"), by=turn.visit.caller.name))


def _back(turn: Turn, decided: Suggestion) -> Move:
    return Move(to=turn.link("/feed", done=decided.id))


def _done(turn: Turn) -> tuple[Suggestion, str] | None:
    """What was decided last, told by its state and not by what the address says."""
    found = turn.visit.desk.tools().store.suggestion(turn.said.get("done", ""))
    if found is None or not turn.visit.caller.owns(found.project):
        return None
    is_asleep = found.status is Status.PENDING and found.snoozed_until is not None
    return found, "snoozed" if is_asleep else _DONE[found.status]


def _card(suggestion: Suggestion, hindbrain: Hindbrain) -> Card:
    is_open = suggestion.status in (Status.PENDING, Status.UNDONE)
    return Card(
        one=suggestion,
        files=[_file(edit) for edit in suggestion.edits],
        is_outdated=is_open and hindbrain.is_outdated(suggestion),
    )


def _file(edit: Edit) -> File:
    before, after = _text(edit.before), _text(edit.after)
    return File(
        path=edit.path, rows=side_by_side(before, after), is_new=edit.before is None, is_gone=edit.after is None
    )


def _text(content: bytes | None) -> str:
    return (content or b"").decode("utf-8", "replace")
