"""What a person writes down: trusted at once, shaped and compared like everything else."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from hindbrain.app.admission import (
    admitted,
    admitted_body,
    admitted_list,
    kinds_removed,
    measured,
    measured_together,
    tidy,
)
from hindbrain.app.compose import Draft, compose
from hindbrain.app.embed import vectors_now
from hindbrain.app.keep import Newcomer, foresee, keep, wordings
from hindbrain.app.revise import revised
from hindbrain.app.tools import Tools
from hindbrain.core.model import TYPES, Actor, ActorType, Kind, Memory, Provenance, Reach, Receipt, Source
from hindbrain.core.model.bodies import faults
from hindbrain.core.model.moment import in_utc, stamp
from hindbrain.core.model.record import fingerprint
from hindbrain.core.shape import CATEGORIES, title_of
from hindbrain.core.value import dataclass, field, replace
from hindbrain.errors import BadValue
from hindbrain.ports import Changes, Saying, Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    content: str
    type: str = "learned"
    kind: str = "lesson"
    title: str = ""
    category: str = ""
    tags: Sequence[str] = ()
    file_refs: Sequence[str] = ()
    persona: str = ""
    hat: str = ""
    session: str = ""
    task: str = ""
    importance: int = 5
    confidence: float | None = None
    body: Mapping[str, object] = field(default_factory=dict)
    everywhere: bool = False
    pinned: bool = False
    learned_at: datetime | None = None  # None: now; without a zone: UTC


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """That something will be kept, given before it is."""

    id: str  # of the receipt that will tell what became of it
    at: datetime
    removed: tuple[str, ...] = ()  # what the door took out since


def add(noted: Noted, *, project: str, tools: Tools, promise: Promise | None = None) -> Receipt:
    """Keep what a person says; what was promised, once. BadValue or TooLong before anything is written."""
    now, chance, settings = tools.clock.now(), tools.chance, tools.settings
    checked(noted, now)
    noted = _tidied(noted)
    passed = admitted(noted.content, name="the content")
    _refuse_empty(passed.text)
    promised = promise or Promise(id=chance.id("rcp", now), at=now)
    draft = _drafted(noted, passed.text.strip(), project=project, promise=promised, is_late=promise is not None)
    memory, judged = compose(draft, memory_id=chance.id("mem", now), now=now, settings=settings)
    saying = Saying(memory_id=memory.id, receipt=promised.id, session=noted.session, speaker="human", at=promised.at)
    memory = _with_wishes(memory, noted)
    newcomer = Newcomer(
        memory=memory, saying=saying, trust_reason=judged.reason, vectors=vectors_now(memory, tools.embedder)
    )

    def work(tx: Transaction) -> Receipt:
        key = fingerprint([promised.id])
        if promise and (known := tx.receipts_for(key)):
            return replace(known, is_replay=True)
        kept = keep(newcomer, tx, chance=chance, settings=settings)
        _apply_wishes(kept.memory_id, newcomer.memory, noted=noted, tx=tx)
        receipt = Receipt(
            id=promised.id,
            key=key,
            at=now,
            project=project,
            verdict=kept.verdict,
            text=memory.content,
            reason=kept.reason,
            memory_id=kept.memory_id,
            supersedes=kept.supersedes,
            said_at=draft.said_at,
            session=noted.session,
            task=noted.task,
            adapter="cli",
            removed=tuple(dict.fromkeys((*promised.removed, *kinds_removed(passed)))),
        )
        tx.apply(Changes(receipts=(receipt,)))
        return receipt

    return tools.store.write(work, meanwhile=lambda reader: foresee(wordings(memory), reader, settings=settings))


def _drafted(noted: Noted, text: str, *, project: str, promise: Promise, is_late: bool) -> Draft:
    said_at = min(in_utc(noted.learned_at), promise.at) if noted.learned_at else None
    return Draft(
        text=text,
        project=project,
        provenance=Provenance(
            actor=Actor(type=ActorType.HUMAN, persona=noted.persona, hat=noted.hat),
            session=noted.session,
            task=noted.task,
            source=Source.MANUAL,
            adapter="cli",
            receipt=promise.id,
        ),
        type=noted.type,
        kind=Kind(noted.kind),
        persona=noted.persona or None,
        said_at=said_at or (promise.at if is_late else None),
        body=admitted_body(noted.body),
    )


def _tidied(noted: Noted) -> Noted:
    return replace(
        noted,
        persona=tidy(noted.persona),
        hat=tidy(noted.hat),
        session=tidy(noted.session),
        task=tidy(noted.task),
    )


def _apply_wishes(memory_id: str, asked: Memory, *, noted: Noted, tx: Transaction) -> None:
    """What a person says about a memory that is known already holds for that one."""
    known = tx.memory(memory_id) if memory_id != asked.id else None
    if known is None:
        return
    wishes: dict[str, object] = {
        name: getattr(asked, name) for name, given in _given(noted) if given and getattr(asked, name) is not None
    }
    for name in ("tags", "file_refs"):
        if name in wishes:
            wishes[name] = tuple(dict.fromkeys((*getattr(known, name), *getattr(asked, name))))
    if any(getattr(known, name) != value for name, value in wishes.items()):
        better = revised(known, at=asked.updated_at, **wishes)
        tx.apply(Changes(memories=(better,), by=asked.provenance.actor, change="edited"))


def _given(noted: Noted) -> Iterator[tuple[str, bool]]:
    """Fields of a memory, and whether the person said something about them."""
    yield from (("title", bool(noted.title)), ("category", bool(noted.category)))
    yield from (("category_is_fixed", bool(noted.category)), ("tags", bool(noted.tags)))
    yield from (("file_refs", bool(noted.file_refs)), ("importance", noted.importance != _USUAL))
    yield from (("confidence", noted.confidence is not None), ("reach", noted.everywhere), ("is_pinned", noted.pinned))
    yield ("learned_at", noted.learned_at is not None)


_USUAL = 5  # importance that nobody asked for


_AHEAD = timedelta(days=1)  # a day that has begun for the person may not have begun in UTC


def checked(noted: Noted, now: datetime) -> None:
    """BadValue for whatever can be told to be wrong without the store; TooLong for what no memory can hold."""
    _measure(noted)
    choices = (
        ("type", noted.type, TYPES),
        ("kind", noted.kind, tuple(Kind)),
        ("category", noted.category or CATEGORIES[0], CATEGORIES),
    )
    for name, value, allowed in choices:
        if value not in allowed:
            raise BadValue(f"there is no {name} {value!r}", fix=f"use one of: {', '.join(allowed)}")
    if not 0 <= noted.importance <= 10:
        raise BadValue(f"importance {noted.importance} is not between 0 and 10", fix="5 is the usual value")
    if noted.confidence is not None and not 0 <= noted.confidence <= 1:
        raise BadValue(f"confidence {noted.confidence} is not between 0 and 1", fix="0.8 is the usual value")
    if noted.learned_at is not None and in_utc(noted.learned_at) > now + _AHEAD:
        raise BadValue(
            f"{stamp(in_utc(noted.learned_at))} is in the future", fix="say when it was learned, not when it holds"
        )
    if wrong := faults(Kind(noted.kind), noted.body):
        raise BadValue("; ".join(wrong), fix="correct the body, or leave the field out")


def _measure(noted: Noted) -> None:
    _refuse_empty(noted.content)
    measured(noted.content, name="the content")
    measured(noted.title, name="the title")
    measured_together(noted.tags, name="tags")
    measured_together(noted.file_refs, name="file_refs")


def _refuse_empty(text: str) -> None:
    if not text.strip():
        raise BadValue("the content is empty", fix="give the text of the memory")


def _with_wishes(memory: Memory, noted: Noted) -> Memory:
    """What the person said about the memory, over what the text alone suggests."""
    tags = admitted_list(noted.tags, name="tags")
    refs = admitted_list(noted.file_refs, name="file_refs")
    return replace(
        memory,
        title=title_of(admitted(noted.title, name="the title").text.strip()) if noted.title else memory.title,
        category=noted.category or memory.category,
        category_is_fixed=bool(noted.category),
        tags=tuple(dict.fromkeys((*memory.tags, *tags))),
        file_refs=tuple(dict.fromkeys((*refs, *memory.file_refs))),
        importance=noted.importance,
        confidence=memory.confidence if noted.confidence is None else noted.confidence,
        reach=Reach.EVERYWHERE if noted.everywhere else Reach.PROJECT,
        is_pinned=noted.pinned,
    )
