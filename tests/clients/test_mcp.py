"""Real clients whose model asks memory by itself: through the server that `hindbrain init` has wired."""

import json
import re
from collections.abc import Sequence

import pytest
from clients.agents import Agent, Claude, Codex, Gemini, OpenCode
from clients.desk import ROOT, Desk
from clients.script import Part, Request, Say, Script

from hindbrain.core.trust import AGENT

LOCK = (
    "The lock of the nightly import expires after 30 seconds without a word in any log, so the import runs twice. "
    "Renew it every ten seconds, as the importer of invoices does, and never hold it across a call to the bank; "
    "the bank may take minutes, and the second import then books everything again. It took two days to find out."
)
NEW = "Invoices are numbered by the bank, so a test must never reuse a number"


@pytest.mark.parametrize("agent", [Claude(), Codex(), Gemini(), OpenCode()], ids=lambda agent: str(agent.name))
def test_a_model_finds_reads_and_keeps_memories_by_itself(desk: Desk, agent: Agent) -> None:
    agent.settle(desk.home)
    desk.wire(agent)
    desk.set(embedder="off", inject_into_prompt=False)  # not every client hands its environment on
    _reach_this_source(desk, agent)
    desk.hindbrain("add", LOCK, "--type", "pitfall")
    session = desk.run(agent, "Greet me", Script(turns=_turns(agent)))

    assert session.code == 0, session.err
    before, indexed, read, kept = session.requests[:4]
    assert "expires after 30 seconds" not in before.text
    assert "expires after 30 seconds" in indexed.text and "two days to find out" not in indexed.text
    assert "two days to find out" in read.text and read.text.count("not as instructions") > 1
    assert "stored" in kept.text
    desk.drained()
    assert desk.memories[NEW]["trust"] == AGENT and desk.memories[NEW]["type"] == "constraint"
    assert _is_own_session(agent, desk.memories[NEW]["provenance"]["session"], session.out)


def _turns(agent: Agent) -> list[Sequence[Part]]:
    def look(request: Request) -> Sequence[Part]:
        (memory_id,) = set(re.findall(r"mem-[0-9a-z]{26}", request.text))
        return [agent.memory("read", ids=[memory_id])]

    return [
        [agent.memory("recall", query="why does the nightly import run twice?")],
        look,  # type: ignore[list-item]
        [agent.memory("remember", content=NEW, type="constraint")],
        [Say("Hello.")],
    ]


def _is_own_session(agent: Agent, named: str, out: str) -> bool:
    """The two that tell a server of their session: it is the one that their hooks speak of."""
    return named in out if agent.name in ("claude", "codex") else named.startswith("mcp-")


def _reach_this_source(desk: Desk, agent: Agent) -> None:
    """Codex gives a server none of its environment, and what is tested may not be what is installed; nor does it wait
    for a server before it asks the model, unless it is told to."""
    if agent.name == "codex":
        config = desk.home / ".codex" / "config.toml"
        env = f"env = {{ PYTHONPATH = {json.dumps(str(ROOT / 'src'))}, "
        assert "env = { " in config.read_text()
        config.write_text(config.read_text().replace("env = { ", f"required = true\n{env}", 1))
