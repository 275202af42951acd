"""When a way of working is proposed as a skill, and when a person hears that proposals wait.

A proposal is a memory in quarantine: no agent sees it, and it waits in `hindbrain review`. The same pattern is proposed
once, whatever became of it.
"""

from collections.abc import Iterator
from datetime import timedelta

from hindbrain.app.compose import Draft, compose
from hindbrain.app.skills import MADE_BY
from hindbrain.app.tools import Tools
from hindbrain.core import trust
from hindbrain.core.door import admit
from hindbrain.core.learning.importance import BY_RULES
from hindbrain.core.learning.patterns import Pattern, Step, patterns
from hindbrain.core.model import (
    Actor,
    ActorType,
    Event,
    Kind,
    Memory,
    Provenance,
    Review,
    ReviewKind,
    Source,
    State,
)
from hindbrain.core.model.activity import Deed, Result
from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.core.shape.error_signature import error_signature_of
from hindbrain.core.skills import Skill, body_of, render
from hindbrain.core.value import dataclass, replace
from hindbrain.ports import Changes, Transaction, Where

_BY = Actor(type=ActorType.AUTOMATE)
_AGAIN = timedelta(hours=24)
_ALERTED = "monitor/alerted"
_MOST_NEW = 5  # of one project in one week: a person reads them
_LONGEST_TITLE = 100
_LOOK_ROUND = frozenset(
    {
        *("ls", "cat", "cd", "git", "grep", "rg", "find", "head", "tail", "echo", "pwd", "sed", "awk", "which"),
        *("mkdir", "touch", "wc", "sleep", "true", "export", "cp", "mv", "rm"),
    }
)


def propose(tools: Tools) -> tuple[Memory, ...]:
    """Look through what was done in every project; the proposals that are new."""
    return tuple(memory for project in tools.store.projects() for memory in _proposed(project.id, tools=tools))


def pending(tools: Tools) -> int:
    """How many proposals wait for a person, over all projects."""
    return sum(
        tools.store.count(
            Where(
                project=project.id,
                kinds=(Kind.SKILL,),
                states=frozenset({State.QUARANTINED}),
                with_everywhere=False,
            )
        )
        for project in tools.store.projects()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    pending: int
    most: int
    is_alerted: bool  # a person was told just now


def monitor(tools: Tools) -> Watched:
    """Tell a person once when more wait than they want to; again after a day, if they still do."""
    now, waiting, most = tools.clock.now(), pending(tools), tools.settings.alert_above
    last = tools.store.cursor(_ALERTED)
    if waiting <= most:
        if last:
            tools.store.write(lambda tx: tx.apply(Changes(cursors={_ALERTED: ""})))
        return Watched(pending=waiting, most=most, is_alerted=False)
    if last and now - read_stamp(last) < _AGAIN:
        return Watched(pending=waiting, most=most, is_alerted=False)
    event = Event(name="queue_alert", at=now, project="", data={"pending": waiting, "most": most})
    tools.store.write(lambda tx: tx.apply(Changes(cursors={_ALERTED: stamp(now)}, events=(event,), by=_BY)))
    if tools.notify:
        tools.notify(f"Hindbrain: {waiting} proposed skills wait for you; `hindbrain review` shows them")
    return Watched(pending=waiting, most=most, is_alerted=True)


def _proposed(project: str, *, tools: Tools) -> list[Memory]:
    found = patterns(_steps(project, tools=tools))
    fresh = [one for one in found if not tools.store.cursor(_cursor(project, one.key))][:_MOST_NEW]
    if not fresh:
        return []
    return tools.store.write(lambda tx: [_kept(one, project=project, tx=tx, tools=tools) for one in fresh])


def _steps(project: str, *, tools: Tools) -> Iterator[Step]:
    """What went well: turns of workstreams, and commands of the activity log that are more than looking round."""
    where = Where(project=project, kinds=(Kind.ITERATION,), with_everywhere=False)
    for memory in reversed(tools.store.select(where, order="newest")):
        observed = str(memory.body.get("observation", ""))
        if observed and not error_signature_of(observed):
            yield Step(task=memory.provenance.task, action=str(memory.body.get("action", "")))
    for deed in tools.store.activities(project, deeds=(Deed.COMMAND,)):
        if deed.result is Result.PASSED and deed.subject.split(" ", 1)[0] not in _LOOK_ROUND:
            yield Step(task=deed.task or deed.session, action=deed.subject)


def _kept(pattern: Pattern, *, project: str, tx: Transaction, tools: Tools) -> Memory:
    now = tools.clock.now()
    skill = Skill(
        title=admit(pattern.title).text[:_LONGEST_TITLE],
        description=f"Steps that {len(pattern.tasks)} tasks took with success. Use for the same kind of task.",
        steps=tuple(admit(step).text for step in pattern.steps),
    )
    body: dict[str, object] = {
        **body_of(skill),
        MADE_BY: BY_RULES,
        "status": "pending",
        "pattern": pattern.key,
        "tasks": list(pattern.tasks[:50]),
    }
    provenance = Provenance(actor=_BY, source=Source.AUTOMATIC, adapter="skills")
    draft = Draft(
        text=render(skill), project=project, provenance=provenance, kind=Kind.SKILL, type="pattern", body=body
    )
    memory, _ = compose(draft, memory_id=tools.chance.id("mem", now), now=now, settings=tools.settings)
    memory = replace(memory, title=skill.title, trust=trust.QUARANTINED, key=f"skill:{pattern.key}")
    review = Review(
        id=tools.chance.id("rev", now),
        project=project,
        kind=ReviewKind.QUARANTINE,
        memory_id=memory.id,
        reason=f"a skill proposed from {len(pattern.tasks)} tasks",
        opened_at=now,
    )
    event = Event(name="skill_proposed", at=now, project=project, memory_id=memory.id, data={"pattern": pattern.key})
    marks = {_cursor(project, pattern.key): memory.id}
    tx.apply(Changes(memories=(memory,), reviews=(review,), events=(event,), cursors=marks, by=_BY))
    return memory


def _cursor(project: str, key: str) -> str:
    return f"skill/{project}/{key}"
