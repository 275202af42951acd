"""What each route answers, from a caller's side of a real connection."""

import http.client
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import Api, serving


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with serving(tmp_path / "home") as running:
        yield running


# DX-164
def test_memories_of_a_project_are_listed_and_filtered(api: Api) -> None:
    api.add("Redis locks expire after 30 s", confidence=0.9)
    api.add("Always run the linter before a commit", type="convention", confidence=0.4)
    everything = api("GET /api/projects/app/memories", status=200).data
    assert [one["type"] for one in everything] == ["pitfall", "convention"]
    assert [one["type"] for one in api("GET /api/projects/app/memories?type=convention").data] == ["convention"]
    assert [one["type"] for one in api("GET /api/projects/app/memories?min_confidence=0.5").data] == ["pitfall"]
    assert api("GET /api/projects/other/memories", status=200).data == []
    assert api("GET /api/projects/app/memories?type=nonsense", status=400).data["code"] == "bad_value"
    assert api("GET /api/projects/nowhere/memories", status=404).data["code"] == "unknown_project"


# DX-165
@pytest.mark.parametrize(
    "body",
    [
        {"title": "t", "content": "c"},
        {"title": "t", "type": "fix"},
        {"content": "c", "type": "fix"},
        {"title": "t", "content": "c", "type": "nonsense"},
        {"title": "t", "content": "", "type": "fix"},
        {"title": "t", "content": "c", "type": "fix", "tilte": "misspelled"},
        [],
    ],
)
def test_a_memory_without_what_it_needs_is_refused(api: Api, body: object) -> None:
    told = api("POST /api/projects/app/memories", body, status=400)
    assert told.headers["content-type"] == "application/problem+json"
    assert set(told.data) >= {"type", "title", "status", "detail", "code", "what", "fix"}


# DX-165 DX-166 DX-167 DX-168 DX-188 X-03
def test_a_memory_is_written_read_changed_deleted_and_brought_back(api: Api) -> None:
    made = api.add("Redis locks expire after 30 s", tags=["redis"])
    place = f"/api/memories/{made['id']}"
    assert api(f"GET {place}", status=200).data["content"] == "Redis locks expire after 30 s"
    edited = api(f"PUT {place}", {"title": "Locks", "file_refs": ["src/lock.py"]}, status=200).data
    assert (edited["title"], edited["content"], edited["version"]) == ("Locks", made["content"], 2)
    assert [one["change"] for one in api(f"GET {place}/history", status=200).data] == ["stored", "edited"]
    assert api(f"DELETE {place}", status=204).text == ""
    assert api(f"GET {place}", status=404).data["code"] == "unknown_memory"
    assert api(f"GET {place}?all=true", status=200).data["archive_reason"] == "deleted"
    assert api(f"PUT {place}", {"title": "Gone"}, status=404)
    assert api(f"POST {place}/restore", status=200).data["state"] == "live"


# DX-166 DX-167
def test_what_nobody_knows_is_not_found(api: Api) -> None:
    for line, body in (("GET {}", None), ("PUT {}", {"title": "t"}), ("DELETE {}", None), ("GET {}/history", None)):
        assert api(line.format("/api/memories/mem-nobody"), body, status=404).data["code"] == "unknown_memory"


# DX-169 DX-171 DX-172 DX-173 DX-174 DX-175 DX-176
def test_a_search_finds_what_holds_the_text(api: Api) -> None:
    api.add("Redis locks expire", session="one", confidence=0.5, learned_at="2026-01-10T09:00:00Z")
    api.add("Locks need fencing tokens", session="two", confidence=0.9)
    api.add("Use tabs")
    search = "GET /api/projects/app/memories/search"

    def found(query: str) -> list[str]:
        return [one["content"] for one in api(f"{search}?{query}", status=200).data]

    assert found("q=locks") == ["Locks need fencing tokens", "Redis locks expire"]
    assert found("q=locks&limit=1") == ["Locks need fencing tokens"]
    assert found("q=locks&exclude_session=two") == ["Redis locks expire"]
    assert found("q=tabs&exclude_session=two") == ["Use tabs"]
    assert found("q=locks&after_date=2999-01-01") == []
    assert found("q=locks&before_date=2000-01-01T00:00:00Z") == []
    assert len(found("q=locks&after_date=2000-01-01&before_date=2999-01-01")) == 2
    for wrong in ("", "?q=", "?q=x&after_date=yesterday", "?q=x&limit=0", "?q=x&limit=101"):
        assert api(f"{search}{wrong}", status=400)


def test_a_search_answers_with_fifty_unless_it_is_told_otherwise_and_never_with_more_than_a_hundred(api: Api) -> None:
    #
    hindbrain = api.running.service.app.state.desk.named("crowded")
    for number in range(101):
        hindbrain.add(f"Needle number {number} lies in drawer {number * 7}")
    search = "GET /api/projects/crowded/memories/search?q=needle"
    assert len(api(search, status=200).data) == 50
    assert len(api(f"{search}&limit=100", status=200).data) == 100
    assert api(f"{search}&limit=101", status=400)


# DX-170 F-34
def test_a_cleanup_touches_only_its_project(api: Api) -> None:
    for project in ("app", "other"):
        api.add("Nobody ever used this", project=project, confidence=0.01)
    assert api("POST /api/projects/app/memories/cleanup", status=200).data["status"] == "cleaned"
    events = api("GET /api/events?after=0&follow=false&project=other").text
    assert "memory_archived" not in events and "memory_decayed" not in events
    assert len(api("GET /api/projects/other/memories").data) == 1


def test_recall_gives_reasons_to_whoever_asks_why(api: Api) -> None:
    api.add("Redis locks expire after 30 s")
    plain = api("GET /api/recall?q=redis+lock&project=app", status=200).data
    (one,) = plain["memories"]
    assert "reasons" not in one and one["score"] > 0
    (why,) = api("GET /api/recall?q=redis+lock&why=true", status=200).data["memories"]
    assert {reason["name"] for reason in why["reasons"]} >= {"words"}
    assert api("GET /api/recall", status=400)


def test_what_an_agent_says_is_captured_with_receipts_and_told_to_the_next(api: Api) -> None:
    said = {"text": "MEMORY:fix:Restart the worker after a deploy\n", "session": "s-1", "persona": "ed"}
    (receipt,) = api("POST /api/capture", said, status=200).data["receipts"]
    assert receipt["verdict"] == "stored"
    assert [one["id"] for one in api("GET /api/receipts?session=s-1", status=200).data] == [receipt["id"]]
    told = api("POST /api/inject", {"task_title": "restart the worker", "session": "s-2"}, status=200).data
    assert receipt["memory_id"] in told["memory_ids"] and "Restart the worker" in told["text"]


def test_a_review_is_decided_and_a_verdict_is_heard(api: Api) -> None:
    made = api.add("Redis locks expire after 30 s")
    verdict = {"effect": "hurt", "note": "it was 60 s", "by": "anna"}
    heard = api(f"POST /api/memories/{made['id']}/verdicts", verdict, status=201).data
    (review,) = api("GET /api/reviews", status=200).data
    assert review["id"] == heard["review_id"]
    closed = api(f"POST /api/reviews/{review['id']}/decide", {"decision": "keep"}, status=200).data
    assert closed["decided_by"] == "owner"
    assert api(f"POST /api/reviews/{review['id']}/decide", {"decision": "keep"}, status=409)
    assert api("POST /api/reviews/rev-none/decide", {"decision": "keep"}, status=404)
    assert [one["effect"] for one in api(f"GET /api/memories/{made['id']}/outcomes").data] == ["hurt"]


def test_a_list_goes_on_where_the_last_page_ended(api: Api) -> None:
    made = {api.add(f"Lesson number {number} about something else")["id"] for number in range(7)}
    line, seen = "/api/projects/app/memories?limit=3", []
    while line:
        answer = api(f"GET {line}", status=200)
        seen += [one["id"] for one in answer.data]
        link = answer.headers.get("link", "")
        assert not link or link.endswith('; rel="next"')
        line = link.partition(">")[0].removeprefix("<")
        if len(seen) == 3:
            made.add(api.add("One that came in between", confidence=1.0)["id"])
    assert len(seen) == len(set(seen)) == 7 and set(seen) < made
    assert api("GET /api/projects/app/memories?cursor=nonsense", status=400).data["code"] == "bad_cursor"


def test_an_edit_of_what_has_changed_since_is_refused(api: Api) -> None:
    made = api.add("Redis locks expire after 30 s")
    place = f"/api/memories/{made['id']}"
    tag = api(f"GET {place}").headers["etag"]
    newer = api(f"PUT {place}", {"title": "One"}, headers={"If-Match": tag}, status=200).headers["etag"]
    assert newer != tag
    refused = api(f"PUT {place}", {"title": "Two"}, headers={"If-Match": tag}, status=412)
    assert refused.data["code"] == "changed" and api(f"GET {place}").data["title"] == "One"
    assert api(f"DELETE {place}", headers={"If-Match": tag}, status=412)
    assert api(f"PUT {place}", {"title": "Three"}, headers={"If-Match": "*"}, status=200)
    assert api(f"DELETE {place}", headers={"If-Match": '"9", "3"'}, status=204)


def test_a_write_that_is_sent_twice_is_done_once(api: Api) -> None:
    made = api.add("Redis locks expire after 30 s")
    line, key = f"POST /api/memories/{made['id']}/verdicts", {"Idempotency-Key": "k-1"}
    first = api(line, {"effect": "helped"}, headers=key, status=201)
    again = api(line, {"effect": "helped"}, headers=key, status=201)
    assert again.text == first.text and again.headers["idempotency-replayed"] == "true"
    assert "idempotency-replayed" not in first.headers
    assert len(api(f"GET /api/memories/{made['id']}/outcomes").data) == 1
    assert api(line, {"effect": "hurt"}, headers=key, status=422).data["code"] == "key_reused"
    assert api(line, {"effect": "helped"}, headers={"Idempotency-Key": "k-2"}, status=201).text != first.text
    assert api(line, {"effect": "helped"}, headers={"Idempotency-Key": "k" * 256}, status=400)


def test_a_repeated_write_gets_its_answer_from_the_next_process_too(tmp_path: Path) -> None:
    body, key = {"title": "t", "content": "Redis locks expire", "type": "fix"}, {"Idempotency-Key": "k-1"}
    with serving(tmp_path / "home") as before:
        first = before("POST /api/projects/app/memories", body, headers=key, status=201)
    with serving(tmp_path / "home") as after:
        again = after("POST /api/projects/app/memories", body, headers=key, status=201)
    assert again.text == first.text and again.headers["etag"] == first.headers["etag"]


def test_a_follower_of_events_goes_on_where_it_stopped(api: Api) -> None:  # DX-132
    api.add("Redis locks expire after 30 s")
    whole = _events(api("GET /api/events?after=0&follow=false", status=200).text)
    assert [one["name"] for one in whole if one["name"] == "memory_created"] and len(whole) > 1
    rest = api("GET /api/events?after=0&follow=false", headers={"Last-Event-ID": str(whole[0]["seq"])}, status=200)
    assert _events(rest.text) == whole[1:]
    assert _events(api("GET /api/events?follow=false", status=200).text) == []
    assert api("GET /api/events?follow=false", headers={"Last-Event-ID": "-1"}, status=400)


def test_a_follower_that_goes_away_is_followed_no_longer(api: Api) -> None:  # DX-139
    def ended() -> int:
        """Requests are counted when they are over."""
        found = re.search(r'route="/api/events",status="200"} (\d+)', api("GET /metrics", status=200).text)
        return int(found[1]) if found else 0

    before = ended()
    connection = http.client.HTTPConnection("127.0.0.1", api.port, timeout=30)
    connection.request("GET", "/api/events", headers={"Authorization": f"Bearer {api.token}"})
    stream = connection.getresponse()
    assert stream.readline().startswith(b"id:") and ended() == before
    stream.close()
    connection.close()
    for _ in range(200):
        if ended() > before:
            return
        time.sleep(0.05)
    pytest.fail("it is still served")


def test_an_event_comes_to_whoever_waits_for_it(api: Api) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", api.port, timeout=30)
    try:
        connection.request("GET", "/api/events", headers={"Authorization": f"Bearer {api.token}"})
        stream = connection.getresponse()
        assert stream.getheader("content-type", "").startswith("text/event-stream")
        assert stream.readline().startswith(b"id: ")
        made = api.add("Redis locks expire after 30 s")
        while not (line := stream.readline()).startswith(b"data: "):
            assert line
        assert json.loads(line[6:])["memory_id"] == made["id"]
    finally:
        connection.close()


def _events(text: str) -> list[Any]:
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]


def test_health_worth_queue_and_figures_are_told(api: Api) -> None:
    api.add("Redis locks expire after 30 s")
    assert api("GET /api/health", status=200).data["status"] == "ok"
    assert "engine" in [one["name"] for one in api("GET /api/health?full=true", status=200).data["findings"]]
    assert api("GET /api/stats", status=200).data["active"] == 1
    assert "recurrence" in api("GET /api/worth?since=2026-01-01", status=200).data
    assert api("GET /api/jobs", status=200).data == []
    assert api("POST /api/jobs/retry", {}, status=200).data == []
    figures = api("GET /metrics", status=200)
    assert figures.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'hindbrain_memories{state="live"} 1' in figures.text
    assert 'route="/api/stats",status="200"} 1' in figures.text


def test_links_are_read_from_both_ends(api: Api) -> None:
    one, newer = api.add("Redis locks expire after 30 s"), api.add("Use tabs in Makefiles")
    tie = {"relation": "elaborates", "target": one["id"], "reason": "both are about waiting"}
    assert api(f"POST /api/memories/{newer['id']}/links", tie, status=201)
    for end in (one, newer):
        found = api(f"GET /api/memories/{end['id']}/links", status=200).data
        assert (newer["id"], "elaborates", one["id"]) in [(n["source"], n["relation"], n["target"]) for n in found]
    assert api(f"POST /api/memories/{newer['id']}/links", tie | {"relation": "likes"}, status=400)
    assert api(f"POST /api/memories/{newer['id']}/links", tie | {"target": "mem-none"}, status=404)
    assert api(f"GET /api/memories/{newer['id']}/why", status=200).data["memory"]["id"] == newer["id"]
    assert api(f"DELETE /api/memories/{one['id']}/links/likes/{newer['id']}", status=400)
    relation = tie["relation"]
    assert api(f"DELETE /api/memories/{newer['id']}/links/{relation}/{one['id']}", status=204)
    assert api(f"GET /api/memories/{one['id']}/links", status=200).data == []
    assert api(f"DELETE /api/memories/{newer['id']}/links/{relation}/{one['id']}", status=404)


def test_two_memories_become_one_and_one_becomes_two(api: Api) -> None:
    lock, name = api.add("Sentinel locks expire after 31 s"), api.add("Nightly jobs are named by date")
    merge = f"POST /api/memories/{lock['id']}/merge"
    both = {"other": name["id"], "content": "Sentinel locks expire after 31 s, and nightly jobs are named by date"}
    assert api(merge, both, status=412, headers={"If-Match": '"9"'})
    whole = api(merge, both, status=200, headers={"If-Match": '"1"'})
    assert whole.data["content"] == both["content"] and whole.headers["etag"] == '"2"'
    assert api(f"GET /api/memories/{name['id']}").data["superseded_by"] == lock["id"]
    assert api(merge, both, status=409) and api(merge, {"other": "mem-none"}, status=404)
    split = f"POST /api/memories/{lock['id']}/split"
    assert api(split, {"parts": ["one"]}, status=400)
    parts = api(split, {"parts": ["Sentinel locks expire", "Nightly jobs have names"]}, status=201).data
    assert [part["content"] for part in parts] == ["Sentinel locks expire", "Nightly jobs have names"]
    assert api(f"GET /api/memories/{lock['id']}").data["state"] == "superseded"


def test_what_is_too_large_or_no_json_is_refused_before_it_is_read(api: Api) -> None:
    headers = {"Host": f"127.0.0.1:{api.port}", "Authorization": f"Bearer {api.token}"}
    json_type = {"Content-Type": "application/json"}
    large = api.raw("POST", "/api/capture", headers={**headers, **json_type, "Content-Length": str(2**40)})
    assert large.status == 413
    dripped = b"".join(b"100000\r\n" + b"x" * 0x100000 + b"\r\n" for _ in range(9)) + b"0\r\n\r\n"
    chunked = {**headers, **json_type, "Transfer-Encoding": "chunked", "Content-Length": ""}
    del chunked["Content-Length"]
    assert _chunked(api, chunked, dripped).status == 413
    assert api.raw("POST", "/api/capture", sent=b"{nonsense", headers={**headers, **json_type}).status == 400
    assert api.raw("POST", "/api/capture", sent=b"\xff\xfe", headers={**headers, **json_type}).status == 400
    half = b'{"text": "MEMORY:fix:half \\ud800"}'
    assert api.raw("POST", "/api/capture", sent=half, headers={**headers, **json_type}).status == 400
    assert api("GET /api/nowhere", status=404).data["code"] == "no_route"
    assert api("PATCH /api/recall", {}, status=405).data["code"] == "no_method"


def _chunked(api: Api, headers: dict[str, str], sent: bytes) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", api.port, timeout=30)
    try:
        connection.putrequest("POST", "/api/capture", skip_host=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(sent)
        return connection.getresponse()
    finally:
        connection.close()


# HB-115 HB-116 HB-117 HB-118
def test_a_suggestion_is_fed_applied_patched_and_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "CLAUDE.md").write_text("# Rules\n")
    monkeypatch.chdir(folder)
    with serving(tmp_path / "home", project="") as api:
        hindbrain = api.running.service.app.state.desk.of_here()
        for title, lesson in (
            ("The deploy ran before the tests", "Always run the tests before a deploy"),
            ("A secret was written to the log", "Never log the headers of a request"),
            ("The migration locked the table", "Make indexes concurrently in migrations"),
        ):
            hindbrain.scar("failure", title, lesson=lesson)
        assert api("POST /api/learn", status=200)
        first, second, third = api("GET /api/feed", status=200).data
        before = (folder / "CLAUDE.md").read_text()
        applied = api(f"POST /api/feed/{first['id']}/apply", {}, status=200).data
        assert applied["status"] == "applied" and applied["id"] == first["id"]
        patched = {"text": "Never write a secret anywhere"}
        assert api(f"POST /api/feed/{second['id']}/patch", patched, status=200).data["id"] == second["id"]
        assert api(f"POST /api/feed/{second['id']}/apply", {}, status=200).data["status"] == "modified"
        assert api(f"POST /api/feed/{third['id']}/refuse", {"reason": "no"}, status=200).data["status"] == "refused"
        assert third["id"] not in [one["id"] for one in api("GET /api/feed").data]
        assert before != (folder / "CLAUDE.md").read_text() or applied["destination"] != "claude_md"
        assert {one["actor"] for one in api("GET /api/audit", status=200).data} == {"human owner"}
        assert api("GET /api/rules", status=200).data
        assert api(f"GET /api/rules/{first['id']}/why", status=200)
        assert api(f"POST /api/feed/{first['id']}/undo", {}, status=200)


def test_word_is_left_for_whoever_takes_over(api: Api) -> None:
    left = {"agent": "ed", "done": "Made the lock fair", "to": "ada", "issues": ["slow"]}
    paper = api("POST /api/handoffs", left, status=201).data
    assert api(f"GET /api/handoffs/{paper['id']}", status=200).data["agent"] == "ed"
    assert api(f"POST /api/handoffs/{paper['id']}/take", status=200)
    assert [one["id"] for one in api("GET /api/handoffs", status=200).data] == [paper["id"]]
    assert api("GET /api/handoffs/hand-none", status=404)
    for line in ("GET /api/episodes?q=lock", "GET /api/schedule", "GET /api/scars", "GET /api/skills"):
        assert isinstance(api(line, status=200).data, list)
