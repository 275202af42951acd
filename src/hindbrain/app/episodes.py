"""What becomes of a session in the end: one episode for each of its tasks, kept up to date while the task goes on.

An episode is written by what was done, not by what was said, so it is a record and no lesson: it is never merged with
another, and a command in it tells what was run, not what to run.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from hindbrain.app.add import Noted, add
from hindbrain.app.compose import MAX_CHARACTERS, Draft, compose
from hindbrain.app.recall import Question, recall
from hindbrain.app.revise import revised
from hindbrain.app.tools import Tools
from hindbrain.core import trust
from hindbrain.core.door import admit
from hindbrain.core.episodes.episode import Ending, Episode, body_of, prose, read
from hindbrain.core.episodes.made import episodes
from hindbrain.core.hints import Any
from hindbrain.core.learn.taints import taints
from hindbrain.core.model import Actor, Event, Kind, Memory, Provenance, Receipt, Review, ReviewKind, Source, State
from hindbrain.core.model.activity import Activity
from hindbrain.core.model.bodies import faults
from hindbrain.core.model.moment import read_stamp
from hindbrain.core.shape import title_of
from hindbrain.core.trust import Circumstances
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import BadValue
from hindbrain.ports import Changes, Store, Transaction, Where

_DEPTH = 4  # times as many are looked at as are wanted, where an outcome is asked for
_BY = Actor()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    text: str = ""  # empty: the latest
    outcome: str = ""  # success, failure, partial; empty: any
    limit: int = 10


def trace(project: str, session: str, *, tools: Tools) -> tuple[Memory, ...]:
    """Write down what the session has done so far, one memory for each task; those that are new or have changed.

    The same log a second time changes nothing. What a person or retention put away stays where it is.
    """
    log = tools.store.activities(project, session=session) if session else ()
    made = [one for one in episodes(log) if _is_worth_telling(one)]
    if not made:
        return ()
    risks = taints(log, until=log[-1].seq)
    drafts = [_drafted(one, log, risks=risks, tools=tools) for one in made]

    def work(tx: Transaction) -> tuple[Memory, ...]:
        placed = [_placed(memory, cursor_name(project, one), tx=tx) for one, memory in zip(made, drafts, strict=True)]
        written = [(changes, memory) for changes, memory in placed if changes is not None]
        for changes, _ in written:
            tx.apply(_with_question(changes, tx=tx, tools=tools))
        return tuple(memory for _, memory in written)

    return tools.store.write(work)


def _is_worth_telling(episode: Episode) -> bool:
    """Whether anything was changed, checked or met that could be of use to somebody who tries the same."""
    looks = ("read_file", "run_command", "start_agent")
    return bool(episode.errors or episode.commit or any(one.action not in looks for one in episode.actions))


def cursor_name(project: str, episode: Episode) -> str:
    """Holds the id of the memory that an episode has become."""
    return f"episode/{project}/{episode.name}"


def ask(asked: Asked, *, project: str, tools: Tools) -> tuple[Memory, ...]:
    """What happened when somebody tried this; without words, what happened last."""
    if asked.outcome and asked.outcome not in tuple(Ending):
        raise BadValue(f"there is no outcome {asked.outcome!r}", fix=f"use one of: {', '.join(Ending)}")
    wanted = asked.limit * (_DEPTH if asked.outcome else 1)
    if asked.text.strip():
        question = Question(text=asked.text, kinds=(str(Kind.EPISODE),), limit=wanted)
        found: Sequence[Memory] = [item.memory for item in recall(question, project=project, tools=tools)]
    else:
        found = latest(project, store=tools.store, limit=0 if asked.outcome else wanted)
    fitting = (one for one in found if not asked.outcome or one.body.get("outcome") == asked.outcome)
    return tuple(fitting)[: asked.limit]


def latest(project: str, *, store: Store, limit: int = 0) -> Sequence[Memory]:
    """Episodes as they stand, the newest first."""
    where = Where(project=project, kinds=(Kind.EPISODE,), with_everywhere=False)
    return store.select(where, order="newest", limit=limit)


def note(record: Mapping[str, Any], *, project: str, tools: Tools) -> Receipt:
    """Keep an episode that somebody wrote in the schema of the document; every field stays as it is (LK-022)."""
    if wrong := faults(Kind.EPISODE, record):
        raise BadValue("; ".join(wrong), fix="write it as in the Loki document, section Episodic Memory Schema")
    if not isinstance(record.get("context"), Mapping) or not record["context"].get("goal"):
        raise BadValue("the episode has no context.goal", fix="say what the task was about")
    blank = Memory(
        id="",
        project=project,
        content="",
        title="",
        learned_at=tools.clock.now(),
        created_at=tools.clock.now(),
        updated_at=tools.clock.now(),
        body=record,
    )
    told = read(blank)
    noted = Noted(
        content=prose(told)[:MAX_CHARACTERS],
        kind=Kind.EPISODE,
        title=told.goal,
        task=told.task,
        body=record,
        file_refs=told.files[:60],
        learned_at=_when(record.get("timestamp")),
    )
    return add(noted, project=project, tools=tools)


def _when(value: object) -> datetime | None:
    try:
        return read_stamp(value) if isinstance(value, str) and value else None
    except (ValueError, OverflowError):
        raise BadValue(f"{value!r} is no timestamp", fix="write it as 2026-01-06T10:30:00Z") from None


def _drafted(episode: Episode, log: Sequence[Activity], *, risks: tuple[str, ...], tools: Tools) -> Memory:
    """The memory that the episode becomes if it is new."""
    now = tools.clock.now()
    ended = episode.began_at + timedelta(seconds=episode.duration_s)
    draft = Draft(
        text=admit(prose(episode)[:MAX_CHARACTERS]).text,
        project=log[0].project,
        provenance=Provenance(
            actor=_BY, session=episode.session, task=episode.task, source=Source.AUTOMATIC, adapter="activity"
        ),
        kind=Kind.EPISODE,
        said_at=min(ended, now),
        circumstances=Circumstances(taints=risks),
        body=body_of(episode),
    )
    memory, _ = compose(draft, memory_id=tools.chance.id("mem", now), now=now, settings=tools.settings)
    signature = next((error.signature for error in episode.errors if error.signature), None)
    return replace(
        memory,
        title=title_of(episode.goal) or memory.title,
        file_refs=tuple(dict.fromkeys((*episode.artifacts, *episode.files)))[:60],
        tags=("episode", str(episode.ending)),
        error_signature=signature,
        trust=_trust(episode, memory, risks=risks),
    )


def _trust(episode: Episode, memory: Memory, *, risks: tuple[str, ...]) -> int:
    """What the agent ran is a record, and only makes it one that is not told unasked. What an error's own text would
    have the next reader run waits for a person."""
    foreign = "\n".join((episode.goal, *(error.message for error in episode.errors)))
    if trust.risky_command(foreign):
        return trust.QUARANTINED
    return trust.TAINTED if risks or trust.risky_command(memory.content) else trust.AGENT


def _placed(memory: Memory, cursor: str, *, tx: Transaction) -> tuple[Changes | None, Memory]:
    known = tx.memory(tx.cursor(cursor)) if tx.cursor(cursor) else None
    if known is None:
        created = _event("memory_created", memory, type=memory.type, title=memory.title)
        fresh = Changes(memories=(memory,), events=(created,), cursors={cursor: memory.id}, by=_BY)
        return fresh, memory
    is_open = known.state in (State.LIVE, State.QUARANTINED) and "summarised_at" not in known.body
    if not is_open or (known.content == memory.content and dict(known.body) == dict(memory.body)):
        return None, known
    names = ("content", "title", "body", "tags", "file_refs", "error_signature", "key", "legacy_key")
    changed = {name: getattr(memory, name) for name in (*names, "content_hash", "chorus_hash", "learned_at")}
    lifted = known.trust if known.trust == trust.HUMAN else min(known.trust, memory.trust)
    better = revised(known, at=memory.updated_at, trust=lifted, **changed)
    edited = _event("memory_edited", better, fields=["content", "body"])
    return Changes(memories=(better,), events=(edited,), by=_BY, change="continued"), better


def _with_question(changes: Changes, *, tx: Transaction, tools: Tools) -> Changes:
    """What is in quarantine waits for a person."""
    (memory,) = changes.memories
    is_asked = any(one.memory_id == memory.id for one in tx.reviews(memory.project, about=(memory.id,)))
    if memory.trust != trust.QUARANTINED or is_asked:
        return changes
    review = Review(
        id=tools.chance.id("rev", memory.created_at),
        project=memory.project,
        kind=ReviewKind.QUARANTINE,
        memory_id=memory.id,
        reason="the text of an error tells the reader to run something",
        opened_at=memory.updated_at,
    )
    return replace(changes, reviews=(review,))


def _event(name: str, memory: Memory, **data: object) -> Event:
    told = {"memory_id": memory.id, "source": str(memory.provenance.source), **data}
    return Event(name=name, at=memory.updated_at, project=memory.project, memory_id=memory.id, data=told)
