"""What was promised is kept once, as if it had been added at that moment; what cannot be is refused before that."""

import errno
import json
import os
import socket
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from building import NOW
from calling import Cli
from hooking import called

import hindbrain
from hindbrain.adapters import spool as spools
from hindbrain.adapters.spool import FileSpool
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.add import Noted
from hindbrain.app.drain import drain
from hindbrain.app.forget import forget
from hindbrain.app.handlers import handlers
from hindbrain.app.jobs import run_due
from hindbrain.app.later import add_job, promise
from hindbrain.app.projects import Located
from hindbrain.app.tools import Tools
from hindbrain.core.model import Memory, Verdict
from hindbrain.core.model.job import JobState
from hindbrain.core.value import replace
from hindbrain.errors import (
    BadValue,
    DiskFailed,
    DiskFull,
    HindbrainError,
    NotErased,
    ReadOnly,
    StoreLocked,
    StoreUnreachable,
    TooLong,
)
from hindbrain.ports import PROMISES, Record, Spoiled, Where
from hindbrain.settings import Settings, worker_socket

SAID = "Run the migrations before the worker starts"
PLACE = Located(identities=("name:shop",), name="shop", root=None)


@pytest.fixture
def spool(tmp_path: Path) -> FileSpool:
    return FileSpool(tmp_path / "spool")


@pytest.fixture
def desk(tools: Tools, spool: FileSpool) -> Tools:
    return replace(tools, spool=lambda: spool)


def attempt(run: Callable[[], None]) -> str:
    try:
        run()
    except (ValueError, KeyError, HindbrainError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def caught_up(tools: Tools) -> None:
    assert tools.spool is not None
    drain(tools.spool(), tools=tools, attempt=attempt)
    run_due(handlers(), tools=tools, attempt=attempt)


def kept(tools: Tools) -> list[Memory]:
    project = tools.store.project_of(PLACE.identities)
    return list(tools.store.select(Where(project=project.id))) if project else []


def test_what_was_promised_is_kept_with_the_receipt_that_was_named(desk: Tools) -> None:
    promised = promise(Noted(content=SAID, type="convention", tags=("db",), importance=8), PLACE, tools=desk)
    assert kept(desk) == [], "the worker keeps it, not the caller"
    caught_up(desk)
    (memory,) = kept(desk)
    (receipt,) = desk.store.receipts(memory.project)
    assert (receipt.id, receipt.verdict, receipt.memory_id) == (promised.id, Verdict.STORED, memory.id)
    assert (memory.content, memory.type, memory.importance, memory.trust) == (SAID, "convention", 8, 4)
    assert "db" in memory.tags


def test_it_was_learned_when_it_was_promised_and_not_when_it_was_kept(desk: Tools) -> None:
    promised = promise(Noted(content=SAID), PLACE, tools=desk)
    desk.clock.forward(days=3)  # type: ignore[attr-defined]
    caught_up(desk)
    (memory,) = kept(desk)
    assert memory.learned_at == promised.at and memory.created_at == promised.at + timedelta(days=3)


def test_a_day_that_was_named_is_the_day_it_was_learned(desk: Tools) -> None:
    promise(Noted(content=SAID, learned_at=datetime(2025, 5, 4, tzinfo=UTC)), PLACE, tools=desk)
    caught_up(desk)
    assert [memory.learned_at for memory in kept(desk)] == [datetime(2025, 5, 4, tzinfo=UTC)]


def test_a_promise_that_is_read_twice_is_kept_once(desk: Tools) -> None:  # R4
    promise(Noted(content=SAID), PLACE, tools=desk)
    assert desk.spool is not None
    drain(desk.spool(), tools=desk, attempt=attempt)
    (job,) = desk.store.jobs()
    add_job(job, desk)  # killed before it could say that it is done
    run_due(handlers(), tools=desk, attempt=attempt)
    (memory,) = kept(desk)
    assert memory.counters.evidence == 1 and len(desk.store.receipts(memory.project)) == 1
    assert desk.store.count_jobs() == {JobState.DONE: 1}


def test_two_promises_of_one_text_are_two_sayings_of_one_memory(desk: Tools) -> None:
    for _ in range(2):
        promise(Noted(content=SAID), PLACE, tools=desk)
        desk.clock.forward(hours=1)  # type: ignore[attr-defined]
    caught_up(desk)
    (memory,) = kept(desk)
    assert memory.counters.evidence == 2
    assert sorted(one.verdict for one in desk.store.receipts(memory.project)) == [Verdict.EVIDENCE, Verdict.STORED]


def test_a_secret_goes_no_further_than_the_spool_and_the_receipt_tells(desk: Tools, spool: FileSpool) -> None:  # S4
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    promise(Noted(content=f"The token {secret} is stale", title=f"About {secret}"), PLACE, tools=desk)
    drain(spool, tools=desk, attempt=attempt)
    assert secret not in str(desk.store.jobs())
    run_due(handlers(), tools=desk, attempt=attempt)
    (memory,) = kept(desk)
    assert secret not in f"{memory.content}{memory.title}" and memory.content.startswith("The token ")
    (receipt,) = desk.store.receipts(memory.project)
    assert receipt.removed and secret.encode() not in b"".join(
        path.read_bytes() for path in Path(desk.settings.home).rglob("*") if path.is_file()
    )


def test_what_was_kept_does_not_stay_in_the_queue(desk: Tools) -> None:
    promise(Noted(content=SAID), PLACE, tools=desk)
    caught_up(desk)
    assert SAID not in str(desk.store.jobs())


@pytest.mark.parametrize(
    ("noted", "error"),
    [
        (Noted(content=" \n"), BadValue),
        (Noted(content="x" * 16_001), TooLong),
        (Noted(content=SAID, type="rumour"), BadValue),
        (Noted(content=SAID, importance=11), BadValue),
        (Noted(content=SAID, confidence=1.5), BadValue),
        (Noted(content=SAID, learned_at=NOW + timedelta(days=9)), BadValue),
        (Noted(content=SAID, body={"x": object()}), BadValue),
    ],
)
def test_what_could_not_be_kept_is_not_promised(
    desk: Tools, spool: FileSpool, noted: Noted, error: type[HindbrainError]
) -> None:
    with pytest.raises(error):
        promise(noted, PLACE, tools=desk)
    assert spool.vitals()["waiting_bytes"] == "0"


def test_where_nobody_takes_anything_up_nothing_is_promised(tools: Tools, desk: Tools) -> None:
    for one in (tools, replace(desk, is_served=False)):
        with pytest.raises(BadValue, match="no worker takes up later"):
            promise(Noted(content=SAID), PLACE, tools=one)


def test_only_the_store_that_the_worker_of_the_home_works_for_makes_promises(tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path), store=str(tmp_path / "hindbrain.db"), embedder="off")
    with hindbrain.open(tmp_path / "x" / ".." / "hindbrain.db", "app", settings=settings) as memory:
        memory.add_later(SAID)
    with hindbrain.open(tmp_path / "other.db", "app", settings=settings) as memory, pytest.raises(BadValue):
        memory.add_later(SAID)


def test_what_turns_out_to_be_nothing_is_rejected_under_the_id_that_was_named(desk: Tools) -> None:
    promised = promise(Noted(content="\u200b\u200b"), PLACE, tools=desk)
    caught_up(desk)
    (project,) = [one for one in desk.store.projects() if one.name == "shop"]
    (receipt,) = desk.store.receipts(project.id)
    assert (receipt.id, receipt.verdict) == (promised.id, Verdict.REJECTED) and "empty" in receipt.reason
    assert desk.store.count_jobs() == {JobState.DONE: 1} and not kept(desk)


def test_a_folder_whose_name_is_no_text_holds_up_nobody(desk: Tools) -> None:
    odd = "/home/jane/caf\udce9"
    with pytest.raises(BadValue, match="no text"):
        promise(Noted(content="lost"), replace(PLACE, identities=(f"folder:{odd}",)), tools=desk)
    promise(Noted(content=SAID), replace(PLACE, root=odd), tools=desk)
    caught_up(desk)
    assert [memory.content for memory in kept(desk)] == [SAID]


def test_a_record_that_cannot_be_written_spoils_no_other(desk: Tools, spool: FileSpool) -> None:
    told = {"identities": ["name:shop"], "name": "shop", "root": "/caf\udce9"}
    record = {"id": "rcp-1", "project": told, "memory": {"content": "odd"}}
    spool.append(PROMISES, json.dumps(record).encode(), at=NOW)
    promise(Noted(content=SAID), PLACE, tools=desk)
    caught_up(desk)
    assert [memory.content for memory in kept(desk)] == [SAID]


@pytest.mark.parametrize("error", [StoreLocked, StoreUnreachable, DiskFull])
def test_a_store_that_fails_for_a_moment_breaks_no_promise(
    desk: Tools, spool: FileSpool, monkeypatch: pytest.MonkeyPatch, error: type[HindbrainError]
) -> None:
    promise(Noted(content=SAID), PLACE, tools=desk)

    def failing(*_: object, **__: object) -> None:
        raise error("not now", fix="wait")

    with monkeypatch.context() as patch:
        patch.setattr(desk.store, "adopt", failing)
        with pytest.raises(error):
            drain(spool, tools=desk, attempt=attempt)
    caught_up(desk)
    assert [memory.content for memory in kept(desk)] == [SAID]


def test_a_promise_is_for_the_same_project_when_it_is_read_once_more_after_a_restore(
    desk: Tools, spool: FileSpool, tmp_path: Path
) -> None:
    """What was taken up is kept as the door would have it; for whom it was must not change by that."""
    places = [
        Located(identities=("remote:host/jane/app", "folder:/home/jane/app/.git"), name="app", root=None),
        Located(identities=("remote:host/jane/web", "folder:/home/jane/web/.git"), name="web", root=None),
    ]
    for place in places:
        promise(Noted(content=f"{SAID} of {place.name}"), place, tools=desk)
    caught_up(desk)
    assert spool.replay() == 1
    with closing(SqliteStore(tmp_path / "earlier.db")) as earlier:
        restored = replace(desk, store=earlier)
        caught_up(restored)
        for place in places:
            for identity in place.identities:
                project = earlier.project_of([identity])
                assert project is not None and project.name == place.name
                assert [one.content for one in earlier.select(Where(project=project.id))] == [f"{SAID} of {place.name}"]


def test_nothing_is_forgotten_while_a_promise_holds_it_and_no_promise_is_lost_by_it(
    desk: Tools, spool: FileSpool
) -> None:
    promise(Noted(content=SAID), PLACE, tools=desk)
    caught_up(desk)
    (memory,) = kept(desk)
    promise(Noted(content=f"{SAID}, twice on staging"), PLACE, tools=desk)
    drain(spool, tools=desk, attempt=attempt)
    with pytest.raises(NotErased, match="what was promised as rcp-"):
        forget(memory.id, store=desk.store, clock=desk.clock, spool=spool)
    run_due(handlers(), tools=desk, attempt=attempt)
    assert len(desk.store.receipts(memory.project)) == 2


@pytest.mark.parametrize("payload", [{}, {"id": "rcp-1"}, {"id": 3, "project": {}, "memory": {}}])
def test_a_record_that_holds_no_promise_is_set_aside_and_stands_in_nobodys_way(
    desk: Tools, spool: FileSpool, payload: dict[str, object]
) -> None:
    spool.append(PROMISES, json.dumps(payload).encode(), at=NOW)
    promise(Noted(content=SAID), PLACE, tools=desk)
    caught_up(desk)
    assert [memory.content for memory in kept(desk)] == [SAID]
    assert desk.store.cursor("trouble/spool").startswith("1 ")


def test_a_hook_cannot_promise_anything(desk: Tools, spool: FileSpool) -> None:
    """What a person says is trusted: nothing that a client hands over may look like it."""
    forged = {"id": "rcp-1", "project": {"identities": ["name:shop"], "name": "shop"}, "memory": {"content": SAID}}
    spool.append("claude", called("UserPromptSubmit", prompt="hi", **forged), at=NOW)
    caught_up(desk)
    assert kept(desk) == []


@pytest.mark.parametrize(
    ("number", "error"), [(errno.ENOSPC, DiskFull), (errno.EROFS, ReadOnly), (errno.EIO, DiskFailed)]
)
@pytest.mark.parametrize("call", ["write", "fdatasync"])
def test_a_disk_that_refuses_is_told_and_nothing_of_it_is_kept(
    desk: Tools, monkeypatch: pytest.MonkeyPatch, number: int, error: type[HindbrainError], call: str
) -> None:
    def refusing(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    promise(Noted(content="kept before"), PLACE, tools=desk)
    with monkeypatch.context() as patch:
        patch.setattr(*(os, "write") if call == "write" else (spools, "_synced"), refusing)
        with pytest.raises(error, match="nothing was saved"):
            promise(Noted(content=SAID), PLACE, tools=desk)
    promise(Noted(content="kept after"), PLACE, tools=desk)
    caught_up(desk)
    assert {memory.content for memory in kept(desk)} == {"kept before", "kept after"}


def test_a_disk_that_takes_a_part_has_nothing_of_it_in_the_end(
    desk: Tools, spool: FileSpool, monkeypatch: pytest.MonkeyPatch
) -> None:
    promise(Noted(content="kept before"), PLACE, tools=desk)
    write = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda handle, data: write(handle, data[:-50]))
        with pytest.raises(DiskFull, match="nothing was saved"):
            promise(Noted(content=SAID), PLACE, tools=desk)
    promise(Noted(content="kept after"), PLACE, tools=desk)
    (name,) = spool.claim()
    assert [isinstance(line, Spoiled) for line in spool.records(name)] == [False, False]


def test_what_others_wrote_behind_a_part_stays(
    desk: Tools, spool: FileSpool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other, write = FileSpool(tmp_path / "spool"), os.write

    def overtaken(handle: int, data: bytes) -> int:
        monkeypatch.setattr(os, "write", write)
        done = write(handle, data[:-50])
        other.append("claude", called("Stop"), at=NOW)
        other._locked()  # and is about to write more
        return done

    monkeypatch.setattr(os, "write", overtaken)
    with pytest.raises(DiskFull):
        promise(Noted(content=SAID), PLACE, tools=desk)
    other.append("claude", called("Stop"), at=NOW)
    (name,) = spool.claim()
    found = [line for line in spool.records(name) if isinstance(line, Record)]
    assert [json.loads(record.payload)["hook_event_name"] for record in found] == ["Stop", "Stop"]


def test_a_person_promises_on_the_command_line_and_finds_it_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli = Cli(tmp_path, monkeypatch)
    shown = cli("add", "--later", "--type", "pitfall", "The nightly build needs 8 GB")
    assert "promised" in shown.out and "no worker answers; `hindbrain worker --once` keeps it" in shown.out
    told = cli.json("add", "--later", "The weekly build needs 16 GB")
    assert cli.json("list")["memories"] == []
    cli("worker", "--once")
    assert len(cli.json("list")["memories"]) == 2
    assert told["promised"] in [one["id"] for one in cli.json("receipts")["receipts"]]
    assert "the content is empty" in cli("add", "--later", " ", code=64).err


def test_a_socket_that_outlived_its_worker_is_not_taken_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli = Cli(tmp_path, monkeypatch)
    cli.home.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(worker_socket(str(cli.home)))
    assert "no worker answers; `hindbrain worker --once` keeps it" in cli("add", "--later", SAID).out
