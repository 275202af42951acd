"""How a skill that a person approved becomes one that clients can call: a rule like any other, in a file of its own.

So it is in the log of decisions, among the rules, and can be undone. A file that somebody else has changed is not
touched: the new text waits in the feed then, with its diff.
"""

from hindbrain.app.draw import drawn
from hindbrain.app.enact import apply
from hindbrain.app.skills import MADE_BY, approve
from hindbrain.app.tools import Tools
from hindbrain.core.learning.importance import BY_RULES
from hindbrain.core.learning.suggest import rule_text
from hindbrain.core.model import Memory
from hindbrain.core.model.suggestion import STANDING, Destination, Suggestion
from hindbrain.core.skills import body_of, read
from hindbrain.core.value import dataclass
from hindbrain.errors import BadValue
from hindbrain.ports import Changes


@dataclass(frozen=True, slots=True, kw_only=True)
class Approved:
    memory: Memory
    rule: Suggestion | None = None  # pending where a person has to look at the file first; None: there is no folder
    reason: str = ""  # why it is no rule


def promote(memory_id: str, *, root: str, by: str = "", tools: Tools) -> Approved:
    """Approve a skill, and write it where the project's clients look for skills."""
    memory = approve(memory_id, by=by, tools=tools)
    if not root or tools.pages is None:
        return Approved(memory=memory, reason="the project is known by its name only: approve it in its folder")
    try:
        rule = _rule(memory, root=root, by=by, tools=tools)
    except BadValue as error:
        return Approved(memory=memory, reason=error.what)
    return Approved(memory=memory, rule=rule, reason="" if rule.is_standing else "its file was changed by hand")


def _rule(memory: Memory, *, root: str, by: str, tools: Tools) -> Suggestion:
    skill, key = read(memory.body), f"skill:{memory.id}"
    known = [one for one in tools.store.suggestions(memory.project) if one.key == key]
    for one in known:
        if one.is_standing and one.data.get("skill") == body_of(skill):
            return one
    now = tools.clock.now()
    made = Suggestion(
        id=tools.chance.id("sug", now),
        project=memory.project,
        destination=Destination.SKILL,
        title=rule_text(skill.title),
        text=rule_text(skill.description) or rule_text(skill.title),
        key=key,
        created_at=now,
        scar_id=memory.id,
        importance=memory.importance,
        reason="a person approved the skill",
        name=skill.name,
        data={"skill": body_of(skill)},
        root=root,
        made_by=str(memory.body.get(MADE_BY) or BY_RULES),
    )
    fresh = drawn(made, tools=tools)
    tools.store.write(lambda tx: tx.apply(Changes(suggestions=(fresh,))))
    ours = [edit.after for one in known if one.status in STANDING for edit in one.edits]
    is_ours = fresh.edits[0].before is None or fresh.edits[0].before in ours
    return apply(fresh.id, by=by, project=memory.project, tools=tools) if is_ours else fresh
