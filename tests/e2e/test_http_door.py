"""Who gets in: every route, and eight callers that must not."""

import http.client
import json
import socket
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from serving import Api, serving

from hindbrain.entry.http import owner
from hindbrain.entry.http.caller import signed
from hindbrain.entry.http.guard import Address, is_loopback
from hindbrain.entry.http.serve import Wish, refuse_open
from hindbrain.entry.http.table import ROUTES, absent, offered
from hindbrain.errors import BadValue
from hindbrain.settings import Settings

OTHERS = (
    *("GET /login", "POST /logout", "GET /api/openapi.json", "GET /", "GET /nowhere", "OPTIONS /api/recall"),
    *("GET /mcp", "POST /mcp", "DELETE /mcp", "GET /hub/feed", "POST /hub/feed/x/apply", "GET /hub/static/hub.js"),
)
LINES = [f"{route.method} {route.path}" for route in offered()] + list(OTHERS)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with serving(tmp_path_factory.mktemp("door") / "home") as running:
        yield running


BAD_CALLERS: dict[str, Mapping[str, str | None]] = {
    "no token": {"Authorization": None},
    "bad token": {"Authorization": "Bearer hb-guess"},
    "evil Host": {"Host": "evil.example"},
    "a Host that begins well": {"Host": "127.0.0.1:evil.com"},
    "evil Origin": {"Origin": "https://evil.example"},
    "null Origin": {"Origin": "null"},
    "text/plain": {"Content-Type": "text/plain"},
    "0.0.0.0": {"Host": "0.0.0.0:PORT"},
    "a name that somebody points here": {"Host": "rebound.example:PORT"},
    "another port": {"Host": "127.0.0.1:1"},
    "no port": {"Host": "127.0.0.1"},
    "two hosts in one": {"Host": "127.0.0.1:PORT, evil.example"},
    "an origin that begins well": {"Origin": "http://127.0.0.1:PORT.evil.example"},
    "the other scheme": {"Origin": "https://127.0.0.1:PORT"},
    "basic": {"Authorization": "Basic aGI6aGI="},
    "an empty token": {"Authorization": "Bearer "},
}


def everything(api: Api, changed: Mapping[str, str | None]) -> dict[str, str]:
    """Headers of the best caller there is, but for what is changed."""
    whole: dict[str, str | None] = {
        "Host": f"127.0.0.1:{api.port}",
        "Authorization": f"Bearer {api.token}",
        "Content-Type": "application/json",
        **changed,
    }
    return {name: value.replace("PORT", str(api.port)) for name, value in whole.items() if value is not None}


# S5
@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("caller", BAD_CALLERS)
def test_no_route_answers_a_bad_caller(api: Api, line: str, caller: str) -> None:
    method, path = line.split()
    method = "POST" if caller == "text/plain" else method
    answer = api.raw(
        method, path, sent=b"{}" if method in ("POST", "PUT") else None, headers=everything(api, BAD_CALLERS[caller])
    )
    if path == "/login" and caller in ("no token", "bad token", "basic", "an empty token"):
        assert answer.status == 401 and answer.data["code"] == "bad_link"  # the link is what lets in
    else:
        assert answer.status in (401, 403, 415, 421)
    assert answer.headers["content-type"] == "application/problem+json"
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert "set-cookie" not in answer.headers and api.token not in answer.text


# S5
def test_every_documented_route_is_one_of_those(api: Api) -> None:
    document = api("GET /api/openapi.json", status=200).data
    told = {f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods}
    assert told == {f"{route.method} {route.path}" for route in offered()}
    assert document["openapi"].startswith("3.1")


def test_no_caller_can_name_an_address_for_the_service_to_call(api: Api) -> None:  # S10
    """Addresses of models stand in routing.yaml alone: neither a body nor a query has a place for one."""
    document = api("GET /api/openapi.json", status=200).data

    def names(value: Any) -> Iterator[str]:
        if isinstance(value, Mapping):
            yield from value.get("properties", {})
            yield from (str(one["name"]) for one in value.get("parameters", []) if "name" in one)
            for inner in value.values():
                yield from names(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from names(inner)

    requests = {
        path: {
            method: {k: v for k, v in told.items() if k in ("parameters", "requestBody")}
            for method, told in one.items()
        }
        for path, one in document["paths"].items()
    }
    bodies = {name for name in names({"paths": requests, "schemas": document.get("components", {})})}
    assert len(bodies) > 20
    assert not [
        name for name in bodies if any(w in name.lower() for w in ("url", "uri", "webhook", "endpoint", "callback"))
    ]


def test_a_route_whose_verb_is_not_there_is_not_offered(api: Api) -> None:
    assert set(offered()) | set(absent()) == set(ROUTES)
    for route in absent():
        assert api(f"{route.method} {route.path}", {} if route.method == "POST" else None).status in (404, 405)


@pytest.mark.parametrize("host", ["127.0.0.1:PORT", "localhost:PORT", "[::1]:PORT", "LOCALHOST:PORT"])
def test_the_names_of_this_machine_are_let_in(api: Api, host: str) -> None:
    origin = f"http://{host}"
    assert api.raw("GET", "/api/stats", headers=everything(api, {"Host": host, "Origin": origin})).status == 200


# S5
def test_two_of_what_there_must_be_one_of_are_refused(api: Api) -> None:
    for name, value in (("Host", f"127.0.0.1:{api.port}"), ("Authorization", f"Bearer {api.token}")):
        connection = http.client.HTTPConnection("127.0.0.1", api.port, timeout=30)
        try:
            connection.putrequest("GET", "/api/stats", skip_host=True)
            for header, told in everything(api, {}).items():
                connection.putheader(header, told)
            connection.putheader(name, value)
            connection.endheaders()
            assert connection.getresponse().status in (400, 401, 421)
        finally:
            connection.close()


def test_a_login_link_lets_one_browser_in_once(api: Api) -> None:
    code = api.running.service.doorman.link()
    host = {"Host": f"127.0.0.1:{api.port}"}
    entered = api.raw("GET", f"/login?once={code}", headers=host)
    assert entered.status == 303 and entered.headers["location"] == "/"
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie and "samesite=strict" in cookie.lower()
    assert api.raw("GET", f"/login?once={code}", headers=host).status == 401

    browser = {**host, "Cookie": cookie.partition(";")[0]}
    change = {**browser, "Content-Type": "application/json"}
    own = {"Origin": f"http://127.0.0.1:{api.port}"}
    assert api.raw("GET", "/api/stats", headers=browser).status == 200
    assert api.raw("POST", "/api/jobs/retry", sent=b"{}", headers=change).data["code"] == "no_origin"
    assert api.raw("POST", "/api/jobs/retry", sent=b"{}", headers=change | own).status == 200
    form = browser | own | {"Content-Type": "application/x-www-form-urlencoded"}
    assert api.raw("POST", "/api/jobs/retry", sent=b"ids=1", headers=form).status == 415
    assert api.raw("POST", "/logout", headers=browser | own).status == 204
    assert api.raw("GET", "/api/stats", headers=browser).status == 401
    assert api.raw("GET", "/api/stats", headers={**host, "Cookie": f"hindbrain-{api.port}="}).status == 401


@pytest.fixture
def tokens(api: Api) -> Iterator[Any]:
    """Makes named tokens of the project `app`, or of all."""
    made: list[str] = []
    desk = api.running.service.app.state.desk
    hindbrain = next(desk.of(one.id, name=one.name) for one in desk.tools().store.projects() if one.name == "app")

    def issued(*rights: str, is_everywhere: bool = False) -> str:
        made.append(f"t{len(made)}")
        return str(hindbrain.issue_token(made[-1], rights, is_everywhere=is_everywhere).secret)

    issued.revoke = hindbrain.revoke_token  # type: ignore[attr-defined]
    yield issued
    for name in made:
        if any(one.name == name and one.revoked_at is None for one in hindbrain.tokens()):
            hindbrain.revoke_token(name)


def test_a_named_token_has_its_rights_and_no_others(api: Api, tokens: Any) -> None:
    made = api.add("Redis locks expire after 30 s")
    reader, writer = tokens("read"), tokens("read", "write")
    assert api("GET /api/recall?q=redis", token=reader, status=200).data["memories"]
    assert api("PUT /api/memories/" + made["id"], {"title": "t"}, token=reader, status=403).data["code"] == "no_right"
    assert api("PUT /api/memories/" + made["id"], {"title": "t"}, token=writer, status=200)
    for line, body in (
        ("PUT /api/memories/" + made["id"], {"everywhere": True}),
        ("PUT /api/memories/" + made["id"], {"pinned": True}),
        ("POST /api/memories/" + made["id"] + "/verdicts", {"effect": "hurt"}),
        ("POST /api/reviews/rev-1/decide", {"decision": "keep"}),
    ):
        assert api(line, body, token=writer, status=403).data["code"] == "no_right"
    tokens.revoke("t0")
    assert api("GET /api/recall?q=redis", token=reader, status=401)


# S11
def test_a_token_of_one_project_sees_no_other(api: Api, tokens: Any) -> None:
    secret = "Their deploy key lies in the vault"
    theirs = api.add(secret, project="other")
    mine = tokens("read", "write", "decide")
    place = f"/api/memories/{theirs['id']}"
    for line, body in (
        (f"GET {place}", None),
        (f"GET {place}?all=true", None),
        (f"PUT {place}", {"title": "mine"}),
        (f"DELETE {place}", None),
        (f"GET {place}/history", None),
        (f"GET {place}/why", None),
        (f"GET {place}/links", None),
        (f"POST {place}/restore", None),
        (f"POST {place}/verdicts", {"effect": "hurt"}),
        ("GET /api/projects/other/memories", None),
        (f"GET /api/projects/{theirs['project']}/memories/search?q=deploy", None),
        ("GET /api/recall?q=deploy&project=other", None),
        ("GET /api/receipts?project=other", None),
        ("GET /api/events?after=0&follow=false&project=other", None),
        ("POST /api/capture?project=other", {"text": "MEMORY:fix:mine"}),
    ):
        assert api(line, body, token=mine, status=404).text.count(secret) == 0
    for line in ("GET /api/recall?q=deploy+key", "GET /api/events?after=0&follow=false", "GET /api/projects"):
        assert secret not in (told := api(line, token=mine, status=200).text) and theirs["project"] not in told
    assert api("POST /api/projects", {"name": "new"}, token=mine, status=403)
    assert api(f"GET {place}", status=200).data["title"] == secret


def test_a_named_token_decides_in_its_own_name_only(api: Api, tokens: Any) -> None:
    made, decider = api.add("Locks are fair since version 3"), tokens("decide", "read")
    for token, said in ((decider, "t0"), (None, "anna")):
        heard = api(
            f"POST /api/memories/{made['id']}/verdicts", {"effect": "hurt", "by": "anna"}, token=token, status=201
        )
        assert heard.data["outcome"]["session"] == f"person:{said}"


# S15
def test_the_token_lies_in_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"), store=str(tmp_path / "home" / "h.db"))
    first = owner.token(settings)
    path = tmp_path / "home" / "token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and first == owner.token(settings) and len(first) > 60
    path.chmod(0o644)
    assert owner.token(settings) == first and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert owner.renewed(settings) != first and [one.name for one in path.parent.iterdir()] == ["token"]


def test_beyond_this_machine_it_needs_tls_or_a_word() -> None:
    for host in ("0.0.0.0", "::", "192.0.2.7", "memory.example"):
        with pytest.raises(BadValue):
            refuse_open(Wish(host=host))
        refuse_open(Wish(host=host, is_insecure=True))
        refuse_open(Wish(host=host, certificate="c.pem", key="k.pem"))
    for host in ("127.0.0.1", "localhost", "::1", "127.8.8.8"):
        refuse_open(Wish(host=host))
    with pytest.raises(BadValue):
        refuse_open(Wish(certificate="c.pem"))


@given(st.integers(1, 65_535), st.booleans())
def test_an_address_is_never_called_by_what_means_all_of_them(port: int, is_tls: bool) -> None:
    for host in ("0.0.0.0", "::"):
        address = Address(host=host, port=port, is_tls=is_tls, names=("memory.example",))
        assert {name.rpartition(":")[0] or name for name in address.hosts} <= {"memory.example", "memory.example:"[:-1]}
        assert all(origin.startswith(f"{address.scheme}://") for origin in address.origins)


@given(st.text(max_size=40))
def test_only_this_machine_is_this_machine(host: str) -> None:
    assert not is_loopback(host) or host.strip("[]") in ("localhost", "::1") or host.startswith("127.") or ":" in host


@pytest.mark.parametrize(
    "line",
    [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nbroken\x00: header\r\n\r\n", b"\x16\x03\x01\x02\x00\r\n\r\n"],
)
def test_what_is_not_http_is_told_so_in_the_form_of_every_other_refusal(api: Api, line: bytes) -> None:
    with socket.create_connection(("127.0.0.1", api.port), timeout=30) as wire:
        wire.sendall(line)
        head, _, body = b"".join(iter(lambda: wire.recv(65536), b"")).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"content-type: application/problem+json" in head.lower()
    assert json.loads(body)["code"] == "bad_request"


@pytest.mark.parametrize(
    ("host", "names", "url"),
    [
        ("127.0.0.1", (), "http://127.0.0.1:80"),
        ("0.0.0.0", (), "http://127.0.0.1:80"),
        ("::", ("memory.example",), "http://memory.example:80"),
        ("::1", (), "http://[::1]:80"),
    ],
)
def test_the_address_that_is_printed_can_be_called(host: str, names: tuple[str, ...], url: str) -> None:
    address = Address(host=host, port=80, names=names)
    assert address.url == url and url.removeprefix("http://") in address.hosts


def test_whoever_has_the_owners_secret_makes_links_that_work_once_at_one_door(api: Api) -> None:
    doorman, shown = api.running.service.doorman, {"Host": f"127.0.0.1:{api.port}"}

    def entered(code: str) -> Any:
        return api.raw("GET", f"/login?once={code}", headers=shown)

    code = signed(api.token, doorman.door)
    until, nonce, seal = code.split(".")
    for bad in (
        signed("hb-guess", doorman.door),
        signed(api.token, "another"),
        f"{int(until) + 1}.{nonce}.{seal}",
        "..",
    ):
        assert entered(bad).status == 401
    cookie = entered(code).headers["set-cookie"].partition(";")[0]
    assert entered(code).status == 401
    browser = {**shown, "Cookie": cookie, "Origin": api.running.address.url}
    assert api.raw("GET", "/hub/feed", headers=browser).status == 200
    assert api.raw("POST", "/logout", headers=browser).status == 204
    assert api.raw("GET", "/hub/feed", headers=browser).status == 401


def test_a_browser_before_the_door_is_told_in_a_page(api: Api) -> None:
    shown = {"Host": f"127.0.0.1:{api.port}", "Accept": "text/html,*/*"}
    for path in ("/", "/hub/feed", "/login?once=<script>alert(1)</script>"):
        answer = api.raw("GET", path, headers=shown)
        assert answer.status == 401 and answer.headers["content-type"].startswith("text/html")
        assert "hindbrain hub" in answer.text and "<script" not in answer.text
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
