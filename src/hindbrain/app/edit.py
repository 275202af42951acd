"""What a person may change about a memory, and what follows from it."""

from collections.abc import Callable, Mapping

from hindbrain.app.admission import admitted, admitted_list
from hindbrain.app.revise import refuse_changed, revised
from hindbrain.app.select import known
from hindbrain.app.settle import settled
from hindbrain.app.show import show
from hindbrain.core.hints import Any
from hindbrain.core.learning.importance import BY_PERSON, WEIGHED_BY
from hindbrain.core.model import TYPES, Actor, ActorType, Event, Kind, Memory, Reach, ReviewKind, State
from hindbrain.core.shape import CATEGORIES, shape, title_of
from hindbrain.core.trust import HUMAN
from hindbrain.core.value import replace
from hindbrain.errors import BadValue, Conflict
from hindbrain.ports import Changes, Clock, Store, Transaction


def edit(
    memory_id: str, changes: Mapping[str, object], *, store: Store, clock: Clock, version: int | None = None
) -> Memory:
    """A new version by a person's hand: trusted from then on, and out of quarantine.

    What is absent from `changes` stays. When everything is as it was already, there is no new version.
    """
    wishes = _checked(changes)
    wanted = show(memory_id, store=store).id
    now = clock.now()

    def work(tx: Transaction) -> Memory:
        memory = show(wanted, store=tx)
        refuse_changed(memory, version)
        if memory.state in (State.ARCHIVED, State.SUPERSEDED):
            raise Conflict(f"{memory.id} is {memory.state}", fix=f"run `hindbrain restore {memory.id}` first")
        after = _after(memory, wishes)
        if after == memory:
            return memory
        after = revised(after, at=now, trust=HUMAN)
        data = {"memory_id": memory.id, "fields": sorted(wishes)}
        event = Event(name="memory_edited", at=now, project=memory.project, memory_id=memory.id, data=data)
        reviews = settled(memory, tx, decision="released", at=now, kinds=(ReviewKind.QUARANTINE,))
        by = Actor(type=ActorType.HUMAN)
        tx.apply(Changes(memories=(after,), reviews=reviews, events=(event,), by=by, change="edited"))
        return after

    return store.write(work)


def _after(memory: Memory, wishes: Mapping[str, Any]) -> Memory:
    content, type_ = wishes.get("content", memory.content), wishes.get("type", memory.type)
    if (content, type_) != (memory.content, memory.type):
        memory = reshaped(memory, content=content, type_=type_, wishes=wishes)
    else:
        plain = {name: wishes[name] for name in ("title", "tags", "file_refs") if name in wishes}
        memory = replace(memory, **plain)
    if "category" in wishes:
        memory = replace(memory, category=wishes["category"], category_is_fixed=True)
    if "importance" in wishes and memory.kind is Kind.SCAR:
        memory = replace(memory, body={**memory.body, WEIGHED_BY: BY_PERSON})  # no model weighs it from now on
    return replace(
        memory,
        importance=wishes.get("importance", memory.importance),
        confidence=wishes.get("confidence", memory.confidence),
        is_pinned=wishes.get("pinned", memory.is_pinned),
        reach=wishes.get("everywhere", memory.reach),
    )


def reshaped(memory: Memory, *, content: str, type_: str, wishes: Mapping[str, Any]) -> Memory:
    """What the text alone had suggested is suggested anew; what somebody had chosen stays."""
    old, new = shape(memory.content, type=memory.type), shape(content, type=type_)
    chosen_tags = wishes.get("tags", tuple(tag for tag in memory.tags if tag not in old.tags))
    chosen_refs = wishes.get("file_refs", tuple(ref for ref in memory.file_refs if ref not in old.file_refs))
    title = new.title if memory.title == old.title else memory.title
    return replace(
        memory,
        content=content,
        type=type_,
        title=wishes.get("title", title),
        category=memory.category if memory.category_is_fixed else new.category,
        tags=tuple(dict.fromkeys((*new.tags, *chosen_tags))),
        file_refs=tuple(dict.fromkeys((*chosen_refs, *new.file_refs))),
        error_signature=new.error_signature,
        key=new.key,
        legacy_key=new.legacy_key,
        content_hash=new.content_hash,
        chorus_hash=new.chorus_hash,
    )


def _checked(changes: Mapping[str, object]) -> dict[str, Any]:
    """Every wish as the value that the memory will have. BadValue or TooLong before anything is read or written."""
    fields = ", ".join(_READERS)
    if not changes:
        raise BadValue("there is nothing to change", fix=f"give one of: {fields}")
    if unknown := [name for name in changes if name not in _READERS]:
        raise BadValue(f"a memory has no field {unknown[0]!r} to edit", fix=f"use: {fields}")
    return {name: _READERS[name](name, value) for name, value in changes.items()}


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise BadValue(f"{name} must be text, not {value!r:.80}", fix=f"give the {name} as text")
    text = admitted(value, name=f"the {name}").text.strip()
    if not text:
        raise BadValue(f"the {name} is empty", fix=f"give a {name}, or leave it out to keep the old one")
    return text


def _title(name: str, value: object) -> str:
    return title_of(_text(name, value))


def _texts(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise BadValue(f"{name} must be a list of texts, not {value!r:.80}", fix=f"give {name} one by one")
    return admitted_list(value, name=name)


def _number(name: str, value: object, *, most: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise BadValue(f"{name} {value!r:.80} is not between 0 and {most}", fix=f"give a number from 0 to {most}")
    return value


def _importance(name: str, value: object) -> int:
    if isinstance(value, float):
        raise BadValue(f"{name} {value} is not a whole number", fix="give a whole number from 0 to 10")
    return int(_number(name, value, most=10))


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise BadValue(f"{name} must be true or false, not {value!r:.80}", fix=f"say whether it is {name}, or not")
    return value


_READERS: Mapping[str, Callable[[str, object], object]] = {
    "content": _text,
    "title": _title,
    "type": lambda name, value: known(_text(name, value), TYPES, name=name),
    "category": lambda name, value: known(_text(name, value), CATEGORIES, name=name),
    "tags": _texts,
    "file_refs": _texts,
    "importance": _importance,
    "confidence": lambda name, value: float(_number(name, value, most=1)),
    "pinned": _flag,
    "everywhere": lambda name, value: Reach.EVERYWHERE if _flag(name, value) else Reach.PROJECT,
}
