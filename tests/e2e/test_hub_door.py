"""What the hub never does: run what is stored, act for another site's page, or hide a letter."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser.service import Hub, serving

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


class Seen(HTMLParser):
    """The tags of a page, and what in them could run."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag == "script" and named.get("src") not in ("/hub/static/htmx.min.js", "/hub/static/hub.js"):
            self.bad.append(f"script {named}")
        if tag in ("iframe", "object", "embed", "base", "style", "template", "math", "video", "img"):
            self.bad.append(tag)
        self.bad += [f"{tag} {name}={value}" for name, value in attrs if _runs(name, value or "")]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def _runs(name: str, value: str) -> bool:
    is_address = name in ("href", "src", "action", "formaction", "hx-get", "content", "data")
    return (
        name.startswith(("on", "hx-on"))
        or name == "style"
        or (is_address and bool(re.match(r"\s*(javascript|data|vbscript):|//", value, re.I)))
    )


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    with serving(tmp_path, is_filled=False) as one:
        yield one


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


def test_nothing_that_is_stored_runs_in_any_view(hub: Hub) -> None:  # RELIABILITY S6
    assert len(PAYLOADS) == 100
    cookie = hub.cookie()
    looked = 0
    for name in poison(hub, PAYLOADS):
        answer = hub.call(f"/hub/{name}", cookie=cookie)
        assert answer.status == 200, (name, answer.text[-600:])
        seen = Seen()
        seen.feed(answer.text)
        assert not seen.bad, (name, seen.bad[:3])
        looked += "pwned" in "".join(seen.text) or "evil.example" in "".join(seen.text)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
    assert looked > 200  # it was shown, as text


def test_what_is_said_in_an_address_comes_back_as_text(hub: Hub) -> None:  # RELIABILITY S6
    cookie = hub.cookie()
    bad = "%22%3E%3Cscript%3Ealert(1)%3C/script%3E"
    addresses = ("feed?done=", "memories?q=", "memories?kind=", "timeline?session=", "graph?kind=", "feed?project=", "")
    for name in addresses:
        answer = hub.call(f"/hub/{name}{bad}", cookie=cookie)
        seen = Seen()
        seen.feed(answer.text)
        assert answer.status in (200, 400, 404) and not seen.bad


def test_every_hidden_letter_is_shown(hub: Hub) -> None:  # RELIABILITY S8
    hidden = "\u202e\u2066\u200b\u200d\u2060\ufeff\u00ad\u034f\u115f\u3164\u2800\ufe0f\u061c"
    hidden += "\U000e0041\U000e0101\x1b\x07\u2028"
    cookie = hub.cookie()
    for name in poison(hub, [f"see{letter}me" for letter in hidden]):
        answer = hub.call(f"/hub/{name}", cookie=cookie)
        shown = Seen()
        shown.feed(re.sub(r"<textarea[^>]*>.*?</textarea>", "", answer.text, flags=re.S))
        assert not set(hidden) & set("".join(shown.text)), name
        if "/mem-" in name:
            assert f"U+{ord(hidden[int(name[-4:])]):04X}" in "".join(shown.text)


def test_a_change_needs_the_cookie_our_origin_and_the_pages_token(hub: Hub) -> None:  # RELIABILITY S5
    hindbrain = hub.hindbrain()
    kept = hindbrain.add("Stay as you are", type="pitfall").memory_id
    path, cookie = f"/hub/memories/{kept}/delete", hub.cookie()
    token = re.findall(r'name="token" value="([0-9a-f]{64})"', hub.call(f"/hub/memories/{kept}", cookie=cookie).text)[0]
    form = {"token": token, "version": "1"}
    assert hub.call(path, form=form).status == 401
    assert hub.call(path, cookie=hub.cookie(), form=form).status == 403  # another session's token
    assert hub.call(path, cookie=cookie, form={"version": "1"}).status == 403
    assert hub.call(path, cookie=cookie, form=form, origin="http://evil.example").status == 403
    assert hub.call(path, cookie=cookie, form=form, origin="null").status == 403
    assert hub.call(path, cookie=cookie).status == 405
    assert str(hindbrain.show(kept or "").state) == "live"
    assert hub.call(path, cookie=cookie, form=form).status == 303
    assert str(hindbrain.show(kept or "").state) == "archived"


def test_no_page_is_for_strangers_and_each_goes_with_its_headers(hub: Hub) -> None:
    assert hub.call("/", cookie=hub.cookie()).headers["location"] == "/hub/feed"
    for path in ("/", "/hub", "/hub/feed", "/hub/static/hub.css", "/hub/nothing"):
        assert hub.call(path).status == 401
    cookie = hub.cookie()
    for name in (*PAGES, "nothing", "memories/mem-none", "feed/none", "static/none"):
        answer = hub.call(f"/hub/{name}", cookie=cookie)
        assert answer.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'"), name
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"


def test_scripts_of_the_hub_never_set_html() -> None:  # RELIABILITY S6
    import hindbrain.entry.hub as package

    text = (Path(package.__file__).parent / "static" / "hub.js").read_text("utf-8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function", text)
