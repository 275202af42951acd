"""Laws of Loki's files, of the names in them, and of CONTINUITY.md, over generated memories and documents."""

import json
from datetime import timedelta
from typing import Any

from building import NOW, FakeChance, FakeClock, a_memory, a_project, keep
from hypothesis import given
from hypothesis import strategies as st

from hindbrain.adapters.dictionary import DictStore
from hindbrain.adapters.files import LocalFiles
from hindbrain.app.adopt import adopt
from hindbrain.app.hand_out import hand_out
from hindbrain.app.tools import Tools
from hindbrain.core.account import account
from hindbrain.core.continuity import MOST_BYTES, Working, managed, renewed
from hindbrain.core.model import Kind, Memory
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.core.model.foreign import View
from hindbrain.core.naming import names
from hindbrain.dialects import dialect
from hindbrain.settings import Settings

KINDS = (Kind.LESSON, Kind.FACT, Kind.PATTERN, Kind.ANTI_PATTERN, Kind.EPISODE, Kind.SCAR)
WORDS = ("lock", "cache", "retry", "deploy", "schema", "upload", "invoice", "parser", "socket", "migration")
plain = st.text("abc ÄÖ漢\n:;-#`\"'", max_size=30)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def memories(draw: st.DrawFn) -> list[Memory]:
    """Each about something of its own, so that none takes another's place."""
    made = []
    for number in range(draw(st.integers(0, 6))):
        word = WORDS[number]
        tail = draw(st.sampled_from(("", "\nDo: it", "\nNot: that\nDo: this", ": why\nInstead: other", "\nWhen: a; b")))
        body = {"extra": draw(values), "context": {"goal": draw(plain)}}
        at = NOW + timedelta(minutes=draw(st.integers(-9, 0)))
        made.append(
            a_memory(
                f"{word * 2} {word} number {number} of {word}s{tail}",
                id=f"mem-{number}",
                kind=draw(st.sampled_from(KINDS)),
                type=draw(st.sampled_from(("learned", "pitfall", "fix"))),
                body=body,
                at=at,
                importance=draw(st.integers(0, 10)),
                confidence=draw(st.sampled_from((0.1, 0.5, 0.7, 0.95))),
                tags=tuple(draw(st.lists(st.sampled_from(WORDS), max_size=3, unique=True))),
                persona=draw(st.sampled_from((None, "ed"))),
                archived_at=draw(st.sampled_from((None, NOW))),
            )
        )
    return made


def tools(days: int = 0) -> Tools:
    store = DictStore()
    a_project(store, "one")
    clock = FakeClock(NOW + timedelta(days=days))
    return Tools(
        store=store, clock=clock, chance=FakeChance(), files=LocalFiles(), settings=Settings(home="", store="")
    )


def handed_out(tools: Tools) -> dict[str, bytes]:
    return dict(hand_out(dialect=dialect("loki"), project="prj-one", name="one", tools=tools, present={}))


@given(memories())
def test_what_is_written_and_read_is_written_the_same(known: list[Memory]) -> None:
    here, there = tools(), tools(days=2)
    keep(here.store, *known)
    first = handed_out(here)
    report = adopt(first, dialect=dialect("loki"), project="prj-one", tools=there)

    assert len({item.where for item in report.items}) == len(report.items)
    assert handed_out(there) == first


@given(
    st.dictionaries(st.sampled_from(("pattern", "id", "links", "tags", "importance", "last_used", "said_by")), values)
)
def test_any_record_is_read_or_rejected_with_a_reason(record: dict[str, Any]) -> None:
    for name in ("semantic/patterns.json", "semantic/facts.json", "learnings/a.json", "episodic/x/task-1.json"):
        reading = dialect("loki").read({name: json.dumps([record, record]).encode()})
        assert all(item.reason or item.fate != "rejected" for item in reading.items)
        assert len({item.where for item in reading.items}) == len(reading.items) > 0


@given(st.binary(max_size=200), st.sampled_from(("skills/a.md", "handoffs/a.md", "ledgers/a.json", "CONTINUITY.md")))
def test_any_bytes_are_accounted_for(content: bytes, path: str) -> None:
    reading = dialect("loki").read({f".loki/memory/{path}": content})
    assert reading.items and len({item.where for item in reading.items}) == len(reading.items)


@given(memories(), st.data())
def test_names_are_unique_and_stay(known: list[Memory], data: st.DataObject) -> None:
    few = known[: data.draw(st.integers(0, len(known)))]
    given_names = names(few, {})
    later = names(known, given_names)
    assert len(set(later.values())) == len(later)
    assert {memory: later[memory] for memory in given_names} == given_names
    assert dialect("loki").write(View(project="one", memories=known, links=[], at=NOW, ids=later))


lines = st.lists(plain, max_size=12)
workings = st.builds(
    Working,
    at=st.just(NOW),
    **{name: lines for name in ("current", "done", "blockers", "next", "decisions", "memories", "mistakes")},
)
pieces = st.sampled_from(
    (
        "# T\n",
        "## Own\n",
        "text\n",
        "```\n",
        "~~~\n",
        "## Next Up\n",
        "- x\n",
        "Updated: 2026-01-01\n",
        "\r\n",
        "## Tail",
        "\n",
    )
)
documents = st.lists(pieces, max_size=14).map("".join)


@given(documents, workings)
def test_renewing_twice_is_renewing_once(document: str, working: Working) -> None:  # LK-134
    once = renewed(document, working)
    assert renewed(once, working) == once
    assert renewed(once, working, base=managed(working)) == once


@given(documents, workings)
def test_text_before_our_first_heading_keeps_every_byte(document: str, working: Working) -> None:  # LK-134
    own = document.replace("## Next Up\n", "").replace("Updated: 2026-01-01\n", "")
    if own.strip():
        assert renewed(own, working).startswith(own)


@given(workings)
def test_the_managed_part_is_small(working: Working) -> None:
    assert len(managed(working).encode()) <= MOST_BYTES


@given(st.lists(st.tuples(st.sampled_from(tuple(Deed)), plain, st.sampled_from(tuple(Result)), plain), max_size=10))
def test_an_account_can_be_given_of_any_log(deeds: list[tuple[Deed, str, Result, str]]) -> None:
    log = [
        Activity(id=str(n), at=NOW, project="p", session="s", deed=deed, subject=subject, result=result, detail=detail)
        for n, (deed, subject, result, detail) in enumerate(deeds)
    ]
    told = account(log)
    assert set(told.uncommitted) <= set(told.edited) and set(told.untested) <= set(told.edited)
    assert all("\n" not in line and len(line) <= 200 for line in (*told.failures, *told.completed, told.goal))
