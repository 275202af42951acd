"""When an injection is judged, and what that does to its memories."""

from datetime import timedelta

import pytest
from building import NOW, FakeClock, a_memory, keep

from hindbrain.app.judge import judge
from hindbrain.app.tools import Tools
from hindbrain.core.model import Injection, Memory, Score, Shown
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.core.model.outcome import Effect
from hindbrain.ports import Changes

ID = "mem-0lesson1111"
SYNC = "Run `uv sync --extra dev` before the tests"


def tell(tools: Tools, *, id_: str = "inj-1", at: int = 0, **given: object) -> Injection:
    fields: dict[str, object] = {"session": "s1", "moment": "prompt"} | given
    injection = Injection(
        id=id_,
        at=NOW + timedelta(seconds=at),
        project="prj-one",
        format="default",
        strategy="unified",
        shown=(Shown(memory_id=ID, version=1, score=Score(())),),
        left_out=0,
        tokens=10,
        **fields,  # type: ignore[arg-type]
    )
    tools.store.write(lambda tx: tx.apply(Changes(injections=(injection,))))
    return injection


def do(tools: Tools, deed: Deed, text: str = "", *, at: int, session: str = "s1", agent: str = "") -> None:
    activity = Activity(
        id=f"act-{session}{agent}{at:05d}{deed}",
        at=NOW + timedelta(seconds=at),
        project="prj-one",
        session=session,
        agent=agent,
        deed=deed,
        subject=text,
        detail=text if deed is Deed.RESPONSE else "",
        result=Result.PASSED if deed is Deed.COMMAND else Result.UNKNOWN,
    )
    tools.store.write(lambda tx: tx.apply(Changes(activities=(activity,))))


def lesson(tools: Tools) -> Memory:
    memory = tools.store.memory(ID)
    assert memory is not None
    return memory


@pytest.fixture(autouse=True)
def _kept(tools: Tools) -> None:
    keep(tools.store, a_memory(SYNC, id=ID, confidence=0.5))


def test_a_session_that_ended_is_judged_once(tools: Tools) -> None:
    tell(tools)
    do(tools, Deed.COMMAND, "uv sync --extra dev", at=5)
    do(tools, Deed.END, at=9)

    done = judge("prj-one", "s1", tools=tools)
    again = judge("prj-one", "s1", tools=tools)

    (outcome,) = tools.store.outcomes("prj-one")
    assert (done.injections, again.injections, again.outcomes) == (1, 0, ())
    assert (outcome.memory_id, outcome.how, outcome.effect) == (ID, "followed", Effect.HELPED)
    assert (outcome.injection_id, outcome.session) == ("inj-1", "s1")
    assert tools.store.cursor("judged/inj-1")
    assert [event.name for event in tools.store.events()] == ["injection_judged"]


def test_a_session_that_goes_on_is_not_judged_yet(tools: Tools, clock: FakeClock) -> None:
    tell(tools)
    do(tools, Deed.COMMAND, "ls", at=5)
    clock.forward(minutes=5)

    assert judge("prj-one", "s1", tools=tools).injections == 0

    do(tools, Deed.COMMAND, "uv sync --extra dev", at=400)
    do(tools, Deed.END, at=401)
    assert [one.how for one in judge("prj-one", "s1", tools=tools).outcomes] == ["followed"]


def test_a_session_that_went_quiet_is_judged_with_any_other(tools: Tools, clock: FakeClock) -> None:
    tell(tools)
    do(tools, Deed.COMMAND, "uv sync --extra dev", at=5)
    clock.forward(hours=1)

    assert judge("prj-one", "another session", tools=tools).injections == 1


def test_a_subagent_is_judged_when_it_ends(tools: Tools) -> None:
    tell(tools, id_="inj-main")
    tell(tools, id_="inj-sub", agent="sub-1")
    do(tools, Deed.COMMAND, "uv sync --extra dev", at=5, agent="sub-1")
    do(tools, Deed.END, at=6, agent="sub-1")

    (outcome,) = judge("prj-one", "s1", tools=tools).outcomes

    assert (outcome.injection_id, outcome.effect) == ("inj-sub", Effect.HELPED)


def test_a_memory_that_helped_is_confirmed_once_a_session(tools: Tools) -> None:  # F-16
    for number in (0, 20):
        tell(tools, id_=f"inj-{number}", at=number)
        do(tools, Deed.RESPONSE, f"as {ID} says", at=number + 5)
    do(tools, Deed.END, at=40)
    before = lesson(tools)

    judge("prj-one", "s1", tools=tools)

    after = lesson(tools)
    assert (after.counters.confirmed, after.counters.cited) == (1, 1)
    assert after.confidence == pytest.approx(before.confidence + 0.02)
    assert (after.trust, after.version) == (before.trust, before.version)
    assert len(tools.store.outcomes("prj-one")) == 2
    assert tools.store.standings([ID])[ID].helped == 1


def test_a_memory_that_hurt_is_believed_less(tools: Tools) -> None:
    tell(tools)
    do(tools, Deed.RESPONSE, f"{ID} is outdated", at=5)
    do(tools, Deed.END, at=9)

    judge("prj-one", "s1", tools=tools)

    assert lesson(tools).confidence == pytest.approx(0.45)
    assert lesson(tools).counters.confirmed == 0


def test_being_shown_alone_changes_nothing(tools: Tools) -> None:
    tell(tools)
    do(tools, Deed.END, at=9)
    before = lesson(tools)

    (outcome,) = judge("prj-one", "s1", tools=tools).outcomes

    assert (outcome.how, outcome.effect) == ("unseen", Effect.UNKNOWN)
    assert lesson(tools) == before


def test_what_was_withheld_is_recorded_as_such_and_counts_for_nothing(tools: Tools) -> None:
    tell(tools, is_withheld=True)
    do(tools, Deed.COMMAND, "uv sync --extra dev", at=5)
    do(tools, Deed.END, at=9)
    before = lesson(tools)

    (outcome,) = judge("prj-one", "s1", tools=tools).outcomes

    assert outcome.is_withheld and outcome.effect is Effect.UNKNOWN
    assert lesson(tools) == before
    standing = tools.store.standings([ID]).get(ID)
    assert standing is None or (standing.helped, standing.hurt, standing.unknown) == (0, 0, 0)


def test_an_injection_without_a_session_is_never_judged(tools: Tools, clock: FakeClock) -> None:
    tell(tools, session="")
    clock.forward(hours=3)

    assert judge("prj-one", tools=tools).injections == 0
