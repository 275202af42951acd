"""Agents that ask over the service's own port: the same door, the same rights, and an end that waits for nobody."""

import asyncio
import socket
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from serving import Api, serving

from hindbrain.facade import Hindbrain

LOCK = "The lock in `src/jobs/lock.py` expires after 30 seconds; renew it in long jobs"
ENOUGH_S = 60.0


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with serving(tmp_path / "home") as running:
        running.add(LOCK)
        yield running


def asked(api: Api, work: Callable[[Client], Coroutine[Any, Any, Any]], *, mode: str = "auto", **headers: str) -> Any:
    """What comes of `work` for a client that shows the owner's token, unless it is told otherwise."""
    shown = {
        "Authorization": f"Bearer {api.token}",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }

    async def connected() -> Any:
        async with (
            httpx2.AsyncClient(headers=shown, timeout=ENOUGH_S) as http,
            Client(streamable_http_client(f"{api.running.address.url}/mcp", http_client=http), mode=mode) as client,
        ):
            return await work(client)

    return asyncio.run(connected())


def hindbrain(api: Api, project: str = "app") -> Hindbrain:
    return api.running.service.app.state.desk.named(project)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_agent_finds_and_keeps_memories_of_the_services_project(api: Api, mode: str) -> None:
    async def work(client: Client) -> Any:
        await client.call_tool("remember", {"content": "Jobs are named by date", "type": "convention"})
        return (
            await client.call_tool("recall", {"query": "lock expires"}),
            await client.read_resource("memory://rules"),
            await client.get_prompt("start_task", {"goal": "renew the lock in long jobs"}),
        )

    found, rules, prompt = asked(api, work, mode=mode, Hindbrain_Session="s-9")
    assert [hit["line"] for hit in found.structured_content["hits"]] == [LOCK]
    assert "Jobs are named by date" in rules.contents[0].text and "lock.py" in prompt.messages[0].content.text
    assert api("GET /api/receipts").data[0]["session"] == "s-9"


def test_a_header_or_an_argument_names_another_project_by_name_id_or_folder(api: Api, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    other = next(one["id"] for one in api("GET /api/projects").data if one["name"] == "other")

    async def work(client: Client) -> Any:
        shop = {"project": str(tmp_path / "shop")}
        await client.call_tool("remember", {"content": "Only the shop has this", "type": "fix", **shop})
        await client.call_tool("remember", {"content": "The other one has that", "type": "fix"})
        return await client.call_tool("recall", {"query": "lock expires"})

    assert asked(api, work, Hindbrain_Project=other).structured_content["hits"] == []
    assert [one.content for one in hindbrain(api, "shop").list()] == ["Only the shop has this"]
    assert [one.content for one in hindbrain(api, "other").list()] == ["The other one has that"]


def test_a_token_opens_its_project_and_what_it_has_the_right_to(api: Api, tmp_path: Path) -> None:
    reader = hindbrain(api, "other").issue_token("ci", ["read"]).secret

    async def work(client: Client) -> Any:
        return (
            await client.call_tool("recall", {"query": "lock expires"}),
            await client.call_tool("recall", {"query": "lock expires", "project": "app"}),
            await client.call_tool("recall", {"query": "lock expires", "project": str(tmp_path)}),
            await client.call_tool("remember", {"content": "Jobs are named by date", "type": "fix"}),
        )

    own, others, folder, kept = asked(api, work, Authorization=f"Bearer {reader}")
    assert not own.is_error and own.structured_content["hits"] == []
    assert others.is_error and folder.is_error and "no such project" in others.content[0].text
    assert kept.is_error and "may not write" in kept.content[0].text
    assert hindbrain(api, "other").list() == []


def test_who_asks_for_more_than_the_protocol_has_is_told(api: Api) -> None:
    assert api("PUT /mcp", {}).status == 405
    assert api("GET /mcp/more").status == 404


def test_an_open_stream_does_not_keep_the_service_alive(api: Api) -> None:
    accepts = {"Accept": "application/json, text/event-stream"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    begun = api("POST /mcp", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}, headers=accepts)
    with socket.create_connection(("127.0.0.1", api.port), timeout=ENOUGH_S) as stream:
        session = begun.headers["mcp-session-id"]
        stream.sendall(
            f"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:{api.port}\r\nAuthorization: Bearer {api.token}\r\n"
            f"Accept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\r\n".encode()
        )
        assert stream.recv(4096).startswith(b"HTTP/1.1 200")
        api.running.stop()
        rest = b"".join(iter(lambda: stream.recv(4096), b""))
    assert rest.endswith(b"0\r\n\r\n")  # whole, not torn off
