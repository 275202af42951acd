"""A store with something of every sort in it."""

from dataclasses import replace
from datetime import timedelta

from building import NOW, a_memory, a_project, a_vector, keep

from hindbrain.core.learning.audit import Entry, Head, seal
from hindbrain.core.model import (
    Actor,
    Event,
    Injection,
    Link,
    Pulse,
    Receipt,
    Relation,
    Review,
    ReviewKind,
    Score,
    Shown,
    Space,
    Verdict,
)
from hindbrain.core.model.activity import Activity, Deed
from hindbrain.core.model.actor import ActorType
from hindbrain.core.model.job import Job, JobState
from hindbrain.core.model.outcome import Anchor, Effect, Outcome
from hindbrain.core.model.suggestion import Destination, Edit, Suggestion
from hindbrain.ports import Changes, Movable, Saying

LATER = NOW + timedelta(hours=1)
WIDE = Space(provider="local", model="wide", version="1", dimension=1_024)


def filled(store: Movable) -> Movable:
    """With something of every sort, and gaps in its numbers."""
    a_project(store)
    store.adopt(["name:two", "remote:host/two"], name="two", project_id="prj-two", at=NOW)
    store.expect(WIDE)
    first = a_memory("first words", id="mem-a")
    keep(store, first, a_memory("others — ⚙️", id="mem-b", project="prj-two"), a_memory("gone", id="mem-gone"))
    human = Actor(type=ActorType.HUMAN, persona="ed", instance="ed-001")
    second = replace(first, content="second words", version=2, updated_at=LATER)
    store.write(lambda tx: tx.apply(Changes(memories=(second,), by=human, change="edited")))
    event = Event(name="e", at=NOW, project="prj-one", data={"n": [1, None]})
    for memory in ("mem-gone", "mem-a", "mem-b"):
        store.write(lambda tx, m=memory: tx.apply(Changes(events=(replace(event, memory_id=m),))))
    store.erase("mem-gone", at=LATER)
    store.write(lambda tx: tx.apply(rest(second)))
    return store


def rest(memory: object) -> Changes:
    point = [0.001 * (n % 7 - 3) for n in range(1_024)]
    audit = Entry(at=NOW, project="prj-one", actor="human ed", action="apply", subject="sug-1", detail={"n": 1})
    injection = Injection(
        id="inj-1",
        at=NOW,
        project="prj-one",
        format="default",
        strategy="unified",
        shown=(Shown(memory_id="mem-a", version=1, score=Score(())),),
        left_out=0,
        tokens=1,
    )
    edit = Edit(folder="/f", path="CLAUDE.md", before=None, after=b"\x00\xff rule")
    return Changes(
        pulses=(Pulse(memory_id="mem-a", injected=2, confidence=0.71, last_used_at=LATER),),
        vectors=tuple(a_vector(memory, point, space=WIDE, piece=n) for n in range(3)),  # type: ignore[arg-type]
        sayings=(Saying(memory_id="mem-a", receipt="rcp-1", session="s", speaker="ed", at=NOW),),
        links=(Link(source="mem-a", target="mem-b", relation=Relation.RELATED_TO, at=NOW),),
        receipts=(
            Receipt(
                id="rcp-1", key="k\x00", at=NOW, project="prj-one", verdict=Verdict.STORED, text="t\x00", reason=""
            ),
        ),
        reviews=(
            Review(
                id="rev-1", project="prj-one", kind=ReviewKind.QUARANTINE, memory_id="mem-a", reason="", opened_at=NOW
            ),
        ),
        injections=(injection,),
        activities=tuple(
            Activity(id=f"act-{n}", at=NOW, project=f"prj-{'one' if n % 2 else 'two'}", session="s", deed=Deed.EDIT)
            for n in range(450)
        ),
        jobs=(
            Job(id="job-1", kind="k", key="a", project="", payload={}, created_at=NOW, due_at=NOW, state=JobState.DEAD),
            Job(id="job-2", kind="k", key="a", project="", payload={"x": 1}, created_at=NOW, due_at=NOW),
        ),
        outcomes=(
            Outcome(id="out-1", at=NOW, project="prj-one", memory_id="mem-a", effect=Effect.HELPED, how="cited"),
        ),
        anchors=(Anchor(memory_id="mem-a", project="prj-one", path="a.py", tied_at=NOW, checked_at=NOW),),
        suggestions=(
            Suggestion(
                id="sug-1",
                project="prj-one",
                destination=Destination.CLAUDE_MD,
                title="t",
                text="x",
                key="k",
                created_at=NOW,
                edits=(edit,),
            ),
        ),
        audits=(seal(audit, Head()),),
        cursors={"judged/x": "7"},
    )
