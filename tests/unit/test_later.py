"""What was promised is kept once, as if it had been added at that moment; what cannot be is refused before that."""

import errno
import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from building import NOW
from calling import Cli
from hooking import called

from hindbrain.adapters.spool import FileSpool
from hindbrain.app.add import Noted
from hindbrain.app.drain import drain
from hindbrain.app.handlers import handlers
from hindbrain.app.jobs import run_due
from hindbrain.app.later import CLIENT, add_job, promise
from hindbrain.app.projects import Located
from hindbrain.app.tools import Tools
from hindbrain.core.model import Memory, Verdict
from hindbrain.core.model.job import JobState
from hindbrain.core.value import replace
from hindbrain.errors import BadValue, DiskFull, HindbrainError, ReadOnly, TooLong
from hindbrain.ports import Spoiled, Where

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


def test_where_nobody_takes_anything_up_nothing_is_promised(tools: Tools) -> None:
    with pytest.raises(BadValue, match="later"):
        promise(Noted(content=SAID), PLACE, tools=tools)


@pytest.mark.parametrize("payload", [{}, {"id": "rcp-1"}, {"id": 3, "project": {}, "memory": {}}])
def test_a_record_that_holds_no_promise_is_set_aside_and_stands_in_nobodys_way(
    desk: Tools, spool: FileSpool, payload: dict[str, object]
) -> None:
    spool.append(CLIENT, json.dumps(payload).encode(), at=NOW)
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


@pytest.mark.parametrize(("number", "error"), [(errno.ENOSPC, DiskFull), (errno.EROFS, ReadOnly)])
def test_a_disk_that_refuses_is_told_and_leaves_no_half_of_a_record(
    desk: Tools, spool: FileSpool, monkeypatch: pytest.MonkeyPatch, number: int, error: type[HindbrainError]
) -> None:
    promise(Noted(content="kept before"), PLACE, tools=desk)
    write = os.write

    def refusing(handle: int, data: bytes) -> int:
        if len(data) < 60:
            raise OSError(number, os.strerror(number))
        return write(handle, data[: len(data) - 50])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", refusing)
        with pytest.raises(error, match="nothing was saved"):
            promise(Noted(content=SAID), PLACE, tools=desk)
    promise(Noted(content="kept after"), PLACE, tools=desk)
    (name,) = spool.claim()
    assert not [line for line in spool.records(name) if isinstance(line, Spoiled)]
    caught_up(desk)
    assert {memory.content for memory in kept(desk)} == {"kept before", "kept after"}


def test_a_person_promises_on_the_command_line_and_finds_it_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli = Cli(tmp_path, monkeypatch)
    shown = cli("add", "--later", "--type", "pitfall", "The nightly build needs 8 GB")
    assert "promised" in shown.out and "no worker runs; `hindbrain worker --once` keeps it" in shown.out
    told = cli.json("add", "--later", "The weekly build needs 16 GB")
    assert cli.json("list")["memories"] == []
    cli("worker", "--once")
    assert len(cli.json("list")["memories"]) == 2
    assert told["promised"] in [one["id"] for one in cli.json("receipts")["receipts"]]
    assert "the content is empty" in cli("add", "--later", " ", code=64).err
