"""What only Gemini CLI does: it has no events of subagents."""

from clients.agents import Gemini
from clients.desk import Desk
from clients.script import Say, Script
from clients.stories import begin

AGENT = Gemini()
EVENTS = (
    *("SessionStart", "SessionEnd", "BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "PreCompress"),
    "Notification",
)


def test_a_subagent_is_known_by_the_tool_with_which_it_ends_and_by_nothing_else(desk: Desk) -> None:
    begin(desk, AGENT)
    desk.listen(AGENT, *EVENTS)

    task = [[AGENT.shell("cat port.txt")], [AGENT.report("It reads 5433.")]]
    turns = [*AGENT.task("LOOK-IT-UP: which port?"), [Say("Thanks.")]]
    session = desk.run(AGENT, "Ask which port it is", Script(turns=turns, tasks={"LOOK-IT-UP": task}))

    events = desk.heard
    assert session.code == 0, session.err
    assert [event["hook_event_name"] for event in events].count("AfterAgent") == 1  # the main agent's
    used = [(event["hook_event_name"], event["tool_name"]) for event in events if "tool_name" in event]
    assert used == [
        ("BeforeTool", "invoke_agent"),
        ("BeforeTool", "run_shell_command"),
        ("AfterTool", "run_shell_command"),
        ("BeforeTool", "complete_task"),
        ("AfterTool", "complete_task"),
        ("AfterTool", "invoke_agent"),
    ]
    assert len({event["session_id"] for event in events}) == 1
    assert not any("agent" in key for event in events for key in event)  # neither its id nor its type
