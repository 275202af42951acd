"""What only Claude Code does: it shortens its context when told to, and has subagents with a type of their own."""

from collections.abc import Sequence

from clients.agents import Claude
from clients.desk import Desk, Session
from clients.script import Part, Request, Say, Script
from clients.stories import CURE, HABIT, begin, blocks, punctual

AGENT = Claude()


def test_in_a_session_nothing_is_told_twice_until_the_context_is_shortened(desk: Desk) -> None:
    begin(desk, AGENT)
    desk.hindbrain("add", CURE, "--type", "fix")
    prompt = "The tests of the port fail, please look"
    turns = [[Say("One.")], [Say("Two.")], [Say("Three.")]]

    def spoken() -> Session:
        script = Script(turns=turns, aside="<summary>We spoke.</summary>")
        return desk.run(AGENT, [prompt, prompt, "/compact", prompt], script)

    session = punctual(desk, spoken)

    assert ["We spoke." in request.text for request in session.requests] == [False, False, True]
    assert [blocks(request, CURE) for request in session.requests] == [1, 1, 1]  # the first stays in the second


def test_a_subagent_that_declines_with_a_reason_is_let_go(desk: Desk) -> None:
    begin(desk, AGENT)
    desk.set(enforce="block")

    def declined(request: Request) -> Sequence[Part]:
        assert "MEMORY: none" in request.text
        return [Say("Nothing new.\n\nMEMORY: none — the tests were only run")]

    task = [[AGENT.shell("cat port.txt")], [Say("It reads 5433.")], declined]
    turns = [*AGENT.task("LOOK-IT-UP: which port?"), [Say("Thanks.")]]
    session = desk.run(AGENT, "Ask which port it is", Script(turns=turns, tasks={"LOOK-IT-UP": task}))
    desk.drained()

    assert session.code == 0, session.err
    assert [request.turns for request in session.requests if "LOOK-IT-UP" in request.opening] == [0, 1, 2]
    assert "Nothing new." in session.last.text  # it was let go, and its answer arrived
    assert desk.memories == {}


# BD-042, BD-043
def test_in_a_beads_project_a_supervisor_is_held_until_it_comments(desk: Desk) -> None:
    begin(desk, AGENT)
    (desk.project / ".beads").mkdir()
    agents = desk.project / ".claude" / "agents"
    agents.mkdir(parents=True)
    (agents / "port-supervisor.md").write_text(
        "---\nname: port-supervisor\ndescription: minds ports\n---\nMind ports.\n"
    )
    learned = AGENT.shell(f'bd comment app-1 "LEARNED: {HABIT}"')
    task = [[AGENT.shell("cat port.txt")], [Say("It reads 5433.")], [learned], [Say("Now it is written down.")]]
    turns = [*AGENT.task("MIND-IT: which port?", "port-supervisor"), [Say("Thanks.")]]

    session = desk.run(AGENT, "Ask which port it is", Script(turns=turns, tasks={"MIND-IT": task}))
    desk.drained()

    assert session.code == 0, session.err
    assert [request.turns for request in session.requests if "MIND-IT" in request.opening] == [0, 1, 2, 3]
    assert HABIT in desk.memories
