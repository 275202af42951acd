"""Patterns become proposals that wait for a person, and a person hears when too many wait."""

from datetime import timedelta
from pathlib import Path

import pytest
from building import NOW, FakeClock, a_memory, keep
from filing import equipped

from hindbrain.adapters.notify import notify
from hindbrain.app.propose import monitor, pending, propose
from hindbrain.app.review import decide
from hindbrain.app.tools import Tools
from hindbrain.core.model import Actor, Kind, Memory, Provenance, State
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.core.value import replace
from hindbrain.errors import BadSettings
from hindbrain.ports import Changes, Where

PROJECT = "prj-one"


def a_turn(number: int, task: str, action: str, observation: str = "all is well") -> Memory:
    return a_memory(
        f"turn {number}",
        id=f"mem-{number:03}",
        kind=Kind.ITERATION,
        body={"thought": "x", "action": action, "observation": observation},
        provenance=Provenance(actor=Actor(), task=task),
        at=NOW + timedelta(seconds=number),
    )


def proposals(tools: Tools) -> list[Memory]:
    where = Where(project=PROJECT, kinds=(Kind.SKILL,), states=frozenset(State))
    return list(tools.store.select(where))


# HB-135 HB-136
@pytest.mark.parametrize(("tasks", "expected"), [(2, 0), (3, 1)])
def test_what_three_tasks_did_is_proposed_once(tools: Tools, tasks: int, expected: int) -> None:
    keep(tools.store, *(a_turn(n, f"t-{n}", f"regenerate the client {n} from schema") for n in range(tasks)))
    for _ in range(2):
        propose(tools)
    found = proposals(tools)
    assert len(found) == expected == pending(tools)
    for one in found:
        assert one.state is State.QUARANTINED and one.body["status"] == "pending"


# HB-134
def test_only_what_went_well_counts(tools: Tools) -> None:
    failed = "RuntimeError: loop is closed"
    keep(tools.store, *(a_turn(n, f"t-{n}", "regenerate the client again", failed) for n in range(5)))
    assert propose(tools) == ()


def test_commands_of_the_activity_log_count_and_looking_round_does_not(tools: Tools) -> None:
    def deed(session: int, number: int, command: str) -> Activity:
        return Activity(
            id=f"act-{session}-{number}",
            at=NOW,
            project=PROJECT,
            session=f"s-{session}",
            deed=Deed.COMMAND,
            subject=command,
            result=Result.PASSED,
        )

    commands = ("git status", "make schema", "ls -la src tests docs", "make client")
    deeds = tuple(deed(s, n, text) for s in range(3) for n, text in enumerate(commands))
    tools.store.write(lambda tx: tx.apply(Changes(activities=deeds)))
    (one,) = propose(tools)
    assert one.body["steps"] == ["make schema", "make client"]


# HB-136
def test_what_a_person_refused_is_not_proposed_again(tools: Tools) -> None:
    keep(tools.store, *(a_turn(n, f"t-{n}", "regenerate the client again") for n in range(3)))
    propose(tools)
    (review,) = tools.store.reviews(PROJECT)
    decide(review.id, "refuse", by="anna", store=tools.store, clock=tools.clock)
    assert propose(tools) == () and pending(tools) == 0


# HB-137 Q-04
def test_a_person_is_told_once_when_too_many_wait_and_again_after_a_day(tools: Tools, clock: FakeClock) -> None:
    told: list[str] = []
    tools = replace(tools, notify=told.append, settings=replace(tools.settings, alert_above=10))

    def wait(number: int) -> None:
        keep(tools.store, a_memory(f"skill {number}", kind=Kind.SKILL, trust=0, id=f"mem-{number}"))

    for number in range(10):
        wait(number)
    assert not monitor(tools).is_alerted and told == []
    wait(10)
    assert monitor(tools).is_alerted
    for _ in range(23):
        clock.forward(hours=1)
        assert not monitor(tools).is_alerted
    assert len(told) == 1 and "11 proposed skills" in told[0]
    clock.forward(hours=1)
    assert monitor(tools).is_alerted and len(told) == 2
    assert len([one for one in tools.store.events() if one.name == "queue_alert"]) == 2


def test_the_command_of_the_user_gets_the_sentence_as_its_last_word(tmp_path: Path) -> None:
    script = tmp_path / "tell"
    script.write_text(f'#!/bin/sh\nprintf "%s" "$2" > {tmp_path}/heard\n')
    script.chmod(0o755)
    notify(f"{script} -v", "two; words $(true)")
    assert (tmp_path / "heard").read_text() == "two; words $(true)"
    with pytest.raises(BadSettings, match="notify_command"):
        notify(str(tmp_path / "none"), "x")


def test_a_command_that_fails_is_tried_again_the_next_day_only(tools: Tools, tmp_path: Path) -> None:
    keep(tools.store, *(a_memory(f"skill {n}", kind=Kind.SKILL, trust=0, id=f"mem-{n}") for n in range(11)))

    def failing(_: str) -> None:
        raise BadSettings("notify_command fails", fix="x")

    tools = replace(equipped(tools, tmp_path / "home"), notify=failing)
    with pytest.raises(BadSettings):
        monitor(tools)
    assert not monitor(tools).is_alerted
