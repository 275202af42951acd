"""How one memory stands in Loki's JSON: which field says what, in both directions.

A memory that came from a file keeps the fields of its record in its body, known or not. Written again, it is that
record with whatever has changed here since; a memory that was born here gets a record of the same form. What Loki has
no field for (`title`, `tags`, `files`, `evidence`, `said_by`, `learned_at`, `superseded_by`) stands in fields of our
own, which it passes over, and which bring the whole memory back.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from hindbrain.core.model.bodies import faults
from hindbrain.core.model.foreign import Told
from hindbrain.core.model.link import Link, Relation
from hindbrain.core.model.memory import TYPES, Kind, Memory
from hindbrain.core.model.moment import stamp, to_milliseconds
from hindbrain.core.shape import CATEGORIES, title_of
from hindbrain.core.value import dataclass
from hindbrain.dialects.careful import moment_of

LEARNINGS = "learnings"  # value of `told_in` of what stands in learnings/, not in semantic/
_MOST_CONFIDENT = 0.7  # what a file may be sure of here; a record that says more keeps saying so
_ORDER = (
    *("id", "task_id", "timestamp", "ts", "duration_seconds", "agent", "context", "action_log", "outcome"),
    *("errors_encountered", "artifacts_produced", "git_commit", "summary"),
    *("kind", "type", "pattern", "fact", "what_fails", "what_failed", "why", "prevention", "prevent", "source"),
    *("title", "category", "conditions", "correct_approach", "incorrect_approach", "confidence", "importance"),
    *("source_episodes", "usage_count", "last_used", "evidence", "tags", "files", "persona", "said_by"),
    *("learned_at", "superseded_by", "superseded_at", "links"),
)
_PLACE = {name: place for place, name in enumerate(_ORDER)}
_OURS = frozenset(  # fields that a memory has itself: its body need not repeat them
    ("id", "kind", "type", "title", "tags", "files", "evidence", "persona", "said_by", "learned_at")
) | {"superseded_by", "superseded_at"}
_TIMES = ("learned_at", "timestamp", "ts", "created_at", "extracted_at", "last_used", "updated_at")
_TEXTS = {  # the first that is there says it
    Kind.PATTERN: ("pattern", "description", "content", "text"),
    Kind.FACT: ("fact", "content", "text", "statement", "value", "description"),
    Kind.ANTI_PATTERN: ("what_fails", "what_failed", "mistake", "pattern", "content", "text"),
}
_CONTEXT: tuple[str, ...] = ("phase", "goal", "constraints", "files_involved")
_WHY = ("why", "reason", "cause")
_INSTEAD = ("prevention", "prevent", "correct_approach", "fix", "resolution")
_JUNK = re.compile(r"Pattern(?: for|:) .{0,2000}\((?:\d+ instances?|and \d+ similar)\)\s*", re.DOTALL)
_SAID_BY = ("hat", "instance", "session", "task")


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """What a record tells, with what had to be put right; `fault` says why it tells nothing."""

    told: Told | None = None
    fault: str = ""
    repair: str = ""


def read(record: object, kind: Kind, *, where: str, is_archived: bool = False) -> Leaf:
    """One element of a file. A bare text is a record that says nothing else."""
    if isinstance(record, str):
        record = {_TEXTS.get(kind, ("fact",))[0]: record}
    if not isinstance(record, dict):
        return Leaf(fault="no object")
    given = _normal(record, kind)
    said = content_of(given, kind)
    if not any(map(str.isalnum, said)) or (kind is Kind.PATTERN and _is_junk(given)):
        return Leaf(fault="says nothing")
    body, repair = _body(given, kind)
    told = Told(
        where=where,
        content=said,
        kind=_kind(given, kind),
        body=body,
        is_archived=is_archived,
        **_facets(given, kind),
        **_fortunes(given),
    )
    return Leaf(told=told, repair=repair)


def content_of(record: Mapping[str, Any], kind: Kind) -> str:
    """What a person and a search find of the record."""
    if kind is Kind.EPISODE:
        return _text(record.get("summary")) or _episode(record)
    if kind is Kind.PATTERN:
        when = "; ".join(_texts(record.get("conditions")))
        tail = {"When": when, "Do": record.get("correct_approach"), "Not": record.get("incorrect_approach")}
        lines = (f"{head}: {_text(said)}" for head, said in tail.items() if _text(said))
        return "\n".join((_text(record.get("pattern")), *lines)).strip()
    if kind is Kind.ANTI_PATTERN:
        first = ": ".join(filter(None, (_text(record.get("what_fails")), _text(record.get("why")))))
        instead = _text(record.get("prevention"))
        return "\n".join(filter(None, (first, f"Instead: {instead}" if instead else "")))
    return _text(record.get("fact"))


def time_of(value: object) -> datetime | None:
    """Loki also writes `+00:00Z`."""
    if isinstance(value, str) and value.endswith("Z") and "+" in value[10:]:
        value = value[:-1]
    found = moment_of(value)
    return to_milliseconds(found) if found else None


# ---- reading


def _normal(record: Mapping[str, Any], kind: Kind) -> dict[str, Any]:
    """The record with its text in the field where the document has it."""
    given = dict(record)
    if kind in _TEXTS:
        _renamed(given, _TEXTS[kind])
    if kind is Kind.ANTI_PATTERN:
        _renamed(given, _WHY)
        _renamed(given, _INSTEAD)
    if kind is Kind.EPISODE and not isinstance(given.get("context"), dict):
        loose = {name: given.pop(name) for name in _CONTEXT if name in given}
        if given.get("context"):
            given.update(loose)
        elif loose:
            given["context"] = loose
    return given


def _renamed(given: dict[str, Any], names: Sequence[str]) -> None:
    first, *others = names
    if _text(given.get(first)):
        return
    other = next((name for name in others if _text(given.get(name))), None)
    if other:
        given[first] = given.pop(other)


def _is_junk(record: Mapping[str, Any]) -> bool:
    """What Loki's consolidation makes of episodes that share nothing but a folder: a sentence without a statement."""
    if _text(record.get("correct_approach")) or _text(record.get("incorrect_approach")):
        return False
    return _JUNK.fullmatch(_text(record.get("pattern"))) is not None


def _kind(record: Mapping[str, Any], kind: Kind) -> Kind:
    return Kind.LESSON if kind is Kind.FACT and record.get("kind") == "lesson" else kind


def _body(record: Mapping[str, Any], kind: Kind) -> tuple[dict[str, object], str]:
    """Fields that are not as a body may have them are set apart, and come back when it is written."""
    body: dict[str, object] = {}
    odd: dict[str, object] = {}
    for name, value in record.items():
        if name not in _OURS:
            (odd if value is None or faults(kind, {name: value}) else body)[name] = value
        elif not _is_ours(name, value):
            odd[name] = value
    wrong = [fault for name, value in odd.items() if value is not None for fault in faults(kind, {name: value})]
    return body | ({"odd": odd} if odd else {}), "; ".join(wrong)


def _is_ours(name: str, value: object) -> bool:
    """Whether the memory itself will have it; another program may use the same name for something else."""
    if name in ("tags", "files"):
        return isinstance(value, list)
    if name in ("evidence", "said_by"):
        return isinstance(value, int | dict)
    return value in TYPES if name == "type" else value == "lesson" if name == "kind" else isinstance(value, str)


def _facets(record: Mapping[str, Any], kind: Kind) -> dict[str, Any]:
    said_by = record["said_by"] if isinstance(record.get("said_by"), dict) else {}
    category = record.get("category")
    type_ = _text(record.get("type"))
    given = {name: _text(said_by.get(name)) for name in _SAID_BY}
    return {
        "id": _text(record.get("id")),
        "type": type_ if type_ in TYPES else "learned",
        "title": _text(record.get("title")),
        "category": category if category in CATEGORIES else None,
        "tags": _list(record.get("tags")),
        "file_refs": _files(record, kind),
        "persona": _text(record.get("persona")) or None,
        "links": tuple(_links(record)),
        **given,
        "instance": given["instance"] or _text(record.get("agent")),
        "task": given["task"] or _text(record.get("task_id")),
    }


def _fortunes(record: Mapping[str, Any]) -> dict[str, Any]:
    times = (time_of(record.get(name)) for name in _TIMES)
    return {
        "learned_at": next((time for time in times if time), None),
        "confidence": _number(record.get("confidence")),
        "importance": _importance(record),
        "evidence": _whole(record.get("evidence"), 1),
        "used": _whole(record.get("usage_count"), 0),
        "last_used_at": time_of(record.get("last_used")),
        "superseded_by": _text(record.get("superseded_by")) or _successor(record),
        "superseded_at": time_of(record.get("superseded_at")),
    }


def _successor(record: Mapping[str, Any]) -> str:
    found = (to for relation, to in _links(record) if relation is Relation.SUPERSEDED_BY)
    return next(found, "")


def _links(record: Mapping[str, Any]) -> Iterator[tuple[Relation, str]]:
    """Those of the record, and the episodes that it was drawn from (X-27)."""
    for link in record["links"] if isinstance(record.get("links"), list) else []:
        if isinstance(link, dict) and link.get("relation") in tuple(Relation) and _text(link.get("to")):
            yield Relation(link["relation"]), _text(link["to"])
    sources = (*_texts(record.get("source_episodes")), _text(record.get("source")))
    yield from ((Relation.DERIVED_FROM, source) for source in dict.fromkeys(sources) if source)


def _files(record: Mapping[str, Any], kind: Kind) -> tuple[str, ...] | None:
    if "files" in record or kind is not Kind.EPISODE:
        return _list(record.get("files"))
    context = record.get("context")
    involved = _texts(context.get("files_involved") if isinstance(context, dict) else ())
    own = (*involved, *_texts(record.get("artifacts_produced")), *_texts(record.get("files_modified")))
    return tuple(dict.fromkeys(path for path in own if not path.startswith(".loki/")))


def _episode(record: Mapping[str, Any]) -> str:
    context = record["context"] if isinstance(record.get("context"), dict) else {}
    goal = _text(context.get("goal")) or _text(record.get("task_id"))
    outcome = _text(record.get("outcome"))
    lines = [": ".join(filter(None, (goal, outcome)))] if goal else []
    lines += [f"Constraint: {said}" for said in _texts(context.get("constraints"))]
    lines += list(dict.fromkeys((*_errors(record), *_failed(record))))
    return "\n".join(lines)


def _errors(record: Mapping[str, Any]) -> Iterator[str]:
    errors = record.get("errors_encountered")
    for error in errors if isinstance(errors, list) else []:
        if isinstance(error, str) and error.strip():
            yield f"Error: {error.strip()}"
        elif isinstance(error, dict):
            said = ": ".join(filter(None, (_text(error.get("type")), _text(error.get("message")))))
            cure = _text(error.get("resolution"))
            if said or cure:
                yield f"Error: {said}" + (f". Fixed by: {cure}" if cure else "")


def _failed(record: Mapping[str, Any]) -> Iterator[str]:
    log = record.get("action_log")
    for step in log if isinstance(log, list) else []:
        if isinstance(step, dict) and _text(step.get("error")):
            yield f"Failed: {_text(step.get('action')) or 'a step'}: {_text(step['error'])}"


def _importance(record: Mapping[str, Any]) -> int | None:
    """Loki's goes from 0 to 1, ours to 10."""
    value = _number(record.get("importance"))
    if value is None:
        return None
    return round(min(max(value if value > 1 else 10 * value, 0), 10))


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    return [item.strip() for item in value if isinstance(item, str) and item.strip()] if isinstance(value, list) else []


def _list(value: object) -> tuple[str, ...] | None:
    return tuple(dict.fromkeys(_texts(value))) if isinstance(value, list) else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: object, least: int) -> int:
    return max(value, least) if isinstance(value, int) and not isinstance(value, bool) else least


# ---- writing


def written(memory: Memory, names: Mapping[str, str], *, links: Sequence[Link]) -> dict[str, Any]:
    """The record of a memory. `links` are all of the project."""
    record = {name: value for name, value in memory.body.items() if name not in ("odd", *_OURS)}
    odd = memory.body.get("odd")
    record |= {name: value for name, value in odd.items() if name not in record} if isinstance(odd, dict) else {}
    record["id"] = names[memory.id]
    _say(record, memory)
    _place(record, memory)
    _source(record, names)
    _say_by(record, memory)
    _fare(record, memory)
    record |= _ties(record, memory, names=names, links=links)
    times = _fortunes(record)["learned_at"]
    if times != to_milliseconds(memory.learned_at):
        name = "timestamp" if memory.kind is Kind.EPISODE and not record.get("timestamp") else "learned_at"
        record[name] = stamp(memory.learned_at)
    return dict(sorted(record.items(), key=lambda item: _PLACE.get(item[0], len(_PLACE))))


def _say(record: dict[str, Any], memory: Memory) -> None:
    """Put the memory's text where the record has it, unless it says so already."""
    if content_of(record, memory.kind) == memory.content:
        return
    if memory.kind is Kind.PATTERN:
        record |= _parted(memory.content)
    elif memory.kind is Kind.ANTI_PATTERN:
        head, _, instead = memory.content.partition("\nInstead: ")
        what, _, why = head.partition(": ")
        record |= {"what_fails": what, "why": why, "prevention": instead}
    elif memory.kind is Kind.EPISODE:
        record["summary"] = memory.content
    else:
        record["fact"] = memory.content
    if content_of(record, memory.kind) != memory.content:
        record |= _whole_text(memory)


def _parted(content: str) -> dict[str, Any]:
    """A pattern's text in the parts that `content_of` makes one of."""
    lines = content.split("\n")
    found = {"When": "", "Do": "", "Not": ""}
    for head in reversed(found):
        if len(lines) > 1 and lines[-1].startswith(f"{head}: "):
            found[head] = lines.pop().removeprefix(f"{head}: ")
    conditions = [said for said in found["When"].split("; ") if said]
    approaches = {"correct_approach": found["Do"], "incorrect_approach": found["Not"]}
    return {"pattern": "\n".join(lines), "conditions": conditions, **approaches}


def _whole_text(memory: Memory) -> dict[str, Any]:
    if memory.kind is Kind.PATTERN:
        return {"pattern": memory.content, "conditions": [], "correct_approach": "", "incorrect_approach": ""}
    return {"what_fails": memory.content, "why": "", "prevention": ""}


def _place(record: dict[str, Any], memory: Memory) -> None:
    """What it is about, and whose it is."""
    if memory.title != title_of(memory.content):
        record["title"] = memory.title
    if memory.kind is Kind.LESSON or memory.type != "learned":
        record["type"] = memory.type
    if memory.kind is Kind.LESSON:
        record["kind"] = "lesson"
    if "category" not in record or (memory.category_is_fixed and memory.category != record["category"]):
        record["category"] = memory.category
    record |= {"tags": list(memory.tags), "files": list(memory.file_refs)}
    if memory.persona:
        record["persona"] = memory.persona


def _source(record: dict[str, Any], names: Mapping[str, str]) -> None:
    """Where it came from, by the names that stand in the files."""
    if isinstance(record.get("source_episodes"), list):
        record["source_episodes"] = [names.get(one, one) for one in _texts(record["source_episodes"])]
    if isinstance(record.get("source"), str):
        record["source"] = names.get(record["source"], record["source"])


def _say_by(record: dict[str, Any], memory: Memory) -> None:
    """Who said it, unless the record's own fields do."""
    told = _facets(record, memory.kind)
    actor, origin = memory.provenance.actor, memory.provenance
    said_by = {"hat": actor.hat, "instance": actor.instance, "session": origin.session, "task": origin.task}
    if rest := {name: value for name, value in said_by.items() if value and value != told[name]}:
        record["said_by"] = rest


def _fare(record: dict[str, Any], memory: Memory) -> None:
    """How it has fared, where that is not what the record says already."""
    told = _fortunes(record)
    if told["confidence"] is None or min(max(told["confidence"], 0.0), _MOST_CONFIDENT) != memory.confidence:
        record["confidence"] = memory.confidence
    if told["importance"] != memory.importance:
        record["importance"] = memory.importance / 10
    if told["used"] != memory.counters.injected:
        record["usage_count"] = memory.counters.injected
    used_at = to_milliseconds(memory.last_used_at) if memory.last_used_at else None
    if told["last_used_at"] != used_at:
        record["last_used"] = stamp(used_at) if used_at else None
    if memory.counters.evidence > 1:
        record["evidence"] = memory.counters.evidence


def _ties(
    record: Mapping[str, Any], memory: Memory, *, names: Mapping[str, str], links: Sequence[Link]
) -> dict[str, Any]:
    ties: dict[str, Any] = {}
    if memory.superseded_by and memory.superseded_by in names:
        at = memory.superseded_at or memory.updated_at
        ties |= {"superseded_by": names[memory.superseded_by], "superseded_at": stamp(at)}
    if memory.kind is not Kind.EPISODE:
        own = [link for link in links if link.source == memory.id and link.target in names]
        ties["links"] = _own_links(record, [(str(link.relation), names[link.target]) for link in own])
    return ties


def _own_links(record: Mapping[str, Any], own: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """As the record has them, where it does; without those that `source_episodes` and `source` tell."""
    given = record["links"] if isinstance(record.get("links"), list) else []
    as_told = {(one.get("relation"), one.get("to")): one for one in given if isinstance(one, dict)}
    sources = {*_texts(record.get("source_episodes")), record.get("source")}
    told = {tie for tie in own if tie[0] != Relation.DERIVED_FROM or tie[1] not in sources}
    return [as_told.get(tie, {"to": tie[1], "relation": tie[0]}) for tie in sorted(told)]
