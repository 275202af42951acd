"""How memories are searched, shown whole, and changed by a person's hand."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from hindbrain.app.why import Walk
from hindbrain.core.model import TYPES, Kind, Memory, Relation, Score, State, Version
from hindbrain.core.model.outcome import Standing
from hindbrain.core.shape import CATEGORIES
from hindbrain.core.value import dataclass
from hindbrain.entry.http.problem import Refused
from hindbrain.entry.hub.diff import Row, side_by_side
from hindbrain.entry.hub.ties import CHOSEN, near
from hindbrain.entry.hub.turn import Move, Page, Turn
from hindbrain.facade import Hindbrain

_AT_ONCE = 40  # memories of a page
_LISTED = 50  # injections, outcomes, receipts
_DONE = {
    "edit": "The memory was changed.",
    "pin": "The pin was changed.",
    "delete": "The memory was deleted. It is out of every prompt, and can be restored.",
    "restore": "The memory is back.",
    "verdict": "Your word was noted.",
    "confirm": "The memory is tied to the code as it is now.",
    "review": "The question was decided.",
    "link": "The link was made.",
    "unlink": "The link was removed. What it had hidden is shown again.",
    "supersede": "The other memory stands in its place.",
    "merge": "Two memories are one. The other one can be restored.",
    "split": "Its parts are memories of their own. The whole can be restored.",
}
_TOLD_AS = {
    Relation.DERIVED_FROM: "is derived from",
    Relation.RELATED_TO: "is related to",
    Relation.CONTRADICTS: "contradicts",
    Relation.ELABORATES: "elaborates",
    Relation.EXAMPLE_OF: "is an example of",
}
_FACETS = ("title", "type", "kind", "category", "tags", "file_refs", "importance", "confidence", "trust", "is_pinned")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    memory: Memory
    score: Score | None  # None: nothing was asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A version, and how it differs from the one before."""

    version: Version
    rows: Sequence[Row]
    fields: Sequence[tuple[str, object, object]]  # name, before, after


def found(turn: Turn) -> Page:
    """What was looked for, best first; without a question, all, newest first."""
    hindbrain = turn.hindbrain()
    wanted = {name: turn.said.get(name, "") for name in ("q", "kind", "type", "category", "state")}
    wanted["state"] = wanted["state"] or str(State.LIVE)
    page = turn.number("page", most=1000)
    hits, notes = _asked(hindbrain, wanted) if wanted["q"].strip() else _listed(hindbrain, wanted, page=page)
    start = 0 if wanted["q"].strip() else (page - 1) * _AT_ONCE
    shown = hits[start : start + _AT_ONCE]
    about = {
        "hits": shown,
        "is_more": len(hits) > start + _AT_ONCE,
        "page": page,
        "wanted": wanted,
        "notes": notes,
        "standings": hindbrain.store.standings([hit.memory.id for hit in shown]),
        "stats": None if turn.is_part else hindbrain.stats(),
        "unknown": Standing(),
        "states": tuple(State),
        "sort_links": _links(turn, wanted),
    }
    return Page(template="memories.html", about=about)


def _asked(hindbrain: Hindbrain, wanted: Mapping[str, str]) -> tuple[list[Hit], tuple[str, ...]]:
    answer = hindbrain.recall(
        wanted["q"][:4000],
        limit=_AT_ONCE,
        kinds=[wanted["kind"]] if wanted["kind"] else [],
        types=[wanted["type"]] if wanted["type"] else [],
        with_all=wanted["state"] != State.LIVE,
        is_counted=False,
    )
    hits = [Hit(memory=one.memory, score=one.score) for one in answer if _is_wanted(one.memory, wanted)]
    spelled = tuple(f"“{said}” is read as “{read}”" for said, read in answer.spelled)
    return hits, (*answer.notices, *spelled)


def _listed(hindbrain: Hindbrain, wanted: Mapping[str, str], *, page: int) -> tuple[list[Hit], tuple[str, ...]]:
    is_live = wanted["state"] == State.LIVE
    memories = hindbrain.list(
        kinds=[wanted["kind"]] if wanted["kind"] else [],
        types=[wanted["type"]] if wanted["type"] else [],
        order="newest",
        with_all=not is_live,
        limit=page * _AT_ONCE + 1 if is_live and not wanted["category"] else 0,
    )
    return [Hit(memory=one, score=None) for one in memories if _is_wanted(one, wanted)], ()


def _is_wanted(memory: Memory, wanted: Mapping[str, str]) -> bool:
    return wanted["state"] in (memory.state, "any") and wanted["category"] in ("", memory.category)


def _links(turn: Turn, wanted: Mapping[str, str]) -> object:
    def link(name: str, value: object) -> str:
        """The same list with one facet chosen, or let go when it is chosen already."""
        is_chosen = wanted[name] == str(value)
        return turn.link("/memories", **{**wanted, name: "" if is_chosen else value})

    return link


def one(turn: Turn) -> Page:
    hindbrain, memory = turn.memory()
    walk = hindbrain.why(memory.id)
    others = hindbrain.store.memories([end for link in walk.links for end in (link.source, link.target)])
    sights = [one for one in walk.injections if any(shown.memory_id == memory.id for shown in one.shown)]
    about = {
        "memory": memory,
        "walk": walk,
        "steps": _steps(walk)[::-1],
        "links": [link for link in walk.links if _is_seen(turn, others, link.source, link.target)],
        "others": others,
        "injections": sights[::-1][:_LISTED],
        "score_of": {one.id: shown.score for one in sights for shown in one.shown if shown.memory_id == memory.id},
        "outcomes": walk.outcomes[::-1][:_LISTED],
        "standing": hindbrain.standing(memory.id) or Standing(),
        "choices": {"types": TYPES, "categories": CATEGORIES, "kinds": tuple(Kind)},
        "decisions": _decisions(walk),
        "done": _DONE.get(turn.said.get("done", ""), ""),
        "is_editing": turn.flag("edit"),
        "near": near(hindbrain, memory) if memory.state is State.LIVE else (),
        "relations": CHOSEN,
        "told_as": _TOLD_AS,
    }
    return Page(template="memory.html", about=about)


def _is_seen(turn: Turn, others: Mapping[str, Memory], *ends: str) -> bool:
    return all(end in others and turn.visit.caller.sees(others[end]) for end in ends)


def _steps(walk: Walk) -> list[Step]:
    first = [Step(version=one, rows=(), fields=()) for one in walk.versions[:1]]
    return first + [_step(before, after) for before, after in pairwise(walk.versions)]


def _step(before: Version, after: Version) -> Step:
    old, new = before.memory, after.memory
    rows = side_by_side(old.content, new.content) if old.content != new.content else ()
    fields = [
        (name, getattr(old, name), getattr(new, name))
        for name in (*_FACETS, "state", "superseded_by", "reach")
        if getattr(old, name) != getattr(new, name)
    ]
    return Step(version=after, rows=rows, fields=fields)


def _decisions(walk: Walk) -> dict[str, tuple[str, ...]]:
    """What may be decided of each open review."""
    of_kind = {"quarantine": ("release", "refuse"), "contradiction": ("supersede", "keep", "refuse")}
    return {
        review.id: of_kind[review.kind] if review.other_id or review.kind == "quarantine" else ("keep", "refuse")
        for review in walk.reviews
        if review.closed_at is None
    }


def edit(turn: Turn) -> Move:
    hindbrain, memory = turn.memory(is_changed=True)
    said = {name: turn.said[name].replace("\r\n", "\n") for name in _WRITTEN if name in turn.said}
    more: dict[str, object] = {name: _split(turn.said[name]) for name in ("tags", "file_refs") if name in turn.said}
    if "importance" in turn.said:
        more["importance"] = turn.number("importance", least=0, most=10)
    changed = {name: value for name, value in (said | more).items() if value != _present(memory, name)}
    if changed:
        hindbrain.edit(memory.id, version=turn.number("version"), **changed)  # type: ignore[arg-type]
    return _back(turn, "edit")


_WRITTEN = ("title", "content", "type", "category")


def _present(memory: Memory, name: str) -> object:
    value = getattr(memory, name)
    return list(value) if isinstance(value, tuple) else value


def _split(text: str) -> list[str]:
    return [one.strip() for one in text.split(",") if one.strip()]


def pin(turn: Turn) -> Move:
    hindbrain, memory = turn.memory(is_changed=True)
    hindbrain.edit(memory.id, version=turn.number("version"), pinned=not memory.is_pinned)
    return _back(turn, "pin")


def delete(turn: Turn) -> Move:
    hindbrain, memory = turn.memory(is_changed=True)
    reason = turn.said.get("reason", "").strip() or "deleted"
    hindbrain.delete(memory.id, reason=reason, version=turn.number("version"))
    return _back(turn, "delete")


def restore(turn: Turn) -> Move:
    hindbrain, memory = turn.memory(is_changed=True)
    hindbrain.restore(memory.id)
    return _back(turn, "restore")


def verdict(turn: Turn) -> Move:
    hindbrain, memory = turn.memory(is_changed=True)
    said = turn.said
    hindbrain.verdict(memory.id, said.get("effect", ""), note=said.get("note", ""), by=turn.visit.caller.name)
    return _back(turn, "verdict")


def confirm(turn: Turn) -> Move:
    hindbrain, memory = turn.memory(is_changed=True)
    hindbrain.confirm(memory.id)
    return _back(turn, "confirm")


def review(turn: Turn) -> Move:
    hindbrain, memory = turn.memory(is_changed=True)
    asked = turn.said.get("review", "")
    if not any(one.id == asked for one in hindbrain.why(memory.id).reviews):
        raise Refused(404, "unknown_review", "there is no such question about it", fix="load the page again")
    hindbrain.decide(asked, turn.said.get("decision", ""), by=turn.visit.caller.name)
    return _back(turn, "review")


def _back(turn: Turn, done: str) -> Move:
    return Move(to=turn.link(f"/memories/{turn.at['id']}", done=done))
