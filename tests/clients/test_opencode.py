"""What only OpenCode does: it ends without waiting for one that is held, where no person sits."""

from clients.agents import OpenCode
from clients.desk import Desk
from clients.script import Say, Script
from clients.stories import begin, punctual

AGENT = OpenCode()


def test_a_run_of_an_agent_that_is_held_ends_all_the_same(desk: Desk) -> None:
    begin(desk, AGENT)
    desk.set(enforce="block")

    turns = [[AGENT.write(desk.project / "route.py", "ROUTES = {}\n")], [AGENT.shell("make -v")], [Say("Done.")]]
    session = punctual(desk, lambda: desk.run(AGENT, "Write the routes", Script(turns=turns)))
    desk.drained()

    assert session.code == 0, session.err
    assert session.records[-1]["part"]["reason"] == "stop" and desk.memories == {}
