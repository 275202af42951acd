"""What one agent hands to the next: what was done, what is left to do, what is known to be wrong (LK-111 to LK-121).

A handoff is told once, to the agent that it names or, where it names none, to the next one; a day later it is stale.
"""

import contextlib
from collections.abc import Sequence
from datetime import datetime

from hindbrain.app.admission import admitted_body, tidy
from hindbrain.app.ledger import checkpoint
from hindbrain.app.tools import Tools
from hindbrain.core.account import Account, account, short
from hindbrain.core.hints import Any
from hindbrain.core.model.activity import Activity
from hindbrain.core.model.job import Job
from hindbrain.core.model.moment import stamp
from hindbrain.core.model.paper import Paper, Sort
from hindbrain.core.recall.frame import fenced, inert
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import BadValue, DiskFull, ReadOnly, StoreLocked, UnknownMemory
from hindbrain.ports import Changes, Reader, Transaction

MAIN = "main"  # an agent that nobody gave a name
_LONGEST = 200_000  # characters of the data of one
_FEW = 12  # lines of one list that are told
_LINE = 400  # characters of one list
_MOST_TOLD = 2  # handoffs at one start
_MOST_CHARACTERS = 2_400  # of what an agent is told at a start
_PATIENCE_S = 0.2  # an agent is not kept waiting for a record


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """What is said when handing over; empty `to`: to whoever comes next."""

    agent: str
    done: str
    to: str = ""
    needs: Sequence[str] = ()
    issues: Sequence[str] = ()
    artifacts: Sequence[str] = ()
    patterns: Sequence[str] = ()
    git: str = ""


def write(handed: Handed, *, project: str, tools: Tools) -> Paper:
    """Keep it under the next free number."""
    if not handed.done.strip() or not handed.agent.strip():
        raise BadValue("the handoff says nothing", fix="say who hands over and what was done")
    context = {
        "what_was_done": handed.done,
        "artifacts": list(handed.artifacts),
        "git_state": handed.git,
        "needs_testing": list(handed.needs),
        "known_issues": list(handed.issues),
        "relevant_patterns": list(handed.patterns),
    }
    now = tools.clock.now()
    blank = Paper(id="", project=project, sort=Sort.HANDOFF, agent=tidy(handed.agent), to=tidy(handed.to), at=now)
    body = admitted_body({"context": context}, most=_LONGEST)
    return tools.store.write(lambda tx: _kept(replace(blank, data=body), tx))


def handoffs(project: str, *, store: Reader) -> Sequence[Paper]:
    """Oldest first."""
    return store.papers(project, sort=Sort.HANDOFF)


def handoff(paper_id: str, *, project: str, store: Reader) -> Paper:
    found = {paper.id: paper for paper in handoffs(project, store=store)}
    if paper_id not in found:
        raise UnknownMemory(f"there is no handoff {paper_id:.80}", fix="`hindbrain handoff list` shows them")
    return found[paper_id]


def take(paper_id: str, *, project: str, tools: Tools) -> Paper:
    """Mark it as taken; taken once, it stays taken at that time."""

    def work(tx: Transaction) -> Paper:
        paper = handoff(paper_id, project=project, store=tx)
        taken = replace(paper, taken_at=paper.taken_at or tools.clock.now())
        tx.apply(Changes(papers=(taken,)))
        return taken

    return tools.store.write(work)


def pending(project: str, agent: str, *, store: Reader, now: datetime, is_next: bool = True) -> Sequence[Paper]:
    """What waits for that agent, newest first: not taken, not stale, and named for it, or for nobody if it is the next
    that begins a session. A subagent is not: it comes for one errand and goes."""
    names = ("", agent) if is_next else (agent,)
    return [
        paper
        for paper in reversed(handoffs(project, store=store))
        if paper.to in names and paper.taken_at is None and not paper.is_stale(now)
    ]


def handoff_notes(project: str, *, agent: str, is_next: bool, resumed: str = "", tools: Tools) -> str:
    """What to tell an agent that begins, taken with this. "" when nothing waits for it. A session that is `resumed`
    has its own words before its eyes.

    Where the store cannot be written it is told all the same: better twice than never.
    """
    now = tools.clock.now()
    waiting = pending(project, agent or MAIN, store=tools.store, now=now, is_next=is_next)
    found = [paper for paper in waiting if not resumed or paper.data.get("session") != resumed][:_MOST_TOLD]
    if not found:
        return ""
    with contextlib.suppress(ReadOnly, StoreLocked, DiskFull):
        taken = tuple(replace(paper, taken_at=now) for paper in found)
        tools.store.write(lambda tx: tx.apply(Changes(papers=taken)), is_durable=False, patience_s=_PATIENCE_S)
    told = "\n".join(_fitted([line for paper in found for line in lines_of(paper)]))
    return f"## Handed over to you\n\n{fenced(told, fence=tools.chance.fence())}\n"


def _fitted(lines: Sequence[str]) -> list[str]:
    """As many whole lines as an agent is told at a start; `hindbrain handoff show` has the rest."""
    left, kept = _MOST_CHARACTERS, list[str]()
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            return [*kept, "  … more: `hindbrain handoff show`"]
        kept.append(line)
    return kept


def lines_of(paper: Paper) -> list[str]:
    """What it says, for an agent: every line is data."""
    data: dict[str, Any] = dict(paper.data)
    context = data["context"] if isinstance(data.get("context"), dict) else data
    head = f"- {inert(paper.id)} from {inert(paper.agent or 'an agent')}, {paper.at:%Y-%m-%d %H:%M} UTC"
    lines = [f"{head}: {inert(short(str(context.get('what_was_done') or data.get('reason') or 'no summary')))}"]
    if git := context.get("git_state"):
        lines.append(f"  git: {inert(short(str(git)))}")
    for name, label in _LISTS.items():
        said = context.get(name)
        listed = [inert(short(str(one))) for one in said][:_FEW] if isinstance(said, list) else []
        lines += [f"  {label}: {short('; '.join(listed), most=_LINE)}"] if listed else []
    return lines


_LISTS = {
    "known_issues": "known issues",
    "blockers": "blockers",
    "needs_testing": "needs testing",
    "open_questions": "open questions",
    "key_decisions": "decisions",
    "artifacts": "files",
    "relevant_patterns": "see also",
}


def from_activities(activities: Sequence[Activity], *, agent: str, session: str, at: datetime) -> Paper:
    """The handoff that an agent leaves without being asked; of no project yet, and without a number."""
    return _handed(account(activities), agent=agent, session=session, at=at)


def _handed(told: Account, *, agent: str, session: str, at: datetime) -> Paper:
    commit = f"commit {told.commit}" if told.commit else ""
    loose = f"{len(told.uncommitted)} files changed since" if told.uncommitted else ""
    context: dict[str, object] = {
        "what_was_done": told.done,
        "artifacts": list(told.edited),
        "git_state": ", ".join(filter(None, (commit, loose))),
        "needs_testing": [f"{path}: changed since tests last passed" for path in told.untested],
        "known_issues": list(told.failures),
        "relevant_patterns": [],
        "commands": list(told.commands[-_FEW:]),
    }
    data = {"session": session, "context": context}
    return Paper(id="", project="", sort=Sort.HANDOFF, agent=agent, at=at, data=data)


def handed_over(project: str, *, session: str, agent: str, tools: Tools) -> Paper | None:
    """Leave a handoff and a ledger for what the agent did in the session; None when it did nothing.

    A second time, at its end after a compaction say, it takes the place of the first, unless that was taken.
    """
    log = [one for one in tools.store.activities(project, session=session) if one.agent == agent]
    told = account(log)
    if told.is_empty or not told.done:
        return None
    name = next((one.agent_type for one in reversed(log) if one.agent_type), "") or agent or MAIN
    paper = replace(_handed(told, agent=name, session=session, at=tools.clock.now()), project=project)

    def work(tx: Transaction) -> Paper:
        ledgers = {known.id: known for known in tx.papers(project, sort=Sort.LEDGER)}
        noted = checkpoint(told, agent=name, session=session, known=ledgers.get(name), at=paper.at)
        tx.apply(Changes(papers=(replace(noted, project=project),)))
        return _kept(paper, tx)

    return tools.store.write(work)


def handoff_job(job: Job, tools: Tools) -> None:
    """The worker's handler for jobs of the kind `handoff`: payload {session, agent, project}."""
    project = str(job.payload.get("project") or job.project)
    session, agent = str(job.payload.get("session") or ""), str(job.payload.get("agent") or "")
    handed_over(project, session=session, agent=agent, tools=tools)


def _kept(paper: Paper, tx: Transaction) -> Paper:
    """With the schema's own fields, under its number."""
    known = tx.papers(paper.project, sort=Sort.HANDOFF)
    session = paper.data.get("session")
    same = [one for one in known if session and (one.data.get("session"), one.agent) == (session, paper.agent)]
    open_ = [one.id for one in same if one.taken_at is None]
    number = open_[-1] if open_ else _next({one.id for one in known})
    own = {"id": number, "from_agent": paper.agent, "to_agent": paper.to, "timestamp": stamp(paper.at)}
    paper = replace(paper, id=number, data={**own, **paper.data})
    tx.apply(Changes(papers=(paper,)))
    return paper


def _next(taken: set[str]) -> str:
    numbers = [name.removeprefix("handoff-") for name in taken if name.startswith("handoff-")]
    highest = max((int(number) for number in numbers if number.isdecimal() and len(number) < 10), default=0)
    return f"handoff-{highest + 1:03d}"
