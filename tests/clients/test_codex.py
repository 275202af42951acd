"""What only Codex does: it calls no failure one, and does not say how a command ended."""

from clients.agents import Codex
from clients.desk import Desk
from clients.stories import CURE, begin, blocks, fail_again, learn, punctual

AGENT = Codex()


def test_a_failure_that_codex_does_not_call_one_is_known_by_its_own_record(desk: Desk) -> None:
    begin(desk, AGENT)
    learn(desk, AGENT)
    desk.drained()
    desk.set(session_limit=0)  # else it would be told at once
    desk.listen(AGENT, "PostToolUse", "PostToolUseFailure")

    session = punctual(desk, lambda: fail_again(desk, AGENT))

    event = desk.heard[-1]
    assert event["hook_event_name"] == "PostToolUse" and isinstance(event["tool_response"], str)
    assert not any("exit" in key or "error" in key for key in event)
    assert [blocks(request, CURE) for request in session.requests] == [0, 1]
