"""Where each agent stands: its last checkpoint, one for each agent, in the schema of LK-100 to LK-110."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from hindbrain.app.admission import admitted_body, tidy
from hindbrain.app.tools import Tools
from hindbrain.core.account import Account
from hindbrain.core.model.moment import stamp
from hindbrain.core.model.paper import Paper, Sort
from hindbrain.core.value import replace
from hindbrain.errors import BadValue, UnknownMemory
from hindbrain.ports import Changes, Reader

_LONGEST = 200_000  # characters


def ledgers(project: str, *, store: Reader) -> Sequence[Paper]:
    """Of all agents, by name."""
    return sorted(store.papers(project, sort=Sort.LEDGER), key=lambda paper: paper.id)


def ledger(agent: str, *, project: str, store: Reader) -> Paper:
    found = {paper.id: paper for paper in ledgers(project, store=store)}
    if agent not in found:
        raise UnknownMemory(f"{agent:.80} has no ledger", fix="`hindbrain ledger` lists those that have one")
    return found[agent]


def save(agent: str, data: Mapping[str, object], *, project: str, tools: Tools) -> Paper:
    """Take the place of the agent's last checkpoint. Fields that the schema does not name are kept."""
    name = tidy(agent)
    if not name:
        raise BadValue("the ledger has no agent", fix="name the agent that it belongs to")
    now = tools.clock.now()
    own = {"agent_id": name, "last_checkpoint": stamp(now)}
    body = admitted_body(own | {key: value for key, value in data.items() if key not in own}, most=_LONGEST)
    paper = Paper(id=name, project=project, sort=Sort.LEDGER, agent=name, at=now, data=body)
    tools.store.write(lambda tx: tx.apply(Changes(papers=(paper,))))
    return paper


def checkpoint(told: Account, *, agent: str, session: str, known: Paper | None, at: datetime) -> Paper:
    """The ledger after what the session did, over the one that is known. Asked twice, it counts no task twice."""
    old = dict(known.data) if known else {}
    is_same = old.get("session") == session
    before = _count(old.get("tasks_before") if is_same else old.get("tasks_completed"))
    given = old.get("context")
    context: dict[str, object] = {
        "tech_stack": [],
        "patterns_learned": [],
        **(given if isinstance(given, dict) else {}),
    }
    state: dict[str, object] = {
        "files_modified": list(told.edited),
        "uncommitted_changes": bool(told.uncommitted),
        "last_git_commit": told.commit or _inner(old, "last_git_commit"),
    }
    data = {
        "agent_id": agent,
        "last_checkpoint": stamp(at),
        "tasks_completed": before + len(told.completed),
        "current_task": told.task or told.goal,
        "state": state,
        "context": context | {"current_goal": told.goal},
        "session": session,
        "tasks_before": before,
    }
    blank = Paper(id=agent, project="", sort=Sort.LEDGER, agent=agent, at=at)
    return replace(known or blank, at=at, data={**old, **data})


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _inner(data: Mapping[str, object], name: str) -> str:
    state = data.get("state")
    return str(state.get(name) or "") if isinstance(state, dict) else ""
