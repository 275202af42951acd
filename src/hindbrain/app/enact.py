"""How a decision reaches the files: applied in one step with its trace, and taken back byte by byte.

Files are written while the store's gate is held, so that two processes never change one at once. What was written is
put back when the store does not keep the decision. A process that ends in between leaves the file changed and the
suggestion pending; applying it again finds the work done.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from hindbrain.app.admission import tidy
from hindbrain.app.decide import OPEN, feed, found
from hindbrain.app.draw import drawn, is_stale, pages_of, present_of, redrawn
from hindbrain.app.log import anchor, entry, files
from hindbrain.app.reflex import approvals
from hindbrain.app.tools import Tools
from hindbrain.core.learning.destinations import Taken, contents, taken_back
from hindbrain.core.model import Event
from hindbrain.core.model.suggestion import Destination, Edit, Status, Suggestion
from hindbrain.core.setup.jsonc import NotJson
from hindbrain.core.value import dataclass, field, replace
from hindbrain.errors import BadValue, Conflict
from hindbrain.ports import Changes, Pages, Reader, Transaction

_Place = tuple[str, str]


def apply(
    suggestion_id: str, *, is_rebasing: bool = False, by: str = "", project: str, root: str = "", tools: Tools
) -> Suggestion:
    """Make it a rule: its files are changed, and the log says so. Conflict when a file is not as the diff has it, or
    when the diff was made in another folder than `root`: a project may have several clones."""
    hand = _Hand(pages=pages_of(tools))

    def work(tx: Transaction) -> Suggestion:
        known = found(suggestion_id, project=project, store=tx)
        if known.status not in OPEN:
            raise Conflict(f"{known.id} was decided already: {known.status}", fix="`hindbrain feed` shows what waits")
        fresh = _ready(known, is_rebasing=is_rebasing, root=root, tools=tools)
        status = Status.MODIFIED if known.is_patched else Status.APPLIED
        placed = replace(fresh, edits=hand.change(fresh.edits))
        noted = entry("apply", placed, by=by, tx=tx, tools=tools, **files(placed))
        rule = replace(
            placed,
            status=status,
            decided_at=noted.at,
            decided_by=tidy(by),
            snoozed_until=None,
            applied_as=noted.seq,
        )
        others = [*_moved(rule.edits, tx=tx, but=rule), *_removed(rule, tx)]
        events = (_event("rule_applied", rule),)
        tx.apply(Changes(suggestions=(rule, *others), audits=(noted,), events=events, cursors=_approved(rule)))
        return rule

    return _done(lambda: tools.store.write(work), hand, tools=tools)


def apply_safe(*, by: str = "", project: str, root: str = "", tools: Tools) -> tuple[Suggestion, ...]:
    """All that waits and is safe to take together: additions, none of them to the client's settings, none whose file
    has changed since."""
    waiting = feed(project, store=tools.store, now=tools.clock.now())
    done = []
    for one in waiting:
        is_plain = one.destination is not Destination.SETTINGS_JSON and not one.removes and root in ("", one.root)
        now = tools.store.suggestion(one.id) or one  # an earlier one may have moved its file
        if is_plain and not is_stale(now, pages_of(tools)):
            done.append(apply(one.id, by=by, project=project, tools=tools))
    return tuple(done)


def undo(suggestion_id: str, *, is_merging: bool = False, by: str = "", project: str, tools: Tools) -> Suggestion:
    """Give the files back as they were. Rules that were applied on top stay: they are put on the old file again.

    Conflict when a file was changed by somebody else; with `is_merging` only what the rule brought is taken out then.
    """
    hand = _Hand(pages=pages_of(tools))

    def work(tx: Transaction) -> Suggestion:
        known = found(suggestion_id, project=project, store=tx)
        if not known.is_standing:
            raise Conflict(f"{known.id} is no rule: {known.status}", fix="`hindbrain rules` shows those that stand")
        back, later = _taken_back(known, tx, pages=hand.pages, is_merging=is_merging)
        hand.change(back[::-1])  # a folder goes with the file that it was made for
        noted = entry("undo", known, by=by, tx=tx, tools=tools, **files(replace(known, edits=back)))
        undone = replace(known, status=Status.UNDONE, decided_at=noted.at, decided_by=tidy(by), applied_as=0)
        others = [*later, *_moved(back, tx=tx, but=known), *_restored(known, tx)]
        tx.apply(Changes(suggestions=(undone, *others), audits=(noted,), events=(_event("rule_undone", undone),)))
        return undone

    return _done(lambda: tools.store.write(work), hand, tools=tools)


def _approved(rule: Suggestion) -> dict[str, str]:
    """Who agrees to a reflex has read it: the next session is told of it without being asked again."""
    if rule.destination is not Destination.MEMORY:
        return {}
    return approvals(rule.project, {edit.path: edit.after for edit in rule.edits if edit.after is not None})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hand:
    """Writes files, and remembers how they were."""

    pages: Pages
    written: list[Edit] = field(default_factory=list)

    def change(self, edits: Sequence[Edit]) -> tuple[Edit, ...]:
        """Each file as its edit wants it, all or none; with the number of folders that were made for it."""
        done = []
        for edit in edits:
            now = self.pages.read(edit.folder, edit.path)
            made = edit.made
            if now != edit.after:
                made = self.pages.write(
                    edit.folder, edit.path, content=edit.after, expected=edit.before, made=edit.made
                )
                self.written.append(replace(edit, made=made))
            done.append(replace(edit, made=made))
        return tuple(done)

    def put_back(self) -> None:
        for edit in reversed(self.written):
            self.pages.write(edit.folder, edit.path, content=edit.before, expected=edit.after, made=edit.made)
        self.written.clear()


def _done(write: Callable[[], Suggestion], hand: _Hand, *, tools: Tools) -> Suggestion:
    try:
        decided = write()
    except BaseException:
        hand.put_back()
        raise
    anchor(tools)
    return decided


def _ready(known: Suggestion, *, is_rebasing: bool, root: str, tools: Tools) -> Suggestion:
    """The suggestion with a diff that fits the files as they are."""
    pages = pages_of(tools)
    is_here = not root or known.root == root or bool(known.removes)
    if is_here and (_is_done(known, pages) or not is_stale(known, pages)):
        return known
    if is_rebasing:
        return drawn(replace(known, root=known.root if is_here else root), tools=tools)
    names = ", ".join(edit.path for edit in known.edits)
    what = f"{names or 'its file'} changed since the diff was made" if is_here else f"the diff was made in {known.root}"
    raise Conflict(what, fix=f"`hindbrain apply {known.id} --rebase` makes it anew")


def _is_done(known: Suggestion, pages: Pages) -> bool:
    """Whether the files are as they would be: somebody did it by hand, or a process ended before it could say so."""
    return bool(known.edits) and present_of(known, pages) == [edit.after for edit in known.edits]


def _moved(edits: Sequence[Edit], *, tx: Reader, but: Suggestion) -> list[Suggestion]:
    """Pending suggestions for the same files, with diffs made anew: it was we who changed the file under them."""
    changed = {(edit.folder, edit.path): edit for edit in edits if edit.before != edit.after}
    found = []
    for one in tx.suggestions(but.project, statuses=(Status.PENDING,)):
        if one.id == but.id or not any(_is_under(edit, changed) for edit in one.edits):
            continue
        present = [
            changed[edit.folder, edit.path].after if _is_under(edit, changed) else edit.before for edit in one.edits
        ]
        try:
            found.append(redrawn(one, present))
        except BadValue:
            continue  # it stays as it is, and is told to be stale
    return found


def _is_under(edit: Edit, changed: Mapping[_Place, Edit]) -> bool:
    known = changed.get((edit.folder, edit.path))
    return known is not None and known.before == edit.before


def _taken_back(
    known: Suggestion, tx: Reader, *, pages: Pages, is_merging: bool
) -> tuple[tuple[Edit, ...], list[Suggestion]]:
    """What to write, and the rules on top as they stand then."""
    present = present_of(known, pages)
    piles = [_pile(edit, known, tx=tx) for edit in known.edits]
    is_whole = bool(known.edits) and all(
        _is_whole(pile, edit, now=now) for pile, edit, now in zip(piles, known.edits, present, strict=True)
    )
    if is_whole:
        later = {one.id: one for pile in piles for one in pile[1:]}
        try:
            after = [_rebuilt(edit, pile[1:], later=later) for edit, pile in zip(known.edits, piles, strict=True)]
            return _edits(known, present, after=after), list(later.values())
        except (NotJson, Taken):
            is_whole = False
    if not is_merging:
        names = ", ".join(edit.path for edit in known.edits) or "its file"
        raise Conflict(
            f"{names} was changed after the rule", fix=f"`hindbrain undo {known.id} --merge` takes out only the rule"
        )
    if not known.edits:
        raise Conflict(f"how the files of {known.id} were was forgotten", fix="take the rule out by hand")
    return _edits(known, present, after=taken_back(known, present)), []


def _edits(known: Suggestion, before: Sequence[bytes | None], *, after: Sequence[bytes | None]) -> tuple[Edit, ...]:
    return tuple(
        replace(edit, before=now, after=then) for edit, now, then in zip(known.edits, before, after, strict=True)
    )


def _pile(edit: Edit, known: Suggestion, *, tx: Reader) -> list[Suggestion]:
    """The rule and those that were applied to the same file after it, in that order."""
    later = [
        one
        for one in tx.suggestions(known.project)
        if one.applied_as > known.applied_as and _position(one, edit) is not None
    ]
    return [known, *sorted(later, key=lambda one: one.applied_as)]


def _position(one: Suggestion, edit: Edit) -> int | None:
    places = [(each.folder, each.path) for each in one.edits]
    return places.index((edit.folder, edit.path)) if (edit.folder, edit.path) in places else None


def _is_whole(pile: Sequence[Suggestion], edit: Edit, *, now: bytes | None) -> bool:
    """Whether nobody else has changed the file since: each rule found it as the one before had left it."""
    steps = [one.edits[at] for one in pile if (at := _position(one, edit)) is not None]
    is_joined = all(below.after == above.before for below, above in pairwise(steps))
    return is_joined and steps[-1].after == now


def _rebuilt(edit: Edit, above: Sequence[Suggestion], *, later: dict[str, Suggestion]) -> bytes | None:
    """The file without the rule and with those above it; `later` gets their new diffs."""
    content = edit.before
    for one in above:
        at = _position(one, edit)
        assert at is not None
        now = later[one.id]
        present = [content if other == at else each.before for other, each in enumerate(now.edits)]
        after = contents(now, present)[at]
        moved = replace(now.edits[at], before=content, after=after)
        later[one.id] = replace(now, edits=(*now.edits[:at], moved, *now.edits[at + 1 :]))
        content = after
    return content


def _removed(rule: Suggestion, tx: Reader) -> list[Suggestion]:
    """The rule that a removal removes is none any more."""
    old = tx.suggestion(rule.removes) if rule.removes else None
    return [replace(old, status=Status.REMOVED)] if old and old.is_standing else []


def _restored(removal: Suggestion, tx: Reader) -> list[Suggestion]:
    old = tx.suggestion(removal.removes) if removal.removes else None
    if old is None or old.status is not Status.REMOVED:
        return []
    return [replace(old, status=Status.MODIFIED if old.is_patched else Status.APPLIED)]


def _event(name: str, rule: Suggestion) -> Event:
    data = {"suggestion_id": rule.id, "destination": str(rule.destination)}
    at = rule.decided_at or rule.created_at
    return Event(name=name, at=at, project=rule.project, memory_id=rule.scar_id or None, data=data)
