"""What becomes of lessons that nobody spelled out, in every store."""

from collections.abc import Sequence

import pytest
from building import NOW, FakeClock, a_memory
from working import PYTEST_FAILED, Log, a_session

from hindbrain.app.extract import extract
from hindbrain.app.record import Noted, record
from hindbrain.app.tools import Tools
from hindbrain.core.model import Injection, Score, Shown, Source, Verdict
from hindbrain.core.model.activity import Activity
from hindbrain.core.value import replace
from hindbrain.errors import BadValue
from hindbrain.ports import Changes

SIGNATURE = "RuntimeError: There is no current event loop in thread <value>"


def note(tools: Tools, activities: Sequence[Activity]) -> None:
    tools.store.write(lambda tx: tx.apply(Changes(activities=tuple(activities))))


def cured_log(session: str = "s-one") -> Log:
    log = Log(session)
    log.ran("pytest", 1, PYTEST_FAILED)
    log.edited("src/db/pool.py", "self.loop = get_event_loop()", "self.loop = new_event_loop()")
    log.ran("pytest", 0)
    return log


# DX-062 DX-063 DX-064 DX-065 DX-066 DX-185 DX-186 DX-189 DX-008
def test_a_session_leaves_memories_that_say_they_were_learned_unasked(tools: Tools, clock: FakeClock) -> None:
    clock.forward(hours=1)
    note(tools, a_session())
    receipts = extract("prj-one", "s-one", tools=tools)
    waiting = [one for one in receipts if one.verdict is not Verdict.STORED]
    assert len(receipts) == 11
    assert [one.verdict for one in waiting] == [Verdict.REVIEW]  # it tells the reader to install something
    assert "npm install" in waiting[0].text
    memories = [tools.store.memory(one.memory_id or "") for one in receipts if one not in waiting]
    kinds = {memory.type for memory in memories if memory}
    assert kinds == {"architecture", "dependency", "decision", "constraint", "fix", "pitfall", "convention"}
    assert {memory.provenance.source for memory in memories if memory} == {Source.AUTOMATIC}
    assert {memory.trust for memory in memories if memory} == {2}
    created = [event.data for event in tools.store.events(project="prj-one") if event.name == "memory_created"]
    assert [data["source"] for data in created] == ["automatic"] * 11
    assert set(created[0]) == {"memory_id", "type", "title", "source"}


# DX-068 DX-070 DX-071 DX-072
def test_the_cure_is_found_by_the_signature_of_the_failure(tools: Tools) -> None:
    note(tools, cured_log().activities)
    (receipt,) = extract("prj-one", "s-one", tools=tools)
    (memory,) = tools.store.cured("prj-one", SIGNATURE)
    assert memory.id == receipt.memory_id
    assert (memory.title, memory.type, memory.confidence) == ("Fix for tests failure", "fix", 0.7)
    assert memory.provenance.actor.hat == "creator"
    assert {"tests", "quality-gate"} <= set(memory.tags) and "src/db/pool.py" in memory.file_refs
    assert memory.body == {"activities": ["act-s-one-1", "act-s-one-2", "act-s-one-3"]}
    assert receipt.reason.startswith("quality_gate:passed_after_failure")
    assert (receipt.signal, receipt.ref) == ("AUTO", "act-s-one-3")


# F-32 F-33
def test_asking_again_learns_nothing_until_more_was_done(tools: Tools) -> None:
    log = cured_log()
    note(tools, log.activities)
    assert len(extract("prj-one", "s-one", tools=tools)) == 1
    assert extract("prj-one", "s-one", tools=tools) == ()
    log.ran("mypy src", 1, "src/a.py:3: error: Name 'x' is wrong  [misc]\nFound 1 error in 1 file (checked 2)")
    note(tools, log.activities[-1:])
    assert extract("prj-one", "s-one", tools=tools) == ()
    log.edited("src/a.py", "x: int = None", "x: int | None = None")
    log.ran("mypy src", 0)
    note(tools, log.activities[-2:])
    (second,) = extract("prj-one", "s-one", tools=tools)
    assert "Fix for types failure" in (tools.store.memory(second.memory_id or "") or a_memory()).title


def test_a_lost_cursor_does_not_teach_twice(tools: Tools) -> None:
    note(tools, cured_log().activities)
    (receipt,) = extract("prj-one", "s-one", tools=tools)
    tools.store.write(lambda tx: tx.apply(Changes(cursors={"extract/prj-one/s-one": ""})))
    assert extract("prj-one", "s-one", tools=tools) == ()
    assert [one.id for one in tools.store.receipts("prj-one")] == [receipt.id]


def test_the_same_fix_in_another_session_is_evidence(tools: Tools) -> None:
    for session in ("s-one", "s-two"):
        note(tools, cured_log(session).activities)
    (first,) = extract("prj-one", "s-one", tools=tools)
    (again,) = extract("prj-one", "s-two", tools=tools)
    assert (again.verdict, again.memory_id) == (Verdict.EVIDENCE, first.memory_id)
    memory = tools.store.memory(first.memory_id or "")
    assert memory and (memory.counters.evidence, memory.trust) == (2, 2)  # deeds of one program are one witness


def test_what_the_session_had_been_told_is_no_news(tools: Tools) -> None:
    note(tools, cured_log().activities)
    (first,) = extract("prj-one", "s-one", tools=tools)
    known = first.memory_id or ""
    shown = Injection(
        id="inj-1",
        at=NOW,
        project="prj-one",
        format="default",
        strategy="unified",
        shown=(Shown(memory_id=known, version=1, score=Score(reasons=())),),
        left_out=0,
        tokens=1,
        session="s-two",
    )
    tools.store.write(lambda tx: tx.apply(Changes(injections=(shown,))))
    note(tools, cured_log("s-two").activities)
    (again,) = extract("prj-one", "s-two", tools=tools)
    assert (again.verdict, again.memory_id) == (Verdict.REJECTED, known)
    memory = tools.store.memory(known)
    assert memory and memory.counters.evidence == 1


def test_foreign_text_in_the_session_taints_what_is_learned_after_it(tools: Tools) -> None:
    log = Log()
    log.ran("curl https://example.com/install", 0)
    log.activities += [replace(one, seq=1 + one.seq, id=f"x{one.id}") for one in cured_log().activities]
    note(tools, log.activities)
    (receipt,) = extract("prj-one", "s-one", tools=tools)
    memory = tools.store.memory(receipt.memory_id or "")
    assert memory and memory.trust == 1 and receipt.verdict is Verdict.REVIEW


def test_secrets_in_what_was_done_do_not_get_in(tools: Tools) -> None:
    token = "ghp_" + "a1B2" * 9
    log = Log()
    log.gate("tests", "failed", "ValueError: the token is wrong")
    log.edited("src/a.py", "token = None", f'token = "{token}"')
    log.gate("tests", "passed")
    note(tools, log.activities)
    (receipt,) = extract("prj-one", "s-one", tools=tools)
    memory = tools.store.memory(receipt.memory_id or "")
    assert memory and token not in memory.content and token not in receipt.text and receipt.removed


# DX-059 DX-060 DX-061 F-36
def test_what_is_recorded_by_hand_is_learned_from_at_once(tools: Tools) -> None:
    def done(deed: str, **given: object) -> tuple[str, ...]:
        noted = Noted(deed=deed, session="s-hand", **given)  # type: ignore[arg-type]
        receipts = record(noted, project="prj-one", tools=tools).receipts
        memories = (tools.store.memory(one.memory_id or "") for one in receipts)
        return tuple(memory.type for memory in memories if memory)

    assert done("response", hat="critic", detail="Issue: the lock of the queue is never released") == ()
    assert done("hat", subject="critic->creator") == ("pitfall",)
    assert done("gate", data={"passed": False, "tests": {"passed": False, "output": "ValueError: no rows"}}) == ()
    assert done("edit", subject="src/rows.py", detail="- rows = load()\n+ rows = load() or []") == ()
    assert done("gate", data={"passed": True, "tests": {"passed": True}, "lint": {"skipped": True}}) == ("fix",)
    assert done("completion", detail="Convention: loaders in `src/rows.py` never return None.") == ("convention",)


@pytest.mark.parametrize(
    "noted",
    [
        Noted(deed="dance", session="s"),
        Noted(deed="edit", session=" "),
        Noted(deed="gate", session="s", subject="tests", result="maybe"),
        Noted(deed="gate", session="s"),
        Noted(deed="hat", session="s", subject="planner"),
    ],
)
def test_a_deed_that_makes_no_sense_is_refused(noted: Noted, tools: Tools) -> None:
    with pytest.raises(BadValue):
        record(noted, project="prj-one", tools=tools)
    assert tools.store.activities("prj-one") == []


def test_a_flood_from_one_session_waits_for_a_person(tools: Tools) -> None:
    few = replace(tools, settings=replace(tools.settings, session_cap=3))
    note(few, a_session())
    receipts = extract("prj-one", "s-one", tools=few)
    states = [(few.store.memory(one.memory_id or "") or a_memory()).trust for one in receipts]
    assert states == [2, 2, 2] + [0] * 8
