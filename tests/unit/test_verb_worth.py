"""What memory is worth, read from sessions in a store."""

import random
from datetime import timedelta

import pytest
from building import NOW, a_memory, keep

from hindbrain.app.judge import judge
from hindbrain.app.tools import Tools
from hindbrain.app.worth import worth
from hindbrain.core.model import Injection, Score, Shown
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.core.trial import calls_to_green, recurrence
from hindbrain.core.value import replace
from hindbrain.ports import Changes

ID = "mem-0lesson1111"
BOOM = "ImportError: <value>"


def told(session: str, *, moment: str, is_withheld: bool, at: int = 10) -> Injection:
    return Injection(
        id=f"inj-{session}-{at}",
        at=NOW + timedelta(seconds=at),
        project="prj-one",
        format="default",
        strategy="unified",
        shown=(Shown(memory_id=ID, version=1, score=Score(())),),
        left_out=0,
        tokens=1,
        session=session,
        moment=moment,
        is_withheld=is_withheld,
    )


def act(session: str, at: int, deed: Deed, *, result: Result = Result.UNKNOWN, signature: str = "") -> Activity:
    return Activity(
        id=f"act-{session}-{at}-{deed}",
        at=NOW + timedelta(seconds=at),
        project="prj-one",
        session=session,
        deed=deed,
        subject={Deed.GATE: "tests", Deed.COMMAND: "pytest"}.get(deed, "a.py"),
        result=result,
        signature=signature,
        ref=f"call-{at}" if deed in (Deed.GATE, Deed.COMMAND) else "",
    )


def a_session(name: str, *, is_withheld: bool, is_back: bool, edits: int) -> Changes:
    """It fails, is told or not, edits, perhaps fails again, and passes. A gate and its command are one call."""
    failed = act(name, 9, Deed.GATE, result=Result.FAILED, signature=BOOM)
    done = [act(name, 20 + number, Deed.EDIT) for number in range(edits)]
    again = [act(name, 200, Deed.GATE, result=Result.FAILED, signature=BOOM)] if is_back else []
    green = [act(name, 300, deed, result=Result.PASSED) for deed in (Deed.COMMAND, Deed.GATE)]
    end = act(name, 301, Deed.END)
    return Changes(
        injections=(told(name, moment="failure", is_withheld=is_withheld),),
        activities=(failed, *done, *again, *green, end),
    )


@pytest.fixture(autouse=True)
def _kept(tools: Tools) -> None:
    keep(tools.store, a_memory("Sync the dev extra first", id=ID, error_signature=BOOM))


def test_a_project_without_sessions_is_worth_nothing_yet(tools: Tools) -> None:
    found = worth("prj-one", store=tools.store)
    assert (found.sessions, found.helped, found.recurrence.change, found.calls.change) == (0, 0, None, None)


def test_a_planted_effect_shows_in_what_memory_is_worth(tools: Tools) -> None:
    chance = random.Random(11)
    made = []
    for number in range(120):
        side = number % 3 == 0
        back = chance.random() < (0.5 if side else 0.1)
        made.append(
            a_session(f"s{number:03d}", is_withheld=side, is_back=back, edits=chance.randint(2, 9) * (1 + side))
        )
    tools.store.write(lambda tx: [tx.apply(one) for one in made])
    judge("prj-one", tools=tools)

    found = worth("prj-one", store=tools.store)

    assert (found.sessions, found.shown, found.withheld) == (120, 80, 40)
    assert found.unknown == 80 and found.helped == 0, "nobody cited it or did what it says"
    back, calls = found.recurrence, found.calls
    assert back.change and back.change.is_clear and back.change.low <= -0.4 <= back.change.high
    assert calls.change and calls.change.is_clear and calls.change.value < -0.25
    assert back.missing == 0 and calls.missing == 0
    later = worth("prj-one", since=NOW + timedelta(days=1), store=tools.store)
    assert later.sessions == 0 and later.recurrence.change is None


def test_without_an_effect_it_says_how_many_sessions_more_would_tell(tools: Tools) -> None:
    made = [
        a_session(f"s{number:03d}", is_withheld=number % 4 == 0, is_back=number % 5 == 0, edits=2 + number % 7)
        for number in range(60)
    ]
    tools.store.write(lambda tx: [tx.apply(one) for one in made])

    found = worth("prj-one", store=tools.store)

    for one in (found.recurrence, found.calls):
        assert one.change and not one.change.is_clear
        assert one.missing and one.missing > 0


def test_the_first_chance_to_tell_decides_on_which_side_a_session_stands() -> None:
    memory = a_memory("Sync the dev extra first", id=ID, error_signature=BOOM)
    first = told("s1", moment="prompt", is_withheld=True, at=1)
    later = told("s1", moment="prompt", is_withheld=False, at=30)
    back = act("s1", 50, Deed.GATE, result=Result.FAILED, signature=BOOM)

    trial = recurrence([later, first], {ID: memory}, activities=[back])

    assert trial is not None and (trial.is_withheld, trial.value) == (True, 1.0)
    assert recurrence([first], {ID: a_memory("No failure known", id=ID)}, activities=[back]) is None


def test_what_chance_did_not_decide_about_is_no_trial() -> None:
    memory = a_memory("Sync the dev extra first", id=ID, error_signature=BOOM)
    back = act("s1", 50, Deed.GATE, result=Result.FAILED, signature=BOOM)
    asked, unasked = (told("s1", moment=moment, is_withheld=False) for moment in ("asked", "prompt"))

    assert recurrence([asked], {ID: memory}, activities=[back]) is None
    assert recurrence([unasked], {ID: memory}, activities=[back]) is not None
    assert recurrence([unasked], {ID: replace(memory, is_pinned=True)}, activities=[back]) is None


def test_sessions_from_before_anything_was_held_back_are_not_compared(tools: Tools) -> None:
    early = a_session("s0", is_withheld=False, is_back=True, edits=2)
    late = [told(f"s{n}", moment="failure", is_withheld=n == 1, at=3600 + n) for n in (1, 2)]
    tools.store.write(lambda tx: tx.apply(early))
    tools.store.write(lambda tx: tx.apply(Changes(injections=tuple(late))))

    found = worth("prj-one", store=tools.store)

    assert found.sessions == 3
    assert (found.recurrence.with_memory.sessions, found.recurrence.without.sessions) == (1, 1)


def test_calls_are_counted_until_the_same_thing_passes_a_gate_and_its_command_once() -> None:
    changes = a_session("s1", is_withheld=False, is_back=True, edits=3)

    trial = calls_to_green(changes.injections, changes.activities)

    assert trial is not None and trial.is_complete
    assert trial.value == 3 + 1 + 1, "three edits, one more failure, one that passed"
    never = calls_to_green(changes.injections, changes.activities[:3])
    assert never is not None and (never.value, never.is_complete) == (2, False)
    assert calls_to_green([told("s1", moment="prompt", is_withheld=False)], changes.activities) is None
