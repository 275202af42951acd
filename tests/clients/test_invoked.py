"""The user's own coding agent as a model: our command line starts the real client, without a person."""

import json
from collections.abc import Sequence

import pytest
from clients.agents import Claude
from clients.desk import Desk, Session, program_of
from clients.script import Call, Part, Request, Say, Script

AGENT = Claude()
LESSON = {
    "tokens": "The pool was closed twice.",
    "errors": ["The loop was closed"],
    "patterns": ["A token for each lock"],
    "doctrine": "Close what you open",
    "tool": "A check of open pools",
}


@pytest.fixture
def routed(desk: Desk) -> Desk:
    """A desk whose lessons are written by the client, which also has our hooks and our server."""
    AGENT.settle(desk.home)
    desk.wire(AGENT)
    (program,) = program_of(AGENT)
    route = f"lesson:\n  provider: agent\n  agent: claude\n  command: {program}\n  timeout_s: 90\n"
    (desk.memory / "routing.yaml").write_text(route)
    return desk


def closed(desk: Desk, script: Script) -> tuple[Session, dict[str, str]]:
    work = json.loads(desk.hindbrain("lesson", "open", "Move the queue", "--estimate", "40000", "--json"))["id"]
    tasks = [word for n in range(3) for word in ("--task", f"api-{n}")]
    desk.hindbrain("lesson", "add", work, *tasks, "--tokens", "60000", "--log", "asked jane.doe@corp-mail.com")
    session = desk.ask(AGENT, "lesson", "close", work, "--json", script=script)
    assert session.code == 0, session.err
    return session, json.loads(session.out)


def says(answer: object) -> Script:
    return Script(turns=[[Say(json.dumps(answer))]], aside=json.dumps(answer))


def test_the_real_client_writes_a_lesson_and_has_neither_tools_nor_memory(routed: Desk) -> None:  # HB-157, HB-100
    session, told = closed(routed, says(LESSON))
    assert told["made_by"] == "agent claude, prompt lesson 2" and told["trouble"] == ""
    assert "Close what you open" in told["text"] and "took 60,000: +20,000 (+50 %)" in told["text"]
    (asked,) = session.script.asked
    assert "You write down what a finished piece of work taught" in asked.text and "Move the queue" in asked.text
    assert asked.body.get("tools", []) == [], "it is to answer, not to work"
    assert asked.notes == [] and "jane.doe" not in asked.text
    assert routed.memories.keys() == {"Move the queue"}, "nothing was learned of its session"
    (line,) = json.loads(routed.hindbrain("ai", "cost", "--json"))["lines"]
    assert (line["use"], line["provider"], line["calls"], line["failed"]) == ("lesson", "agent", 1, 0)


def test_an_agent_that_tries_to_work_is_no_answer_and_runs_nothing(routed: Desk) -> None:
    proof = routed.folder / "proof"
    settings = routed.home / ".claude" / "settings.json"
    known = json.loads(settings.read_text())
    settings.write_text(json.dumps({**known, "permissions": {"allow": ["Bash"]}}))  # whatever its user allows

    class Working(Script):
        def answer(self, request: Request) -> Sequence[Part]:
            self.asked.append(request)
            return [Call("Bash", {"command": f"touch {proof}", "description": "work"})]

    session, told = closed(routed, Working())
    assert session.script.asked and not proof.exists()
    assert told["made_by"] == "rules" and told["trouble"] and "## A tool to create" in told["text"]
