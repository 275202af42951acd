"""How ledgers and handoffs stand in Loki's files."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from hindbrain.core.model.moment import stamp
from hindbrain.core.model.paper import Paper, Sort
from hindbrain.dialects.loki.record import time_of

_UNDATED = datetime(1970, 1, 1, tzinfo=UTC)
_TEXT, _COUNT, _FLAG, _LIST = (str,), (int, float), (bool,), (list,)
_FORMS: Mapping[Sort, Mapping[str, tuple[type, ...]]] = {
    Sort.LEDGER: {
        "agent_id": _TEXT,
        "last_checkpoint": _TEXT,
        "tasks_completed": _COUNT,
        "current_task": _TEXT,
        "state.files_modified": _LIST,
        "state.uncommitted_changes": _FLAG,
        "state.last_git_commit": _TEXT,
        "context.tech_stack": _LIST,
        "context.patterns_learned": _LIST,
        "context.current_goal": _TEXT,
    },
    Sort.HANDOFF: {
        "id": _TEXT,
        "from_agent": _TEXT,
        "to_agent": _TEXT,
        "timestamp": _TEXT,
        "context.what_was_done": _TEXT,
        "context.artifacts": _LIST,
        "context.git_state": _TEXT,
        "context.needs_testing": _LIST,
        "context.known_issues": _LIST,
        "context.relevant_patterns": _LIST,
    },
}
_STEM_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)")
_NOTES = "\n## Notes\n"
_AUTOMATIC = "Session handoff generated automatically."


def ledger(data: Mapping[str, Any], *, stem: str) -> tuple[Paper, str]:
    """The paper, and what is not as its schema has it; kept all the same."""
    agent = _text(data.get("agent_id")) or stem
    at = time_of(data.get("last_checkpoint")) or _UNDATED
    return Paper(id=agent, project="", sort=Sort.LEDGER, agent=agent, at=at, data=data), _oddities(data, Sort.LEDGER)


def handoff(data: Mapping[str, Any], *, stem: str, notes: str = "") -> tuple[Paper, str]:
    """`notes` stand in a document beside it."""
    rest = {name: value for name, value in data.items() if name != "taken_at"} | ({"notes": notes} if notes else {})
    paper = Paper(
        id=_text(data.get("id")) or stem,
        project="",
        sort=Sort.HANDOFF,
        agent=_text(data.get("from_agent")),
        at=time_of(data.get("timestamp")) or _stem_time(stem),
        to=_text(data.get("to_agent")),
        data=rest,
        taken_at=time_of(data.get("taken_at")),
    )
    return paper, _oddities(data, Sort.HANDOFF)


def document(text: str, *, stem: str) -> Paper:
    """A handoff that somebody wrote as prose."""
    found = re.search(r"\d{4}-\d\d-\d\dT[\d:.]{5,12}Z?", text[:2000])
    at = (time_of(found[0]) if found else None) or _stem_time(stem)
    return Paper(id=stem, project="", sort=Sort.HANDOFF, agent="", at=at, data={"markdown": text})


def notes_of(text: str) -> str:
    """What a document says that the JSON beside it does not: a person's notes."""
    said = text.partition(_NOTES)[2].strip()
    return "" if said == _AUTOMATIC else said


def written(paper: Paper) -> tuple[str, str | dict[str, Any]]:
    """How the file ends, and what stands in it."""
    data = dict(paper.data)
    if set(data) == {"markdown"}:
        return "md", str(data["markdown"])
    if paper.sort is Sort.LEDGER:
        return "json", {"agent_id": paper.agent, "last_checkpoint": stamp(paper.at)} | data
    if time_of(data.get("timestamp")) is None:
        data = {"timestamp": stamp(paper.at)} | data
    return "json", data | ({"taken_at": stamp(paper.taken_at)} if paper.taken_at else {})


def _oddities(data: Mapping[str, Any], sort: Sort) -> str:
    wrong = []
    for path, kinds in _FORMS[sort].items():
        outer, _, inner = path.rpartition(".")
        held = data.get(outer) if outer else data
        value = held.get(inner) if isinstance(held, Mapping) else None
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if value is not None and (not isinstance(value, kinds) or (kinds is _COUNT and not is_number)):
            wrong.append(f"{path} is of another type than usual")
    return "; ".join(wrong)


def _stem_time(stem: str) -> datetime:
    match = _STEM_TIME.fullmatch(stem)
    try:
        return datetime(*map(int, match.groups()), tzinfo=UTC) if match else _UNDATED  # type: ignore[arg-type, misc]
    except ValueError:
        return _UNDATED


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
