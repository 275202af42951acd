"""The service as a process of its own: it says where it is, does the worker's work, and ends when it is told to."""

import http.client
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from calling import SRC, Cli


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setenv("HINDBRAIN_EMBEDDER", "off")
    return Cli(tmp_path, monkeypatch)


@contextmanager
def served(cli: Cli, *options: str) -> Iterator[tuple[subprocess.Popen[str], Any]]:
    """A running service, and what it printed when it was ready."""
    known = {**os.environ, "PYTHONPATH": str(SRC)}
    command = cli.command("serve", "--port", "0", "--json", *options)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=known)
    assert process.stdout is not None
    try:
        yield process, json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def get(address: str, path: str, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_serves_from_the_port_that_it_prints_until_it_is_told_to_end(cli: Cli, ending: signal.Signals) -> None:
    memory_id = cli.add("Redis locks expire after 30 s")
    token = cli("token").out.strip()
    with served(cli) as (process, told):
        status, text = get(told["address"], "/api/recall?q=redis", Authorization=f"Bearer {token}")
        assert status == 200 and [one["id"] for one in json.loads(text)["memories"]] == [memory_id]
        assert get(told["address"], "/api/recall?q=redis")[0] == 401
        login = urlsplit(told["login"])
        assert get(told["address"], f"{login.path}?{login.query}")[0] == 303
        assert cli.json("worker", "--status")["pid"] == told["pid"] == process.pid
        process.send_signal(ending)
        assert process.wait(30) == 0
    assert cli.json("worker", "--status")["is_running"] is False


def test_a_follower_of_events_does_not_keep_it_alive(cli: Cli) -> None:
    token = cli("token").out.strip()
    with served(cli) as (process, told):
        connection = http.client.HTTPConnection(urlsplit(told["address"]).netloc, timeout=30)
        try:
            connection.request("GET", "/api/events", headers={"Authorization": f"Bearer {token}"})
            stream = connection.getresponse()
            assert stream.readline().startswith(b"id:")
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
        finally:
            connection.close()


def test_another_link_is_to_be_had_while_it_runs(cli: Cli) -> None:
    cli.add("Redis locks expire after 30 s")
    assert cli("hub", "--json", code=89).error["code"] == "not_serving"
    with served(cli) as (process, told):
        links = {told["login"], *(cli.json("hub")["login"] for _ in range(2))}
        assert len(links) == 3
        for link in map(urlsplit, links):
            assert get(told["address"], f"{link.path}?{link.query}")[0] == 303
            assert get(told["address"], f"{link.path}?{link.query}")[0] == 401
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    assert "hindbrain serve --open" in cli("hub", "--json", code=89).error["fix"]


def test_a_service_that_was_killed_is_not_taken_for_one_that_runs(cli: Cli) -> None:
    cli.add("Redis locks expire after 30 s")
    with served(cli) as (process, _):
        process.kill()
        process.wait()
        assert cli("hub", "--json", code=89).error["code"] == "not_serving"


def test_named_tokens_are_made_listed_and_revoked(cli: Cli) -> None:
    cli.add("Redis locks expire after 30 s")
    made = cli.json("token", "add", "ci", "--rights", "write,read")
    assert made["rights"] == ["read", "write"] and made["token"].startswith("hb-")
    (known,) = cli.json("token", "list")["tokens"]
    assert "token" not in known and "digest" not in known and made["token"] not in cli("token", "list").out
    assert cli("token", "add", "ci", "--json", code=76).error["code"] == "conflict"
    assert cli("token", "add", "x", "--rights", "rule", "--json", code=64).error["code"] == "bad_value"
    assert cli.json("token", "revoke", "ci")["revoked_at"]
    assert cli("token", "revoke", "ci", "--json", code=64).error["code"] == "bad_value"
    assert cli.json("token", "add", "ci", "--everywhere")["project"] == ""


def test_a_new_token_closes_the_door_to_the_old_one(cli: Cli) -> None:
    old = cli.json("token")["token"]
    with served(cli) as (_, told):
        assert get(told["address"], "/api/stats", Authorization=f"Bearer {old}")[0] == 200
        new = cli.json("token", "--renew")["token"]
        assert get(told["address"], "/api/stats", Authorization=f"Bearer {old}")[0] == 401
        assert get(told["address"], "/api/stats", Authorization=f"Bearer {new}")[0] == 200


def test_an_address_that_cannot_be_used_is_told(cli: Cli) -> None:
    assert "in the clear" in cli("serve", "--host", "0.0.0.0", "--json", code=64).error["what"]
    with served(cli) as (_, told):
        port = str(urlsplit(told["address"]).port)
        assert cli("serve", "--port", port, "--json", code=64).error["code"] == "bad_value"


def test_without_the_extra_it_says_what_to_install(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bare" / "uvicorn").mkdir(parents=True)
    (tmp_path / "bare" / "uvicorn" / "__init__.py").write_text("raise ModuleNotFoundError(name='uvicorn')\n")
    told = cli.child("serve", "--json", PYTHONPATH=f"{tmp_path / 'bare'}:{SRC}")
    assert told.code == 97 and "hindbrain[serve]" in told.error["fix"]
