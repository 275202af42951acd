"""Our MCP server under the protocol's own tools, by itself and within the service: conformance suite, and inspector."""

import contextlib
import json
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from hindbrain.entry.http import owner
from hindbrain.entry.http.app import build as service_of
from hindbrain.entry.http.desk import Desk
from hindbrain.entry.http.guard import Address
from hindbrain.entry.mcp.lodged import guests
from hindbrain.entry.mcp.server import app, build
from hindbrain.settings import Settings
from hindbrain.wiring import open_hindbrain
from scripts.clients import Absent, command

ENOUGH_S = 240.0
# What applies to a server that has tools, resources, prompts and completion. The others need tools of the suite's own
# (`test_…`), or what we do not offer: logging, subscriptions, tasks, and questions back to the client.
APPLICABLE = {
    "2025-11-25": {
        *("server-initialize", "server-session-lifecycle", "ping", "completion-complete", "tools-list"),
        *("tools-call-error", "server-sse-multiple-streams", "resources-list", "prompts-list"),
        "dns-rebinding-protection",
    },
    "2026-07-28": {
        *("server-stateless", "completion-complete", "tools-list", "tools-call-error", "server-sse-multiple-streams"),
        *("resources-list", "sep-2164-resource-not-found", "prompts-list", "dns-rebinding-protection", "caching"),
        *("http-header-validation", "input-required-result-unsupported-methods"),
        "input-required-result-ignore-extra-params",
    },
}
# Ask for a tool of the suite's own in the midst of a scenario that applies.
UNTESTABLE = {"sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"}


@pytest.fixture(scope="module", params=["alone", "service"])
def address(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a server in this process that knows one thing."""
    home = tmp_path_factory.mktemp("home")
    settings = Settings(home=str(home), store=str(home / "hindbrain.db"), project="app", embedder="off")
    with contextlib.ExitStack() as stack:
        hindbrain = stack.enter_context(open_hindbrain(project="app", settings=settings))
        hindbrain.add("The lock in `src/jobs/lock.py` expires after 30 seconds", type="pitfall")
        bound = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        port = bound.getsockname()[1]
        if request.param == "alone":
            served: ASGIApp = app(build(lambda who: hindbrain, session="suite"))
        else:
            desk = stack.enter_context(contextlib.closing(Desk(settings)))
            service = service_of(desk, Address(host="127.0.0.1", port=port), guests=guests())
            served = _Known(service, token=owner.token(settings))
        server = uvicorn.Server(uvicorn.Config(served, log_level="critical"))
        thread = Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        yield f"http://127.0.0.1:{port}/mcp"
        server.should_exit = True
        thread.join()


class _Known:
    """Shows the token for callers that cannot: neither tool can be given one for all that it sends."""

    def __init__(self, inner: ASGIApp, *, token: str) -> None:
        self._inner, self._shown = inner, (b"authorization", f"Bearer {token}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope["headers"] = [*scope["headers"], self._shown]
        await self._inner(scope, receive, send)


def run(name: str, *words: str, home: Path) -> "subprocess.CompletedProcess[str]":
    program = command(name)
    if isinstance(program, Absent):
        pytest.skip(program.why)
    known = {"HOME": str(home), "PATH": str(Path(program[0]).parent)}
    return subprocess.run(
        [*program, *words], cwd=home, env=known, capture_output=True, text=True, timeout=ENOUGH_S, check=False
    )


@pytest.mark.parametrize("version", APPLICABLE)
def test_every_scenario_that_applies_is_passed(address: str, tmp_path: Path, version: str) -> None:
    words = ("server", "--url", address, "--suite", "all", "--spec-version", version, "--output-dir", str(tmp_path))
    done = run("conformance", *words, home=tmp_path)
    found: dict[str, list[Any]] = {}
    for path in tmp_path.rglob("checks.json"):
        for check in json.loads(path.read_text()):
            found.setdefault(_scenario(path), []).append(check)

    assert APPLICABLE[version] <= set(found), done.stdout[-2_000:] + done.stderr[-2_000:]
    failed = {
        f"{scenario}: {check['id']}: {check.get('errorMessage')}"
        for scenario in APPLICABLE[version]
        for check in found[scenario]
        if check["status"] == "FAILURE" and check["id"] not in UNTESTABLE
    }
    assert failed == set()
    assert all(any(check["status"] == "SUCCESS" for check in found[scenario]) for scenario in APPLICABLE[version])


def _scenario(path: Path) -> str:
    """Its folder is named after it, and after the moment."""
    named = re.fullmatch(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z", path.parent.name)
    assert named, path
    return named[1]


@pytest.mark.parametrize(
    ("method", "key", "count"),
    [("tools/list", "tools", 7), ("resources/list", "resources", 1), ("prompts/list", "prompts", 2)],
)
def test_the_inspector_understands_what_there_is(
    address: str, tmp_path: Path, method: str, key: str, count: int
) -> None:
    done = run("inspector", "--cli", address, "--transport", "http", "--method", method, home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)[key]) == count


def test_the_inspector_can_call_a_tool(address: str, tmp_path: Path) -> None:
    words = ("--method", "tools/call", "--tool-name", "recall", "--tool-arg", "query=lock expires")
    done = run("inspector", "--cli", address, "--transport", "http", *words, home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["structuredContent"]["hits"]) == 1
