"""What only OpenCode does: before a person it goes on when it is asked to, and else it ends."""

from collections.abc import Sequence

from clients.agents import OpenCode
from clients.desk import Desk, Session
from clients.script import Part, Request, Say, Script
from clients.stories import CURE, begin, blocks, punctual

AGENT = OpenCode()


def test_before_a_person_an_agent_that_taught_nothing_is_asked_once_more(desk: Desk) -> None:
    begin(desk, AGENT)
    desk.set(enforce="block")

    def taught(request: Request) -> Sequence[Part]:
        assert "MEMORY: none" in request.text
        return [Say(f"Now it is told.\n\nMEMORY:fix:{CURE}\n")]

    turns = [*_turns(desk), taught]
    session = punctual(desk, lambda: desk.sit_before(AGENT, ["Write the routes"], Script(turns=turns)))
    desk.drained()

    assert session.code == 0, session.err
    assert len(session.requests) == len(turns)
    assert desk.memories.keys() == {CURE}


def test_a_run_of_such_an_agent_ends_all_the_same(desk: Desk) -> None:
    begin(desk, AGENT)
    desk.set(enforce="block")

    session = punctual(desk, lambda: desk.run(AGENT, "Write the routes", Script(turns=_turns(desk))))
    desk.drained()

    assert session.code == 0, session.err
    assert session.records[-1]["part"]["reason"] == "stop" and desk.memories == {}


def test_in_a_session_nothing_is_told_twice_until_the_context_is_shortened(desk: Desk) -> None:
    begin(desk, AGENT)
    desk.hindbrain("add", CURE, "--type", "fix")
    prompt = "The tests of the port fail, please look"

    def spoken() -> Session:
        script = Script(turns=[[Say("One.")], [Say("Two.")], [Say("Three.")]], aside="We spoke.")
        return desk.sit_before(AGENT, [prompt, prompt, "/compact", prompt], script)

    session = punctual(desk, spoken)

    assert session.code == 0, session.err
    assert ["We spoke." in str(request.body) for request in session.requests] == [False, False, True]
    assert ["One." in str(request.body) for request in session.requests] == [False, True, False]
    assert [blocks(request, CURE) for request in session.requests] == [1, 1, 1]


def _turns(desk: Desk) -> list[list[Part]]:
    """It changes a file, and says nothing of what it learned."""
    return [[AGENT.write(desk.project / "routes.py", "ROUTES = {}\n")], [AGENT.shell("sleep 1")], [Say("Done.")]]
