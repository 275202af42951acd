"""What an agent already has before its eyes, and how much more it may be told in this turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise

from hindbrain.core.hooks.notice import Happening, Notice
from hindbrain.core.hooks.table import FORGETTING
from hindbrain.core.model import Injection
from hindbrain.core.model.activity import Activity, Deed
from hindbrain.core.value import dataclass
from hindbrain.ports import Reader

_CUT_OFF = ("clear", "compact")  # ways for a session to go on with nothing in sight


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """One agent of one session."""

    project: str
    session: str  # "": unknown, so nothing can be remembered of it
    agent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    seen: Mapping[str, int]  # the ledger: ids of memories, and the newest version that was shown
    withheld: frozenset[str]  # held out in this session: showing one later would spoil the measure
    left: int  # tokens of the turn's budget


def sight(listener: Listener, notice: Notice, *, reader: Reader, now: datetime, budget: int) -> Sight:
    """As it is at `now`, when `notice` came in."""
    if not listener.session:
        return Sight(seen={}, withheld=frozenset(), left=budget)
    since = _in_sight_since(listener, notice, reader=reader, now=now)
    past = reader.told(listener.project, session=listener.session)
    return Sight(
        seen=reader.shown(listener.session, agent=listener.agent, since=since),
        withheld=frozenset(shown.memory_id for one in past if one.is_withheld for shown in one.shown),
        left=budget - (0 if notice.happening is Happening.PROMPT else _spent(listener, reader, past=past)),
    )


def is_cut_off(client: str, source: str) -> bool:
    """Whether a session that goes on in that way has nothing in sight of what it was told."""
    return source in _CUT_OFF or (source == "resume" and client in FORGETTING)


def last_prompt(listener: Listener, reader: Reader) -> str:
    """What a person asked of the session last; "" where that is not known."""
    prompts = _deeds(listener, reader, deeds=(Deed.PROMPT,), agent="")
    return (prompts[-1].detail or prompts[-1].subject) if prompts else ""


def _in_sight_since(listener: Listener, notice: Notice, *, reader: Reader, now: datetime) -> datetime | None:
    """When the agent's context was last emptied or shortened; None: never."""
    if notice.happening is Happening.SESSION_START and is_cut_off(notice.client, notice.source):
        return now
    deeds = _deeds(listener, reader, deeds=(Deed.COMPACTION, Deed.SESSION), agent=listener.agent)
    cuts = [deed for deed in deeds if deed.deed is Deed.COMPACTION or is_cut_off(notice.client, deed.subject)]
    # A client says that it is done after the session has gone on: what was told in between is still to be seen.
    known = {
        cut.id for before, cut in pairwise(cuts) if cut.subject == "done" and before.subject in ("begins", "compact")
    }
    return max((cut.at for cut in cuts if cut.id not in known), default=None)


def _spent(listener: Listener, reader: Reader, *, past: Sequence[Injection]) -> int:
    """Tokens that the agent was told since the last prompt. A start has a budget of its own.

    The record of the prompt itself may still be on its way; then what was told at it marks the turn.
    """
    prompts = [deed.at for deed in _deeds(listener, reader, deeds=(Deed.PROMPT,), agent="")]
    prompts += [one.at for one in past if one.moment == "prompt" and not one.agent]
    turn = max(prompts, default=None)
    return sum(
        one.tokens
        for one in past
        if (one.agent, one.is_withheld) == (listener.agent, False)
        and one.moment not in ("session", "asked")
        and (turn is None or one.at >= turn)
    )


def _deeds(listener: Listener, reader: Reader, *, deeds: Sequence[Deed], agent: str) -> list[Activity]:
    found = reader.activities(listener.project, session=listener.session, deeds=deeds) if listener.session else ()
    return [deed for deed in found if deed.agent == agent]
