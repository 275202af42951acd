"""Real clients that ask our service over HTTP, wired by the very lines that `docs/mcp.md` shows."""

import json
import re
import socket
import subprocess
from collections.abc import Callable, Mapping

import pytest
from clients.agents import Agent, Claude, Codex, Gemini, OpenCode
from clients.desk import ROOT, Desk, program_of
from clients.script import Say, Script

LOCK = "The lock of the nightly import expires after 30 seconds without a word in any log"
SHOWN = (ROOT / "docs" / "mcp.md").read_text("utf-8").partition("## Over HTTP")[2]


def shown(form: str, sign: str) -> str:
    """The one example in that language that holds `sign`."""
    (found,) = [block for block in re.findall(rf"```{form}\n(.*?)```", SHOWN, re.DOTALL) if sign in block]
    return str(found)


def claude(desk: Desk, port: int) -> Mapping[str, str]:
    line = shown("sh", "claude mcp add").replace(":8787", f":{port}").replace("\\\n", " ")
    line = line.replace("claude mcp", f"{' '.join(program_of(Claude()))} mcp").replace(
        "$(hindbrain token)", token(desk)
    )
    environment = desk.environment | Claude().environment(9)
    subprocess.run(["sh", "-ec", line], cwd=desk.project, env=environment, check=True, capture_output=True)
    return {}


def codex(desk: Desk, port: int) -> Mapping[str, str]:
    config = desk.home / ".codex" / "config.toml"
    table = shown("toml", "bearer_token_env_var").replace(":8787", f":{port}")
    config.write_text(f"{config.read_text()}\n{table}required = true\n")  # else it does not wait
    return {"HINDBRAIN_TOKEN": token(desk)}


def gemini(desk: Desk, port: int) -> Mapping[str, str]:
    return merged(desk, ".gemini/settings.json", shown("json", "httpUrl"), port)


def opencode(desk: Desk, port: int) -> Mapping[str, str]:
    return merged(desk, ".config/opencode/opencode.json", shown("json", '"remote"'), port)


def merged(desk: Desk, place: str, block: str, port: int) -> Mapping[str, str]:
    file = desk.home / place
    held = json.loads(file.read_text()) if file.exists() else {}
    told = json.loads(block.replace(":8787", f":{port}").replace("Bearer …", f"Bearer {token(desk)}"))
    file.write_text(json.dumps(held | told))
    return {}


def token(desk: Desk) -> str:
    return desk.hindbrain("token").strip()


WIRES: list[tuple[Agent, Callable[[Desk, int], Mapping[str, str]]]] = [
    (Claude(), claude),
    (Codex(), codex),
    (Gemini(), gemini),
    (OpenCode(), opencode),
]


@pytest.mark.parametrize(("agent", "wire"), WIRES, ids=lambda one: getattr(one, "name", ""))
def test_a_model_asks_the_service(desk: Desk, agent: Agent, wire: Callable[[Desk, int], Mapping[str, str]]) -> None:
    agent.settle(desk.home)
    desk.set(embedder="off")
    desk.hindbrain("add", LOCK, "--type", "pitfall")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    more = wire(desk, port)

    turns = [[agent.memory("recall", query="why does the nightly import run twice?")], [Say("Hello.")]]
    session = desk.run(agent, "Greet me", Script(turns=turns), beside=port, **more)

    assert session.code == 0, session.err
    before, after = session.requests[:2]
    assert LOCK not in before.text and LOCK in after.text
