"""Every real client: what it learns without being asked to, and what it is told without asking."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import pytest
from clients.agents import Agent, Claude, Codex, Gemini, OpenCode
from clients.desk import Desk, program_of
from clients.script import Part, Request, Say, Script, Turn
from clients.stories import (
    CHOICE,
    CURE,
    FORGED,
    HABIT,
    REFUSED,
    Past,
    begin,
    blocks,
    lived,
    meet_it_again,
    punctual,
)

from hindbrain.core import trust

READ = "In check.py the port is read as text: strip it before it is compared"
WRITTEN = "In routes.py a route without a port is taken for the default one"


@pytest.fixture(params=[Claude(), Codex(), Gemini(), OpenCode()], ids=lambda agent: agent.name)
def agent(request: pytest.FixtureRequest) -> Agent:
    one: Agent = request.param
    program_of(one)
    return one


@pytest.fixture(scope="module")
def lives() -> Iterator[Callable[[Agent], Past]]:
    """The sessions of an agent, which are lived once, in whatever order they are asked for."""
    with contextlib.ExitStack() as stack:
        yield cache(lambda agent: stack.enter_context(lived(agent)))


@pytest.fixture
def past(agent: Agent, lives: Callable[[Agent], Past]) -> Past:
    return lives(agent)


def test_what_a_session_learned_at_a_cost_is_kept_without_being_asked_for(past: Past) -> None:
    assert past.first.code == 0, past.first.err
    assert REFUSED in past.first.last.text and "1 passed" in past.first.last.text  # it did fail, and then pass
    assert past.first.told(CURE) is None
    assert {CURE, HABIT} <= set(past.learned)


def test_a_failure_that_was_cured_is_remembered_with_its_cure(past: Past) -> None:  # F-32
    (cured,) = past.learned.keys() - {CURE, HABIT}
    assert REFUSED in cured and "5432" in cured and "port.txt" in cured
    assert past.learned[cured]["provenance"]["source"] == "automatic"


def test_the_next_session_is_told_before_it_fails(past: Past) -> None:
    assert past.later.code == 0, past.later.err
    assert past.later.told(CURE) == 0  # before the model has said a word


def test_nothing_is_told_twice(past: Past) -> None:
    assert REFUSED in past.later.last.text  # there was a second occasion
    assert blocks(past.later.last, CURE) == 1


# S1
def test_what_somebody_else_wrote_and_what_it_was_told_teaches_it_nothing(past: Past) -> None:
    assert past.later.last.text.count(f"MEMORY:fix:{FORGED}") >= 3  # the file, the page and the command's output
    assert past.kept.keys() == {*past.learned, CHOICE}


def test_what_it_says_after_it_has_read_a_web_page_is_kept_and_told_to_nobody_unasked(past: Past) -> None:
    assert past.learned[CURE]["trust"] == trust.AGENT
    assert past.kept[CHOICE]["trust"] == trust.TAINTED


def test_after_a_failure_the_agent_is_told_what_cured_it_before(past: Past) -> None:
    assert past.last.code == 0, past.last.err
    assert [blocks(request, CURE) for request in past.last.requests] == [0, 1]


def test_with_a_file_the_agent_is_told_its_pitfalls(desk: Desk, agent: Agent) -> None:
    """By when the model next speaks: no client can be told earlier, for it has asked for the file by then."""
    begin(desk, agent)
    desk.set(session_limit=0, enforce="off")  # else, where the edit is known in time, it is asked what it has learned
    desk.hindbrain("add", READ, "--type", "pitfall")
    desk.hindbrain("add", WRITTEN, "--type", "pitfall")

    turns = [
        [Say("Hello."), agent.read(desk.project / "check.py")],
        [agent.write(desk.project / "routes.py", "ROUTES = {}\n")],
        [Say("I see.")],
    ]

    session = punctual(desk, lambda: desk.run(agent, "Say hello", Script(turns=turns)))

    assert [blocks(request, READ) for request in session.requests] == [0, 1, 1]
    assert [blocks(request, WRITTEN) for request in session.requests] == [0, 0, 1]


def test_a_session_that_goes_on_in_a_new_process_is_not_told_again(desk: Desk, agent: Agent) -> None:
    begin(desk, agent)
    desk.hindbrain("add", CURE, "--type", "fix")
    prompt = "The tests of the port fail, please look"

    punctual(desk, lambda: desk.run(agent, prompt, Script(turns=[[Say("One.")]])))
    again = punctual(desk, lambda: desk.run(agent, prompt, Script(turns=[[Say("Two.")]]), is_again=True))

    assert again.last.turns >= 1  # it knows what was said before
    assert blocks(again.last, CURE) == 1  # and where the client has lost it, it is told anew


def test_a_subagent_that_worked_and_taught_nothing_is_asked_for_it_once(desk: Desk, agent: Agent) -> None:
    begin(desk, agent)
    desk.set(enforce="block")

    def taught(request: Request) -> Sequence[Part]:
        assert "MEMORY: none" in request.text  # what it may say if there is nothing
        return [agent.report(f"Now it is told.\n\nMEMORY:fix:{CURE}\n")]

    task = [[agent.shell("cat port.txt")], [agent.report("It reads 5433.")], taught]
    turns = [*agent.task("LOOK-IT-UP: which port?"), [Say("Thanks.")]]
    session = punctual(
        desk,
        lambda: desk.run(agent, "Ask which port it is", Script(turns=turns, tasks={"LOOK-IT-UP": task})),
    )
    desk.drained()

    assert session.code == 0, session.err
    assert [request.turns for request in session.requests if "LOOK-IT-UP" in request.opening] == [0, 1, 2]
    assert "Now it is told." in session.last.text  # it was let go, and its answer arrived
    assert desk.memories.keys() == {CURE}


def test_a_worker_that_is_killed_in_the_middle_of_a_session_loses_nothing(desk: Desk, agent: Agent) -> None:
    begin(desk, agent)
    killed: list[bool] = []

    def shot(*parts: Part) -> Turn:
        def turn(_: Request) -> Sequence[Part]:
            killed.append(desk.kill_worker())
            return parts

        return turn

    turns = [
        [agent.shell("make test")],
        shot(agent.shell(f'bd comment app-1 "LEARNED: {HABIT}"')),
        shot(agent.write(desk.project / "port.txt.new", "5432\n")),
        shot(Say(f"Done.\n\nMEMORY:fix:{CURE}\n")),
    ]
    session = desk.run(agent, "Make the tests pass", Script(turns=turns))
    killed.append(desk.kill_worker())
    desk.hindbrain("worker", "--detach")
    desk.drained()

    assert session.code == 0, session.err
    assert any(killed)
    assert desk.memories.keys() == {CURE, HABIT}


def test_without_any_worker_the_agent_is_told_all_the_same(desk: Desk, agent: Agent) -> None:
    begin(desk, agent)
    desk.hindbrain("add", CURE, "--type", "fix")
    (desk.memory / "worker.lock").unlink(missing_ok=True)
    (desk.memory / "worker.lock").mkdir()  # no worker can start

    session = punctual(desk, lambda: meet_it_again(desk, agent))

    assert session.code == 0, session.err
    assert session.told(CURE) == 0
