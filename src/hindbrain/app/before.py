"""What an agent is told before it begins a task: what worked, what to avoid, and which skills apply (LK-087 to LK-099).

Successful episodes and patterns stand among what worked; anti-patterns and episodes that failed stand under what to
avoid, so that nothing is learned from success alone (X-37). That it was asked is recorded each time, also where there
was nothing to say.
"""

import contextlib
from collections.abc import Iterable, Mapping, Sequence

from hindbrain.app.admission import tidy
from hindbrain.app.gather import gather
from hindbrain.app.tools import Tools
from hindbrain.core import trust
from hindbrain.core.door import admit
from hindbrain.core.episodes.episode import Ending, headed, read
from hindbrain.core.model import Event, Injection, Kind, Memory, Pulse, Shown
from hindbrain.core.model.score import Reason, Score
from hindbrain.core.recall import Ask, Candidate, Recalled
from hindbrain.core.recall.frame import fenced, inert
from hindbrain.core.recall.index import columns
from hindbrain.core.recall.strategies import alike, is_near
from hindbrain.core.recall.strategies.loki import BY_TASK, USUAL, choose
from hindbrain.core.value import dataclass
from hindbrain.core.words import estimate_tokens, query_terms
from hindbrain.errors import BadValue, DiskFull, ReadOnly, StoreLocked
from hindbrain.ports import Changes, Transaction, Where

_MOST_WARNINGS = 5
_MOST_SKILLS = 3
_SUMMARY = 240  # characters
_PATIENCE_S = 2.0
_WANTED = 40  # candidates that are looked at
_MADE_FOR_IT = 0.3  # what an anti-pattern counts more that was met in the same kind of action
_SECTIONS = (("Relevant patterns", "relevant"), ("Avoid these", "avoid"), ("Applicable skills", "skills"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Upcoming:
    goal: str
    action: str = ""  # run_test, edit_file …: warnings are looked for by it
    type: str = ""  # exploration, implementation, debugging, review, refactoring
    session: str = ""
    task: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefing:
    relevant: tuple[Recalled, ...]
    avoid: tuple[Recalled, ...]
    skills: tuple[Recalled, ...]
    text: str  # the block for a prompt; empty where there is nothing to say
    injection_id: str | None = None
    notices: tuple[str, ...] = ()

    def context(self) -> dict[str, list[str]]:
        """The keys of the document, with summaries."""
        return {
            "relevant_patterns": [summary(one.memory) for one in self.relevant],
            "avoid_these": [summary(one.memory) for one in self.avoid],
            "applicable_skills": [summary(one.memory) for one in self.skills],
        }


def before_task(upcoming: Upcoming, *, project: str, tools: Tools) -> Briefing:
    """Retrieve for the goal. BadValue for a type of task that nobody knows."""
    if upcoming.type and upcoming.type not in BY_TASK:
        raise BadValue(f"there is no type of task {upcoming.type!r}", fix=f"use one of: {', '.join(BY_TASK)}")
    weights = BY_TASK.get(upcoming.type, USUAL)
    now = tools.clock.now()
    ask = Ask(text=_topic(upcoming), session=upcoming.session, limit=_WANTED, strategy="loki")
    where = Where(project=project, min_trust=trust.INJECTED_FROM, not_session=upcoming.session)
    gathered = gather(ask, where, reader=tools.store, embedder=tools.embedder)
    good = [one for one in gathered.candidates if not _is_warning(one.memory)]
    bad = [one for one in gathered.candidates if _is_warning(one.memory)]
    avoid = _warnings(bad, ask, action=upcoming.action)
    skills = _skills(where, upcoming, tools=tools)
    named = {one.id for one in skills}
    chosen = sorted(choose(good, ask, now=now, weights=weights), key=_place, reverse=True)
    relevant = [one for one in chosen if one.id not in named]  # what stands below is not said twice
    shown = list({one.id: one for one in (*relevant, *avoid, *skills)}.values())
    text = (
        _rendered({"relevant": relevant, "avoid": avoid, "skills": skills}, fence=tools.chance.fence()) if shown else ""
    )
    injection_id, notices = _recorded(upcoming, shown, project=project, text=text, tools=tools)
    return Briefing(
        relevant=tuple(relevant),
        avoid=avoid,
        skills=skills,
        text=text,
        injection_id=injection_id,
        notices=(*gathered.notices, *notices),
    )


def summary(memory: Memory) -> str:
    """One line: the title, and what to do about it where the body says so."""
    if memory.kind is Kind.EPISODE:
        return _experience(memory)
    told = memory.body.get("correct_approach") or memory.body.get("prevention") or memory.body.get("description")
    line = " ".join((memory.content if memory.kind is not Kind.SKILL else memory.title).split())
    more = " ".join(str(told).split()) if isinstance(told, str) and told and told not in line else ""
    return _cut(f"{line} ({more})" if more else line)


def _experience(memory: Memory) -> str:
    """What was tried, how it came out, and what was met on the way."""
    episode = read(memory)
    met = [f"{headed(one.type, one.message)} → {one.resolution or 'not cured'}" for one in episode.errors[:1]]
    return _cut("; ".join([f"{memory.title}: {episode.ending or 'outcome not known'}", *met]))


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SUMMARY else line[: _SUMMARY - 1].rstrip() + "…"


def _topic(upcoming: Upcoming) -> str:
    return f"{upcoming.goal} {upcoming.action.replace('_', ' ')}".strip()


def _is_warning(memory: Memory) -> bool:
    failed = memory.kind is Kind.EPISODE and memory.body.get("outcome") == Ending.FAILURE
    return failed or memory.kind is Kind.ANTI_PATTERN


def _warnings(candidates: Iterable[Candidate], ask: Ask, *, action: str) -> tuple[Recalled, ...]:
    """Those that bear on the goal; what was met in the same kind of action comes first."""
    found: list[Recalled] = []
    for one in candidates:
        actions = one.memory.body.get("actions")
        is_met = bool(action) and isinstance(actions, list) and action in actions
        if is_near(one, ask) or is_met:
            reasons = (alike(one), *((Reason("action", 1.0, _MADE_FOR_IT, action),) if is_met else ()))
            found.append(Recalled(memory=one.memory, score=Score(reasons), similarity=one.similarity))
    return tuple(sorted(found, key=_place, reverse=True)[:_MOST_WARNINGS])


def _skills(where: Where, upcoming: Upcoming, *, tools: Tools) -> tuple[Recalled, ...]:
    """By keyword, as in the document: what the task is about, and what kind of task it is."""
    words = query_terms(f"{upcoming.goal} {upcoming.type}")
    only = Where(project=where.project, kinds=(Kind.SKILL,), min_trust=where.min_trust, not_session=where.not_session)
    found: list[Recalled] = []
    for hit in tools.store.search(words, only, limit=_WANTED):
        held = {term for column in columns(hit.memory) for term in column}
        share = len(held & set(words)) / len(words)
        found.append(Recalled(memory=hit.memory, score=Score((Reason("words", share, 1.0),))))
    return tuple(sorted(found, key=_place, reverse=True)[:_MOST_SKILLS])


def _place(one: Recalled) -> tuple[object, ...]:
    return one.place


def _rendered(parts: Mapping[str, Sequence[Recalled]], *, fence: str) -> str:
    lines: list[str] = []
    for heading, name in _SECTIONS:
        if parts[name]:
            lines += [f"## {heading}", *(f"- [{one.id}] {inert(summary(one.memory))}" for one in parts[name])]
    return fenced("\n".join(lines), fence=fence)


def _recorded(
    upcoming: Upcoming, shown: Sequence[Recalled], *, project: str, text: str, tools: Tools
) -> tuple[str | None, tuple[str, ...]]:
    """The retrieval itself, and what it showed; best effort, as for every prompt."""
    now = tools.clock.now()
    record = Injection(
        id=tools.chance.id("inj", now),
        at=now,
        project=project,
        format="default",
        strategy="loki",
        shown=tuple(Shown(memory_id=one.id, version=one.memory.version, score=one.score) for one in shown),
        left_out=0,
        tokens=estimate_tokens(text),
        session=tidy(upcoming.session),
        task=tidy(upcoming.task),
        query=admit(upcoming.goal).text,
        moment="task",
    )
    data = {"injection_id": record.id if shown else "", "session": record.session, "count": len(shown)}
    event = Event(name="memories_retrieved", at=now, project=project, data=data)

    def work(tx: Transaction) -> None:
        pulses = tuple(Pulse(memory_id=one.id, injected=1, last_used_at=now) for one in shown)
        tx.apply(Changes(injections=(record,) if shown else (), pulses=pulses, events=(event,)))

    with contextlib.suppress(ReadOnly, StoreLocked, DiskFull):
        tools.store.write(work, patience_s=_PATIENCE_S)
        return (record.id if shown else None), ()
    return None, ("the store cannot be written: this was not recorded",)
