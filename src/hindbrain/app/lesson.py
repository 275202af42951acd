"""How a workstream is kept while it runs, and what it leaves when it closes: a draft for a person, or a reason why not.

It is kept as a memory, so that it can be recalled (`--scope chantiers`); each of its turns is a memory tied to it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from hindbrain.app.admission import admitted, tidy
from hindbrain.app.compose import MAX_CHARACTERS, Draft, compose
from hindbrain.app.consult import all_said, consult, said, writer
from hindbrain.app.revise import revised
from hindbrain.app.show import show
from hindbrain.app.tools import Tools
from hindbrain.core.hints import Any
from hindbrain.core.learning.importance import BY_RULES
from hindbrain.core.learning.workstream import (
    LATEST,
    LONGEST_LOG,
    MOST_LOGS,
    Iteration,
    Scarred,
    Words,
    Workstream,
    bundle,
    draft,
    too_small,
)
from hindbrain.core.model import Actor, ActorType, Event, Kind, Link, Memory, Provenance, Relation, Source, State
from hindbrain.core.model.call import NoModel
from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.core.notation import write
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import BadValue, Conflict, TooLong
from hindbrain.ports import Changes, Reader, Where

USE = "lesson"
SCHEMA: Mapping[str, object] = {
    "type": "object",
    "required": ["tokens", "errors", "patterns", "doctrine", "tool"],
    "properties": {
        "tokens": {"type": "string"},
        "errors": {"type": "array", "maxItems": 3, "items": {"type": "string"}},
        "patterns": {"type": "array", "maxItems": 3, "items": {"type": "string"}},
        "doctrine": {"type": "string"},
        "tool": {"type": "string"},
    },
}
_BODY = "chantier"
_BY = Actor(type=ActorType.HUMAN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What happened in a workstream since it was last told of."""

    tasks: Sequence[str] = ()
    works: Sequence[str] = ()
    iterations: Sequence[str] = ()  # `thought | action | observation`
    scars: Sequence[str] = ()  # ids of memories
    logs: Sequence[str] = ()
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    work: Workstream
    bundle: dict[str, Any]
    text: str = ""  # the draft; "": it was too small for one
    path: str = ""  # where the draft lies in the vault; "": nowhere
    refused: str = ""  # why there is no draft
    made_by: str = ""  # rules, or the model and the version of its prompt
    trouble: str = ""  # why a model that should have written it did not


def open_work(title: str, *, estimate: int, project: str, tools: Tools) -> Workstream:
    now = tools.clock.now()
    text = admitted(" ".join(title.split()), name="the title").text
    if not text:
        raise BadValue("a workstream needs a title", fix="say what the work is about")
    if estimate < 0:
        raise BadValue(f"{estimate} tokens cannot be estimated", fix="give a number from 0")
    body = {_BODY: {"title": text, "estimate": estimate, "tokens": 0}}
    memory = _composed(text, body=body, project=project, tools=tools)
    tools.store.write(lambda tx: tx.apply(Changes(memories=(memory,), by=_BY)))
    return Workstream(id=memory.id, title=text, opened_at=now, estimate=estimate)


def listed(project: str, *, tools: Tools) -> tuple[Workstream, ...]:
    """Those that were ever opened, newest first."""
    where = Where(project=project, kinds=(Kind.ITERATION,), with_everywhere=False)
    found = tools.store.select(where, order="newest")
    return tuple(_work(memory, tools.store) for memory in found if _BODY in memory.body)


def progressed(work_id: str, progress: Progress, *, tools: Tools) -> Workstream:
    """Note down what happened. Conflict when it is closed already."""
    now = tools.clock.now()
    memory = _open(work_id, tools.store)
    turns = [_turn(text, memory, progress=progress, tools=tools) for text in progress.iterations]
    scars = [_scar(scar_id, tools.store).id for scar_id in progress.scars]
    after = revised(memory, at=now, body={_BODY: _added(memory, progress, turns=turns, scars=scars)})
    if (size := len(str(after.body))) > MAX_CHARACTERS:
        raise TooLong(f"the workstream has {size:,} characters, at most {MAX_CHARACTERS:,}", fix="close it")
    links = [Link(source=one.id, target=memory.id, relation=Relation.ELABORATES, at=now) for one in turns]
    links += [Link(source=memory.id, target=one, relation=Relation.RELATED_TO, at=now, reason="scar") for one in scars]
    changes = Changes(memories=(*turns, after), links=tuple(links), by=_BY, change="progressed")
    tools.store.write(lambda tx: tx.apply(changes))
    return _work(after, tools.store)


def close(work_id: str, *, tools: Tools) -> Closed:
    """Close it. What is worth a lesson leaves a draft in inbox/ where there is a vault; what is not leaves a reason."""
    now = tools.clock.now()
    work = replace(_work(_open(work_id, tools.store), tools.store), closed_at=now)
    reason = too_small(work)
    told = Closed(work=work, bundle=bundle(work), refused=reason) if reason else _told(work, tools=tools)
    memory = _open(work_id, tools.store)  # once more: a model may have taken its time
    path = _filed(told, tools=tools) if told.text and tools.settings.vault else ""
    told = replace(told, path=path)
    record = {**_record(memory), "closed_at": stamp(now), "draft": path, "refused": reason, "made_by": told.made_by}
    data = {"memory_id": memory.id, "draft": path, "reason": reason, "made_by": told.made_by, "trouble": told.trouble}
    name = "lesson_refused" if reason else "lesson_drafted"
    event = Event(name=name, at=now, project=memory.project, memory_id=memory.id, data=data)
    after = revised(memory, at=now, body={_BODY: record})
    tools.store.write(lambda tx: tx.apply(Changes(memories=(after,), events=(event,), by=_BY, change="closed")))
    return told


def _told(work: Workstream, *, tools: Tools) -> Closed:
    """The lesson, in the words of a model where one answers as it should; else as the rules have it."""
    record, plain = bundle(work), draft(work)
    material = f"The record:\n{write(record)}\n\nWhat rules make of it:\n{plain}"
    answer = consult(USE, material, tools=tools, schema=SCHEMA)
    if isinstance(answer, NoModel):
        trouble = answer.why if answer.is_trouble else ""
        return Closed(work=work, bundle=record, text=plain, made_by=BY_RULES, trouble=trouble)
    words = Words(
        tokens=said(answer, "tokens"),
        errors=all_said(answer, "errors"),
        patterns=all_said(answer, "patterns"),
        doctrine=said(answer, "doctrine"),
        tool=said(answer, "tool"),
    )
    return Closed(work=work, bundle=record, text=draft(work, words), made_by=writer(answer))


def _filed(told: Closed, *, tools: Tools) -> str:
    from hindbrain.app import vault

    work = told.work
    note = vault.Draft(
        title=f"Lesson: {work.title}", text=told.text, type="lesson", source=work.id, made_by=told.made_by
    )
    return vault.note(note, by=Actor(type=ActorType.AUTOMATE), tools=tools)


def _open(work_id: str, reader: Reader) -> Memory:
    memory = show(work_id, store=reader)
    if _BODY not in memory.body or memory.state is not State.LIVE:
        raise BadValue(f"{memory.id} is no workstream", fix="`hindbrain lesson` lists them")
    if _record(memory).get("closed_at"):
        raise Conflict(f"{memory.id} is closed", fix="open another one")
    return memory


def _scar(scar_id: str, reader: Reader) -> Memory:
    memory = show(scar_id, store=reader)
    if memory.kind is not Kind.SCAR:
        raise BadValue(f"{memory.id} is no scar", fix="name a memory of kind scar")
    return memory


def _added(memory: Memory, progress: Progress, *, turns: Sequence[Memory], scars: Sequence[str]) -> dict[str, Any]:
    record = _record(memory)
    logs = [admitted(log[-4 * LONGEST_LOG :], name="a log").text[-LONGEST_LOG:] for log in progress.logs]
    return {
        **record,
        "tokens": int(record.get("tokens", 0)) + max(progress.tokens, 0),
        "tasks": _more(record, "tasks", new=map(tidy, progress.tasks)),
        "travaux": _more(record, "travaux", new=map(tidy, progress.works)),
        "scars": _more(record, "scars", new=scars),
        "iterations": _more(record, "iterations", new=[turn.id for turn in turns])[-LATEST:],
        "logs": [*record.get("logs", []), *logs][-MOST_LOGS:],
    }


def _more(record: dict[str, Any], name: str, *, new: Any) -> list[str]:
    """Each once, in the order in which they came."""
    return list(dict.fromkeys((*record.get(name, []), *filter(None, new))))


def _turn(text: str, work: Memory, *, progress: Progress, tools: Tools) -> Memory:
    parts = [part.strip() for part in admitted(text, name="an iteration").text.split("|", 2)]
    if len(parts) < 3 or not parts[1]:
        raise BadValue(f"{text[:80]!r} is no iteration", fix="write it as: thought | action | observation")
    thought, action, observation = parts
    body = {"thought": thought, "action": action, "observation": observation, "workstream": work.id}
    said = "\n".join(part for part in parts if part)
    task = tidy(progress.tasks[0]) if progress.tasks else ""
    return _composed(said, body=body, project=work.project, tools=tools, task=task)


def _composed(text: str, *, body: dict[str, Any], project: str, tools: Tools, task: str = "") -> Memory:
    now = tools.clock.now()
    provenance = Provenance(actor=_BY, source=Source.MANUAL, adapter="cli", task=task)
    plan = Draft(text=text, project=project, provenance=provenance, kind=Kind.ITERATION, body=body)
    memory_id = tools.chance.id("mem", now)
    memory, _ = compose(plan, memory_id=memory_id, now=now, settings=tools.settings)
    return replace(memory, key=f"iteration:{memory_id}")


def _work(memory: Memory, reader: Reader) -> Workstream:
    record = _record(memory)
    known = reader.memories([*record.get("iterations", []), *record.get("scars", [])])
    return Workstream(
        id=memory.id,
        title=str(record.get("title", memory.title)),
        opened_at=memory.created_at,
        estimate=int(record.get("estimate", 0)),
        tokens=int(record.get("tokens", 0)),
        closed_at=_moment(record.get("closed_at")),
        works=tuple(record.get("travaux", ())),
        tasks=tuple(record.get("tasks", ())),
        iterations=tuple(_iteration(known[one]) for one in record.get("iterations", ()) if one in known),
        scars=tuple(_scarred(known[one]) for one in record.get("scars", ()) if one in known),
        logs=tuple(record.get("logs", ())),
    )


def _iteration(memory: Memory) -> Iteration:
    texts = {name: str(memory.body.get(name, "")) for name in ("thought", "action", "observation")}
    return Iteration(task=memory.provenance.task, **texts)


def _scarred(memory: Memory) -> Scarred:
    return Scarred(
        id=memory.id,
        is_victory=memory.body.get("outcome") == "victory",
        title=memory.title,
        lesson=str(memory.body.get("check_added") or memory.content),
        importance=memory.importance,
        times=memory.counters.evidence,
        signature=memory.error_signature or "",
    )


def _record(memory: Memory) -> dict[str, Any]:
    found = memory.body.get(_BODY)
    return dict(found) if isinstance(found, dict) else {}


def _moment(text: object) -> datetime | None:
    return read_stamp(text) if isinstance(text, str) and text else None
