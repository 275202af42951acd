"""How much of a project's rows is read to know where all of it came from: a few columns, and no words."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from hindbrain.core.hints import Any
from hindbrain.core.model import Actor, ActorType, State
from hindbrain.core.model.record import actor_of
from hindbrain.core.notation import read
from hindbrain.core.source import speakers
from hindbrain.ports import Brief, Way

Ask = Callable[..., list[Any]]  # runs a query

_BRIEF = (
    "SELECT m.id, m.title, m.state, m.version, m.actor_type, m.actor_persona, m.instance, m.session, m.task,"
    " m.adapter, m.receipt, m.trust, m.evidence, m.injected, m.superseded_by, m.archive_reason"
    " FROM memory m WHERE m.project = ? ORDER BY m.learned_at DESC, m.id DESC"
)
_STATES = {str(state): state for state in State}


def briefs(ask: Ask, project: str) -> Sequence[Brief]:
    """What `Reader.briefs` promises."""
    names = cache(_names)
    return [
        Brief(key, title, _STATES[state], version, names((kind, persona, instance)), *rest)
        for key, title, state, version, kind, persona, instance, *rest in ask(_BRIEF, project)
    ]


def _names(actor: tuple[str, str, str]) -> tuple[str, ...]:
    kind, persona, instance = actor
    return speakers(Actor(type=ActorType(kind), persona=persona, instance=instance))


def writers(ask: Ask, project: str) -> Mapping[str, str]:
    login = cache(lambda text: actor_of(read(text)).login)
    found = ask("SELECT memory, changed_by FROM memory_version WHERE project = ? AND version = 1", project)
    return {memory: login(changed_by) for memory, changed_by in found}


def derivations(ask: Ask, project: str) -> Sequence[tuple[str, str]]:
    return ask(
        "SELECT l.source, l.target FROM link l CROSS JOIN memory m ON m.id = l.source"
        " WHERE l.relation = 'derived_from' AND m.project = ? ORDER BY l.source, l.target",
        project,
    )


def ways(ask: Ask, project: str) -> Mapping[str, Way]:
    found = ask("SELECT id, task, adapter, origin FROM receipt WHERE project = ?", project)
    return {key: Way(*rest) for key, *rest in found}
