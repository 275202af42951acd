"""What an agent hands over in so many words, and what its own word about a memory is worth."""

import pytest
from building import FakeClock, a_memory, keep

from hindbrain.app.inject import Occasion, inject
from hindbrain.app.record import Noted, record
from hindbrain.app.remember import Lesson, remember
from hindbrain.app.tools import Tools
from hindbrain.app.word import report
from hindbrain.core.model import Memory, State, Verdict
from hindbrain.core.model.outcome import Effect
from hindbrain.core.trust import AGENT, HUMAN, QUARANTINED, TAINTED
from hindbrain.errors import BadValue, UnknownMemory

LOCK = "The lock in `src/jobs/lock.py` expires after 30 seconds, so renew it in long jobs"
ID = "mem-0lesson1111"


def kept(tools: Tools, **given: object) -> Memory:
    (receipt,) = remember(Lesson(content=LOCK, type="pitfall", **given), project="prj-one", tools=tools).receipts  # type: ignore[arg-type]
    memory = tools.store.memory(receipt.memory_id or "")
    assert memory is not None
    return memory


def test_an_agents_words_are_an_agents_words(tools: Tools) -> None:
    memory = kept(tools, session="s1", task="app-1")
    assert (memory.content, memory.type, memory.trust, memory.state) == (LOCK, "pitfall", AGENT, State.LIVE)
    assert (memory.provenance.session, memory.provenance.task) == ("s1", "app-1")


def test_lines_are_one_memory_and_no_line_of_it_is_another_signal(tools: Tools) -> None:
    lesson = Lesson(content=f"{LOCK}\nLEARNED: something else\n\n```\ncode\n```", type="pitfall")
    (receipt,) = remember(lesson, project="prj-one", tools=tools).receipts
    assert receipt.verdict is Verdict.STORED and "LEARNED: something else" in receipt.text


@pytest.mark.parametrize("content", ["", "  \n ", "…", "<content>"])
def test_nothing_is_rejected_with_a_receipt(tools: Tools, content: str) -> None:
    (receipt,) = remember(Lesson(content=content, type="fix"), project="prj-one", tools=tools).receipts
    assert receipt.verdict is Verdict.REJECTED and receipt.reason


def test_a_type_that_nobody_knows_is_refused(tools: Tools) -> None:
    with pytest.raises(BadValue, match="secret"):
        remember(Lesson(content=LOCK, type="secret"), project="prj-one", tools=tools)


def test_after_foreign_text_in_the_session_it_is_believed_less(tools: Tools) -> None:
    noted = Noted(deed="command", session="s1", subject="curl https://example.org", result="passed")
    record(noted, project="prj-one", tools=tools)
    assert kept(tools, session="s1").trust == TAINTED


def test_what_the_session_was_told_is_not_learned_by_it(tools: Tools, clock: FakeClock) -> None:
    keep(tools.store, a_memory(LOCK, id=ID, type="pitfall"))
    assert inject(Occasion(session="s1", task_title="Renew the lock of jobs"), project="prj-one", tools=tools).shown
    clock.forward(minutes=1)

    for session, evidence in (("s1", 1), ("s2", 2)):  # the other one has found out by itself
        assert kept(tools, session=session).id == ID
        memory = tools.store.memory(ID)
        assert memory is not None and memory.counters.evidence == evidence


def test_what_was_read_and_said_in_other_words_waits_for_a_person(tools: Tools) -> None:
    keep(tools.store, a_memory(LOCK, id=ID, trust=TAINTED))
    said = Lesson(content=f"{LOCK}, and tell everybody of it at once", type="pitfall", session="s1", read=(ID,))
    (receipt,) = remember(said, project="prj-one", tools=tools).receipts
    assert receipt.verdict is Verdict.REVIEW


def test_a_proposal_is_told_to_nobody_until_a_person_agrees(tools: Tools) -> None:
    memory = kept(tools, is_proposal=True)
    assert (memory.trust, memory.state) == (QUARANTINED, State.QUARANTINED)
    (review,) = tools.store.reviews("prj-one")
    assert review.memory_id == memory.id and "only a person" in review.reason


@pytest.fixture
def lesson(tools: Tools) -> Memory:
    memory = a_memory(LOCK, id=ID, confidence=0.6, trust=HUMAN)
    keep(tools.store, memory)
    return memory


@pytest.mark.parametrize(("effect", "moves"), [("helped", 1), ("hurt", -1), ("unknown", 0)])
def test_a_report_moves_belief_a_little_and_trust_not_at_all(
    tools: Tools, lesson: Memory, effect: str, moves: int
) -> None:
    told = report(ID, effect, session="s1", note="it was 60", tools=tools)

    change = told.memory.confidence - lesson.confidence
    assert told.is_new and (change > 0) - (change < 0) == moves and abs(change) <= 0.05
    assert (told.memory.trust, told.memory.version, told.memory.verified_at) == (HUMAN, lesson.version, None)
    (outcome,) = tools.store.outcomes("prj-one", memory_id=ID)
    assert (outcome.how, outcome.effect, outcome.session) == ("agent", Effect(effect), "s1")
    assert not tools.store.reviews("prj-one")


def test_a_session_that_says_it_often_says_it_once(tools: Tools, lesson: Memory, clock: FakeClock) -> None:
    told = [report(ID, "helped", session="s1", tools=tools) for _ in range(3)]
    assert [one.is_new for one in told] == [True, False, False]
    assert len({one.memory.confidence for one in told}) == 1

    clock.forward(minutes=1)
    report(ID, "hurt", session="s1", tools=tools)  # it has thought better of it
    standing = tools.store.standings([ID])[ID]
    assert (standing.helped, standing.hurt) == (0, 1)


def test_a_report_needs_a_session_a_memory_and_a_word_that_is_known(tools: Tools, lesson: Memory) -> None:
    with pytest.raises(BadValue, match="session"):
        report(ID, "helped", session="", tools=tools)
    with pytest.raises(BadValue, match="great"):
        report(ID, "great", session="s1", tools=tools)
    with pytest.raises(UnknownMemory):
        report("mem-0nothing000", "helped", session="s1", tools=tools)
