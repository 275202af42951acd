"""Rows of every sort with something in every field that must never run, and the pages that show them."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from browser.service import Hub

from hindbrain.core.learning.audit import Entry, Head, seal
from hindbrain.core.model import (
    Actor,
    Event,
    Injection,
    Link,
    Memory,
    Provenance,
    Reason,
    Receipt,
    Relation,
    Review,
    ReviewKind,
    Score,
    Shown,
    Verdict,
)
from hindbrain.core.model.activity import Activity, Deed
from hindbrain.core.model.call import Call
from hindbrain.core.model.job import Job, JobState
from hindbrain.core.model.outcome import Anchor, Effect, Outcome
from hindbrain.core.model.suggestion import Destination, Edit, Status, Suggestion
from hindbrain.ports import Changes, Saying

PAGES = ("feed", "memories", "memories?state=any", "graph?lone=1", "worth", "health", "timeline")
NOW = datetime(2026, 1, 10, 9, 30, tzinfo=UTC)

_CODE = "top.pwned=1"
_TAGS = (
    f"<script>{_CODE}</script>",
    f"<img src=x onerror={_CODE}>",
    f"<svg onload={_CODE}>",
    f"<body onload={_CODE}>",
    f"<iframe src=javascript:{_CODE}>",
    f"<a href=javascript:{_CODE}>x</a>",
    f"<details open ontoggle={_CODE}>",
    f"<input autofocus onfocus={_CODE}>",
    f"<form action=javascript:{_CODE}><button>x",
    f"<math><mtext><style><img src=x onerror={_CODE}></style>",
    "<base href=//evil.example/>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    f"<meta http-equiv=refresh content='0;url=javascript:{_CODE}'>",
    f"<div hx-get=/api/health hx-trigger=load hx-on:load={_CODE}>",
    f"<object data=javascript:{_CODE}>",
    f"<video><source onerror={_CODE}></video>",
    f"<template><script>{_CODE}</script></template>",
    f"<!--><script>{_CODE}</script>",
    f"<![CDATA[<script>{_CODE}</script>]]>",
    "<style>*{background:url(//evil.example)}</style>",
)
_AROUND = ("%s", "\"'>%s", "</textarea></title></script>%s", "`%s`", "```\n%s\n```")
PAYLOADS = tuple(around % tag for tag in _TAGS for around in _AROUND)


def poisoned(project: str, n: int, bad: str) -> Changes:
    """A row of every sort, with `bad` in every field that holds words."""
    one = f"mem-{n:04d}"
    memory = Memory(
        id=one,
        project=project,
        content=bad,
        title=bad,
        learned_at=NOW,
        created_at=NOW,
        updated_at=NOW,
        category=bad,
        body={bad: bad, "activities": [f"act-{n}"]},
        tags=(bad,),
        file_refs=(bad,),
        error_signature=bad,
        key=f"k{n}",
        content_hash=f"h{n}",
        persona=bad,
        provenance=Provenance(
            actor=Actor(persona=bad, hat=bad), session=bad, task=bad, adapter=bad, receipt=f"rcp-{n}"
        ),
    )
    score = Score((Reason(bad, 0.5, 0.5, bad),))
    edit = Edit(folder="/nowhere", path=bad, before=bad.encode(), after=(bad + "\n" + bad).encode())
    return Changes(
        memories=(memory,),
        sayings=(Saying(memory_id=one, at=NOW, speaker=bad, receipt=f"rcp-{n}", session=bad),),
        links=(Link(source=one, target="mem-0000", relation=Relation.RELATED_TO, at=NOW, reason=bad),),
        receipts=(_receipt(project, n, bad),),
        reviews=(
            Review(
                id=f"rev-{n}", project=project, kind=ReviewKind.QUARANTINE, memory_id=one, reason=bad, opened_at=NOW
            ),
        ),
        injections=(
            Injection(
                id=f"inj-{n}",
                at=NOW,
                project=project,
                format="default",
                strategy="default",
                shown=(Shown(memory_id=one, version=1, score=score),),
                left_out=0,
                tokens=1,
                session=bad,
                task=bad,
                persona=bad,
                query=bad,
                moment="prompt",
            ),
        ),
        outcomes=(
            Outcome(
                id=f"out-{n}",
                at=NOW,
                project=project,
                memory_id=one,
                effect=Effect.HURT,
                how=bad,
                note=bad,
                session=bad,
            ),
        ),
        anchors=(Anchor(memory_id=one, project=project, path=bad, tied_at=NOW, checked_at=NOW, symbol=bad, note=bad),),
        events=(Event(name=bad, at=NOW, project=project, memory_id=one, data={"message": bad, "session": bad}),),
        activities=(
            Activity(
                id=f"act-{n}",
                at=NOW,
                project=project,
                session=bad,
                deed=Deed.COMMAND,
                subject=bad,
                detail=bad,
                task=bad,
                hat=bad,
            ),
        ),
        jobs=(_job(project, n, bad),),
        suggestions=(
            Suggestion(
                id=f"sug-{n}",
                project=project,
                destination=Destination.CLAUDE_MD,
                title=bad,
                text=bad,
                key=f"s{n}",
                created_at=NOW,
                scar_id=one,
                reason=bad,
                name=bad,
                edits=(edit,),
                made_by=bad,
                note=bad,
                decided_by=bad,
                status=Status.PENDING if n % 2 else Status.APPLIED,
                decided_at=NOW,
            ),
        ),
        calls=(Call(id=f"cal-{n}", at=NOW, use=bad, provider=bad, model=bad, outcome="answered", cost=0.1),),
    )


def _receipt(project: str, n: int, bad: str) -> Receipt:
    return Receipt(
        id=f"rcp-{n}",
        key=f"r{n}",
        at=NOW,
        project=project,
        verdict=Verdict.STORED,
        text=bad,
        reason=bad,
        memory_id=f"mem-{n:04d}",
        session=bad,
        task=bad,
        origin=bad,
    )


def _job(project: str, n: int, bad: str) -> Job:
    return Job(
        id=f"job-{n}",
        kind=bad,
        key=f"j{n}",
        project=project,
        payload={},
        created_at=NOW,
        due_at=NOW,
        state=JobState.DEAD,
        tries=5,
        error=bad,
    )


def poison(hub: Hub, payloads: Sequence[str]) -> list[str]:
    """Every page that shows what was stored."""
    hindbrain = hub.hindbrain()
    hindbrain.add("Something to begin with", type="pitfall")
    project = hindbrain.project
    assert project is not None
    for n, bad in enumerate(payloads):
        changes = poisoned(project.id, n, bad)
        hindbrain.store.write(lambda tx, changes=changes: tx.apply(changes))
    noted = seal(Entry(at=NOW, project=project.id, actor=payloads[0], action=payloads[0], subject=payloads[0]), Head())
    hindbrain.store.write(lambda tx: tx.apply(Changes(audits=(noted,))))
    ones = [f"{sort}{n}" for n in range(len(payloads)) for sort in ("feed/sug-", "memories/mem-")]
    return [*PAGES, "feed?page=2", "memories?q=pwned", *(_padded(one) for one in ones)]


def _padded(one: str) -> str:
    return re.sub(r"mem-(\d+)", lambda found: f"mem-{int(found[1]):04d}", one)
