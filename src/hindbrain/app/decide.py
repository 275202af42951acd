"""What a person may decide about a suggestion without touching a file: when, in which words, or never."""

from collections.abc import Sequence
from datetime import datetime

from hindbrain.app.admission import admitted, tidy
from hindbrain.app.draw import drawn, pages_of
from hindbrain.app.log import anchor, digest, entry
from hindbrain.app.tools import Tools
from hindbrain.core.learning.page import text_of
from hindbrain.core.learning.suggest import rule_text, setting_of
from hindbrain.core.model.moment import in_utc, stamp
from hindbrain.core.model.suggestion import STANDING, Destination, Status, Suggestion
from hindbrain.core.value import replace
from hindbrain.errors import BadValue, Conflict, UnknownMemory
from hindbrain.ports import Changes, Reader, Transaction

_SHORTEST = 8  # characters of an id that may stand for all of it
_LONG = 9  # digits that no number of a line has
OPEN = (Status.PENDING, Status.UNDONE)  # what may still be decided


def feed(project: str, *, store: Reader, now: datetime, with_snoozed: bool = False) -> Sequence[Suggestion]:
    """What waits for a person, most important first."""
    waiting = store.suggestions(project, statuses=(Status.PENDING,))
    due = [one for one in waiting if with_snoozed or one.snoozed_until is None or one.snoozed_until <= now]
    return sorted(due, key=lambda one: (-one.importance, one.created_at, one.id))


def found(suggestion_id: str, *, project: str, store: Reader) -> Suggestion:
    """The one that is meant by an id, or by the beginning of one. UnknownMemory when there is none."""
    if known := store.suggestion(suggestion_id):
        return known
    long_enough = len(suggestion_id) >= _SHORTEST
    near = [one for one in store.suggestions(project) if long_enough and one.id.startswith(suggestion_id)]
    if len(near) == 1:
        return near[0]
    raise UnknownMemory(
        f"there is no suggestion {suggestion_id:.80}", fix="`hindbrain feed` and `hindbrain rules` show the ids"
    )


def at_line(place: str, *, project: str, root: str, tools: Tools) -> Suggestion:
    """The rule that stands in a line of a file, as `CLAUDE.md:12` names it. UnknownMemory when none does."""
    path, _, number = place.rpartition(":")
    line = _line(path, number, root=root, tools=tools)
    for one in tools.store.suggestions(project, statuses=STANDING):
        if line and one.text in line and any(edit.path == path for edit in one.edits):
            return one
    raise UnknownMemory(f"no rule of ours stands in {place:.80}", fix="`hindbrain rules` shows where they stand")


def _line(path: str, number: str, *, root: str, tools: Tools) -> str:
    """The text of a line; "" when there is no such line."""
    at = int(number) if number.isascii() and number.isdigit() and len(number) < _LONG else 0
    raw = pages_of(tools).read(root, path) if path and at else None
    return "".join(text_of(raw or b"").split("\n")[at - 1 : at]) if at else ""


def refuse(suggestion_id: str, *, reason: str = "", by: str = "", project: str, tools: Tools) -> Suggestion:
    """Never propose it again, nor another with the same lesson."""
    why = admitted(reason, name="the reason").text.strip()
    now = tools.clock.now()

    def work(tx: Transaction) -> Suggestion:
        known = _open(found(suggestion_id, project=project, store=tx))
        refused = replace(
            known, status=Status.REFUSED, decided_at=now, decided_by=tidy(by), note=why, snoozed_until=None
        )
        noted = entry("refuse", refused, by=by, tx=tx, tools=tools, reason=digest(why))
        tx.apply(Changes(suggestions=(refused,), audits=(noted,)))
        return refused

    return _settled(tools.store.write(work), tools)


def snooze(suggestion_id: str, *, until: datetime, by: str = "", project: str, tools: Tools) -> Suggestion:
    """Out of the feed until then."""
    wanted = in_utc(until)
    if wanted <= tools.clock.now():
        raise BadValue(f"{stamp(wanted)} is not in the future", fix="give a later date")

    def work(tx: Transaction) -> Suggestion:
        known = _open(found(suggestion_id, project=project, store=tx))
        asleep = replace(known, snoozed_until=wanted)
        noted = entry("snooze", asleep, by=by, tx=tx, tools=tools, until=stamp(wanted))
        tx.apply(Changes(suggestions=(asleep,), audits=(noted,)))
        return asleep

    return _settled(tools.store.write(work), tools)


def patch(
    suggestion_id: str, text: str, *, destination: str = "", by: str = "", project: str, tools: Tools
) -> Suggestion:
    """Change what it says, or where it goes; the diff is made anew. `apply` then makes it a rule in these words."""
    said = admitted(text, name="the text").text.strip()
    if destination and destination not in tuple(Destination):
        raise BadValue(f"there is no destination {destination!r:.40}", fix=f"use one of: {', '.join(Destination)}")
    if not said and not destination:
        raise BadValue("the text is empty", fix="say how the rule should read, or refuse it")

    def work(tx: Transaction) -> Suggestion:
        known = _open(found(suggestion_id, project=project, store=tx))
        if known.removes:
            raise BadValue("a removal has no words of its own", fix="apply it, or refuse it")
        changed = drawn(_reworded(known, said, destination=destination), tools=tools)
        noted = entry("patch", changed, by=by, tx=tx, tools=tools)
        tx.apply(Changes(suggestions=(changed,), audits=(noted,)))
        return changed

    return _settled(tools.store.write(work), tools)


def _reworded(known: Suggestion, said: str, *, destination: str) -> Suggestion:
    place = Destination(destination) if destination else known.destination
    data = dict(known.data) if place is known.destination and not said else {}
    if place is Destination.SETTINGS_JSON:
        wanted = setting_of(said or known.text)
        if wanted is None:
            raise BadValue(
                "that is nothing the settings can say",
                fix="write `never run `git push --force``, `Bash(git push --force:*)` or `set NAME=value`",
            )
        data = dict(wanted)
    text = rule_text(said) if said else known.text
    return replace(known, text=text, destination=place, data=data, is_patched=True, status=Status.PENDING)


def _open(known: Suggestion) -> Suggestion:
    if known.status not in OPEN:
        raise Conflict(f"{known.id} was decided already: {known.status}", fix="`hindbrain feed` shows what waits")
    return known


def _settled(decided: Suggestion, tools: Tools) -> Suggestion:
    anchor(tools)
    return decided
