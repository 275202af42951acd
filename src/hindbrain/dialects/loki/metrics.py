"""What stands in Loki's folder `.loki/metrics`: figures of the work, beside its memory (LK-019 to LK-021).

Figures that Loki counted itself are kept as they came, for nobody else can count them. Ours are made anew from the
episodes each time, say so in `made_by`, and are passed over when they are read.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from hindbrain.core.episodes.episode import Action, Ending, Episode, read
from hindbrain.core.model.memory import Kind, Memory, State
from hindbrain.core.model.moment import stamp
from hindbrain.core.model.paper import Paper, Sort
from hindbrain.dialects.loki.record import time_of

FOLDER = ".loki/metrics/"
MADE_ANEW = "figures that are made anew from the episodes"
_OURS = {"made_by": "hindbrain"}
_LIST = "as_list"  # a file that holds a list, as the data of a paper
_WINDOW = timedelta(days=7)  # of the dashboard (LK-021)
_UNDATED = datetime(1970, 1, 1, tzinfo=UTC)
_WORTH = {Ending.SUCCESS: 1.0, Ending.PARTIAL: 0.5, Ending.FAILURE: 0.0}


def place_of(path: str) -> str:
    """Where a file stands below the folder of figures, without its ending; "" where it does not."""
    parts = path.split("/")
    at = parts.index("metrics") if "metrics" in parts[:-1] else -1
    is_there = at == 0 or (at > 0 and parts[at - 1] == ".loki")
    return "/".join(parts[at + 1 :]).removesuffix(".json") if is_there and path.endswith(".json") else ""


def figures(value: Any, *, place: str) -> Paper | None:
    """The paper that keeps a file of figures; None where they are ours."""
    data = dict(value) if isinstance(value, Mapping) else {_LIST: list(value)}
    if data.get("made_by") == _OURS["made_by"]:
        return None
    agent = data.get("agent")
    return Paper(
        id=place,
        project="",
        sort=Sort.METRIC,
        agent=agent if isinstance(agent, str) else "",
        at=time_of(data.get("timestamp")) or _UNDATED,
        data=data,
    )


def kept(paper: Paper) -> object:
    """What stood in the file."""
    data = dict(paper.data)
    return data[_LIST] if set(data) == {_LIST} else data


def made(memories: Sequence[Memory], names: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Our own files: what each task took, how it came out, and the seven days up to the newest episode in numbers."""
    told = [one for one in memories if one.kind is Kind.EPISODE and one.id in names and one.state is not State.ARCHIVED]
    found = [(names[one.id], read(one)) for one in told]
    days: dict[str, list[tuple[str, Episode]]] = {}
    for one in found:
        days.setdefault(f"{one[1].began_at.date()}", []).append(one)
    for day, of_day in sorted(days.items()):
        yield f"efficiency/{day}", _OURS | {"tasks": [_cost(*one) for one in of_day]}
        yield f"rewards/{day}", _OURS | {"signals": [_reward(*one) for one in of_day]}
    if found:
        at = max(one.began_at for _, one in found)
        yield "dashboard", _OURS | _summary([one for _, one in found if one.began_at > at - _WINDOW], at=at)


def _named(name: str, episode: Episode) -> dict[str, Any]:
    return {"episode": name, "task_id": episode.task, "timestamp": stamp(episode.began_at)}


def _cost(name: str, episode: Episode) -> dict[str, Any]:
    agents = [episode.agent] if episode.agent else []
    took = {"duration_seconds": episode.duration_s, "agents": agents, "retries": retries(episode.actions)}
    return _named(name, episode) | took


def _reward(name: str, episode: Episode) -> dict[str, Any]:
    """`preference` is what people asked for in so many words."""
    worth = {ending.value: value for ending, value in _WORTH.items()}.get(episode.ending)
    efficiency = round(1 / (1 + retries(episode.actions)), 3)
    return _named(name, episode) | {
        "outcome": worth,
        "efficiency": efficiency,
        "preference": list(episode.constraints),
    }


def retries(actions: Sequence[Action]) -> int:
    """How often something was done again after it had failed."""
    failed: set[tuple[str, str]] = set()
    count = 0
    for one in actions:
        what = (one.action, one.target)
        count += what in failed
        if one.error or one.result.casefold() in ("fail", "failed", "failure", "error"):
            failed.add(what)
        else:
            failed.discard(what)
    return count


def _summary(episodes: Sequence[Episode], *, at: datetime) -> dict[str, Any]:
    return {
        "from": stamp(at - _WINDOW),
        "to": stamp(at),
        "tasks": len(episodes),
        "outcomes": dict(sorted(Counter(one.ending or "not known" for one in episodes).items())),
        "duration_seconds": sum(one.duration_s for one in episodes),
        "agents": len({one.agent for one in episodes if one.agent}),
        "retries": sum(retries(one.actions) for one in episodes),
        "errors": sum(len(one.errors) for one in episodes),
    }
