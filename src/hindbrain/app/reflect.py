"""How the engine turns scars into suggestions, and what it does when a model helps. It proposes, and nothing else.

Without a model the rules write the suggestion. With one, the model may put it better: what it reads and what it answers
goes through the door, its answer must have the right form, and the diff is made here, from the real file.
"""

from collections.abc import Mapping, Sequence

from hindbrain.app.consult import writer
from hindbrain.app.draw import drawn
from hindbrain.app.rules import Rule, rules
from hindbrain.app.scar import gather, scars
from hindbrain.app.tools import Tools
from hindbrain.app.weigh import Tell, weigh
from hindbrain.core.door import admit
from hindbrain.core.learning.effect import Verdict
from hindbrain.core.learning.importance import BY_RULES
from hindbrain.core.learning.scars import is_learnable, lesson_of
from hindbrain.core.learning.suggest import LONGEST, Draft, name_of, rule_text, suggest
from hindbrain.core.model import Event, Memory, Receipt
from hindbrain.core.model.call import NoModel, Prompt
from hindbrain.core.model.suggestion import Destination, Status, Suggestion
from hindbrain.core.same import is_same
from hindbrain.core.trust import INJECTED_FROM
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import BadAnswer, BadValue, BudgetSpent, KeyMissing, ModelFailed
from hindbrain.ports import Changes, Reader, Transaction

USE = "suggest"  # what a routing of models calls this, and the prompt
_FIELDS = ("destination", "text", "diff_before", "diff_after")  # HB-102..HB-105
SCHEMA: Mapping[str, object] = {
    "type": "object",
    "required": list(_FIELDS),
    "properties": {
        "destination": {"type": "string", "enum": [str(one) for one in Destination]},
        "text": {"type": "string", "minLength": 1, "maxLength": LONGEST},
        "diff_before": {"type": "string"},
        "diff_after": {"type": "string"},
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What one run of the engine came to."""

    scars: tuple[Receipt, ...]  # engraved, or felt again, before anything was proposed
    suggestions: tuple[Suggestion, ...]  # most important first
    passed_by: tuple[tuple[str, str], ...]  # (id of a scar, why nothing was proposed for it)


class _Refused(Exception):
    """The model's answer is not one."""


def learn(project: str, root: str, *, tools: Tools, limit: int = 0, tell: Tell | None = None) -> Learned:
    """Engrave what is new, then propose a rule for each learnable scar that has none, most important first.

    `tell` hears after each scar how many are done, and of how many: a model may take its time over each.
    """
    engraved = gather(project, tools=tools)
    weigh(project, tools=tools, tell=tell)
    engine = _Engine(project=project, root=root, tools=tools)
    made: list[Suggestion] = []
    passed: list[tuple[str, str]] = []
    waiting = _waiting(project, tools.store)
    for scar in waiting:
        if limit and len(made) >= limit:
            break
        proposed = engine.propose(scar)
        if tell is not None:
            tell(1, len(waiting))
        if isinstance(proposed, Suggestion):
            made.append(proposed)
        else:
            passed.append((scar.id, proposed))
    made += engine.removals(rules(project, store=tools.store))
    return Learned(scars=engraved, suggestions=tuple(made), passed_by=tuple(passed))


def _waiting(project: str, store: Reader) -> list[Memory]:
    """Learnable scars without a suggestion (HB-095, HB-099)."""
    known = {one.scar_id for one in store.suggestions(project)}
    return [scar for scar in scars(project, store=store) if is_learnable(scar) and scar.id not in known]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Engine:
    project: str
    root: str
    tools: Tools

    def propose(self, scar: Memory) -> Suggestion | str:
        """The suggestion that was kept, or why there is none."""
        if not self.root:
            return "the project is known by its name only: run this in its folder"
        if scar.trust < INJECTED_FROM:
            return "its session had read foreign text: a person must agree to the scar first"
        scar = _scrubbed(scar)
        draft = suggest(scar)
        if known := _known(draft, self.tools.store.suggestions(self.project)):
            return _why(known)
        try:
            draft, made_by = self._improved(draft, scar)
        except _Refused as error:
            self._complain(scar, str(error))
            return f"the model's answer was refused: {error}"
        try:
            suggestion = self._drawn(draft, scar, made_by=made_by)
        except BadValue as error:
            return error.what
        if all(edit.before == edit.after for edit in suggestion.edits):
            return f"{suggestion.edits[0].path} says so already"
        return self._kept(suggestion)

    def _drawn(self, draft: Draft, scar: Memory, *, made_by: str) -> Suggestion:
        now = self.tools.clock.now()
        suggestion = Suggestion(
            id=self.tools.chance.id("sug", now),
            project=self.project,
            destination=draft.destination,
            title=_clean(draft.title),
            text=_clean(draft.text),
            key=draft.key,
            created_at=now,
            scar_id=scar.id,
            importance=scar.importance,
            reason=draft.reason,
            name=name_of(_clean(draft.title) or _clean(draft.text)),
            data=draft.data,
            root=self.root,
            made_by=made_by,
        )
        try:
            return drawn(suggestion, tools=self.tools)
        except BadValue:
            if draft.destination is not Destination.SETTINGS_JSON:
                raise
        plain = replace(suggestion, destination=Destination.CLAUDE_MD, data={}, reason="the settings cannot be read")
        return drawn(plain, tools=self.tools)

    def _kept(self, suggestion: Suggestion) -> Suggestion | str:
        """Unless another run was faster."""

        def work(tx: Transaction) -> Suggestion | str:
            known = tx.suggestions(self.project)
            if any((one.scar_id, one.removes) == (suggestion.scar_id, suggestion.removes) for one in known):
                return "it was proposed meanwhile"
            data = {"suggestion_id": suggestion.id, "destination": str(suggestion.destination)}
            made = Event(
                name="suggestion_made",
                at=suggestion.created_at,
                project=self.project,
                memory_id=suggestion.scar_id or None,
                data=data,
            )
            tx.apply(Changes(suggestions=(suggestion,), events=(made,)))
            return suggestion

        return self.tools.store.write(work)

    def removals(self, standing: Sequence[Rule]) -> list[Suggestion]:
        """A rule that does nothing, or harm, is proposed for removal, once."""
        made = []
        asked = {one.removes for one in self.tools.store.suggestions(self.project) if one.removes}
        for rule in standing:
            is_bad = rule.effect.verdict in (Verdict.IDLE, Verdict.HURT)
            if is_bad and rule.suggestion.id not in asked and rule.suggestion.edits:
                proposed = self._removal(rule)
                made += [proposed] if isinstance(proposed, Suggestion) else []
        return made

    def _removal(self, rule: Rule) -> Suggestion | str:
        now = self.tools.clock.now()
        old = rule.suggestion
        removal = replace(
            old,
            id=self.tools.chance.id("sug", now),
            status=Status.PENDING,
            created_at=now,
            scar_id="",
            reason=f"{rule.effect.verdict}: {rule.effect.why}",
            removes=old.id,
            key=f"removes:{old.id}",
            made_by=BY_RULES,
            is_patched=False,
            decided_at=None,
            decided_by="",
            note="",
            applied_as=0,
        )
        removal = drawn(removal, tools=self.tools)
        if all(edit.before == edit.after for edit in removal.edits):
            return "nothing is left of it"
        return self._kept(removal)

    def _improved(self, draft: Draft, scar: Memory) -> tuple[Draft, str]:
        """What the model makes of it. What it cannot do: name a seventh place, or write a setting of its own."""
        if self.tools.model is None:
            return draft, BY_RULES
        try:
            answer = self.tools.model.complete(USE, Prompt(name=USE, material=_material(draft, scar)), schema=SCHEMA)
        except BadAnswer as error:
            raise _Refused(error.what) from None
        except (ModelFailed, KeyMissing, BudgetSpent):
            return draft, BY_RULES
        if isinstance(answer, NoModel):
            return draft, BY_RULES
        fields = _read(answer.data)
        text = rule_text(_clean(fields["text"][: 4 * LONGEST]))
        if not text:
            raise _Refused("its text is empty")
        wanted = Destination(fields["destination"])
        is_set = Destination.SETTINGS_JSON in (wanted, draft.destination)
        chosen = draft.destination if is_set else wanted
        reason = draft.reason if chosen is draft.destination else "the model thinks that it belongs there"
        data = draft.data if chosen is draft.destination else {}
        return replace(draft, destination=chosen, text=text, reason=reason, data=data), writer(answer)

    def _complain(self, scar: Memory, why: str) -> None:
        at = self.tools.clock.now()
        event = Event(
            name="suggestion_failed", at=at, project=self.project, memory_id=scar.id, data={"reason": _clean(why)}
        )
        self.tools.store.write(lambda tx: tx.apply(Changes(events=(event,))))


def _material(draft: Draft, scar: Memory) -> str:
    """What the model is told: nothing that the door would hold back."""
    return _clean(
        f"Kind: {scar.body.get('outcome')}\nWhat happened: {scar.title}\nLesson: {lesson_of(scar)}\n"
        f"By rules it would go to {draft.destination}, because {draft.reason}.\n"
    )


def _scrubbed(scar: Memory) -> Memory:
    """The door once more: what was kept before it knew a secret must not become a rule (X-38)."""
    body = {**scar.body, "check_added": _clean(lesson_of(scar))}
    return replace(scar, title=_clean(scar.title), content=_clean(scar.content), body=body)


def _clean(text: str) -> str:
    return admit(text).text


def _read(answer: object) -> dict[str, str]:
    """The four fields, as texts. An answer that lacks one, or has another type, is none."""
    if not isinstance(answer, dict):
        raise _Refused("it is no JSON object")
    for name in _FIELDS:
        if not isinstance(answer.get(name), str):
            raise _Refused(f"it has no text for {name!r}")
    if answer["destination"] not in tuple(Destination):
        raise _Refused("it names a destination that does not exist")
    return {name: answer[name] for name in _FIELDS}


def _known(draft: Draft, suggestions: Sequence[Suggestion]) -> Suggestion | None:
    """One with the same lesson: refused for good, or proposed or applied already."""
    for one in suggestions:
        if not one.removes and (one.key == draft.key or is_same(one.text, draft.text)):
            return one
    return None


def _why(known: Suggestion) -> str:
    words = {Status.REFUSED: "a person refused this lesson", Status.PENDING: "the same lesson waits already"}
    return f"{words.get(known.status, 'the same lesson was decided on already')} ({known.id})"
