"""Workstreams: what happened is kept, and closing one leaves a draft for a person, or the reason why there is none."""

from pathlib import Path

import pytest
from building import a_memory, keep
from filing import equipped, fingerprint, write

from hindbrain.app import lesson
from hindbrain.app.lesson import Progress
from hindbrain.app.recall import Question, recall
from hindbrain.app.tools import Tools
from hindbrain.core.model import Kind
from hindbrain.errors import BadValue, Conflict, TooLong, UnknownMemory

PROJECT = "prj-one"


@pytest.fixture
def filed(tools: Tools, tmp_path: Path) -> Tools:
    brain = write(tmp_path / "brain", {"permanent/a.md": "x", "inbox/b.md": "y"})
    return equipped(tools, tmp_path / "home", vault=str(brain))


def worked(tools: Tools, *, tokens: int = 60_000, tasks: int = 3) -> str:
    failure = a_memory(
        "Pool closed twice",
        kind=Kind.SCAR,
        importance=8,
        body={"outcome": "failure", "check_added": "close in finally"},
    )
    victory = a_memory("Fence", kind=Kind.SCAR, body={"outcome": "victory", "check_added": "give each lock a token"})
    keep(tools.store, failure, victory)
    work = lesson.open_work("Move the queue", estimate=40_000, project=PROJECT, tools=tools)
    turns = [f"it hangs | run the suite again | RuntimeError: loop {n} is closed" for n in range(3)]
    progress = Progress(
        tasks=[f"api-{n}" for n in range(tasks)],
        works=["replace the queue"],
        iterations=turns,
        scars=[failure.id, victory.id],
        logs=["1 failed"],
        tokens=tokens,
    )
    lesson.progressed(work.id, progress, tools=tools)
    return work.id


# HB-119 HB-126 HB-127 HB-128 HB-129 HB-130 HB-132
def test_a_closed_workstream_leaves_one_draft_in_the_inbox(filed: Tools, tmp_path: Path) -> None:
    closed = lesson.close(worked(filed), tools=filed)
    assert closed.path == "inbox/2026-01-10-lesson-move-the-queue.md" and not closed.refused
    text = (tmp_path / "brain" / closed.path).read_text()
    assert "status: draft" in text and "type: lesson" in text
    assert "Estimated 40,000, took 60,000: +20,000 (+50 %)." in text
    assert "1. RuntimeError: loop" in text and "(3 times)" in text and "close in finally" in text
    assert "give each lock a token" in text and "done 3 times by hand: `run the suite again`" in text
    assert sorted(p.name for p in (tmp_path / "brain" / "inbox").iterdir()) == [closed.path.partition("/")[2], "b.md"]


# HB-120 HB-121 HB-122 HB-123 HB-124 HB-125
def test_the_bundle_holds_everything_that_was_told(filed: Tools) -> None:
    made = lesson.close(worked(filed), tools=filed).bundle
    assert made["meta"]["title"] == "Move the queue" and made["travaux"] == ["replace the queue"]
    assert made["tasks"] == ["api-0", "api-1", "api-2"] and len(made["iterations"]) == 3
    assert [scar["kind"] for scar in made["scars"]] == ["failure", "victory"] and made["logs"] == ["1 failed"]


# HB-131 Q-03
@pytest.mark.parametrize(("tokens", "tasks", "why"), [(49_999, 3, "tokens"), (50_000, 2, "tasks")])
def test_small_work_leaves_a_reason_and_no_draft(
    filed: Tools, tmp_path: Path, tokens: int, tasks: int, why: str
) -> None:
    before = fingerprint(tmp_path / "brain")
    closed = lesson.close(worked(filed, tokens=tokens, tasks=tasks), tools=filed)
    assert why in closed.refused and not closed.text and fingerprint(tmp_path / "brain") == before
    (event,) = [one for one in filed.store.events() if one.name == "lesson_refused"]
    assert event.data["reason"] == closed.refused


def test_without_a_vault_the_draft_is_told(tools: Tools) -> None:
    closed = lesson.close(worked(tools), tools=tools)
    assert closed.path == "" and closed.text.startswith("## Tokens, estimated and actual")


def test_a_closed_workstream_stays_as_it_is(filed: Tools) -> None:
    work = worked(filed)
    lesson.close(work, tools=filed)
    for again in (lambda: lesson.close(work, tools=filed), lambda: lesson.progressed(work, Progress(), tools=filed)):
        with pytest.raises(Conflict, match="closed"):
            again()
    (only,) = lesson.listed(PROJECT, tools=filed)
    assert only.closed_at and only.tokens == 60_000


# HB-060 HB-056
def test_turns_and_workstreams_are_recalled_in_their_scopes(filed: Tools) -> None:
    work = worked(filed)
    turns = recall(Question(text="run the suite", scopes=["iterations"]), project=PROJECT, tools=filed)
    assert len(turns) == 3 and {m.memory.body["workstream"] for m in turns} == {work}
    (found,) = recall(Question(text="move the queue", scopes=["chantiers"]), project=PROJECT, tools=filed)
    assert found.id == work


def test_what_makes_no_sense_is_refused(filed: Tools) -> None:
    work = worked(filed)
    plain = a_memory("no scar")
    keep(filed.store, plain)
    for wrong in (Progress(iterations=["only a thought"]), Progress(scars=[plain.id])):
        with pytest.raises(BadValue):
            lesson.progressed(work, wrong, tools=filed)
    with pytest.raises(BadValue):
        lesson.close(plain.id, tools=filed)
    with pytest.raises(BadValue):
        lesson.open_work(" ", estimate=0, project=PROJECT, tools=filed)
    with pytest.raises(UnknownMemory):
        lesson.close("mem-none", tools=filed)
    with pytest.raises(TooLong):
        lesson.progressed(
            work, Progress(tasks=[f"task number {n} of very many tasks" for n in range(900)]), tools=filed
        )
