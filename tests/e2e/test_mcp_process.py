"""The MCP server as clients start it: over pipes, over HTTP, and without what it needs."""

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

ROOT = Path(__file__).resolve().parents[2]
ENOUGH_S = 60.0
LOCK = "The lock in `src/jobs/lock.py` expires after 30 seconds; renew it in long jobs"
WORDS = [sys.executable, "-P", "-W", "error", "-m", "hindbrain"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "app").mkdir()
    known = {"HINDBRAIN_HOME": str(tmp_path / "home"), "HINDBRAIN_EMBEDDER": "off", "PYTHONPATH": str(ROOT / "src")}
    return {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **known}


def hindbrain(environment: dict[str, str], *words: str) -> "subprocess.CompletedProcess[str]":
    folder = Path(environment["HOME"]) / "app"
    return subprocess.run(
        [*WORDS, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=ENOUGH_S, check=False
    )


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_over_pipes_the_project_is_the_folder_it_was_started_in(
    environment: dict[str, str], tmp_path: Path, mode: str
) -> None:
    assert hindbrain(environment, "add", LOCK, "--type", "pitfall").returncode == 0
    given = StdioServerParameters(command=WORDS[0], args=[*WORDS[1:], "mcp"], env=environment, cwd=tmp_path / "app")

    async def work() -> Any:
        async with Client(stdio_client(given), mode=mode) as client:
            found = await client.call_tool("recall", {"query": "lock expires"})
            kept = await client.call_tool("remember", {"content": "Jobs are named by date", "type": "convention"})
            return found, kept

    found, kept = asyncio.run(work())
    assert found.structured_content["hits"][0]["line"] == LOCK
    receipt = json.loads(hindbrain(environment, "receipts", "--json").stdout)["receipts"][0]
    assert receipt["memory_id"] == kept.structured_content["receipts"][0]["memory_id"]
    assert receipt["session"].startswith("mcp-")  # Claude Code names its own, others have one for each process


def test_nothing_but_the_protocol_goes_to_stdout_and_the_end_of_input_ends_it(environment: dict[str, str]) -> None:
    asked = (
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, **_WHO}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "recall", "arguments": {"query": "x"}}},
        {"id": 3, "method": "tools/call", "params": {"name": "no such tool", "arguments": {}}},
    )
    lines = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in asked)
    process = subprocess.Popen(
        [*WORDS, "mcp"],
        cwd=Path(environment["HOME"]) / "app",
        env=environment | {"CLAUDE_CODE_SESSION_ID": "s-1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin and process.stdout
    process.stdin.write(lines)
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(3)]
    rest, _ = process.communicate(timeout=ENOUGH_S)

    assert {answer["id"] for answer in answers} == {1, 2, 3} and rest == "" and process.returncode == 0


_WHO = {"clientInfo": {"name": "test", "version": "1"}}


@pytest.fixture
def served(environment: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Address and token of a server on a free port."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [*WORDS, "mcp", "--http", "--port", str(port)],
        cwd=Path(environment["HOME"]) / "app",
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        address, _, token = process.stderr.readline().strip().partition("  Authorization: Bearer ")
        _wait(port)
        yield address, token
    finally:
        process.terminate()
        process.communicate(timeout=ENOUGH_S)


def _wait(port: int) -> None:
    end = time.monotonic() + ENOUGH_S
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.02)
    pytest.fail("nobody listens")


def test_over_http_a_header_names_the_project_and_the_token_opens(
    environment: dict[str, str], served: tuple[str, str]
) -> None:
    address, token = served
    assert address.endswith("/mcp") and token.startswith("hb-")
    hindbrain(environment, "add", LOCK, "--project", "shop")
    headers = {"Authorization": f"Bearer {token}", "Hindbrain-Project": "shop", "Hindbrain-Session": "s-9"}

    async def work() -> Any:
        async with (
            httpx2.AsyncClient(headers=headers, timeout=ENOUGH_S) as http,
            Client(streamable_http_client(address, http_client=http)) as client,
        ):
            await client.call_tool("remember", {"content": "Jobs are named by date", "type": "convention"})
            return (
                await client.call_tool("recall", {"query": "lock expires"}),
                await client.call_tool("recall", {"query": "lock expires", "project": "another"}),
                await client.read_resource("memory://rules"),
            )

    here, there, rules = asyncio.run(work())
    assert len(here.structured_content["hits"]) == 1 and there.structured_content["hits"] == []
    assert "Jobs are named by date" in rules.contents[0].text  # of the project that the header names
    kept = json.loads(hindbrain(environment, "receipts", "--project", "shop", "--json").stdout)["receipts"]
    assert kept[0]["session"] == "s-9"


def test_over_http_each_connection_is_a_session_where_none_is_named(
    environment: dict[str, str], served: tuple[str, str]
) -> None:
    address, token = served

    async def work(content: str) -> None:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=ENOUGH_S) as http,
            Client(streamable_http_client(address, http_client=http), mode="legacy") as client,
        ):
            await client.call_tool("remember", {"content": content, "type": "convention"})

    for content in ("Jobs are named by date", "Tables have a key called id"):
        asyncio.run(work(content))
    kept = json.loads(hindbrain(environment, "receipts", "--json").stdout)["receipts"]
    assert len({one["session"] for one in kept}) == 2 and all(one["session"].startswith("mcp-") for one in kept)


# S5
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer hb-0"}, 401),
        ({"Authorization": "Bearer {token}", "Host": "evil.example"}, 421),
        ({"Authorization": "Bearer {token}", "Origin": "https://evil.example"}, 403),
    ],
)
def test_over_http_strangers_are_refused(served: tuple[str, str], headers: dict[str, str], status: int) -> None:
    address, token = served
    shown = {name: value.format(token=token) for name, value in headers.items()}
    accepts = {"Accept": "application/json, text/event-stream"}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert httpx2.post(address, json=asked, headers={**accepts, **shown}).status_code == status


def test_the_token_lies_where_only_its_owner_can_read_it(environment: dict[str, str], served: tuple[str, str]) -> None:
    path = Path(environment["HINDBRAIN_HOME"]) / "token"
    assert path.read_text().strip() == served[1] and path.stat().st_mode & 0o077 == 0


def test_without_what_it_needs_it_says_how_to_get_it(environment: dict[str, str], tmp_path: Path) -> None:
    blind = tmp_path / "blind"
    blind.mkdir()
    (blind / "mcp.py").write_text("raise ModuleNotFoundError('gone', name='mcp')\n")
    known = environment | {"PYTHONPATH": f"{blind}{os.pathsep}{environment['PYTHONPATH']}"}
    done = hindbrain(known, "mcp", "--json")
    error = json.loads(done.stderr)["error"]

    assert done.returncode == 97 and done.stdout == ""
    assert error["code"] == "extra_missing" and error["fix"] == "pip install 'hindbrain[mcp]'"


def test_a_port_without_http_makes_no_sense(environment: dict[str, str]) -> None:
    assert hindbrain(environment, "mcp", "--port", "1234").returncode == 2
