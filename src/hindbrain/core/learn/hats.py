"""As whom an agent works: which hat each kind of subagent wears, and when one hat gives way to another.

Dex says so itself (`hat` activities). The coding agents do not: there a subagent of a known type wears a hat, and the
transition happens when another agent goes on after it has ended.
"""

from collections.abc import Iterator, Sequence

from hindbrain.core.model.activity import Activity, Deed
from hindbrain.core.value import dataclass
from hindbrain.core.words import listed

EXPLORER, PLANNER, CREATOR, CRITIC = "explorer", "planner", "creator", "critic"

_WORDS = {
    word: hat
    for hat, words in {
        EXPLORER: "explore explorer exploration research researcher investigate investigator scout search searcher "
        "finder "
        "analyst codebase",
        PLANNER: "plan planner planning architect designer strategist",
        CRITIC: "critic review reviewer reviewing auditor audit qa verifier validator inspector",
        CREATOR: "general-purpose general purpose main code coder creator developer engineer implementer builder "
        "worker "
        "supervisor default build",
    }.items()
    for word in listed(words)
}
_WORK = frozenset(
    {Deed.EDIT, Deed.COMMAND, Deed.GATE, Deed.RESPONSE, Deed.AGENT, Deed.READ, Deed.COMMIT, Deed.COMPLETION}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    before: str
    after: str
    cause: Activity  # the first activity under the new hat
    index: int  # of the cause


def hat_of(agent_type: str) -> str:
    """The hat of an agent of that type; the main agent, which has none, creates. Empty for a type nobody knows.

    A reviewer of code reviews: the last known word decides, and a word that only says what is worked on does not.
    """
    if not agent_type.strip():
        return CREATOR
    name = agent_type.strip().lower().rsplit(":", 1)[-1]  # a plugin's agents carry its name before a colon
    words = name.replace("_", "-").replace(" ", "-").split("-")
    found = [_WORDS[word] for word in words if word in _WORDS]
    telling = [hat for hat in found if hat != CREATOR]
    return _WORDS.get(name) or (telling or found or [""])[-1]


def worn(activities: Sequence[Activity]) -> tuple[str, ...]:
    """The hat under which each of `activities` was done: what it says, what the log says, or its agent's type."""
    hats: list[str] = []
    current = next((_ends(one)[0] for one in activities if one.deed is Deed.HAT), "")
    for one in activities:
        if one.deed is Deed.HAT:
            current = _ends(one)[1] or current
        is_main = not one.agent and not one.agent_type
        hats.append(one.hat or (current if is_main and current else hat_of(one.agent_type)))
    return tuple(hats)


def transitions(activities: Sequence[Activity]) -> tuple[Transition, ...]:
    """Every change of hats in one session, in order."""
    return tuple(_changes(activities))


def _changes(activities: Sequence[Activity]) -> Iterator[Transition]:
    hats = worn(activities)
    ended: list[str] = []  # hats of subagents that have ended, and whom nobody has followed yet
    for index, one in enumerate(activities):
        if one.deed is Deed.HAT:
            before, after = _ends(one)
            changed = _left([before], after)
        else:
            after = hat_of(one.subject) if one.deed is Deed.AGENT else hats[index]
            changed = _left(ended, after) if one.deed in _WORK else []
        ended = [hat for hat in ended if hat not in changed]
        if one.deed is Deed.END and one.agent:
            ended.append(hats[index])
        yield from (Transition(before=hat, after=after, cause=one, index=index) for hat in changed)


def _left(hats: Sequence[str], after: str) -> list[str]:
    """Those that `after` takes the place of, each once."""
    return [hat for hat in dict.fromkeys(hats) if hat and after and hat != after]


def _ends(activity: Activity) -> tuple[str, str]:
    """`explorer->planner`, or what Dex writes beside it."""
    before, _, after = activity.subject.replace("→", "->").partition("->")
    data = activity.data
    before, after = before or str(data.get("from_hat") or ""), after or str(data.get("to_hat") or "")
    return before.strip().lower(), after.strip().lower()
